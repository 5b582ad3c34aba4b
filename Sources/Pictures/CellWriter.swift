/// Turns cells at places into cursor moves, colour changes and glyphs.
struct CellWriter: Sendable {
  /// A move to any place, a change of colours and style, and a glyph.
  private static let mostBytesPerCell = 32 + SGRState.mostBytes

  /// Where the next glyph would go, in rows and columns of the area.
  private struct Place: Equatable {
    var row: Int
    var column: Int
  }

  /// A glyph that is written several times over.
  private struct Run {
    var glyph: Unicode.Scalar = "\0"
    /// How often it is still to be written.
    var pending = 0
  }

  private let top: Int
  private let left: Int
  private let columns: Int
  var repeats: Bool
  private var sgr = SGRState()
  private var row = 0
  /// nil if only the terminal knows, as after its last column.
  private var cursor: Place?
  private var run = Run()

  init(top: Int, left: Int, columns: Int, repeats: Bool) {
    self.top = top
    self.left = left
    self.columns = columns
    self.repeats = repeats
  }

  /// Whether the terminal's colours and style are those from before the frame.
  var isPlain: Bool { sgr.isPlain }

  /// Begins a frame, in the terminal's own colours.
  mutating func begin() {
    sgr = SGRState()
    cursor = nil
    run = Run()
  }

  mutating func beginRow(_ row: Int) { self.row = row }

  /// More bytes than writing a row takes.
  var mostBytesPerRow: Int { (columns + 1) * Self.mostBytesPerCell }

  /// Whether the cursor is in the same row before a place, but not at it.
  @inline(__always)
  func isBeyondCursor(_ place: Int) -> Bool {
    cursor.map { $0.row == row && $0.column < place } ?? false
  }

  /// The cells between the cursor and a place of this row, if rewriting them takes no more bytes than
  /// moving the cursor; else none.
  func bridge(to place: Int, in appearances: Span<CellAppearance>, _ tolerance: Tolerance)
    -> Range<Int>
  {
    guard let cursor, cursor.row == row, cursor.column < place,
      place - cursor.column <= stepLength(place - cursor.column)
    else { return place..<place }
    for column in cursor.column..<place where !isFree(appearances[column], tolerance) {
      return place..<place
    }
    return cursor.column..<place
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
  @inline(__always)
  mutating func write(
    _ wanted: CellAppearance, at place: Int, _ tolerance: Tolerance, with pen: inout EscapePen,
    in bytes: inout MutableRawSpan
  ) -> CellAppearance {
    if wanted.isHalves {
      if cursor != Place(row: row, column: place) { moveCursor(to: place, &pen, &bytes) }
      cursor = placeAfter(place)
      let choice = HalfChoice.best(for: wanted.colours, sgr: sgr, tolerance: tolerance)
      put(choice.glyph, choice.foreground, choice.background, style: [], &pen, &bytes)
      return choice.appearance
    }
    return writeGlyph(wanted, at: place, tolerance, &pen, &bytes)
  }

  private mutating func writeGlyph(
    _ wanted: CellAppearance, at place: Int, _ tolerance: Tolerance, _ pen: inout EscapePen,
    _ bytes: inout MutableRawSpan
  ) -> CellAppearance {
    if wanted.isWideTail { return wanted }
    if cursor != Place(row: row, column: place) { moveCursor(to: place, &pen, &bytes) }
    // Terminals disagree about the width of some glyphs.
    cursor = wanted.isSurelyNarrow ? placeAfter(place) : nil
    let written = wanted.coloured(
      tolerance.isNear(sgr.foreground, wanted.first) ? sgr.foreground : wanted.first,
      tolerance.isNear(sgr.background, wanted.second) ? sgr.background : wanted.second)
    put(
      Unicode.Scalar(wanted.glyph) ?? " ", written.first, written.second, style: wanted.style, &pen,
      &bytes)
    return written
  }

  @inline(__always)
  private func placeAfter(_ place: Int) -> Place? {
    place + 1 < columns ? Place(row: row, column: place + 1) : nil
  }

  @inline(__always)
  private mutating func put(
    _ glyph: Unicode.Scalar, _ foreground: HalfColour, _ background: HalfColour, style: CellStyle,
    _ pen: inout EscapePen, _ bytes: inout MutableRawSpan
  ) {
    if repeats {
      let keepsPen =
        foreground == sgr.foreground && background == sgr.background && style == sgr.style
      if keepsPen, glyph == run.glyph {
        run.pending += 1
        return
      }
      finishRun(&pen, &bytes)
      run.glyph = glyph
    }
    // A copy of its own can stay in registers.
    var moved = pen
    sgr.change(
      foreground: foreground, background: background, style: style, with: &moved, in: &bytes)
    moved.put(glyph, in: &bytes)
    pen = moved
  }

  /// Writes what is still pending of the last row.
  mutating func finishRow(into frame: inout EscapeBuffer) {
    guard run.pending > 0 else { return }
    frame.write(upTo: mostBytesPerRow) { pen, bytes in finishRun(&pen, &bytes) }
  }

  /// Writes the pending repetitions of the last glyph, with `REP` if that is shorter.
  private mutating func finishRun(_ pen: inout EscapePen, _ bytes: inout MutableRawSpan) {
    guard run.pending > 0 else { return }
    let literalLength = run.pending * UTF8.width(run.glyph)
    if literalLength > 3 + digitCount(run.pending) {
      pen.put(word: 0x5B1B, length: 2, in: &bytes)  // ESC [
      pen.put(decimal: run.pending, in: &bytes)
      pen.put(UInt8(ascii: "b"), in: &bytes)
    } else {
      for _ in 0..<run.pending { pen.put(run.glyph, in: &bytes) }
    }
    run.pending = 0
  }

  private mutating func moveCursor(
    to place: Int, _ pen: inout EscapePen, _ bytes: inout MutableRawSpan
  ) {
    finishRun(&pen, &bytes)
    // REP repeats the last character only if nothing was sent since.
    run.glyph = "\0"
    if let cursor {
      let down = row - cursor.row
      let right = place - cursor.column
      if down >= 0, stepLength(down) + stepLength(right) < jumpLength(to: place) {
        step(by: down, UInt8(ascii: "B"), &pen, &bytes)
        step(by: abs(right), UInt8(ascii: right < 0 ? "D" : "C"), &pen, &bytes)
        return
      }
    }
    pen.put(word: 0x5B1B, length: 2, in: &bytes)  // ESC [
    pen.put(decimal: top + row + 1, in: &bytes)
    if left + place > 0 {
      pen.put(UInt8(ascii: ";"), in: &bytes)
      pen.put(decimal: left + place + 1, in: &bytes)
    }
    pen.put(UInt8(ascii: "H"), in: &bytes)
  }

  private func jumpLength(to place: Int) -> Int {
    3 + digitCount(top + row + 1) + (left + place > 0 ? 1 + digitCount(left + place + 1) : 0)
  }

  private func stepLength(_ distance: Int) -> Int {
    let size = abs(distance)
    return size == 0 ? 0 : size == 1 ? 3 : 3 + digitCount(size)
  }

  private func step(
    by distance: Int, _ direction: UInt8, _ pen: inout EscapePen, _ bytes: inout MutableRawSpan
  ) {
    guard distance > 0 else { return }
    pen.put(word: 0x5B1B, length: 2, in: &bytes)  // ESC [
    if distance > 1 { pen.put(decimal: distance, in: &bytes) }
    pen.put(direction, in: &bytes)
  }
}
