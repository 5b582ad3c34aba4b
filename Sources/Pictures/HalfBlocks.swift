import DecoderLink

/// Two pixels a cell, one above the other, in truecolour: exact.
struct HalfBlocks: CellMode {
  @Sendable static func implementation(depth: ColourDepth) -> any CellMode {
    switch depth {
    case .trueColour: HalfBlocks()
    case .palette256: MixedHalves(palette: .large)
    case .sixteen: MixedHalves(palette: .small)
    case .never: DitheredHalves()
    }
  }

  func draw(_ picture: Bitmap, left: Int, top: Int, into grid: inout CellGrid) {
    let columns = grid.columns
    let pixels = picture.pixels.span
    var cells = grid.cells.mutableSpan
    for row in top / 2...(top + picture.height - 1) / 2 {
      let start = row * columns + left
      let upper = 2 * row - top
      if upper >= 0, upper + 1 < picture.height {
        let width = picture.width
        Self.pair(
          pixels.extracting(upper * width..<(upper + 1) * width),
          pixels.extracting((upper + 1) * width..<(upper + 2) * width), into: &cells, at: start)
      } else {
        Self.drawEdge(of: picture, upper: upper, into: &cells, at: start)
      }
    }
  }

  private static func pair(
    _ upper: Span<UInt32>, _ lower: Span<UInt32>, into cells: inout MutableSpan<Cell>, at start: Int
  ) {
    precondition(upper.count == lower.count && start >= 0 && start + upper.count <= cells.count)
    for x in upper.indices {
      let over = CellColour(rgb: upper[x])
      let under = CellColour(rgb: lower[x])
      cells[start + x] =
        over == under
        ? Cell(glyph: HalfCell.space, background: under)
        : Cell(glyph: HalfCell.upperBlock, foreground: over, background: under)
    }
  }

  /// A row of cells of which the picture has only the upper or the lower half.
  private static func drawEdge(
    of picture: Bitmap, upper: Int, into cells: inout MutableSpan<Cell>, at start: Int
  ) {
    func half(_ x: Int, _ y: Int) -> HalfColour {
      guard y >= 0, y < picture.height else { return .defaultBackground }
      return HalfColour(raw: picture.pixels[y * picture.width + x] & 0x00FF_FFFF)
    }
    for x in 0..<picture.width {
      cells[start + x] = HalfCell(upper: half(x, upper), lower: half(x, upper + 1)).cell
    }
  }
}
