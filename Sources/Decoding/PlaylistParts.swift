/// An HLS media playlist in the parts that its discontinuities make (RFC 8216, section 4.3.2.3): each is
/// a playlist of its own, whose clock and whose coding have nothing to do with the others'. A new
/// initialization section (4.3.2.5) begins one too.
package struct PlaylistParts: Equatable {
  package struct Part: Equatable {
    package var text: [UInt8]
    /// What its segments say that they last.
    package var length: Duration
  }

  package private(set) var parts: [Part] = []

  /// More lists than anybody writes; what lies behind stays in the last.
  private static let most = 10_000
  private static let longestSegment = 86_400.0
  private static let longest = 1e9

  /// Nil where it is no media playlist, or of one part alone.
  package init?(_ text: [UInt8]) {
    var head: [Substring] = []
    var body: [Substring] = []
    var (map, key): (Substring?, Substring?)
    var (number, count) = (UInt64(0), UInt64(0))
    var (length, hasSegment, ends) = (0.0, false, false)
    /// What stands before a segment belongs to it.
    var pending: [Substring] = []
    var breaks = false
    var before: (map: Substring?, key: Substring?)
    var lasts = 0.0

    func finish() -> Part? {
      guard hasSegment else { return nil }
      let lines =
        head + ["#EXT-X-MEDIA-SEQUENCE:\(number)"] + [before.key, before.map].compactMap(\.self)
        + body + ["#EXT-X-ENDLIST", ""]
      return Part(
        text: Array(lines.joined(separator: "\n").utf8),
        length: .nanoseconds(Int64(min(length, Self.longest) * 1e9)))
    }

    let whole = String(decoding: text, as: UTF8.self)
    for line in whole.split(whereSeparator: \.isNewline) {
      let tag = line.prefix { $0 != ":" }
      switch tag {
      case "#EXTM3U", "#EXT-X-TARGETDURATION", "#EXT-X-VERSION", "#EXT-X-INDEPENDENT-SEGMENTS",
        "#EXT-X-PLAYLIST-TYPE":
        // Each stands once, however often it is said; a part repeats them.
        if !head.contains(where: { $0.hasPrefix(tag) }) { head.append(line) }
      case "#EXT-X-MEDIA-SEQUENCE": count = UInt64(line.dropFirst(tag.count + 1)) ?? 0
      case "#EXT-X-STREAM-INF": return nil
      case "#EXT-X-ENDLIST": ends = true
      case "#EXT-X-DISCONTINUITY": breaks = true
      case "#EXT-X-DISCONTINUITY-SEQUENCE": break
      case "#EXT-X-MAP":
        if let map, map != line { breaks = true }
        map = line
        pending.append(line)
      case "#EXT-X-KEY":
        key = line
        pending.append(line)
      case "#EXTINF":
        let seconds = line.dropFirst(8).prefix { $0 != "," && $0 != " " }
        lasts = Double(seconds).map { $0.isFinite ? max(0, $0) : 0 } ?? 0
        pending.append(line)
      case _ where line.hasPrefix("#"): pending.append(line)
      default:
        if breaks, hasSegment, parts.count < Self.most, let part = finish() {
          parts.append(part)
          (body, length, hasSegment) = ([], 0, false)
        }
        if !hasSegment {
          let kinds = pending.map { $0.prefix { $0 != ":" } }
          before = (
            kinds.contains("#EXT-X-MAP") ? nil : map, kinds.contains("#EXT-X-KEY") ? nil : key
          )
          number = count
        }
        body += pending + [line]
        (pending, breaks, hasSegment) = ([], false, true)
        length += min(lasts, Self.longestSegment)
        lasts = 0
        count &+= 1
      }
      if ends { break }
    }
    if let part = finish() { parts.append(part) }
    guard head.first == "#EXTM3U", parts.count > 1 else { return nil }
  }
}
