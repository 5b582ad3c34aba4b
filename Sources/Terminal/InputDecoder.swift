import System

/// Makes events of what ncurses reads.
///
/// ncurses recognises the keys of the terminal's description and waits for the rest of a split
/// sequence; all else comes byte by byte. Here such sequences are put together over any number of
/// reads, decoded if they are common (mouse reports, other terminals' arrows) and dropped completely if
/// they are not, so that no part of one acts as a key.
package struct InputDecoder {
  /// What ncurses reads at once.
  package enum Code: Equatable {
    case byte(UInt8)
    case key(Key)
    /// An answer about mode 2026 that ncurses recognised.
    case synchronizedOutput(Bool)
  }

  /// An unfinished sequence is given up after so long without a byte. After a lone Esc, a `[` within
  /// this time still counts as the rest of a sequence that a slow connection split.
  package static let patience = Duration.milliseconds(300)
  /// The same for an answer that was requested from the terminal: nobody types it, and no part of it
  /// may act as a key.
  package static let answerPatience = Duration.seconds(3)
  /// The same for pasted text: if its end mark never comes, keys count again after such a pause.
  package static let pastePatience = Duration.seconds(2)

  private enum State {
    case ground
    /// Esc came, and it is not known yet what it begins.
    case escape
    /// Esc was reported as a key.
    case reportedEscape
    /// After `ESC [`: the bytes until the final one.
    case control([UInt8])
    /// After `ESC O`.
    case singleShift
    /// After `ESC [ M`: three bytes of an old mouse report.
    case oldMouse([UInt8])
    /// After `ESC [ [`: the Linux console's function keys.
    case consoleFunction
    /// After `ESC ]` and the like: until BEL or `ESC \`.
    case string(ControlString)
    /// After `ESC [ 200 ~`: so many bytes of the end mark came.
    case paste(matched: Int)
    /// Part of a UTF-8 character.
    case character([UInt8], length: Int)
  }

  /// A device control string or a similar string, as far as it came.
  private struct ControlString {
    var introducer: UInt8
    /// Its beginning.
    var bytes: [UInt8] = []
    var escape = false

    /// A terminal's answer to XTVERSION: `ESC P > | name ESC \` (xterm's control sequences).
    var program: String? {
      guard introducer == UInt8(ascii: "P"), bytes.starts(with: ">|".utf8) else { return nil }
      return String(decoding: bytes.dropFirst(2), as: UTF8.self)
    }
  }

  private static let pasteBegin = Array("200".utf8)
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  private var state = State.ground
  private var latest: Instant?
  private var answersDue: Instant?

  package init() {}

  /// The terminal was asked: for a while, anything that looks like an answer is one, however slowly it
  /// comes.
  package mutating func expectAnswers(from now: Instant) { answersDue = now + Self.answerPatience }

  /// Everything was answered.
  package mutating func expectNoAnswers() { answersDue = nil }

  /// Whether text is being pasted whose end has not come yet.
  package var isInPaste: Bool {
    if case .paste = state { true } else { false }
  }

  private func expectsAnswers(at now: Instant) -> Bool { answersDue.map { now < $0 } ?? false }

  /// How long the present state may wait for its next byte.
  private func patience(at begin: Instant) -> Duration {
    switch state {
    case .paste: return Self.pastePatience
    case .string(let string) where string.program != nil: return Self.answerPatience
    default: return expectsAnswers(at: begin) ? Self.answerPatience : Self.patience
    }
  }

  /// Takes one code and returns the events that it completes.
  package mutating func take(_ code: Code, at now: Instant) -> [InputEvent] {
    if let latest, now - latest > patience(at: latest) { state = .ground }
    latest = now
    if isInPaste {
      if case .byte(let byte) = code { paste(byte) } else { state = .paste(matched: 0) }
      return []
    }
    switch code {
    case .byte(let byte): return take(byte)
    case .key(let key):
      let pending = settle()
      state = .ground
      return pending + [.key(key)]
    case .synchronizedOutput(let isUsable):
      let pending = settle()
      state = .ground
      return pending + [.synchronizedOutput(isUsable)]
    }
  }

  /// There is nothing more to read: a lone Esc is a key then.
  package mutating func settle() -> [InputEvent] {
    guard case .escape = state else { return [] }
    state = .reportedEscape
    return [.key(.escape)]
  }

  private mutating func take(_ byte: UInt8) -> [InputEvent] {
    let before = state
    state = .ground
    switch before {
    case .ground: return begin(byte)
    case .escape: return introduce(byte, escapeIsReported: false)
    case .reportedEscape: return introduce(byte, escapeIsReported: true)
    case .control(let bytes): return control(bytes, byte)
    case .singleShift: return keys(ofShifted: byte)
    case .oldMouse(let bytes): return oldMouse(bytes + [byte])
    case .consoleFunction:
      return (0x41...0x45).contains(byte) ? [.key(.f(Int(byte) - 0x40))] : []
    case .string(let string): return take(byte, into: string)
    case .paste: return []
    case .character(let bytes, let length): return character(bytes, length, byte)
    }
  }

  private mutating func begin(_ byte: UInt8) -> [InputEvent] {
    switch byte {
    case 0x1B:
      state = .escape
      return []
    case 0x20...0x7E: return [.key(.character(Character(Unicode.Scalar(byte))))]
    case 0xC2...0xDF: state = .character([byte], length: 2)
    case 0xE0...0xEF: state = .character([byte], length: 3)
    case 0xF0...0xF4: state = .character([byte], length: 4)
    default: return Key(controlByte: byte).map { [.key($0)] } ?? []
    }
    return []
  }

  /// The byte after an Esc.
  private mutating func introduce(_ byte: UInt8, escapeIsReported: Bool) -> [InputEvent] {
    switch byte {
    case UInt8(ascii: "["): state = .control([])
    case UInt8(ascii: "O"): state = .singleShift
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"),
      UInt8(ascii: "X"):
      // No string comes so late unless it was requested: after an Esc that was typed these are keys.
      if escapeIsReported, !(latest.map(expectsAnswers) ?? false) { return begin(byte) }
      state = .string(ControlString(introducer: byte))
    default: return (escapeIsReported ? [] : [.key(.escape)]) + begin(byte)
    }
    return []
  }

  private mutating func control(_ bytes: [UInt8], _ byte: UInt8) -> [InputEvent] {
    switch byte {
    case 0x1B: state = .escape
    case 0x18, 0x1A: break
    case 0x40...0x7E:
      if bytes.isEmpty, byte == UInt8(ascii: "[") {
        state = .consoleFunction
      } else if bytes.isEmpty, byte == UInt8(ascii: "M") {
        state = .oldMouse([])
      } else if bytes == Self.pasteBegin, byte == UInt8(ascii: "~") {
        state = .paste(matched: 0)
      } else {
        return ControlSequence(bytes, final: byte).events
      }
    default:
      // Longer than any known sequence: only its end matters.
      state = .control(bytes.count < 64 ? bytes + [byte] : bytes)
    }
    return []
  }

  private func keys(ofShifted byte: UInt8) -> [InputEvent] {
    if byte == UInt8(ascii: "M") { return [.key(.enter)] }
    return ControlSequence([], final: byte).events
  }

  private mutating func oldMouse(_ bytes: [UInt8]) -> [InputEvent] {
    guard bytes.count == 3 else {
      state = .oldMouse(bytes)
      return []
    }
    guard bytes.allSatisfy({ $0 >= 32 }) else { return [] }
    let button = Int(bytes[0]) - 32
    // Releases do not say which button it was.
    let isRelease = button & ~0x1C == 3
    return ControlSequence.mouse(
      button: isRelease ? 0 : button, column: Int(bytes[1]) - 32, row: Int(bytes[2]) - 32,
      isRelease: isRelease)
  }

  private mutating func take(_ byte: UInt8, into string: ControlString) -> [InputEvent] {
    if byte == 0x07 || (string.escape && byte == UInt8(ascii: "\\")) {
      return string.program.map { [.program($0)] } ?? []
    }
    var string = string
    string.escape = byte == 0x1B
    // Longer than any known sequence: only its end matters.
    if !string.escape, string.bytes.count < 128 { string.bytes.append(byte) }
    state = .string(string)
    return []
  }

  /// Drops pasted text, whatever sequences it contains.
  private mutating func paste(_ byte: UInt8) {
    guard case .paste(let before) = state else { return }
    let matched = byte == Self.pasteEnd[before] ? before + 1 : byte == Self.pasteEnd[0] ? 1 : 0
    state = matched == Self.pasteEnd.count ? .ground : .paste(matched: matched)
  }

  private mutating func character(
    _ bytes: [UInt8], _ length: Int, _ byte: UInt8
  ) -> [InputEvent] {
    guard (0x80...0xBF).contains(byte) else { return begin(byte) }
    let bytes = bytes + [byte]
    guard bytes.count == length else {
      state = .character(bytes, length: length)
      return []
    }
    guard let character = String(validating: bytes, as: UTF8.self)?.first,
      Key.isPrintable(character)
    else { return [] }
    return [.key(.character(character))]
  }
}
