import DecoderLink

/// A glyph for each cell by brightness, in two colours whose mean over the cell is the picture's.
struct AsciiRamp: CellMode {
  /// How far the glyph stands out, as a share of the cell's own brightness.
  private static let contrast: Float = 0.6

  /// Nil in truecolour.
  private let palette: Palette?

  @Sendable static func implementation(depth: ColourDepth) -> any CellMode {
    switch depth {
    case .trueColour: AsciiRamp(palette: nil)
    case .palette256: AsciiRamp(palette: .large)
    case .sixteen: AsciiRamp(palette: .small)
    case .never: AsciiTones()
    }
  }

  mutating func draw(
    _ picture: Bitmap, left: Int, top: Int, into grid: inout CellGrid
  ) {
    for row in top / 2...(top + picture.height - 1) / 2 {
      let first = max(0, 2 * row - top)
      let last = min(2 * row + 1 - top, picture.height - 1)
      for x in 0..<picture.width {
        let upper = SIMD4<Float>(rgb: picture.pixels[first * picture.width + x])
        let lower = SIMD4<Float>(rgb: picture.pixels[last * picture.width + x])
        grid[row, left + x] = cell(mean: (upper + lower) / 2)
      }
    }
  }

  private func cell(mean: SIMD4<Float>) -> Cell {
    let luma = 0.2126 * mean.x + 0.7152 * mean.y + 0.0722 * mean.z
    let (glyph, ink) = AsciiInk.ramp[AsciiInk.index(forShare: luma / 255)]
    let brightest = max(mean.x, mean.y, mean.z)
    let room = brightest > 0 ? (255 / brightest - 1) / (1 - ink) : 0
    let spread = min(Self.contrast, room)
    // ink * front + (1 - ink) * back equals the mean for any spread.
    let front = mean * (1 + (1 - ink) * spread)
    let back = mean * (1 - ink * spread)
    guard let palette else {
      return Cell(
        glyph: glyph, foreground: CellColour(rgb: Self.packed(front)),
        background: CellColour(rgb: Self.packed(back)))
    }
    return fitted(mean, glyph: glyph, ink: ink, back: back, palette)
  }

  /// The glyph and its colour correct the error of the background's colour as far as the glyph's ink
  /// allows.
  private func fitted(
    _ mean: SIMD4<Float>, glyph: Unicode.Scalar, ink: Float, back: SIMD4<Float>, _ palette: Palette
  ) -> Cell {
    let ground = palette.nearest(back)
    let base = palette.colours[Int(ground)]
    let front = palette.nearest((mean - base * (1 - ink)) / max(ink, AsciiInk.most / 2))
    let step = palette.colours[Int(front)] - base
    let length = (step * step).sum()
    guard length > 0 else {
      return Cell(glyph: glyph, foreground: .palette(front), background: .palette(ground))
    }
    let share = ((mean - base) * step).sum() / length / AsciiInk.most
    return Cell(
      glyph: AsciiInk.ramp[AsciiInk.index(forShare: share)].glyph, foreground: .palette(front),
      background: .palette(ground))
  }

  private static func packed(_ colour: SIMD4<Float>) -> UInt32 {
    let red = UInt32(min(max(0, colour.x), 255) + 0.5)
    let green = UInt32(min(max(0, colour.y), 255) + 0.5)
    let blue = UInt32(min(max(0, colour.z), 255) + 0.5)
    return red << 16 | green << 8 | blue
  }
}
