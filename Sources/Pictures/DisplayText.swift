/// Makes text from strangers fit for one line of a terminal.
///
/// Feed texts, file names and server messages must pass `safe` first; `width` and `cut` then measure
/// what terminals show.
public enum DisplayText {
  /// The combining marks that are kept for one letter; more only serve to cover other rows.
  private static let marksPerLetter = 2
  private static let replacement: Unicode.Scalar = "\u{FFFD}"

  /// The text without anything that could act on the terminal or mislead a reader.
  ///
  /// Line breaks and tabs become spaces; other controls (C0, DEL, C1), unassigned code points and bytes
  /// of file names that are not UTF-8 become U+FFFD. Bidirectional controls, joiners, variation
  /// selectors and other invisible scalars are removed, so an emoji sequence becomes its parts, whose
  /// width all terminals agree on.
  ///
  /// - Parameter unicode: false gives ASCII alone, with `?` for everything else.
  public static func safe(_ text: String, unicode: Bool = true) -> String {
    safe(text, unicode: unicode, joinsEmoji: false)
  }

  /// The same for a line that scrolls and has nothing beside it: there an emoji sequence may stay one
  /// emoji, of whatever width the terminal gives it.
  public static func line(_ text: String) -> String {
    safe(text, unicode: true, joinsEmoji: true)
  }

  private static func safe(_ text: String, unicode: Bool, joinsEmoji: Bool) -> String {
    var result = String.UnicodeScalarView()
    var marks = marksPerLetter
    var previous: Unicode.Scalar?
    let scalars = text.unicodeScalars
    for index in scalars.indices {
      let scalar = scalars[index]
      defer { previous = scalar }
      if scalar == "\n", previous == "\r" { continue }
      if joinsEmoji, let before = result.last,
        isPart(scalar, of: before, next: scalars[index...].dropFirst().first)
      {
        result.append(scalar)
        continue
      }
      guard let kept = harmless(scalar) else { continue }
      guard unicode || kept.isASCII else {
        if ScalarWidth.columns(of: kept) > 0 { result.append("?") }
        continue
      }
      if ScalarWidth.columns(of: kept) == 0 {
        guard marks < marksPerLetter else { continue }
        marks += 1
      } else {
        marks = 0
      }
      result.append(kept)
    }
    return String(result)
  }

  /// Whether an invisible scalar or a skin colour belongs to the emoji before it (UTS 51, ED-16).
  /// Anywhere else, as inside a word, it could only mislead.
  private static func isPart(
    _ scalar: Unicode.Scalar, of before: Unicode.Scalar, next: Unicode.Scalar?
  ) -> Bool {
    func isPicture(_ scalar: Unicode.Scalar) -> Bool {
      scalar.value >= 0x2000 && scalar.properties.isEmoji
    }
    switch scalar {
    case "\u{200D}":
      return (before == "\u{FE0F}" || isPicture(before)) && next.map(isPicture) ?? false
    case "\u{FE0F}": return isPicture(before) && !before.properties.isEmojiModifier
    default: return scalar.properties.isEmojiModifier && before.properties.isEmojiModifierBase
    }
  }

  /// The width of a line in columns, by grapheme.
  public static func width(of text: String) -> Int {
    text.reduce(0) { $0 + width(of: $1) }
  }

  static func width(of character: Character) -> Int {
    var total = 0
    for scalar in character.unicodeScalars {
      // Joined and coloured emoji and flags are one picture of two columns.
      if scalar == "\u{200D}" || scalar == "\u{FE0F}" || scalar.properties.isEmojiModifier,
        total > 0
      {
        return 2
      }
      total += ScalarWidth.columns(of: scalar)
    }
    return total
  }

  /// The text, or its beginning with an ellipsis if it is wider than `columns`.
  public static func cut(_ text: String, to columns: Int, unicode: Bool = true) -> String {
    guard columns > 0 else { return "" }
    let ellipsis = unicode ? "\u{2026}" : String(repeating: ".", count: min(3, columns))
    let room = columns - ellipsis.count
    var used = 0
    var kept = text.startIndex
    var position = text.startIndex
    while position < text.endIndex {
      used += width(of: text[position])
      if used > columns { return text[..<kept] + ellipsis }
      position = text.index(after: position)
      if used <= room { kept = position }
    }
    return text
  }

  /// The text in lines of at most `columns`, broken between words where possible.
  ///
  /// - Parameter limit: the most lines; the last one then ends with an ellipsis.
  public static func wrap(
    _ text: String, to columns: Int, limit: Int, unicode: Bool = true
  ) -> [String] {
    guard columns > 0, limit > 0 else { return [] }
    var lines: [String] = []
    var rest = text[...]
    while let start = rest.firstIndex(where: { $0 != " " }) {
      rest = rest[start...]
      if lines.count == limit - 1 {
        lines.append(cut(String(rest), to: columns, unicode: unicode))
        break
      }
      let end = lineEnd(of: rest, columns: columns)
      let line = rest[..<end]
      lines.append(String(line[...(line.lastIndex { $0 != " " } ?? line.startIndex)]))
      rest = rest[end...]
    }
    return lines
  }

  private static func lineEnd(of text: Substring, columns: Int) -> Substring.Index {
    var used = 0
    var position = text.startIndex
    var lastSpace: Substring.Index?
    while position < text.endIndex {
      used += width(of: text[position])
      if text[position] == " " { lastSpace = position }
      if used > columns {
        let end = lastSpace ?? position
        return end > text.startIndex ? end : text.index(after: position)
      }
      position = text.index(after: position)
    }
    return text.endIndex
  }

  /// - Returns: nil for a scalar that is removed.
  private static func harmless(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x20...0x7E: return scalar
    case 0x09...0x0D, 0x85: return " "
    case 0x00...0x1F, 0x7F...0x9F: return replacement
    // A byte of a file's name that is not UTF-8 (`FileName` in System).
    case 0x10FE80...0x10FEFF: return replacement
    default: break
    }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .control, .unassigned, .surrogate: return replacement
    case .format: return nil
    case .lineSeparator, .paragraphSeparator: return " "
    case .spaceSeparator: return scalar == "\u{3000}" ? scalar : " "
    default:
      return properties.isDefaultIgnorableCodePoint || properties.isEmojiModifier ? nil : scalar
    }
  }
}
