import System

/// A playlist of the segments of one variant (RFC 8216, section 4.3.3), repaired for FFmpeg's demuxer:
/// that accepts only the strict form, tries to fetch segments that are marked as missing, and reloads a
/// playlist without an end again and again.
package struct MediaPlaylist: Equatable {
  /// The repaired playlist: with an end, and without the segments that cannot be played.
  package private(set) var text: [UInt8] = []
  /// How many segments are marked as missing (`EXT-X-GAP`).
  package private(set) var gaps = 0
  /// Later segments are protected and were left out.
  package private(set) var endsProtected = false

  private static let usualPart = 10.0
  private static let longestPart = 86_400.0

  /// The encryption of the following segments (section 4.3.2.4).
  private enum Key: Equatable {
    case clear
    case block(line: String, hasVector: Bool)
    case protected
  }

  /// - Throws: why it cannot be played.
  package init(_ playlist: PlaylistText) throws(DecodingError) {
    var body: [String] = []
    var part: [String] = []
    var keys: [String] = []
    var key = Key.clear
    var target: String?
    var longest = 0.0
    var hasLength = false
    var isGap = false
    var sequence: UInt64 = 0
    var count = 0
    lines: for line in playlist.lines.dropFirst() {
      switch line.prefix(while: { $0 != ":" }) {
      case "#EXT-X-STREAM-INF":
        throw DecodingError("the master playlist names another master playlist, or itself")
      case "#EXT-X-ENDLIST": break lines
      case "#EXT-X-TARGETDURATION": target = target ?? line
      case "#EXT-X-GAP": isGap = true
      case "#EXT-X-KEY": keys.append(line)
      case "#EXT-X-MEDIA-SEQUENCE":
        sequence =
          PlaylistText.value(ofTag: "#EXT-X-MEDIA-SEQUENCE", in: line)
          .flatMap { UInt64($0) } ?? 0
        body.append(line)
      case "#EXTINF":
        hasLength = true
        let number = line.dropFirst(8).prefix { $0 != "," && $0 != " " }
        longest = max(longest, Double(number).flatMap { $0.isFinite ? $0 : nil } ?? 0)
        part.append(line)
      case let other where other.hasPrefix("#"): part.append(line)
      default:
        if !keys.isEmpty { key = Self.key(of: keys) }
        if key == .protected {
          endsProtected = true
          break lines
        }
        if isGap {
          gaps += 1
          part.removeAll { $0.hasPrefix("#EXTINF") || $0.hasPrefix("#EXT-X-BYTERANGE") }
        } else {
          if !hasLength { part.append("#EXTINF:\(Self.usualPart),") }
          if case .block(let line, false) = key, gaps > 0 {
            // Without a vector, the segment's number is used. It counts missing segments, too, which
            // FFmpeg will not see.
            body.append(line + ",IV=" + Self.vector(sequence))
          } else if !keys.isEmpty {
            body.append(Self.line(of: key))
          }
          body += part + [line]
          part = []
          count += 1
        }
        keys = isGap ? keys : []
        (hasLength, isGap) = (false, false)
        sequence &+= 1
      }
    }
    guard count > 0 else {
      if endsProtected { throw .protected }
      throw DecodingError(gaps > 0 ? "all its segments are missing" : "a playlist without segments")
    }
    let seconds = Int(min(max(1, longest), Self.longestPart).rounded(.up))
    let head = ["#EXTM3U", target ?? "#EXT-X-TARGETDURATION:\(seconds)"]
    text = Array((head + body + ["#EXT-X-ENDLIST", ""]).joined(separator: "\n").utf8)
  }

  /// Several tags may give the same key for different systems; one that is supported is enough.
  private static func key(of lines: [String]) -> Key {
    for line in lines {
      let attributes =
        PlaylistText.value(ofTag: "#EXT-X-KEY", in: line).map(PlaylistText.attributes) ?? [:]
      let isPlain = attributes["KEYFORMAT"].map { $0.lowercased() == "identity" } ?? true
      switch attributes["METHOD"] {
      case "NONE": return .clear
      case "AES-128" where isPlain: return .block(line: line, hasVector: attributes["IV"] != nil)
      default: continue
      }
    }
    return .protected
  }

  private static func line(of key: Key) -> String {
    if case .block(let line, _) = key { line } else { "#EXT-X-KEY:METHOD=NONE" }
  }

  /// The vector that a segment's number stands for (section 5.2).
  private static func vector(_ sequence: UInt64) -> String {
    "0x" + sequence.padded(32, radix: 16)
  }
}
