extension TerminalScreen {
  /// The cell after erasing: a blank in the current background.
  private var blank: ScreenCell {
    var cell = ScreenCell()
    cell.pen.background = pen.background
    return cell
  }

  private func index(column: Int, row: Int) -> Int { row * columns + column }

  private mutating func erase(_ range: Range<Int>) {
    for index in range { cells[index] = blank }
  }

  mutating func eraseInDisplay(_ what: Int) -> Bool {
    let here = index(column: cursor.column, row: cursor.row)
    switch what {
    case 0: erase(here..<cells.count)
    case 1: erase(0..<here + 1)
    case 2, 3: erase(0..<cells.count)
    default: return false
    }
    wrapPending = false
    return true
  }

  mutating func eraseInLine(_ what: Int) -> Bool {
    let start = index(column: 0, row: cursor.row)
    switch what {
    case 0: erase(start + cursor.column..<start + columns)
    case 1: erase(start..<start + cursor.column + 1)
    case 2: erase(start..<start + columns)
    default: return false
    }
    wrapPending = false
    return true
  }

  mutating func eraseCharacters(_ count: Int) {
    let here = index(column: cursor.column, row: cursor.row)
    erase(here..<here + min(count, columns - cursor.column))
    wrapPending = false
  }

  mutating func insertBlanks(_ count: Int) {
    let count = min(count, columns - cursor.column)
    let here = index(column: cursor.column, row: cursor.row)
    let end = index(column: 0, row: cursor.row) + columns
    cells.removeSubrange(end - count..<end)
    cells.insert(contentsOf: repeatElement(blank, count: count), at: here)
    wrapPending = false
  }

  mutating func deleteCharacters(_ count: Int) {
    let count = min(count, columns - cursor.column)
    let here = index(column: cursor.column, row: cursor.row)
    let end = index(column: 0, row: cursor.row) + columns
    cells.insert(contentsOf: repeatElement(blank, count: count), at: end)
    cells.removeSubrange(here..<here + count)
    wrapPending = false
  }

  mutating func scrollUp(_ count: Int) { moveRows(from: scrollTop, count, up: true) }
  mutating func scrollDown(_ count: Int) { moveRows(from: scrollTop, count, up: false) }

  mutating func insertLines(_ count: Int) {
    guard scrollTop...scrollBottom ~= cursor.row else { return }
    moveRows(from: cursor.row, count, up: false)
    moveCursor(column: 0, row: cursor.row)
  }

  mutating func deleteLines(_ count: Int) {
    guard scrollTop...scrollBottom ~= cursor.row else { return }
    moveRows(from: cursor.row, count, up: true)
    moveCursor(column: 0, row: cursor.row)
  }

  /// Moves the rows from `top` to the bottom of the scrolling region.
  private mutating func moveRows(from top: Int, _ count: Int, up: Bool) {
    let size = min(count, scrollBottom - top + 1) * columns
    let start = index(column: 0, row: top)
    let end = index(column: 0, row: scrollBottom + 1)
    let blanks = repeatElement(blank, count: size)
    if up {
      cells.insert(contentsOf: blanks, at: end)
      cells.removeSubrange(start..<start + size)
    } else {
      cells.removeSubrange(end - size..<end)
      cells.insert(contentsOf: blanks, at: start)
    }
  }

  mutating func saveCursor() {
    saved = Saved(
      cursor: cursor, pen: pen, drawingSets: drawingSets, shiftedOut: shiftedOut,
      wrapPending: wrapPending)
  }

  mutating func restoreCursor() {
    moveCursor(column: saved.cursor.column, row: saved.cursor.row)
    pen = saved.pen
    drawingSets = saved.drawingSets
    shiftedOut = saved.shiftedOut
    wrapPending = saved.wrapPending && cursor.column == columns - 1
  }

  mutating func showAlternate(_ alternate: Bool) {
    guard alternate != alternateScreen else { return }
    swap(&cells, &hiddenCells)
    if alternate { alternateEntries += 1 }
    if alternate { cells = Array(repeating: blank, count: cells.count) }
  }

  /// Does what ESC c and a soft reset do, as far as it is visible here.
  mutating func reset(hard: Bool) {
    pen = ScreenPen()
    modes.formUnion([7, 25])
    inserting = false
    scrollTop = 0
    scrollBottom = rows - 1
    drawingSets = (false, false)
    shiftedOut = false
    saved = Saved()
    guard hard else { return }
    showAlternate(false)
    modes = [7, 25]
    tabStops = []
    erase(0..<cells.count)
    moveCursor(column: 0, row: 0)
  }
}
