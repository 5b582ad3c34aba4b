/// A key, as far as terminals distinguish keys.
public enum Key: Hashable, Sendable {
  case character(Character)
  case left, right, up, down
  case home, end, pageUp, pageDown
  case tab, backTab, enter, escape, backspace
  /// A function key, from 1.
  case f(Int)
  /// Ctrl with a letter (upper case) or one of `@ \ ] ^ _`.
  case control(Character)

  private static let names: [(name: String, key: Key)] = [
    ("Left", .left), ("Right", .right), ("Up", .up), ("Down", .down),
    ("Home", .home), ("End", .end), ("PageUp", .pageUp), ("PageDown", .pageDown),
    ("Tab", .tab), ("S-Tab", .backTab), ("Enter", .enter), ("Esc", .escape),
    ("Backspace", .backspace), ("Space", .character(" ")),
    // Further spellings, read but not printed.
    ("Return", .enter), ("Escape", .escape), ("BackTab", .backTab), ("PgUp", .pageUp),
    ("PgDn", .pageDown), ("BS", .backspace),
  ]

  /// Reads a key's name as it stands in the config: `Right`, `l`, `S-Tab`, `^L`, `Space`, `F1`.
  ///
  /// Names are read in upper or lower case, single characters as they are. Nil for anything else.
  public init?(name: String) {
    let lowered = name.lowercased()
    if let known = Self.names.first(where: { $0.name.lowercased() == lowered }) {
      self = known.key
    } else if name.count == 1, let character = name.first {
      guard Self.isPrintable(character) else { return nil }
      self = .character(character)
    } else if let control = Self.control(named: name) {
      self = control
    } else if lowered.hasPrefix("f"), let number = Int(lowered.dropFirst()),
      (1...63).contains(number), lowered == "f\(number)"
    {
      self = .f(number)
    } else {
      return nil
    }
  }

  /// The name that `init(name:)` reads back.
  public var name: String {
    switch self {
    case .f(let number): return "F\(number)"
    case .control(let letter): return "^\(letter)"
    default:
      if let known = Self.names.first(where: { $0.key == self }) { return known.name }
      guard case .character(let character) = self else { return "" }
      return String(character)
    }
  }

  /// The key behind a control byte; several of them are keys of their own.
  init?(controlByte byte: UInt8) {
    switch byte {
    case 0x08, 0x7F: self = .backspace
    case 0x09: self = .tab
    case 0x0A, 0x0D: self = .enter
    case 0x1B: self = .escape
    case 0x00...0x1F: self = .control(Character(Unicode.Scalar(byte | 0x40)))
    default: return nil
    }
  }

  /// Whether the character shows as something; a lone control or mark does not.
  static func isPrintable(_ character: Character) -> Bool {
    guard let scalar = character.unicodeScalars.first else { return false }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator:
      return false
    default: return true
    }
  }

  private static func control(named name: String) -> Key? {
    guard name.count == 2 || name.count == 3, let last = name.last?.uppercased().first,
      name.hasPrefix("^") && name.count == 2 || name.lowercased().hasPrefix("c-"),
      let byte = last.asciiValue, (0x40...0x5F).contains(byte)
    else { return nil }
    return Key(controlByte: byte & 0x1F)
  }
}

/// What a viewer did, or the terminal answered.
public enum InputEvent: Equatable, Sendable {
  case key(Key)
  /// The left button went down; row and column count from 0.
  case press(row: Int, column: Int)
  case release(row: Int, column: Int)
  case wheel(up: Bool)
  /// The answer to whether mode 2026 is known.
  case synchronizedOutput(Bool)
  /// What the terminal calls itself, such as `XTerm(379)`.
  case program(String)
  case focus(Bool)
}
