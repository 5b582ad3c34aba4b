import Pictures
import Testing

@Suite struct StillEncoderTests {
  private static func lines(_ cells: [[Cell]]) -> String {
    var grid = CellGrid(columns: cells.first?.count ?? 0, rows: cells.count)
    for (row, line) in cells.enumerated() {
      for (column, cell) in line.enumerated() { grid[row, column] = cell }
    }
    return FramePainterTests.readable(StillEncoder.lines(grid))
  }

  @Test func lines_ofRows_endInResetAndLineFeed() {
    let red = CellColour(rgb: 0xFF0000)
    let text = Self.lines([
      [Cell(glyph: "a"), Cell(glyph: "b", foreground: red), Cell(glyph: "c", foreground: red)],
      [Cell(glyph: "▀", foreground: red, background: .palette(4)), .blank, .blank],
      [Cell(glyph: "海"), Cell(glyph: " ", isWideTail: true), Cell(glyph: "x", style: .bold)],
    ])
    #expect(
      text == """
        a¶[38;2;255;0;0mbc¶[0m
        ¶[38;2;255;0;0;44m▀¶[49m  ¶[0m
        海¶[1mx¶[0m

        """)
  }

  @Test func lines_ofNothing_areEmpty() {
    #expect(Self.lines([]) == "")
  }

  /// Every depth's lines, read back by a terminal, are the grid.
  @Test(arguments: CellRendererTests.everyKind)
  func lines_readBack_areTheGrid(mode: PictureMode, depth: ColourDepth) {
    let grid = CellRendererTests.render(
      TestPictures.landscape(width: 31, height: 23), mode, depth, columns: 31, rows: 12)
    let rows = StillEncoder.lines(grid).split(separator: UInt8(ascii: "\n"))
    #expect(rows.count == 12)
    for (row, bytes) in rows.enumerated() {
      var screen = ScreenOracle(columns: 31, rows: 1)
      screen.feed(Array(bytes))
      #expect(screen.problems == [])
      for column in 0..<31 {
        #expect(difference(screen.cells[0][column], grid[row, column]) == 0)
      }
    }
  }
}
