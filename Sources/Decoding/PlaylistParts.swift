/// An HLS media playlist, split at its discontinuities (RFC 8216, section 4.3.2.3) and where a new
/// initialization section begins (4.3.2.5). Each part is a playlist of its own: its clock and its
/// codecs need not be those of the other parts.
package struct PlaylistParts: Equatable {
  package struct Part: Equatable {
    package var text: [UInt8]
    /// The sum of the durations that its segments declare.
    package var length: Duration
  }

  package private(set) var parts: [Part] = []

  /// At most so many parts; what follows stays in the last one.
  private static let most = 10_000
  private static let longestSegment = 86_400.0
  private static let longest = 1e9

  /// Nil if it is not a media playlist, or has only one part.
  package init?(_ text: [UInt8]) {
    var head: [Substring] = []
    var body: [Substring] = []
    var (map, key): (Substring?, Substring?)
    var (number, count) = (UInt64(0), UInt64(0))
    var (length, hasSegment, ends) = (0.0, false, false)
    /// Tags before a segment belong to it.
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
        // Each of these tags is kept once and repeated in every part.
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
