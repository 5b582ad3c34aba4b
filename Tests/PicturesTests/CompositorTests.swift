import Pictures
import Testing

@Suite struct CompositorTests {
  /// What the help card of the player is like.
  static let keys = [
    CardRow(keys: "q", meaning: "quit"), CardRow(keys: "Esc", meaning: "close this"),
    CardRow(keys: "Right l Enter", meaning: "next story"),
    CardRow(keys: "Left h", meaning: "previous story", briefMeaning: "story before"),
    CardRow(keys: "Down J Tab", meaning: "next reel"),
    CardRow(keys: "Up K S-Tab", meaning: "previous reel", briefMeaning: "reel before"),
    CardRow(keys: "Home", meaning: "restart the story", briefMeaning: "restart"),
    CardRow(keys: "End", meaning: "to the end"), CardRow(keys: "Space p", meaning: "pause"),
    CardRow(keys: ",", meaning: "5 s back"), CardRow(keys: ".", meaning: "5 s forward"),
    CardRow(keys: "c", meaning: "caption long, short, off", briefMeaning: "caption"),
    CardRow(keys: "i", meaning: "what plays"),
    CardRow(keys: "v", meaning: "next picture mode", briefMeaning: "picture mode"),
    CardRow(keys: "f", meaning: "all of it, or fill the screen", briefMeaning: "all or fill"),
    CardRow(keys: "o", meaning: "open the story's link", briefMeaning: "open link"),
    CardRow(keys: "s", meaning: "save a still picture", briefMeaning: "save a still"),
    CardRow(keys: "? F1", meaning: "this help"), CardRow(keys: "^L", meaning: "repaint"),
  ]

  static let info = [
    ("codec", "h264 1080x1920 30 fps"), ("grid", "120x80 half"), ("decode", "3.1 ms"),
    ("bytes", "27.4 kB a frame"),
  ].map { (name: $0.0, value: $0.1) }

  static let longCaption = """
    Low tide at the old pier, and nobody there but gulls, two dogs and a man who sold us tea from \
    the back of a van. We stayed until the lights came on in Wyk.
    """

  typealias Size = (columns: Int, rows: Int)
  static let sizes: [Size] = [(40, 9), (40, 10), (80, 21), (80, 24), (200, 60)]

  private static func overlay(
    _ name: String, on grid: inout CellGrid, _ compositor: Compositor
  ) {
    switch name {
    case "help": compositor.card(title: "Keys", rows: keys, onto: &grid)
    case "info": compositor.infoPanel(info, onto: &grid)
    case "info left": compositor.infoPanel(info, corner: .topLeft, onto: &grid)
    case "spinner":
      compositor.spinner(
        phase: 3, text: "beach.mp4 from example.org, 1.2 of 4.4 MB", onto: &grid)
    case "end":
      compositor.endCard(
        lines: ["That was all: 12 stories, 3 reels", "The cache saved 41 MB"],
        keys: [CardRow(keys: "Enter", meaning: "again"), CardRow(keys: "q", meaning: "quit")],
        onto: &grid)
    default: compositor.caption(longCaption, onto: &grid)
    }
  }

  static let names = ["help", "info", "info left", "spinner", "end", "caption"]
  private static let picture = Cell(glyph: " ", background: CellColour(rgb: 0x808080))

  @Test(arguments: names)
  func overlay_atSeveralSizes_looksLikeThis(name: String) {
    let compositor = Compositor(depth: .trueColour, unicode: true)
    let screens = Self.sizes.map { size in
      var grid = CellGrid(columns: size.columns, rows: size.rows, filledWith: Self.picture)
      Self.overlay(name, on: &grid, compositor)
      return "\(size.columns)x\(size.rows)\n" + Self.outline(of: grid)
    }
    #expect(screens.joined(separator: "\n") == Goldens.overlays[name])
  }

  /// The rows that are not only picture: row and column, from 0, and the text between bars.
  static func outline(of grid: CellGrid) -> String {
    (0..<grid.rows).compactMap { row in
      let ours = (0..<grid.columns).filter { column in
        let cell = grid[row, column]
        return cell.glyph != " " || (cell.background.rgb ?? 0) < 0x303030
      }
      guard let first = ours.first, let last = ours.last else { return nil }
      var text = ""
      for column in first...last where !grid[row, column].isWideTail {
        text.unicodeScalars.append(grid[row, column].glyph)
      }
      guard text.contains(where: { $0 != " " }) || ours.count < grid.columns else { return nil }
      return "\(row):\(first)|\(text)|"
    }.joined(separator: "\n")
  }

  static let everyDepth = ColourDepth.allCases.flatMap { depth in
    [true, false].map { (depth, $0) }
  }

