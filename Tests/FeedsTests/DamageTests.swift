import Feeds
import Stories
import Support
import Testing

/// Damaged feeds and lists: reading any of them ends with a feed or a reason.
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

  private static let syndication = """
    <?xml version="1.0"?><rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"
     xml:base="sub/"><channel><title>T &amp; &#233;</title><item><guid>1</guid><title><![CDATA[<x>]]>
     </title><pubDate>Sat, 28 Nov 2026 09:00:00 +0100</pubDate><media:group>
     <media:content url="a%20b.mp4?q&amp;f" duration="1:15" width="9" height="16"/>
     <media:content url="../c.webm" type="video/webm" isDefault="true"/></media:group>
     <enclosure url="https://h:8/p.mp3?x=%zz" length="-1" type="audio/mpeg"/></item></channel></rss>
    """
  private static let tracks = """
    <playlist version="1" xmlns="http://xspf.org/ns/0/"><title>T</title><trackList><track>
    <location>a%20b.mp4</location><title>x</title><duration>1500</duration></track></trackList>
    </playlist>
    """
  private static let radio = """
    [playlist]
    NumberOfEntries=2
    File2=http://h:8/x
    File1=a.mp4
    Title1=One
    Length1=-1
    """

  @Test(arguments: [
    ("f.json", feed), ("l.m3u", list), ("unnamed", feed), ("unnamed", list), ("s.xml", syndication),
    ("t.xspf", tracks), ("r.pls", radio), ("unnamed", syndication), ("unnamed", tracks),
  ])
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

  /// The bytes with a few random places cut off, changed, repeated or removed.
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
