/// Writes a grid as plain lines, for a pipe, a file or the scrolling screen.
public enum StillEncoder {
  /// Each row's cells with their colours, ending in `ESC[0m` and a line feed; no cursor movement.
  public static func lines(_ grid: CellGrid) -> [UInt8] {
    var buffer = EscapeBuffer()
    let exact = Tolerance(0)
    for row in 0..<grid.rows {
      var sgr = SGRState()
      buffer.makeRoom(grid.columns * (SGRState.mostBytes + 4))
      for column in 0..<grid.columns {
        let appearance = CellAppearance(
          grid.cells.span.extracting(row * grid.columns..<(row + 1) * grid.columns), column)
        if appearance.isWideTail { continue }
        if appearance.isHalves {
          let choice = HalfChoice.best(
            upper: appearance.first, lower: appearance.second, sgr: sgr, tolerance: exact)
          sgr.change(
            foreground: choice.foreground, background: choice.background, style: [], in: &buffer)
          buffer.append(choice.glyph)
        } else {
          sgr.change(
            foreground: appearance.first, background: appearance.second, style: appearance.style,
            in: &buffer)
          buffer.append(Unicode.Scalar(appearance.glyph) ?? " ")
        }
      }
      buffer.append("\u{1B}[0m\n")
    }
    return buffer.bytes
  }
}
