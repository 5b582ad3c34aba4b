extension TerminalScreen {
  mutating func perform(_ action: SequenceParser.Action) {
    switch action {
    case .print(let scalar): print(scalar)
    case .execute(let byte): execute(byte)
    case .escape(let intermediates, let final): escape(intermediates, final)
    case .control(let sequence): control(sequence)
    case .command(let payload): command(payload)
    case .string(let introducer, let payload):
      unknown.append("ESC \(Unicode.Scalar(introducer)) of \(payload.count) bytes")
    case .malformed:
      malformedCharacters += 1
      print("\u{FFFD}")
    }
  }

  mutating func print(_ scalar: Unicode.Scalar) {
    if (0x80...0x9F).contains(scalar.value) {
      unknown.append("C1 control \(String(scalar.value, radix: 16))")
      return
    }
    let width = Support.width(of: scalar)
    guard width > 0 else { return join(scalar) }
    if wrapPending, modes.contains(7) { nextLine() }
    if width == 2, cursor.column == columns - 1, modes.contains(7) { nextLine() }
    if inserting { insertBlanks(width) }
    put(String(drawn(scalar)), at: cursor.column)
    if width == 2, cursor.column + 1 < columns { put("", at: cursor.column + 1) }
    lastPrinted = scalar
    let next = cursor.column + width
    wrapPending = next >= columns
    cursor.column = min(next, columns - 1)
  }

  private mutating func put(_ glyph: String, at column: Int) {
    let index = cursor.row * columns + column
    // No half of a wide character stays.
    if cells[index].glyph.isEmpty, !glyph.isEmpty, column > 0 { cells[index - 1].glyph = " " }
    if column + 1 < columns, cells[index + 1].glyph.isEmpty { cells[index + 1].glyph = " " }
    cells[index] = ScreenCell(glyph: glyph, pen: pen)
  }

  private mutating func join(_ scalar: Unicode.Scalar) {
    var column = wrapPending ? cursor.column : cursor.column - 1
    guard column >= 0 else { return }
    if cells[cursor.row * columns + column].glyph.isEmpty, column > 0 { column -= 1 }
    cells[cursor.row * columns + column].glyph.unicodeScalars.append(scalar)
  }

  private func drawn(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    guard shiftedOut ? drawingSets.1 : drawingSets.0 else { return scalar }
    return lineDrawing[scalar] ?? scalar
  }

  mutating func nextLine() {
    cursor.column = 0
    lineFeed()
  }

  mutating func lineFeed() {
    wrapPending = false
    if cursor.row == scrollBottom {
      scrollUp(1)
    } else if cursor.row < rows - 1 {
      cursor.row += 1
    }
  }

  mutating func reverseLineFeed() {
    wrapPending = false
    if cursor.row == scrollTop {
      scrollDown(1)
    } else if cursor.row > 0 {
      cursor.row -= 1
    }
  }

  private mutating func execute(_ byte: UInt8) {
    switch byte {
    case 0x00, 0x7F: break
    case 0x07: bells += 1
    case 0x08: moveCursor(column: cursor.column - 1, row: cursor.row)
    case 0x09:
      let stops = tabStops.union(stride(from: 8, to: columns, by: 8))
      let next = stops.filter { $0 > cursor.column }.min() ?? columns - 1
      moveCursor(column: next, row: cursor.row)
    case 0x0A, 0x0B, 0x0C: lineFeed()
    case 0x0D: moveCursor(column: 0, row: cursor.row)
    case 0x0E: shiftedOut = true
    case 0x0F: shiftedOut = false
    default: unknown.append("C0 control \(String(byte, radix: 16))")
    }
  }

  private mutating func command(_ payload: [UInt8]) {
    let text = String(decoding: payload, as: UTF8.self)
    let parts = text.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
    if let first = parts.first, ["0", "1", "2"].contains(first), parts.count == 2 {
      titles.append(String(parts[1]))
    } else if text == "104" {
      paletteResets += 1
    } else {
      unknown.append("OSC \(text)")
    }
  }
}

/// DEC Special Graphics.
private let lineDrawing: [Unicode.Scalar: Unicode.Scalar] = [
  "`": "◆", "a": "▒", "f": "°", "g": "±", "h": "░", "i": "␋", "j": "┘", "k": "┐", "l": "┌",
  "m": "└", "n": "┼", "o": "⎺", "p": "⎻", "q": "─", "r": "⎼", "s": "⎽", "t": "├", "u": "┤",
  "v": "┴", "w": "┬", "x": "│", "y": "≤", "z": "≥", "{": "π", "|": "≠", "}": "£", "~": "·",
  "+": "→", ",": "←", "-": "↑", ".": "↓", "0": "█",
]
