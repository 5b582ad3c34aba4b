import Feeds

/// MIME types of files, detected from their first bytes; their names count only where the bytes are
/// not recognised.
enum MediaType {
  /// So many first bytes are enough to detect every format.
  static let headBytes = MediaSignature.headBytes
  static let animation = "video/lottie+json"
  static let unknown = "application/octet-stream"

  static func of(head: [UInt8], name: String) -> String {
    let claimed = MediaFormat.type(path: name)
    let isPlaylist = head.starts(with: "#EXTM3U".utf8)
    guard
      let found = isPlaylist
        ? "application/vnd.apple.mpegurl" : MediaSignature(head: head)?.type
    else { return claimed ?? unknown }
    // For a container that may hold pictures or only sound, the name decides.
    if let claimed, claimed.hasPrefix("audio/"),
      let sound = MediaFormat.audioOnlyType(forContainer: found)
    {
      return sound
    }
    return found
  }
}
