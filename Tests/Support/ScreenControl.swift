extension TerminalScreen {
  mutating func escape(_ intermediates: [UInt8], _ final: UInt8) {
    switch (
      intermediates.first.map { Character(Unicode.Scalar($0)) }, Character(Unicode.Scalar(final))
    ) {
    case (nil, "7"): saveCursor()
    case (nil, "8"): restoreCursor()
    case (nil, "D"): lineFeed()
    case (nil, "E"): nextLine()
    case (nil, "M"): reverseLineFeed()
    case (nil, "H"): tabStops.insert(cursor.column)
    case (nil, "c"): reset(hard: true)
    // Keypad modes, and the end of a string that a lost introducer began.
    case (nil, "="), (nil, ">"), (nil, "\\"): break
    case ("(", let set) where set == "0" || set == "B": drawingSets.0 = set == "0"
    case (")", let set) where set == "0" || set == "B": drawingSets.1 = set == "0"
    default:
      let text = String(decoding: intermediates + [final], as: UTF8.self)
      unknown.append("ESC \(text)")
    }
  }

  mutating func control(_ sequence: ControlSequence) {
    let known: Bool
    switch sequence.prefix.map({ Character(Unicode.Scalar($0)) }) {
    case nil where sequence.intermediates.isEmpty: known = plainControl(sequence)
    case nil: known = controlWithIntermediate(sequence)
    case "?": known = privateControl(sequence)
    case ">" where [UInt8(ascii: "c"), UInt8(ascii: "q")].contains(sequence.final):
      queries.append(sequence.text)
      known = true
    default: known = false
    }
    if !known { unknown.append(sequence.text) }
  }

  private mutating func plainControl(_ sequence: ControlSequence) -> Bool {
    let count = sequence.count
    switch Character(Unicode.Scalar(sequence.final)) {
    case "A": moveVertically(by: -count)
    case "B", "e": moveVertically(by: count)
    case "C", "a": moveCursor(column: cursor.column + count, row: cursor.row)
    case "D": moveCursor(column: cursor.column - count, row: cursor.row)
    case "E":
      moveVertically(by: count)
      cursor.column = 0
    case "F":
      moveVertically(by: -count)
      cursor.column = 0
    case "G", "`": moveCursor(column: count - 1, row: cursor.row)
    case "d": moveCursor(column: cursor.column, row: count - 1)
    case "H", "f":
      moveCursor(column: max(1, sequence.parameter(1, default: 1)) - 1, row: count - 1)
    case "J": return eraseInDisplay(sequence.parameter(0, default: 0))
    case "K": return eraseInLine(sequence.parameter(0, default: 0))
    case "X": eraseCharacters(count)
    case "@": insertBlanks(count)
    case "P": deleteCharacters(count)
    case "L": insertLines(count)
    case "M": deleteLines(count)
    case "S": scrollUp(count)
    case "T": scrollDown(count)
    case "Z":
      moveCursor(column: max(0, (cursor.column - 1) / 8 * 8), row: cursor.row)
    case "b":
      guard let lastPrinted else { return true }
      for _ in 0..<count { print(lastPrinted) }
    case "m": return selectGraphics(sequence.parameters)
    case "r": return setScrollingRegion(sequence)
    case "s": saveCursor()
    case "u": restoreCursor()
    case "h", "l":
      guard sequence.parameters.map(\.value) == [4] else { return false }
      inserting = sequence.final == UInt8(ascii: "h")
    case "c", "n": queries.append(sequence.text)
    // Saving and restoring the title is part of xterm's smcup and rmcup; 14, 16 and 18 query sizes.
    case "t" where [22, 23].contains(sequence.parameter(0, default: 0)): break
    case "t" where [14, 16, 18].contains(sequence.parameter(0, default: 0)):
      queries.append(sequence.text)
    case "g": tabStops.removeAll()
    default: return false
    }
    return true
  }

  /// Up and down stop at the margins of the scrolling region when they start inside it.
  private mutating func moveVertically(by distance: Int) {
    let top = cursor.row >= scrollTop ? scrollTop : 0
    let bottom = cursor.row <= scrollBottom ? scrollBottom : rows - 1
    moveCursor(column: cursor.column, row: min(max(cursor.row + distance, top), bottom))
  }

  private mutating func setScrollingRegion(_ sequence: ControlSequence) -> Bool {
    let top = max(1, sequence.parameter(0, default: 1))
    let bottom = min(rows, sequence.parameter(1, default: rows))
    guard top < bottom else { return rows == 1 }
    scrollTop = top - 1
    scrollBottom = bottom - 1
    moveCursor(column: 0, row: 0)
    return true
  }

  private mutating func controlWithIntermediate(_ sequence: ControlSequence) -> Bool {
    let finals = sequence.intermediates + [sequence.final]
    switch String(decoding: finals, as: UTF8.self) {
    case "!p": reset(hard: false)
    // The cursor's shape.
    case " q": break
    case "$p": queries.append(sequence.text)
    default: return false
    }
    return true
  }

  private mutating func privateControl(_ sequence: ControlSequence) -> Bool {
    let finals = sequence.intermediates + [sequence.final]
    switch String(decoding: finals, as: UTF8.self) {
    case "h": return setModes(sequence.parameters, true)
    case "l": return setModes(sequence.parameters, false)
    case "$p", "n", "u":
      queries.append(sequence.text)
      return true
    // The cursor's shape on the Linux console.
    case "c": return true
    default: return false
    }
  }

  private mutating func setModes(_ parameters: [ControlSequence.Parameter], _ on: Bool) -> Bool {
    var known = true
    for mode in parameters.map({ $0.value ?? 0 }) {
      switch mode {
      case 1049:
        if on { saveCursor() }
        showAlternate(on)
        if !on { restoreCursor() }
      case 2026 where !on && modes.contains(2026): synchronizedEnds.append(byteCount)
      // Cursor keys, columns, scrolling, autowrap, blinking, cursor, meta, mouse, focus, paste.
      case 1, 3, 4, 7, 12, 25, 1000...1006, 1015, 1034, 2004, 2026: break
      default:
        known = false
        continue
      }
      if on { modes.insert(mode) } else { modes.remove(mode) }
    }
    return known
  }
}
