/// Distinguishes HLS playlists and extended M3U lists from other files (RFC 8216, section 4.3.1.1).
///
/// By the standard the tag must be the first line. In practice a byte order mark, blank lines and
/// comments may be before it.
public enum PlaylistMark {
  /// So many first bytes are enough for nearly all files.
  public static let length = tag.count
  /// If so many first bytes do not decide, the file is no playlist.
  public static let reach = 1_024

  /// In lower case, because some files have it so.
  private static let tag = Array("#extm3u".utf8)

  /// Whether a file that begins with these bytes is a playlist; nil where more bytes are needed.
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
