import Pictures
import Testing

@Suite struct FramePainterTests {
  typealias Options = FramePainter.PainterOptions

  private static let optionTable = [
    Options(synchronizedOutput: true, repeatCharacter: false),
    Options(synchronizedOutput: false, repeatCharacter: true),
  ]

  /// Cells of every kind: halves of all colours, texts, styles, wide glyphs.
  static func randomGrid(
    columns: Int, rows: Int, from base: CellGrid? = nil, changing share: Double,
    with numbers: inout SeededNumbers
  ) -> CellGrid {
    var grid = base ?? CellGrid(columns: columns, rows: rows)
    let colours: [CellColour] = [
      .terminalDefault, .palette(1), .palette(9), .palette(200), CellColour(rgb: 0),
      CellColour(rgb: 0x10_2030), CellColour(rgb: 0x12_2130), CellColour(rgb: 0xFF_FFFF),
    ]
    let glyphs: [Unicode.Scalar] = [" ", "▀", "▄", "█", "a", "é", "▀", "▀", " ", "▀"]
    for row in 0..<rows {
      for column in 0..<columns
      where Double.random(in: 0..<1, using: &numbers) < share && !grid[row, column].isWideTail {
        guard column + 1 == columns || !grid[row, column + 1].isWideTail else { continue }
        let style: CellStyle =
          Int.random(in: 0..<12, using: &numbers) == 0
          ? CellStyle(rawValue: UInt8.random(in: 0..<8, using: &numbers)) : []
        var cell = Cell(
          glyph: glyphs[Int.random(in: 0..<glyphs.count, using: &numbers)],
          foreground: colours[Int.random(in: 0..<colours.count, using: &numbers)],
          background: colours[Int.random(in: 0..<colours.count, using: &numbers)], style: style)
        if column + 1 < columns, Int.random(in: 0..<20, using: &numbers) == 0 {
          let next = column + 1
          if next + 1 < columns, grid[row, next + 1].isWideTail { continue }
          cell.glyph = "海"
          grid[row, next] = Cell(glyph: " ", isWideTail: true)
        }
        grid[row, column] = cell
      }
    }
    return grid
  }

  @Test(arguments: optionTable, [(1, 1), (2, 1), (3, 2), (7, 5), (24, 9)])
  func paint_toleranceZero_showsTheGridExactly(options: Options, size: (Int, Int)) {
    var numbers = SeededNumbers(state: UInt64(size.0))
    var painter = FramePainter(
      columns: size.0, rows: size.1, top: 2, left: 3, options: options)
    var screen = ScreenOracle(columns: size.0 + 3, rows: size.1 + 2)
    var grid = CellGrid(columns: size.0, rows: size.1)
    for round in 0..<60 {
      grid = Self.randomGrid(
        columns: size.0, rows: size.1, from: grid,
        changing: Double.random(in: 0...1, using: &numbers), with: &numbers)
      screen.feed(painter.paint(grid, tolerance: 0))
      let shown = screen.area(top: 2, left: 3, columns: size.0, rows: size.1)
      #expect(difference(shown, grid) == 0, "round \(round)")
      #expect(painter.settled)
      #expect(!screen.synchronized)
      #expect(screen.problems == [])
    }
  }
}
