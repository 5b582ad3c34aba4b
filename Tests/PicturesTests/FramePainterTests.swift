import DecoderLink
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

  /// Footage-like frames: every pixel wanders a little, some jump.
  private static func wander(
    _ pixels: [UInt32], with numbers: inout SeededNumbers
  ) -> [UInt32] {
    pixels.map { rgb in
      if Int.random(in: 0..<30, using: &numbers) == 0 {
        return UInt32.random(in: 0...0xFF_FFFF, using: &numbers)
      }
      return MeanColours.split(rgb).reduce(0) { packed, channel in
        let moved = channel + Double(Int.random(in: -2...2, using: &numbers))
        return packed << 8 | UInt32(min(max(0, moved), 255))
      }
    }
  }

  /// Painted frames stay within tolerance of the picture, however many there were, and tolerance 0
  /// makes the last one exact.
  @Test(arguments: PictureMode.allCases, [1, 2, 4, 8, 40, 255])
  func paint_twoHundredFrames_neverDriftsAndSettles(mode: PictureMode, tolerance: Int) {
    var numbers = SeededNumbers(state: 77)
    var pixels = TestPictures.landscape(width: 20, height: 24).pixels
    var renderer = CellRenderer(mode: mode, depth: .trueColour, unicode: true)
    var painter = FramePainter(
      columns: 22, rows: 12, top: 1, left: 0,
      options: Options(synchronizedOutput: true, repeatCharacter: tolerance > 2))
    var screen = ScreenOracle(columns: 22, rows: 13)
    var grid = CellGrid(columns: 22, rows: 12)
    for frame in 0..<200 {
      pixels = Self.wander(pixels, with: &numbers)
      let picture = Bitmap(width: 20, height: 24, pixels: pixels)
      renderer.render(picture, columns: 22, rows: 12, into: &grid)
      screen.feed(painter.paint(grid, tolerance: tolerance))
      let off = difference(screen.area(top: 1, left: 0, columns: 22, rows: 12), grid)
      #expect(off <= tolerance, "frame \(frame)")
      #expect(painter.settled == (off == 0), "frame \(frame)")
      #expect(screen.problems == [])
    }
    screen.feed(painter.paint(grid, tolerance: 0))
    #expect(difference(screen.area(top: 1, left: 0, columns: 22, rows: 12), grid) == 0)
    #expect(painter.settled)
    #expect(painter.paint(grid, tolerance: 0) == [])
  }

  @Test func paint_nothingNew_writesNothing() {
    var painter = FramePainter(columns: 3, rows: 2, top: 0, left: 0)
    let grid = CellGrid(columns: 3, rows: 2, filledWith: Cell(glyph: "x"))
    #expect(!painter.paint(grid, tolerance: 0).isEmpty)
    #expect(painter.paint(grid, tolerance: 0) == [])
    painter.forgetDisplayed()
    #expect(!painter.paint(grid, tolerance: 255).isEmpty)
  }

  /// Cells of one look, drawn differently, are not written again.
  @Test(arguments: [
    (
      Cell(glyph: "▀", foreground: .palette(1), background: .palette(2)),
      Cell(glyph: "▄", foreground: .palette(2), background: .palette(1))
    ),
    (
      Cell(glyph: " ", background: CellColour(rgb: 5)),
      Cell(glyph: "█", foreground: CellColour(rgb: 5), background: .palette(7))
    ),
    (
      Cell(glyph: "▀", foreground: .palette(1), background: .palette(1)),
      Cell(glyph: " ", foreground: .palette(3), background: .palette(1))
    ),
  ])
  func paint_sameLook_writesNothing(first: Cell, second: Cell) {
    var painter = FramePainter(columns: 2, rows: 1, top: 0, left: 0)
    _ = painter.paint(CellGrid(columns: 2, rows: 1, filledWith: first), tolerance: 0)
    let again = CellGrid(columns: 2, rows: 1, filledWith: second)
    #expect(painter.paint(again, tolerance: 0) == [])
  }

  /// What is written for a row after a row, in full; `¶` stands for ESC.
  @Test(arguments: [
    ("first cells", "", "ab", 0, "¶[2;3Hab"),
    ("nothing", "ab", "ab", 0, ""),
    ("far away", "aaaaaaaaa", "baaaaaaab", 0, "¶[2;3Hb¶[7Cb"),
    ("near by, written over", "aaaaa", "baaab", 0, "¶[2;3Hbaaab"),
    ("a run", "", "aaaaaaaaaa", 0, "¶[2;3Ha¶[9b"),
    ("a short run", "", "aaaa", 0, "¶[2;3Haaaa"),
  ])
  func paint_text_isWrittenShortly(
    name: String, before: String, after: String, tolerance: Int, expected: String
  ) {
    var painter = FramePainter(
      columns: 10, rows: 1, top: 1, left: 2,
      options: Options(synchronizedOutput: false, repeatCharacter: true))
    var grid = CellGrid(columns: 10, rows: 1)
    _ = painter.paint(grid, tolerance: 0)
    for text in [before, after] {
      for (column, scalar) in text.unicodeScalars.enumerated() {
        grid[0, column] = Cell(glyph: scalar)
      }
      if text == before { _ = painter.paint(grid, tolerance: 0) }
    }
    let frame = expected.isEmpty ? "" : "¶7¶[m\(expected)¶8"
    #expect(Self.readable(painter.paint(grid, tolerance: tolerance)) == frame)
  }

  /// Pairs of upper and lower halves in a row, and what is written for them.
  @Test(arguments: [
    ([(0xFF0000, 0x0000FF)], 0, "¶[38;2;255;0;0;48;2;0;0;255m▀"),
    ([(0x102030, 0x102030)], 0, "¶[48;2;16;32;48m "),
    // The second cell needs no colour when it stands on its head.
    ([(0x010101, 0x909090), (0x909090, 0x010101)], 0, "¶[38;2;1;1;1;48;2;144;144;144m▀▄"),
    // One new colour instead of two.
    (
      [(0x010101, 0x909090), (0x909090, 0x333333)], 0,
      "¶[38;2;1;1;1;48;2;144;144;144m▀¶[38;2;51;51;51m▄"
    ),
    ([(0x010101, 0x909090), (0x010101, 0x010101)], 0, "¶[38;2;1;1;1;48;2;144;144;144m▀█"),
    // Near enough is the same.
    ([(0x010101, 0x909090), (0x030303, 0x8E8E8E)], 2, "¶[38;2;1;1;1;48;2;144;144;144m▀▀"),
    (
      [(0x010101, 0x909090), (0x040101, 0x8E8E8E)], 2,
      "¶[38;2;1;1;1;48;2;144;144;144m▀¶[38;2;4;1;1m▀"
    ),
    // One colour between both halves.
    ([(0x101010, 0x141414)], 2, "¶[48;2;18;18;18m "),
    ([(0x101010, 0x151515)], 2, "¶[38;2;16;16;16;48;2;21;21;21m▀"),
  ])
  func paint_halves_useFewColours(halves: [(Int, Int)], tolerance: Int, expected: String) {
    var painter = FramePainter(
      columns: halves.count, rows: 1, top: 0, left: 0, options: Options(synchronizedOutput: true))
    var grid = CellGrid(columns: halves.count, rows: 1)
    for (column, half) in halves.enumerated() {
      grid[0, column] = Cell(
        glyph: "▀", foreground: CellColour(rgb: UInt32(half.0)),
        background: CellColour(rgb: UInt32(half.1)))
    }
    #expect(
      Self.readable(painter.paint(grid, tolerance: tolerance))
        == "¶7¶[?2026h¶[m¶[1H\(expected)¶[m¶[?2026l¶8")
  }

  @Test(arguments: [
    (Cell(glyph: "x", foreground: .palette(6)), "¶[36mx"),
    (Cell(glyph: "x", background: .palette(12)), "¶[104mx"),
    (Cell(glyph: "x", foreground: .palette(99), style: .bold), "¶[1;38;5;99mx"),
    (Cell(glyph: "x", style: [.bold, .dim, .reverse]), "¶[1;2;7mx"),
    (Cell(glyph: "é"), "é"),
    (Cell(glyph: "\u{1B}"), " "),
    (Cell(glyph: "\u{9B}"), " "),
    (Cell(glyph: "\u{301}"), " "),
    (Cell(glyph: "\n", background: .palette(1)), "¶[41m "),
    (Cell(glyph: "海"), " "),
    (Cell(glyph: "x", isWideTail: true), " "),
  ])
  func paint_oneCell_isWrittenSafely(cell: Cell, expected: String) {
    var painter = FramePainter(
      columns: 1, rows: 1, top: 0, left: 0, options: Options(synchronizedOutput: false))
    let reset = expected.hasPrefix("¶") ? "¶[m" : ""
    let bytes = painter.paint(
      CellGrid(columns: 1, rows: 1, filledWith: cell), tolerance: 0)
    #expect(Self.readable(bytes) == "¶7¶[m¶[1H\(expected)\(reset)¶8")
  }

  @Test func paint_depthNever_writesNoColour() {
    var numbers = SeededNumbers(state: 9)
    let grid = Self.randomGrid(columns: 30, rows: 10, changing: 1, with: &numbers)
    var painter = FramePainter(
      columns: 30, rows: 10, top: 0, left: 0, options: Options(depth: .never))
    var screen = ScreenOracle(columns: 30, rows: 10)
    screen.feed(painter.paint(grid, tolerance: 0))
    let shown = screen.area(top: 0, left: 0, columns: 30, rows: 10)
    #expect(
      shown.allCells.allSatisfy {
        $0.foreground == .terminalDefault && $0.background == .terminalDefault
      })
    #expect(shown.text == grid.text)
  }

  /// Rows are reached by the shortest way.
  @Test func paint_nextRow_stepsDown() {
    var painter = FramePainter(
      columns: 100, rows: 30, top: 0, left: 0, options: Options(synchronizedOutput: false))
    var grid = CellGrid(columns: 100, rows: 30)
    _ = painter.paint(grid, tolerance: 0)
    for place in [(20, 50), (21, 51), (22, 49), (25, 99), (26, 0), (27, 98)] {
      grid[place.0, place.1] = Cell(glyph: "x")
    }
    #expect(
      Self.readable(painter.paint(grid, tolerance: 0))
        == "¶7¶[m¶[21;51Hx¶[Bx¶[B¶[3Dx¶[26;100Hx¶[27Hx¶[28;99Hx¶8")
  }

  static func readable(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).replacing("\u{1B}", with: "¶")
  }
}
