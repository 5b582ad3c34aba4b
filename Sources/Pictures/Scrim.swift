/// Darkens picture cells so that what lies over them can be read or comes to the fore.
struct Scrim {
  let depth: ColourDepth
  /// What the terminal's default background becomes: itself behind a dimmed picture, dark below
  /// text, which would be white on white on a light terminal otherwise.
  let coversDefault: Bool

  func darken(_ grid: inout CellGrid, rows: Range<Int>, columns: Range<Int>) {
    let width = grid.columns
    var cells = grid.cells.mutableSpan
    for row in rows {
      for index in row * width + columns.lowerBound..<row * width + columns.upperBound {
        cells[index] = darkened(cells[index])
      }
    }
  }

  func darkened(_ cell: Cell) -> Cell {
    var result = cell
    result.background =
      cell.background == .terminalDefault && coversDefault ? black : darkened(cell.background)
    result.foreground = darkened(cell.foreground)
    if cell.foreground == .terminalDefault, cell.glyph != " " { result.style.insert(.dim) }
    return result
  }

  /// One colour for a cell that a glyph of ours is to stand on: the mean of its halves.
  func ground(below cell: Cell) -> CellColour {
    let plain = Scrim(depth: depth, coversDefault: true).darkened(cell)
    guard depth == .trueColour, let halves = HalfCell(cell),
      let upper = darkened(halves.upper.cellColour).rgb,
      let lower = darkened(halves.lower.cellColour).rgb
    else { return plain.background }
    return CellColour(rgb: (upper & lower) + ((upper ^ lower) >> 1 & 0x7F7F7F))
  }

  private var black: CellColour {
    switch depth {
    case .never: .terminalDefault
    case .sixteen: .palette(0)
    case .palette256: .palette(16)
    case .trueColour: CellColour(rgb: 0)
    }
  }

  /// About three eighths of the brightness.
  private func darkened(_ colour: CellColour) -> CellColour {
    if let rgb = colour.rgb {
      return CellColour(rgb: (rgb >> 2 & 0x3F3F3F) + (rgb >> 3 & 0x1F1F1F))
    }
    guard let index = colour.paletteIndex else { return colour }
    switch index {
    case 7, 15: return .palette(8)
    case 0..<16: return .palette(0)
    case 232...: return .palette(232 + UInt8((Int(index) - 232) * 3 / 8))
    default:
      let cube = Int(index) - 16
      let levels = [cube / 36, cube / 6 % 6, cube % 6].map { $0 >= 3 ? 1 : 0 }
      return .palette(UInt8(16 + 36 * levels[0] + 6 * levels[1] + levels[2]))
    }
  }
}
