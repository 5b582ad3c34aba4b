import DecoderLink

/// Two pixels a cell, one above the other, in truecolour: exact.
struct HalfBlocks: CellMode {
  private var upper: [UInt32] = []
  private var lower: [UInt32] = []

  @Sendable static func implementation(depth: ColourDepth) -> any CellMode {
    switch depth {
    case .trueColour: HalfBlocks()
    case .palette256: MixedHalves(palette: .large)
    case .sixteen: MixedHalves(palette: .small)
    case .never: DitheredHalves()
    }
  }

  mutating func draw(
    _ picture: Bitmap, left: Int, top: Int, into grid: inout CellGrid
  ) {
    let blank = HalfColour.defaultBackground.raw
    upper = Array(repeating: blank, count: picture.width)
    lower = upper
    let columns = grid.columns
    for row in top / 2...(top + picture.height - 1) / 2 {
      fill(&upper, from: picture, row: 2 * row - top)
      fill(&lower, from: picture, row: 2 * row + 1 - top)
      var cells = grid.cells.mutableSpan
      Self.combine(
        upper: upper.span, lower: lower.span, into: &cells, at: row * columns + left)
    }
  }

  private func fill(_ halves: inout [UInt32], from picture: Bitmap, row: Int) {
    var target = halves.mutableSpan
    guard row >= 0, row < picture.height else {
      for x in target.indices { target[x] = HalfColour.defaultBackground.raw }
      return
    }
    let start = row * picture.width
    let source = picture.pixels.span.extracting(start..<start + picture.width)
    for x in target.indices { target[x] = source[x] & 0x00FF_FFFF }
  }

  private static func combine(
    upper: Span<UInt32>, lower: Span<UInt32>, into cells: inout MutableSpan<Cell>, at start: Int
  ) {
    precondition(upper.count == lower.count && start >= 0 && start + upper.count <= cells.count)
    for x in upper.indices {
      cells[start + x] =
        HalfCell(upper: HalfColour(raw: upper[x]), lower: HalfColour(raw: lower[x])).cell
    }
  }
}
