import DecoderLink
import Support
import Testing

@Suite struct FittingTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var grid: (UInt32, UInt32)
    var aspect = 1.0
    var source: (UInt32, UInt32)
    var expected: (UInt32, UInt32)
    var visible = (1.0, 1.0)
    var testDescription: String { "\(source) in \(grid) at \(aspect)" }
  }

  static let contained: [Case] = [
    Case(grid: (120, 80), source: (1920, 1080), expected: (120, 68)),
    Case(grid: (120, 80), source: (1080, 1920), expected: (45, 80)),
    Case(grid: (120, 80), source: (120, 80), expected: (120, 80)),
    Case(grid: (120, 80), source: (12, 8), expected: (120, 80)),
    Case(grid: (120, 80), source: (1, 1), expected: (80, 80)),
    // Pixels that are twice as wide as high, and the reverse.
    Case(grid: (120, 80), aspect: 2, source: (1000, 1000), expected: (40, 80)),
    Case(grid: (120, 80), aspect: 0.5, source: (1000, 1000), expected: (120, 60)),
    // At least one pixel, however thin.
    Case(grid: (120, 80), source: (2000, 1), expected: (120, 1)),
    Case(grid: (120, 80), source: (1, 2000), expected: (1, 80)),
    Case(grid: (1, 1), source: (1920, 1080), expected: (1, 1)),
    // A stranger's sizes.
    Case(grid: (120, 80), source: (0, 0), expected: (80, 80)),
    Case(grid: (120, 80), source: (.max, 1), expected: (120, 1)),
    Case(grid: (120, 80), source: (1, .max), expected: (1, 80)),
    Case(grid: (.max, .max), source: (.max, .max), expected: (.max, .max)),
  ]

  @Test(arguments: contained)
  func contain_source_isSeenWhole(_ one: Case) {
    let request = PictureRequest(
      width: one.grid.0, height: one.grid.1, pixelAspect: one.aspect, fit: .contain)
    let fitted = request.fitted(displayWidth: one.source.0, displayHeight: one.source.1)
    #expect((fitted.width, fitted.height) == one.expected)
    #expect((fitted.visibleWidth, fitted.visibleHeight) == (1, 1))
  }

  static let covered: [Case] = [
    Case(grid: (120, 80), source: (1200, 800), expected: (120, 80)),
    Case(grid: (120, 80), source: (3000, 1000), expected: (120, 80), visible: (0.5, 1)),
    Case(grid: (120, 80), source: (750, 1000), expected: (120, 80), visible: (1, 0.5)),
    Case(
      grid: (100, 100), aspect: 0.5, source: (100, 100), expected: (100, 100), visible: (0.5, 1)),
    Case(grid: (100, 100), aspect: 2, source: (100, 100), expected: (100, 100), visible: (1, 0.5)),
  ]

  @Test(arguments: covered)
  func cover_source_fillsTheGrid(_ one: Case) {
    let request = PictureRequest(
      width: one.grid.0, height: one.grid.1, pixelAspect: one.aspect, fit: .cover)
    let fitted = request.fitted(displayWidth: one.source.0, displayHeight: one.source.1)
    #expect((fitted.width, fitted.height) == one.expected)
    #expect(abs(fitted.visibleWidth - one.visible.0) < 1e-9)
    #expect(abs(fitted.visibleHeight - one.visible.1) < 1e-9)
  }

  /// Compared with whole-number arithmetic.
  @Test func contain_anySizes_agreeWithExactRounding() {
    var random = SeededRandom(seed: 3)
    for _ in 0..<20_000 {
      let (gridWidth, gridHeight) = (
        Int.random(in: 1...400, using: &random), Int.random(in: 1...400, using: &random)
      )
      let (width, height) = (
        Int.random(in: 1...5000, using: &random), Int.random(in: 1...5000, using: &random)
      )
      let request = PictureRequest(width: UInt32(gridWidth), height: UInt32(gridHeight))
      let fitted = request.fitted(displayWidth: UInt32(width), displayHeight: UInt32(height))
      let wide = width * gridHeight > gridWidth * height
      // Twice the exact length that is not the grid's own, times the divisor.
      let (product, divisor) = wide ? (gridWidth * height, width) : (gridHeight * width, height)
      let rounded = max(1, (2 * product + divisor) / (2 * divisor))
      let free = Int(wide ? fitted.height : fitted.width)
      #expect(Int(wide ? fitted.width : fitted.height) == (wide ? gridWidth : gridHeight))
      // Exactly between two lengths either is right.
      let tie = (2 * product) % (2 * divisor) == divisor
      #expect(free == rounded || tie && free == max(1, rounded - 1))
    }
  }

  @Test func fitted_extremes_neverTrap() {
    let sizes: [UInt32] = [0, 1, 2, 65_535, .max]
    let aspects = [Double.leastNonzeroMagnitude, 1e-9, 1, 1e9, Double.greatestFiniteMagnitude]
    for fit in [PictureRequest.Fit.contain, .cover] {
      for aspect in aspects {
        for width in sizes {
          for height in sizes {
            let request = PictureRequest(width: 120, height: 80, pixelAspect: aspect, fit: fit)
            let fitted = request.fitted(displayWidth: width, displayHeight: height)
            #expect(1...120 ~= fitted.width && 1...80 ~= fitted.height)
          }
        }
      }
    }
  }
}
