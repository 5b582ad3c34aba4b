/// Counts the attributes of each tag of an XML text before a parser sees it: the parser compares each
/// attribute with all others.
struct TagMeter {
  /// No tag of any use has more.
  static let mostAttributes = 1000

  private enum State {
    case text
    /// Behind `<`.
    case open
    /// Behind `<!`, with what was read since.
    case declaration([UInt8])
    case comment, literal, instruction
    case tag
    case quoted(UInt8)
  }

  private var state = State.text
  private var count = 0
  /// The last two bytes in a comment or its like.
  private var last: (UInt8, UInt8) = (0, 0)

  /// Whether no tag has more than it may, as far as the text goes.
  mutating func takes(_ bytes: [UInt8]) -> Bool {
    let text = bytes.span
    var index = 0
    while index < text.count {
      switch state {
      case .text:
        while index < text.count, text[index] != UInt8(ascii: "<") { index += 1 }
        if index < text.count { state = .open }
      case .quoted(let quote):
        while index < text.count, text[index] != quote { index += 1 }
        if index < text.count { state = .tag }
      default:
        step(text[index])
        if count > TagMeter.mostAttributes { return false }
      }
      index += 1
    }
    return true
  }

  private mutating func step(_ byte: UInt8) {
    switch state {
    case .open:
      count = 0
      switch byte {
      case UInt8(ascii: "!"): state = .declaration([])
      case UInt8(ascii: "?"): (state, last) = (.instruction, (0, 0))
      case UInt8(ascii: ">"): state = .text
      default: state = .tag
      }
    case .declaration(var start):
      start.append(byte)
      if start == Array("--".utf8) {
        (state, last) = (.comment, (0, 0))
      } else if start == Array("[CDATA[".utf8) {
        (state, last) = (.literal, (0, 0))
      } else if "--".utf8.starts(with: start) || "[CDATA[".utf8.starts(with: start) {
        state = .declaration(start)
      } else {
        state = .text
      }
    case .comment: leave(byte, after: UInt8(ascii: "-"), UInt8(ascii: "-"))
    case .literal: leave(byte, after: UInt8(ascii: "]"), UInt8(ascii: "]"))
    case .instruction: leave(byte, after: nil, UInt8(ascii: "?"))
    case .tag:
      switch byte {
      case UInt8(ascii: ">"): state = .text
      case UInt8(ascii: "<"): state = .open
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        count += 1
        state = .quoted(byte)
      default: break
      }
    case .text, .quoted: break
    }
  }

  /// Ends what `>` ends after these two bytes.
  private mutating func leave(_ byte: UInt8, after first: UInt8?, _ second: UInt8) {
    if byte == UInt8(ascii: ">"), last.1 == second, first == nil || last.0 == first {
      state = .text
    }
    last = (last.1, byte)
  }
}
