/// The encoding windows-1252 as the Encoding Standard of the WHATWG defines it.
enum Windows1252 {
  /// The character of a byte from 80 to 9F; nil for the five that are undefined, and for all other
  /// bytes, which have the same value as their character.
  static func scalar(_ byte: UInt8) -> Unicode.Scalar? {
    guard (0x80...0x9F).contains(byte) else { return nil }
    let scalar = table[Int(byte) - 0x80]
    return scalar == nothing ? nil : scalar
  }

  private static let nothing: Unicode.Scalar = "\u{FFFD}"
  private static let table = Array(
    "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ".unicodeScalars)
}
