/// How an HLS playlist or extended M3U list is told from other files (RFC 8216, section 4.3.1.1).
///
/// The tag must be the first line by the standard; a byte order mark, blank lines and comments do stand
/// before it in practice.
public enum PlaylistMark {
  /// So many bytes decide for nearly all files.
  public static let length = tag.count
  /// Where so many bytes do not decide, it is none.
  public static let reach = 1_024

  /// In small letters; some write it so.
  private static let tag = Array("#extm3u".utf8)

  /// Whether a file that begins with these bytes is a playlist; nil where more of it must be seen.
  public static func isPlaylist(_ head: [UInt8]) -> Bool? {
    var rest = head[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    while true {
      rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
      let start = rest.prefix(tag.count).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
      if start == tag { return true }
      if tag.starts(with: start) { return nil }
      guard rest.first == tag[0] else { return false }
      rest = rest.drop { $0 != 0x0A && $0 != 0x0D }
    }
  }
}