  /// Over a real picture, in every depth: words can be read, and nothing but the depth's colours,
  /// ASCII where asked, appears; at any size.
  @Test(arguments: everyDepth, names)
  func overlay_anyDepthAndSize_isReadable(kind: (depth: ColourDepth, unicode: Bool), name: String) {
    let compositor = Compositor(depth: kind.depth, unicode: kind.unicode)
    var renderer = CellRenderer(mode: .half, depth: kind.depth, unicode: kind.unicode)
    for (columns, rows) in [(0, 0), (1, 1), (2, 3), (9, 2), (33, 9), (40, 12), (120, 40)] {
      var grid = CellGrid(columns: columns, rows: rows)
      renderer.render(
        TestPictures.landscape(width: columns, height: 2 * rows), columns: columns, rows: rows,
        into: &grid)
      Self.overlay(name, on: &grid, compositor)
      for cell in grid.allCells {
        if !kind.unicode { #expect(cell.glyph.isASCII) }
        for colour in [cell.foreground, cell.background] where colour != .terminalDefault {
          switch kind.depth {
          case .never: Issue.record("a colour")
          case .sixteen: #expect((colour.paletteIndex ?? 255) < 16)
          case .palette256: #expect(colour.paletteIndex != nil)
          case .trueColour: break
          }
        }
        if Self.isLetter(cell.glyph), !(kind.unicode ? [] : [.ascii]).contains(renderer.mode) {
          #expect(Self.contrast(of: cell) > 60, "\(name) \(columns)x\(rows) \(cell)")
        }
      }
    }
  }

  private static func isLetter(_ glyph: Unicode.Scalar) -> Bool {
    glyph.properties.isAlphabetic
  }

  /// The difference in brightness; full for the terminal's own two colours.
  private static func contrast(of cell: Cell) -> Double {
    if cell.foreground == .terminalDefault, cell.background == .terminalDefault { return 255 }
    if cell.foreground == .terminalDefault || cell.background == .terminalDefault { return 0 }
    let lumas = [cell.foreground, cell.background].map { colour in
      zip(MeanColours.channels(colour, unset: 0), [0.2126, 0.7152, 0.0722]).reduce(0) {
        $0 + $1.0 * $1.1
      }
    }
    return abs(lumas[0] - lumas[1])
  }

  @Test func overlay_strangersWords_areMadeHarmless() {
    let compositor = Compositor(depth: .trueColour, unicode: true)
    var grid = CellGrid(columns: 40, rows: 3, filledWith: Self.picture)
    compositor.caption("\u{1B}[2J\u{202E}evil\u{9B}31m\n名前.mp4", onto: &grid)
    #expect(Self.outline(of: grid) == "2:0| \u{FFFD}[2Jevil\u{FFFD}31m 名前.mp4                  |")
    #expect(grid[2, 14].glyph == "名")
    #expect(grid[2, 15].isWideTail)
  }

  @Test func infoPanel_otherValues_keepsItsWidth() {
    let compositor = Compositor(depth: .trueColour, unicode: true)
    let widths = ["", "1", String(repeating: "w", count: 99)].map { value in
      var grid = CellGrid(columns: 80, rows: 5, filledWith: Self.picture)
      compositor.infoPanel([("name", value)], onto: &grid)
      return (0..<80).filter { grid[0, $0].background != Self.picture.background }.count
    }
    #expect(Set(widths).count == 1)
  }

  @Test func infoPanel_longValue_goesOnBelow() {
    let compositor = Compositor(depth: .trueColour, unicode: true)
    var grid = CellGrid(columns: 40, rows: 5, filledWith: Self.picture)
    compositor.infoPanel(
      [("note", "a mask with a shape of its own is left out"), ("size", "2x2")], onto: &grid)
    let lines = (0..<5).map { row in
      String(
        String.UnicodeScalarView(
          (8..<40).map { grid[row, $0] == Self.picture ? "." : grid[row, $0].glyph }))
    }
    #expect(
      lines == [
        " note  a mask with a shape of   ", "       its own is left out      ",
        " size  2x2                      ", String(repeating: ".", count: 32),
        String(repeating: ".", count: 32),
      ])
  }

  /// Of a card that is too small for its rows, scrolling shows each of them, and says how many follow.
  @Test(arguments: [(40, 9), (40, 3), (60, 5), (30, 12), (20, 2), (80, 40)])
  func card_scrolled_showsEachRow(columns: Int, rowsHigh: Int) {
    let compositor = Compositor(depth: .trueColour, unicode: true)
    let rows = (0..<30).map { CardRow(keys: "k\($0)", meaning: "does a thing") }
    let most = compositor.mostSkipped(
      title: "Keys", rows: rows, columns: columns, rowsHigh: rowsHigh)
    #expect((most == 0) == (rowsHigh == 40))
    var seen: Set<Int> = []
    for skipped in 0...most + 3 {
      var grid = CellGrid(columns: columns, rows: rowsHigh, filledWith: Self.picture)
      compositor.card(title: "Keys", rows: rows, skipping: skipped, onto: &grid)
      let text = (0..<rowsHigh).map { row in
        String(String.UnicodeScalarView((0..<columns).map { grid[row, $0].glyph }))
      }.joined(separator: " ")
      let shown = rows.indices.filter { text.contains("k\($0) ") }
      let first = min(skipped, most)
      #expect(shown == Array(first..<first + shown.count), "\(skipped): \(text)")
      let missing = rows.count - first - shown.count
      #expect(text.contains("… \(missing) more") == (missing > 0), "\(skipped): \(text)")
      #expect((missing == 0) == (first == most))
      seen.formUnion(shown)
    }
    #expect(seen.count == 30)
  }

  @Test func spinner_eightPhases_makeARound() {
    let compositor = Compositor(depth: .trueColour, unicode: true)
    let signs = (-8..<16).map { phase in
      var grid = CellGrid(columns: 20, rows: 1, filledWith: Self.picture)
      compositor.spinner(phase: phase, text: "wait", onto: &grid)
      return grid.allCells.first { $0.foreground == .palette(6) }?.glyph
    }
    #expect(Set(signs).count == 8)
    #expect(signs[0] == signs[8] && signs[8] == signs[16])
  }

  /// A fresh grid each time, since dimming twice is darker.
  @Test func dim_trueColour_isThreeEighths() {
    var grid = CellGrid(
      columns: 1, rows: 1,
      filledWith: Cell(
        glyph: "▀", foreground: CellColour(rgb: 0xFF8040), background: .terminalDefault))
    Compositor(depth: .trueColour, unicode: true).dim(&grid)
    #expect(grid[0, 0].foreground == CellColour(rgb: 0x5E3018))
    #expect(grid[0, 0].background == .terminalDefault)
  }
}
