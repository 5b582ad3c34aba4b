/// Writes a grid as plain lines, for a pipe, a file or the scrolling screen.
public enum StillEncoder {
  /// Each row's cells with their colours, ending in `ESC[0m` and a line feed; no cursor movement.
  public static func lines(_ grid: CellGrid) -> [UInt8] {
    var buffer = EscapeBuffer()
    let exact = Tolerance(0)
    for row in 0..<grid.rows {
      var pen = Pen()
      buffer.makeRoom(grid.columns * (Pen.mostBytes + 4))
      for column in 0..<grid.columns {
        let look = Look(
          grid.cells.span.extracting(row * grid.columns..<(row + 1) * grid.columns), column)
        if look.isWideTail { continue }
        if look.isHalves {
          let choice = HalfChoice.best(
            upper: look.first, lower: look.second, pen: pen, tolerance: exact)
          pen.change(
            foreground: choice.foreground, background: choice.background, style: [], in: &buffer)
          buffer.append(choice.glyph)
        } else {
          pen.change(
            foreground: look.first, background: look.second, style: look.style, in: &buffer)
          buffer.append(Unicode.Scalar(look.glyph) ?? " ")
        }
      }
      buffer.append("\u{1B}[0m\n")
    }
    return buffer.bytes
  }
}
