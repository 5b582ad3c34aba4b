/// A glyph for each cell by brightness.
struct AsciiRamp: CellMode {
  private let depth: ColourDepth

  init(depth: ColourDepth) {
    self.depth = depth
  }

  func pixelGrid(columns: Int, rows: Int) -> (width: Int, height: Int) {
    (columns, 2 * rows)
  }

  func pixelAspect(cellAspect: Double) -> Double {
    2 * cellAspect
  }

  mutating func draw(
    _ picture: PixelPicture, left: Int, top: Int, into grid: inout CellGrid
  ) {
    for y in top / 2...(top + picture.height - 1) / 2 {
      for x in 0..<picture.width {
        let first = max(0, 2 * y - top)
        let colour = CellColour(rgb: picture.pixels[first * picture.width + x])
        grid[y, left + x] = Cell(glyph: " ", background: colour)
      }
    }
  }
}
