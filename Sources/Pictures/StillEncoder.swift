/// Writes a grid as plain lines, for a pipe, a file or the scrolling screen.
public enum StillEncoder {
  /// Each row's cells with their colours, ending in `ESC[0m` and a line feed; no cursor movement.
  ///
  /// - Parameter inColours: false for characters alone, whatever colours the cells have.
  public static func lines(_ grid: CellGrid, inColours: Bool = true) -> [UInt8] {
    var buffer = EscapeBuffer()
    for row in 0..<grid.rows {
      buffer.write(upTo: grid.columns * (SGRState.mostBytes + 4)) { pen, bytes in
        let cells = grid.cells.span.extracting(row * grid.columns..<(row + 1) * grid.columns)
        var sgr = SGRState()
        for column in cells.indices {
          let appearance = CellAppearance(cells, column, inColours: inColours)
          write(appearance, &sgr, with: &pen, in: &bytes)
        }
      }
      buffer.append(inColours ? "\u{1B}[0m\n" : "\n")
    }
    return buffer.bytes
  }

  private static func write(
    _ appearance: CellAppearance, _ sgr: inout SGRState, with pen: inout EscapePen,
    in bytes: inout MutableRawSpan
  ) {
    if appearance.isWideTail { return }
    if appearance.isHalves {
      let choice = HalfChoice.best(
        for: appearance.colours, sgr: sgr, tolerance: Tolerance(0))
      sgr.change(
        foreground: choice.foreground, background: choice.background, style: [], with: &pen,
        in: &bytes)
      pen.put(choice.glyph, in: &bytes)
    } else {
      sgr.change(
        foreground: appearance.first, background: appearance.second, style: appearance.style,
        with: &pen, in: &bytes)
      pen.put(Unicode.Scalar(appearance.glyph) ?? " ", in: &bytes)
    }
  }
}
