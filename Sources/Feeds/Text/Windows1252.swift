/// The encoding windows-1252, by the Encoding Standard of the WHATWG.
enum Windows1252 {
  /// The character that one of the bytes 80 to 9F stands for; nil for the five that mean nothing, and
  /// for all others, which stand for the character of their number.
  static func scalar(_ byte: UInt8) -> Unicode.Scalar? {
    guard (0x80...0x9F).contains(byte) else { return nil }
    let scalar = table[Int(byte) - 0x80]
    return scalar == nothing ? nil : scalar
  }

  private static let nothing: Unicode.Scalar = "\u{FFFD}"
  private static let table = Array(
    "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ".unicodeScalars)
}
