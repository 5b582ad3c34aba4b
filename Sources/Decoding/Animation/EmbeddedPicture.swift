/// The size of a picture that an animation carries as a `data:` URL (RFC 2397).
enum EmbeddedPicture {
  /// As far as a header with its own small picture may reach.
  private static let longestHead = 256 << 10

  /// The pixels that its header declares; 0 where none can be told, as the renderer then finds none
  /// either or is stopped by its memory limit.
  static func pixels(of url: String) -> Int {
    guard url.hasPrefix("data:"), let comma = url.utf8.firstIndex(of: UInt8(ascii: ",")) else {
      return 0
    }
    let head = base64(url.utf8[url.utf8.index(after: comma)...], upTo: longestHead)
    guard let size = head.withUnsafeBytes({ DeclaredSize.find(in: $0) }) else { return 0 }
    let (pixels, overflow) = max(0, size.width).multipliedReportingOverflow(by: max(0, size.height))
    return overflow ? .max >> 8 : min(pixels, .max >> 8)
  }

  /// The bytes that text stands for (RFC 4648), up to its first other character.
  private static func base64(_ text: Substring.UTF8View, upTo limit: Int) -> [UInt8] {
    var bytes: [UInt8] = []
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
    if count == 3 {
      for shift in [10, 2] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
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
}
