import Feeds

/// MIME types of files, told by their first bytes, and by their names only where those tell nothing.
enum MediaType {
  /// So many first bytes are enough.
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
    // A container that may hold pictures or only sound is believed by its name.
    if let claimed, claimed.hasPrefix("audio/"), let sound = MediaFormat.soundType(of: found) {
      return sound
    }
    return found
  }
}
