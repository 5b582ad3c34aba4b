/// A picture in an animation's text, as a `data:` URL (RFC 2397).
enum EmbeddedPicture {
  /// A header may be so long, in bytes, as it may contain a thumbnail.
  private static let longestHead = 256 << 10

  /// The number of pixels that its header declares; 0 if unknown: then the renderer does not find it
  /// either, or is stopped by its memory limit.
  static func pixels(of url: String) -> Int {
    guard let text = content(of: url),
      let size = DeclaredSize.find(in: base64(text, upTo: longestHead))
    else {
      return 0
    }
    let (pixels, overflow) = max(0, size.width).multipliedReportingOverflow(by: max(0, size.height))
    return overflow ? .max >> 8 : min(pixels, .max >> 8)
  }

  /// The bytes of the picture; nil if the URL is not in base64.
  static func bytes(of url: String) -> [UInt8]? {
    guard let text = content(of: url),
      url.utf8.prefix(upTo: text.startIndex).dropLast().suffix(7).elementsEqual(";base64".utf8)
    else { return nil }
    return base64(text, upTo: .max)
  }

  private static func content(of url: String) -> Substring.UTF8View? {
    guard url.hasPrefix("data:"), let comma = url.utf8.firstIndex(of: UInt8(ascii: ",")) else {
      return nil
    }
    return url.utf8[url.utf8.index(after: comma)...]
  }

  // MARK: Base64 (RFC 4648)

  /// Decodes base64, up to the first other character.
  private static func base64(_ text: Substring.UTF8View, upTo limit: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(limit, text.count / 4 * 3))
    var bits: UInt32 = 0
    var count = 0
    for character in text {
      guard let value = value(of: character), bytes.count < limit else { break }
      bits = bits << 6 | value
      count += 1
      if count == 4 {
        for shift in [16, 8, 0] as [UInt32] {
          bytes.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
        bits = 0
        count = 0
      }
    }
    switch count {
    case 3:
      for shift in [10, 2] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
    case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
    default: break
    }
    return bytes
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }

  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Appends bytes as base64.
  static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
    text.reserveCapacity(text.count + bytes.count / 3 * 4 + 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      var bits: UInt32 = 0
      for position in 0..<3 {
        bits = bits << 8 | (position < part.count ? UInt32(part[start + position]) : 0)
      }
      for position in 0..<4 {
        text.append(
          position <= part.count
            ? digits[Int(bits >> UInt32(18 - 6 * position) & 63)] : UInt8(ascii: "="))
      }
    }
  }
}
