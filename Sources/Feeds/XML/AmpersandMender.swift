/// Writes ampersands that begin no reference as XML wants them (`&amp;`): many feeds hold addresses
/// as they are. Text between `<![CDATA[` and `]]>` stays.
struct AmpersandMender {
  private var isLiteral = false
  /// What cannot be judged before more has come.
  private var rest: [UInt8] = []

  private static let opening = Array("<![CDATA[".utf8)
  private static let closing = Array("]]>".utf8)
  /// No reference is longer.
  private static let longest = 32

  /// The next bytes, mended; some may be held back, but never all of a long piece.
  mutating func mend(_ piece: [UInt8]) -> [UInt8] {
    rest += piece
    // Nothing would count as the end.
    guard rest.count > AmpersandMender.longest else { return [0x20] }
    return take(upTo: rest.count - AmpersandMender.longest)
  }

  /// The last bytes, mended; none when they have been given.
  mutating func finish() -> [UInt8] { take(upTo: rest.count) }

  private mutating func take(upTo end: Int) -> [UInt8] {
    var mended: [UInt8] = []
    mended.reserveCapacity(end + end / 16)
    var index = 0
    while index < end {
      let byte = rest[index]
      if isLiteral {
        if byte == AmpersandMender.closing[0], rest[index...].starts(with: AmpersandMender.closing)
        {
          isLiteral = false
        }
      } else if byte == AmpersandMender.opening[0],
        rest[index...].starts(with: AmpersandMender.opening)
      {
        isLiteral = true
      }
      mended.append(byte)
      index += 1
      if byte == UInt8(ascii: "&"), !isLiteral, !AmpersandMender.isReference(rest[index...]) {
        mended += Array("amp;".utf8)
      }
    }
    rest.removeFirst(end)
    return mended
  }

  /// Whether what follows an ampersand makes it a reference (XML 1.0, section 4.1).
  private static func isReference(_ text: ArraySlice<UInt8>) -> Bool {
    let name = text.prefix(longest).prefix { $0 != UInt8(ascii: ";") }
    guard name.count < text.prefix(longest).count, let first = name.first else { return false }
    let digits = name.dropFirst()
    if first == UInt8(ascii: "#") {
      let isHex = digits.first == UInt8(ascii: "x")
      let number = isHex ? digits.dropFirst() : digits
      return !number.isEmpty
        && number.allSatisfy { isDigit($0) || (isHex && (0x61...0x66).contains($0 | 0x20)) }
    }
    return isLetter(first) && digits.allSatisfy { isLetter($0) || isDigit($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
