/// Darkens picture cells under texts and waits.
struct Scrim {
  enum Strength {
    /// About three eighths of the brightness, for a picture in the background.
    case dim
    /// A quarter of the brightness, for cells under text. The terminal's own background becomes black,
    /// since light text would be invisible on a light terminal.
    case panel
  }

  let depth: ColourDepth
  let strength: Strength

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
    guard depth != .never else {
      if strength == .panel { return .blank }
      var faint = cell
      if cell.glyph != " " { faint.style.insert(.dim) }
      return faint
    }
    var result = cell
    result.background =
      strength == .panel && cell.background == .terminalDefault
      ? black : darkened(cell.background)
    result.foreground = darkened(cell.foreground)
    return result
  }

  /// The background for a glyph over a darkened cell: the mean of the cell's halves.
  static func ground(of cell: Cell) -> CellColour {
    guard let halves = HalfCell(cell), let upper = halves.upper.cellColour.rgb,
      let lower = halves.lower.cellColour.rgb
    else { return cell.background }
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

  private func darkened(_ colour: CellColour) -> CellColour {
    if let rgb = colour.rgb {
      let quarter = rgb >> 2 & 0x3F3F3F
      return CellColour(rgb: strength == .panel ? quarter : quarter + (rgb >> 3 & 0x1F1F1F))
    }
    guard let index = colour.paletteIndex else { return colour }
    return .palette(strength == .panel ? Self.quarters[Int(index)] : Self.dims[Int(index)])
  }

  private static let quarters = palette(times: 0.25)
  private static let dims = palette(times: 0.375)

  /// The darkened form of each of the 256 colours. Of the first 16, whose values are the user's, the
  /// bright ones become dark grey when dimmed, and all others black.
  private static func palette(times factor: Float) -> [UInt8] {
    (0..<256).map { index in
      if index < 16 { return index >= 7 && factor > 0.3 ? 8 : 0 }
      return Palette.large.nearest(Palette.large.colours[index] * factor)
    }
  }
}
