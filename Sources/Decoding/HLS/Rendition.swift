import System

/// One media playlist of a story, with the segments of it that are known, and what FFmpeg's demuxer is
/// given for it.
///
/// The demuxer gets a playlist of its own for each part, that is for each run of segments with one
/// clock and coding. Its segments, keys and initialization sections have names that only
/// `PlaylistStory` can resolve.
package struct Rendition {
  /// A segment and its place in the story.
  struct Entry {
    var segment: MediaPlaylist.Segment
    var part: Int
    /// By the declared lengths.
    var start: Duration
    /// Equal for neighbours with the same key, and with the same initialization section.
    var keyRun: Int
    var mapRun: Int

    var end: Duration { start + segment.length }
  }

  /// The name of the playlist, as the one that names it writes it; nil for the story itself.
  let uri: String?
  /// How segments are named.
  private let number: Int
  private var entries: [Entry] = []
  /// How many entries were let go of.
  private var dropped = 0
  /// No segments will be added.
  var isOver = true
  /// The next segment that is added begins another part.
  private var breaksNext = false
  /// The first segment of each part.
  private var partStarts: [Int] = []

  /// At most so many parts; what follows stays in the last one.
  private static let mostParts = 10_000
  /// So many segments of a live story that were played are kept.
  private static let mostBehind = 64
  private static let longest = Duration.seconds(1_000_000_000)

  package init(uri: String?, number: Int, _ media: MediaPlaylist? = nil) {
    self.uri = uri
    self.number = number
    if let media { append(media.segments) }
  }

  mutating func append(_ segments: [MediaPlaylist.Segment]) {
    for segment in segments {
      let index = end
      let former = entries.last
      let begins = former == nil || segment.beginsAnew || breaksNext
      if begins, partStarts.count < Self.mostParts || former == nil { partStarts.append(index) }
      breaksNext = false
      entries.append(
        Entry(
          segment: segment, part: partStarts.count - 1,
          start: min(former?.end ?? .zero, Self.longest),
          keyRun: former.flatMap { $0.segment.key?.uri == segment.key?.uri ? $0.keyRun : nil }
            ?? index,
          mapRun: former.flatMap { $0.segment.map == segment.map ? $0.mapRun : nil } ?? index))
    }
  }

  /// Lets go of the segments behind one, or of all; what is added next begins another part.
  mutating func leap(behind index: Int?) {
    let kept = max(0, (index ?? dropped - 1) + 1 - dropped)
    if kept < entries.count { entries.removeLast(entries.count - kept) }
    let end = end
    partStarts.removeAll { $0 >= end }
    breaksNext = true
  }

  /// Lets go of segments that were played long ago.
  mutating func forget(before index: Int) {
    let count = index - Self.mostBehind - dropped
    guard count > Self.mostBehind else { return }
    entries.removeFirst(count)
    dropped += count
  }

  /// The index of the first segment that is not known.
  var end: Int { dropped + entries.count }

  subscript(index: Int) -> Entry? {
    entries.indices.contains(index - dropped) ? entries[index - dropped] : nil
  }

  package var partCount: Int { partStarts.count }

  /// The declared lengths of all parts.
  package var partLengths: [Duration] {
    var lengths = [Duration](repeating: .zero, count: partStarts.count)
    for entry in entries { lengths[entry.part] += entry.segment.length }
    return lengths.map { min($0, Self.longest) }
  }

  /// The segments of a part that are known and still kept.
  func indices(ofPart part: Int) -> Range<Int> {
    guard partStarts.indices.contains(part) else { return end..<end }
    let first = max(partStarts[part], dropped)
    return first..<max(first, part + 1 < partStarts.count ? partStarts[part + 1] : end)
  }

  /// Whether no segments will be added to a part.
  func isWhole(part: Int) -> Bool { isOver || part + 1 < partCount || breaksNext }

  /// The key, or the initialization section, of a run of segments.
  func entry(ofKeyRun run: Int) -> Entry? { entries.first { $0.keyRun == run } }
  func entry(ofMapRun run: Int) -> Entry? { entries.first { $0.mapRun == run } }

  // MARK: - For FFmpeg

  /// A playlist of a part.
  ///
  /// - Parameter index: the first segment that is still wanted; nil for all.
  package func text(ofPart part: Int, from index: Int? = nil) -> [UInt8] {
    let all = indices(ofPart: part)
    let shown = max(all.lowerBound, min(index ?? all.lowerBound, all.upperBound))..<all.upperBound
    let isWhole = isWhole(part: part)
    var body: [String] = []
    var key: MediaPlaylist.Key?
    var map: MediaPlaylist.Map?
    var longest = Duration.seconds(1)
    func encrypt(_ new: MediaPlaylist.Key?, name: String) {
      guard new != key else { return }
      body.append(
        new.map { "#EXT-X-KEY:METHOD=AES-128,URI=\"\(name)\",IV=\($0.vector)" }
          ?? "#EXT-X-KEY:METHOD=NONE")
      key = new
    }
    for index in shown {
      guard let entry = self[index] else { continue }
      if let new = entry.segment.map, new != map {
        // Its key need not be that of the segments.
        let isSame = new.key?.uri == entry.segment.key?.uri
        encrypt(new.key, name: isSame ? "k\(number).\(entry.keyRun)" : "n\(number).\(entry.mapRun)")
        body.append("#EXT-X-MAP:URI=\"m\(number).\(entry.mapRun)\"")
        map = new
      }
      encrypt(entry.segment.key, name: "k\(number).\(entry.keyRun)")
      longest = max(longest, entry.segment.length)
      // A length makes FFmpeg wait before it asks for more of a playlist that grows.
      let seconds = isWhole ? entry.segment.length / .seconds(1) : 0.001
      body += ["#EXTINF:\(seconds),", "s\(number).\(index)"]
    }
    let target = isWhole ? Int((longest / .seconds(1)).rounded(.up)) : 0
    let head = [
      "#EXTM3U", "#EXT-X-TARGETDURATION:\(target)", "#EXT-X-MEDIA-SEQUENCE:\(shown.lowerBound)",
    ]
    let lines = head + body + (isWhole ? ["#EXT-X-ENDLIST", ""] : [""])
    return Array(lines.joined(separator: "\n").utf8)
  }
}
