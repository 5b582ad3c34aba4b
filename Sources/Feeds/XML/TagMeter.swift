/// Counts the attributes of each tag of an XML text before the parser gets it, because the parser
/// compares each attribute with all others.
struct TagMeter {
  /// No useful tag has more.
  static let mostAttributes = 1000

  private enum State {
    case text
    /// After `<`.
    case open
    /// After `<!`.
    case declaration
    case comment, literal, instruction
    case tag, quoted
  }

  private var state = State.text
  private var count = 0
  /// The quote that ends the current value.
  private var quote: UInt8 = 0
  /// The last bytes in a declaration, comment, CDATA section or instruction, the newest in the
  /// lowest bits.
  private var last: UInt64 = 0

  private static let comment = packed("--")
  private static let literal = packed("[CDATA[")

  /// Takes the next bytes; false once a tag has too many attributes.
  mutating func takes(_ bytes: [UInt8]) -> Bool {
    let text = bytes.span
    var index = 0
    while index < text.count {
      switch state {
      case .text:
        while index < text.count, text[index] != UInt8(ascii: "<") { index += 1 }
        if index < text.count { state = .open }
      case .quoted:
        while index < text.count, text[index] != quote { index += 1 }
        if index < text.count { state = .tag }
      case .tag:
        while index < text.count, !TagMeter.matters(text[index]) { index += 1 }
        if index < text.count { takeInTag(text[index]) }
        if count > TagMeter.mostAttributes { return false }
      case .open: takeOpen(text[index])
      case .declaration: takeDeclaration(text[index])
      case .comment: leave(text[index], after: 0x2D2D, mask: 0xFFFF)
      case .literal: leave(text[index], after: 0x5D5D, mask: 0xFFFF)
      case .instruction: leave(text[index], after: 0x3F, mask: 0xFF)
      }
      index += 1
    }
    return true
  }

  private static func matters(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ">") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
      || byte == UInt8(ascii: "<")
  }

  private mutating func takeInTag(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: ">"): state = .text
    case UInt8(ascii: "<"): state = .open
    default:
      count += 1
      quote = byte
      state = .quoted
    }
  }

  private mutating func takeOpen(_ byte: UInt8) {
    count = 0
    last = 0
    switch byte {
    case UInt8(ascii: "!"): state = .declaration
    case UInt8(ascii: "?"): state = .instruction
    case UInt8(ascii: ">"): state = .text
    default: state = .tag
    }
  }

  private mutating func takeDeclaration(_ byte: UInt8) {
    last = last << 8 | UInt64(byte)
    if last == TagMeter.comment {
      (state, last) = (.comment, 0)
    } else if last == TagMeter.literal {
      (state, last) = (.literal, 0)
    } else if last != UInt64(UInt8(ascii: "-")), !TagMeter.beginsLiteral(last) {
      state = .text
    }
  }

  private static func beginsLiteral(_ bytes: UInt64) -> Bool {
    (1...6).contains { bytes == literal >> (8 * $0) }
  }

  private static func packed(_ text: String) -> UInt64 {
    text.utf8.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Takes a byte; a `>` after the bytes `end` leads back to text.
  private mutating func leave(_ byte: UInt8, after end: UInt64, mask: UInt64) {
    if byte == UInt8(ascii: ">"), last & mask == end { state = .text }
    last = last << 8 | UInt64(byte)
  }
}
