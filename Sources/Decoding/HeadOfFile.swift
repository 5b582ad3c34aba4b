/// Detects the type of a file from its first bytes.
package enum HeadOfFile {
  /// How many bytes are read for that.
  package static let length = 4 << 10

  package enum Kind: Equatable {
    case empty
    /// A still picture in a HEIF container, AVIF included.
    case heifStill
    case animatedWebP
    /// Lottie, bare or packed.
    case animation
    /// A web page.
    case page
    /// Text that may still be a playlist.
    case text
    case unknown
  }

  package static func kind(of head: [UInt8]) -> Kind {
    if head.isEmpty { return .empty }
    if isHeifStill(head) { return .heifStill }
    if isAnimatedWebP(head) { return .animatedWebP }
    if isPackedAnimation(head) { return .animation }
    guard let text = text(of: head) else { return .unknown }
    // The only JSON files that are played are animations.
    if text.hasPrefix("{") { return .animation }
    let lower = text.prefix(64).lowercased()
    if lower.hasPrefix("<!doctype html") || lower.hasPrefix("<html") { return .page }
    return .text
  }

  /// The demuxer for formats that FFmpeg's probing is known to miss; nil to let FFmpeg probe.
  package static func format(of head: [UInt8]) -> String? {
    head.starts(with: [0xFF, 0xD8, 0xFF]) ? "jpeg_pipe" : nil
  }

  /// Whether the file begins as a media file does: if it cannot be opened, it is damaged.
  package static func isMedia(_ head: [UInt8]) -> Bool {
    let starts: [[UInt8]] = [
      [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47], [0x1A, 0x45, 0xDF, 0xA3],
      Array("GIF8".utf8), Array("RIFF".utf8), Array("OggS".utf8), Array("fLaC".utf8),
      Array("ID3".utf8), Array("FORM".utf8), Array("FLV".utf8),
    ]
    let boxes = ["ftyp", "moov", "mdat", "free", "wide", "skip"].map { Array($0.utf8) }
    return starts.contains { head.starts(with: $0) }
      || (head.count >= 8 && boxes.contains(Array(head[4..<8])))
  }

  /// Whether Common Encryption's scheme box (ISO 23001-7, 4) is anywhere in the head.
  package static func isProtected(_ head: [UInt8]) -> Bool {
    let schemes = ["cenc", "cbc1", "cens", "cbcs"].map { Array($0.utf8) }
    let name = Array("schm".utf8)
    guard head.count >= 12 else { return false }
    return (0...head.count - 12).contains { offset in
      head[offset..<offset + 4].elementsEqual(name)
        && schemes.contains(Array(head[offset + 8..<offset + 12]))
    }
  }

  /// Whether the file type box (ISO 14496-12, 4.3) names a brand of still pictures before any of
  /// sequences.
  private static func isHeifStill(_ head: [UInt8]) -> Bool {
    guard head.count >= 16, head[4..<8].elementsEqual("ftyp".utf8) else { return false }
    let size = min(head.count, head[0..<4].reduce(0) { $0 << 8 | Int($1) })
    guard size >= 16 else { return false }
    let brands = stride(from: 8, through: size - 4, by: 4).filter { $0 != 12 }
      .map { String(decoding: head[$0..<$0 + 4], as: UTF8.self) }
    let stills: Set = ["avif", "heic", "heix", "heim", "heis", "mif1", "mif2", "mif3"]
    guard let major = brands.first else { return false }
    if major == "mif1" || major == "mif2" {
      return !brands.contains("avis") || brands.contains("avif")
    }
    return stills.contains(major)
  }

  /// Whether it is a WebP whose VP8X flags say that it is animated (WebP container specification).
  private static func isAnimatedWebP(_ head: [UInt8]) -> Bool {
    head.count >= 21 && head[0..<4].elementsEqual("RIFF".utf8)
      && head[8..<16].elementsEqual("WEBPVP8X".utf8) && head[20] & 2 != 0
  }

  /// Whether it is gzip (.tgs) or a zip (dotLottie): nothing else in these formats is played.
  private static func isPackedAnimation(_ head: [UInt8]) -> Bool {
    head.starts(with: [0x1F, 0x8B]) || head.starts(with: [0x50, 0x4B, 0x03, 0x04])
  }

  /// The head as text, without a byte order mark and leading space; nil if it is not text.
  private static func text(of head: [UInt8]) -> Substring? {
    let body = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
    let isText = body.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
    guard isText else { return nil }
    return String(decoding: body, as: UTF8.self).drop(while: \.isWhitespace)
  }
}
