/// Turns cells at places into cursor moves, colour changes and glyphs.
struct CellWriter {
  /// A move to any place, a change of colours and style, and a glyph.
  private static let mostBytesPerCell = 32 + SGRState.mostBytes
  private let top: Int
  private let left: Int
  private let columns: Int
  var repeats: Bool
  private var buffer = EscapeBuffer()
  private var sgr = SGRState()
  private var row = 0
  /// Where the next glyph would go, in rows and columns of the area; nil if only the terminal knows, as
  /// after its last column.
  private var cursor: (row: Int, column: Int)?
  private var prologueLength = 0
  /// The last glyph that was written, and how many repetitions of it are still to be written.
  private var run: (glyph: Unicode.Scalar, pending: Int) = ("\0", 0)

  init(top: Int, left: Int, columns: Int, repeats: Bool) {
    self.top = top
    self.left = left
    self.columns = columns
    self.repeats = repeats
  }

  mutating func begin(synchronized: Bool) {
    buffer.removeAll()
    buffer.append("\u{1B}7")
    if synchronized { buffer.append("\u{1B}[?2026h") }
    buffer.append("\u{1B}[m")
    prologueLength = buffer.count
    sgr = SGRState()
    cursor = nil
    run = ("\0", 0)
  }

  /// - Returns: the frame's bytes; none if nothing was written.
  mutating func end(synchronized: Bool) -> [UInt8] {
    finishRun()
    guard buffer.count > prologueLength else { return [] }
    if !sgr.isPlain { buffer.append("\u{1B}[m") }
    if synchronized { buffer.append("\u{1B}[?2026l") }
    buffer.append("\u{1B}8")
    return buffer.bytes
  }

  mutating func beginRow(_ row: Int) {
    buffer.makeRoom((columns + 1) * Self.mostBytesPerCell)
    self.row = row
  }

  /// Whether the cursor is in the same row before a place, but not at it.
  func isBeyondCursor(_ place: Int) -> Bool {
    cursor.map { $0.row == row && $0.column < place } ?? false
  }

  /// The cells between the cursor and a place of this row, if rewriting them takes no more bytes than
  /// moving the cursor; else none.
  func bridge(to place: Int, in appearances: [CellAppearance], _ tolerance: Tolerance) -> Range<Int>
  {
    guard let cursor, cursor.row == row, cursor.column < place,
      place - cursor.column <= stepLength(place - cursor.column)
    else { return place..<place }
    let gap = cursor.column..<place
    return gap.allSatisfy { isFree(appearances[$0], tolerance) } ? gap : place..<place
  }

  /// Whether a single byte without a change of colour shows the wanted cell, or nearly.
  private func isFree(_ wanted: CellAppearance, _ tolerance: Tolerance) -> Bool {
    if wanted.isHalves {
      return sgr.style.isEmpty && tolerance.isNear(sgr.background, wanted.first)
        && tolerance.isNear(sgr.background, wanted.second)
    }
    return wanted.isSurelyNarrow && wanted.style == sgr.style
      && tolerance.isNear(sgr.foreground, wanted.first)
      && tolerance.isNear(sgr.background, wanted.second)
  }

  /// - Returns: what is then displayed, which is near to what was wanted.
  mutating func write(_ wanted: CellAppearance, at place: Int, _ tolerance: Tolerance)
    -> CellAppearance
  {
    if wanted.isWideTail { return wanted }
    if cursor?.column != place || cursor?.row != row { moveCursor(to: place) }
    cursor = place + 1 < columns ? (row, place + 1) : nil
    if wanted.isHalves {
      let choice = HalfChoice.best(
        upper: wanted.first, lower: wanted.second, sgr: sgr, tolerance: tolerance)
      put(choice.glyph, choice.foreground, choice.background, style: [])
      return choice.appearance
    }
    var written = wanted
    if tolerance.isNear(sgr.foreground, wanted.first) { written.first = sgr.foreground }
    if tolerance.isNear(sgr.background, wanted.second) { written.second = sgr.background }
    put(
      Unicode.Scalar(wanted.glyph) ?? " ", written.first, written.second, style: wanted.style)
    // Terminals disagree about the width of some glyphs.
    if !wanted.isSurelyNarrow { cursor = nil }
    return written
  }

  private mutating func put(
    _ glyph: Unicode.Scalar, _ foreground: PackedColor, _ background: PackedColor, style: CellStyle
  ) {
    let keepsPen =
      foreground == sgr.foreground && background == sgr.background && style == sgr.style
    if keepsPen, repeats, glyph == run.glyph {
      run.pending += 1
      return
    }
    finishRun()
    if !keepsPen {
      sgr.change(foreground: foreground, background: background, style: style, in: &buffer)
    }
    buffer.append(glyph)
    run.glyph = glyph
  }

  /// Writes the pending repetitions of the last glyph, with `REP` if that is shorter.
  private mutating func finishRun() {
    guard run.pending > 0 else { return }
    let literalLength = run.pending * String(run.glyph).utf8.count
    if literalLength > 3 + digitCount(run.pending) {
      buffer.append(word: 0x5B1B, length: 2)  // ESC [
      buffer.append(decimal: run.pending)
      buffer.append(UInt8(ascii: "b"))
    } else {
      for _ in 0..<run.pending { buffer.append(run.glyph) }
    }
    run.pending = 0
  }

  private mutating func moveCursor(to place: Int) {
    finishRun()
    // REP repeats the last character only if nothing was sent since.
    run.glyph = "\0"
    if let cursor {
      let down = row - cursor.row
      let right = place - cursor.column
      if down >= 0, stepLength(down) + stepLength(right) < jumpLength(to: place) {
        step(by: down, "B")
        step(by: abs(right), right < 0 ? "D" : "C")
        return
      }
    }
    buffer.append(word: 0x5B1B, length: 2)  // ESC [
    buffer.append(decimal: top + row + 1)
    if left + place > 0 {
      buffer.append(UInt8(ascii: ";"))
      buffer.append(decimal: left + place + 1)
    }
    buffer.append(UInt8(ascii: "H"))
  }

  private func jumpLength(to place: Int) -> Int {
    3 + digitCount(top + row + 1) + (left + place > 0 ? 1 + digitCount(left + place + 1) : 0)
  }

  private func stepLength(_ distance: Int) -> Int {
    let size = abs(distance)
    return size == 0 ? 0 : size == 1 ? 3 : 3 + digitCount(size)
  }

  private mutating func step(by distance: Int, _ direction: Unicode.Scalar) {
    guard distance > 0 else { return }
    buffer.append(word: 0x5B1B, length: 2)  // ESC [
    if distance > 1 { buffer.append(decimal: distance) }
    buffer.append(direction)
  }
}
