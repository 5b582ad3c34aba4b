import DecoderLink

/// Two pixels a cell from a palette of few colours.
///
/// A pixel between two palette colours is drawn as a part of each: eighth blocks cover one half of a
/// cell by quarters, and shades cover both halves alike. The choice of colours and glyph depends only
/// on the cell's own two pixels, so nothing crawls.
struct MixedHalves: CellMode {
  /// Squared distances between both pixels: below the first they are nearly one colour, above the
  /// second no mix shows both.
  private static let leastContrast: Float = 200
  private static let mostContrast: Float = 3000

  private let palette: Palette
  private var memory: [Remembered] = []
  private var smallPairs = SmallPairs()

  /// The last choice for a cell, since most cells of a still part do not change.
  private struct Remembered {
    var upper: UInt32
    var lower: UInt32
    var cell: Cell
  }

  init(palette: Palette) {
    self.palette = palette
  }

  mutating func draw(
    _ picture: Bitmap, left: Int, top: Int, into grid: inout CellGrid
  ) {
    let rows = top / 2...(top + picture.height - 1) / 2
    if memory.count != rows.count * picture.width {
      memory = Array(
        repeating: Remembered(upper: .max, lower: .max, cell: .blank),
        count: rows.count * picture.width)
    }
    var place = 0
    for row in rows {
      let upperRow = 2 * row - top
      for x in 0..<picture.width {
        let upper = upperRow >= 0 ? picture.pixels[upperRow * picture.width + x] : nil
        let lower =
          upperRow + 1 < picture.height
          ? picture.pixels[(upperRow + 1) * picture.width + x] : nil
        if memory[place].upper != upper ?? .max || memory[place].lower != lower ?? .max {
          memory[place] = Remembered(
            upper: upper ?? .max, lower: lower ?? .max, cell: cell(upper: upper, lower: lower))
        }
        grid[row, left + x] = memory[place].cell
        place += 1
      }
    }
  }

  /// - Parameters: nil for the half of a cell that the picture does not cover.
  private mutating func cell(upper: UInt32?, lower: UInt32?) -> Cell {
    switch (upper, lower) {
    case (let upper?, let lower?): mixed(upper: upper, lower: lower)
    case (let upper?, nil): Cell(glyph: HalfCell.upperBlock, foreground: nearest(upper))
    case (nil, let lower?): Cell(glyph: HalfCell.lowerBlock, foreground: nearest(lower))
    case (nil, nil): .blank
    }
  }

  private func nearest(_ rgb: UInt32) -> CellColour {
    .palette(palette.nearest(SIMD4(rgb: rgb)))
  }

  private mutating func mixed(upper: UInt32, lower: UInt32) -> Cell {
    let upper = SIMD4<Float>(rgb: upper)
    let lower = SIMD4<Float>(rgb: lower)
    let middle = (upper + lower) / 2
    var search = MixSearch(palette: palette, upper: upper, lower: lower)
    let nearUpper = palette.nearest(upper)
    let nearLower = palette.nearest(lower)
    search.try(nearUpper, nearLower)
    if palette.isSmall {
      let pair = smallPairs.best(for: middle, of: palette)
      search.try(pair.0, pair.1)
      return search.cell
    }
    guard !search.isGood else { return search.cell }
    let difference = upper - lower
    let contrast = (difference * difference).sum()
    if contrast > Self.leastContrast {
      // One colour shows one half, the other makes a mix for the other half.
      for share in [0.25, 0.5, 0.75] as [Float] {
        search.try(nearUpper, complement(of: nearUpper, in: lower, share: share))
        search.try(nearLower, complement(of: nearLower, in: upper, share: share))
      }
    }
    if contrast < Self.mostContrast {
      // One mix shows both halves.
      let nearMiddle = palette.nearest(middle)
      for share in [0.25, 0.5, 0.75] as [Float] {
        let second = complement(of: nearMiddle, in: middle, share: share)
        search.try(nearMiddle, second)
        search.try(complement(of: second, in: middle, share: 1 - share), second)
      }
    }
    return search.cell
  }

  /// The colour that makes `mix` if it has `share` and `first` has the rest.
  private func complement(of first: UInt8, in mix: SIMD4<Float>, share: Float) -> UInt8 {
    palette.nearest((mix - palette.colours[Int(first)] * (1 - share)) / share)
  }
}

/// The best pairs of the 16 colours for mixing each colour, found at first use.
private struct SmallPairs {
  private var known: [(UInt8, UInt8)?] = Array(repeating: nil, count: 4096)

  mutating func best(for colour: SIMD4<Float>, of palette: Palette) -> (UInt8, UInt8) {
    let coarse = SIMD4<Int>(Int(colour.x) / 16, Int(colour.y) / 16, Int(colour.z) / 16, 0)
    let key = coarse.x << 8 | coarse.y << 4 | coarse.z
    if let pair = known[key] { return pair }
    let center = SIMD4<Float>(coarse) * 16 + SIMD4(8, 8, 8, 0)
    var search = MixSearch(palette: palette, upper: center, lower: center)
    for second in 1..<UInt8(16) {
      for first in 0..<second { search.try(first, second) }
    }
    known[key] = search.pair
    return search.pair
  }
}
