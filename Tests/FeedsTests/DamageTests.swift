import Feeds
import Stories
import Support
import Testing

/// Damaged feeds and lists: whatever they say, reading ends with a feed or a reason.
@Suite struct DamageTests {
  private static let feed = """
    {"version": "https://jsonfeed.org/version/1.1", "title": "T\\u00e9", "authors": [{"name": "a"}],
     "items": [
      {"id": "1", "date_published": "2026-11-28T09:00:00+01:00", "title": "x\\ud83d\\ude00",
       "attachments": [{"url": "a%20b.mp4?q#f", "mime_type": "video/mp4", "title": "one"},
                       {"url": "../c.webm", "duration_in_seconds": 1.5e1, "title": "two"}],
       "_storytty": {"maxViews": 3, "expires": "2026-12-05", "link": "https://h/t", "reel": "r"}},
      {"id": 2, "image": "https://h:8/p.jpg?x=%zz", "author": {"name": "b"}, "deep": [[{"a": []}]]}]}
    """
  private static let list = """
    #EXTM3U
    #PLAYLIST:A
    #EXTINF:1.5 k="v, w",Title, more
    a/../../b%2Fc.mp4
    file:///x/%41.mp4
    http://[::1]:80/../x.ts?y=1#z
    in.m3u
    win\\dir\\d.mp4
    """

  @Test(arguments: [("f.json", feed), ("l.m3u", list), ("unnamed", feed), ("unnamed", list)])
  func read_damaged_endsWithAFeedOrAReason(name: String, text: String) {
    var random = SeededRandom(seed: 6)
    let bytes = Array(text.utf8)
    for _ in 0..<1000 {
      let files = FakeFiles([
        "/home/\(name)": .file(damaged(bytes, &random)), "/home/in.m3u": .file(bytes),
      ])
      do {
        let feed = try FeedReader(files: files).read([name])
        for story in feed.reels.flatMap(\.stories) {
          #expect(!story.source.text.isEmpty)
          _ = (story.id, story.caption, story.link, story.author)
        }
      } catch {
        #expect(error.source == name)
        #expect(!error.reason.isEmpty)
      }
    }
  }

  /// Cut, changed, repeated or left out somewhere.
  private func damaged(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    var bytes = bytes
    for _ in 0...Int.random(in: 0...3, using: &random) {
      let place = Int.random(in: 0..<max(1, bytes.count), using: &random)
      let end = min(bytes.count, place + Int.random(in: 1...12, using: &random))
      guard place < end else { continue }
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes.removeSubrange(place...)
      case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
      case 2: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
      default: bytes.removeSubrange(place..<end)
      }
    }
    return bytes
  }
}
