/// Parses a terminal program's bytes into characters, controls and escape sequences (ECMA-48 with
/// UTF-8), in whatever pieces they arrive.
struct SequenceParser: Sendable {
  enum Action: Equatable {
    case print(Unicode.Scalar)
    /// A C0 control.
    case execute(UInt8)
    case escape(intermediates: [UInt8], final: UInt8)
    case control(ControlSequence)
    /// An operating system command without its terminator.
    case command([UInt8])
    /// A device control, application, privacy or start-of-string sequence.
    case string(introducer: UInt8, [UInt8])
    /// Invalid UTF-8.
    case malformed
  }

  private enum State {
    case ground
    case character(value: UInt32, missing: Int, least: UInt32)
    case escape
    case control
    case string(introducer: UInt8)
    case stringEscape(introducer: UInt8)
  }

  private var state = State.ground
  private var sequence = ControlSequence()
  private var collected: [UInt8] = []

  /// Takes one byte. Most give at most one action; a byte after a broken character may give two.
  mutating func consume(_ byte: UInt8, _ act: (Action) -> Void) {
    switch state {
    case .ground: ground(byte, act)
    case .character(let value, let missing, let least):
      guard byte & 0xC0 == 0x80 else {
        state = .ground
        act(.malformed)
        return ground(byte, act)
      }
      let longer = value << 6 | UInt32(byte & 0x3F)
      if missing > 1 {
        state = .character(value: longer, missing: missing - 1, least: least)
      } else {
        state = .ground
        let scalar = longer >= least ? Unicode.Scalar(longer) : nil
        act(scalar.map(Action.print) ?? .malformed)
      }
    case .escape: escape(byte, act)
    case .control: control(byte, act)
    case .string(let introducer): string(byte, introducer, act)
    case .stringEscape(let introducer):
      finishString(introducer, act)
      if byte != UInt8(ascii: "\\") {
        state = .escape
        collected = []
        escape(byte, act)
      }
    }
  }

  private mutating func ground(_ byte: UInt8, _ act: (Action) -> Void) {
    switch byte {
    case 0x1B:
      state = .escape
      collected = []
    case 0x00...0x1F, 0x7F: act(.execute(byte))
    case 0x20...0x7E: act(.print(Unicode.Scalar(byte)))
    case 0xC2...0xDF: state = .character(value: UInt32(byte & 0x1F), missing: 1, least: 0x80)
    case 0xE0...0xEF: state = .character(value: UInt32(byte & 0x0F), missing: 2, least: 0x800)
    case 0xF0...0xF4: state = .character(value: UInt32(byte & 0x07), missing: 3, least: 0x10000)
    default: act(.malformed)
    }
  }

  private mutating func escape(_ byte: UInt8, _ act: (Action) -> Void) {
    switch byte {
    case UInt8(ascii: "[") where collected.isEmpty:
      state = .control
      sequence = ControlSequence()
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"),
      UInt8(ascii: "X"):
      state = .string(introducer: byte)
      collected = []
    case 0x20...0x2F: collected.append(byte)
    case 0x30...0x7E:
      state = .ground
      act(.escape(intermediates: collected, final: byte))
    case 0x1B: collected = []
    case 0x18, 0x1A: state = .ground
    default: act(.execute(byte))
    }
  }

  private mutating func control(_ byte: UInt8, _ act: (Action) -> Void) {
    switch byte {
    case 0x30...0x39: sequence.append(digit: Int(byte - 0x30))
    case UInt8(ascii: ";"): sequence.beginParameter(continuing: false)
    case UInt8(ascii: ":"): sequence.beginParameter(continuing: true)
    case 0x3C...0x3F: sequence.prefix = byte
    case 0x20...0x2F: sequence.intermediates.append(byte)
    case 0x40...0x7E:
      state = .ground
      sequence.final = byte
      act(.control(sequence))
    case 0x18, 0x1A: state = .ground
    case 0x1B:
      state = .escape
      collected = []
    default: act(.execute(byte))
    }
  }

  private mutating func string(_ byte: UInt8, _ introducer: UInt8, _ act: (Action) -> Void) {
    switch byte {
    case 0x07 where introducer == UInt8(ascii: "]"): finishString(introducer, act)
    case 0x1B: state = .stringEscape(introducer: introducer)
    case 0x18, 0x1A: state = .ground
    default: collected.append(byte)
    }
  }

  private mutating func finishString(_ introducer: UInt8, _ act: (Action) -> Void) {
    state = .ground
    act(
      introducer == UInt8(ascii: "]")
        ? .command(collected) : .string(introducer: introducer, collected))
    collected = []
  }
}

/// A control sequence: `ESC [`, perhaps one of `<=>?`, parameters, intermediates, a final byte.
struct ControlSequence: Equatable, Sendable {
  struct Parameter: Equatable, Sendable {
    var value: Int?
    /// Whether a colon precedes it, which makes it part of the previous parameter.
    var continues: Bool
  }

  var prefix: UInt8?
  var parameters: [Parameter] = []
  var intermediates: [UInt8] = []
  var final: UInt8 = 0

  mutating func append(digit: Int) {
    if parameters.isEmpty { parameters.append(Parameter(value: nil, continues: false)) }
    let last = parameters.count - 1
    parameters[last].value = min(99_999, (parameters[last].value ?? 0) * 10 + digit)
  }

  mutating func beginParameter(continuing: Bool) {
    if parameters.isEmpty { parameters.append(Parameter(value: nil, continues: false)) }
    parameters.append(Parameter(value: nil, continues: continuing))
  }

  /// A parameter, or the default where it is absent.
  func parameter(_ index: Int, default fallback: Int) -> Int {
    parameters.indices.contains(index) ? parameters[index].value ?? fallback : fallback
  }

  /// The first parameter as a count: at least 1, and 1 where it is absent.
  var count: Int { max(1, parameter(0, default: 1)) }

  /// A readable form for failing tests.
  var text: String {
    var text = "CSI "
    if let prefix { text.unicodeScalars.append(Unicode.Scalar(prefix)) }
    for (index, parameter) in parameters.enumerated() {
      if index > 0 { text += parameter.continues ? ":" : ";" }
      if let value = parameter.value { text += String(value) }
    }
    for byte in intermediates + [final] { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    return text
  }
}
