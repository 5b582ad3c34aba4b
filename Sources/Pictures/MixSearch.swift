/// Searches the two colours and the block that show a cell's two pixels best.
struct MixSearch {
  /// How much the contrast within a half that blocks mix counts as error: if it did not count, mixes
  /// would have the best means but look coarse.
  ///
  /// Measured on photographs of 120x40 cells: 0.02 gains 0.3 dB of the halves' means and costs 0.1
  /// of the SSIM within cells, 0.2 the other way round.
  private static let unrest: Float = 0.07
  /// The same for shades, whose texture is fine and even.
  private static let shadeUnrest: Float = 0.01
  /// A squared error over both halves that cannot be seen: the search ends there.
  private static let goodEnough: Float = 24

  private let palette: Palette
  private let upper: SIMD4<Float>
  private let lower: SIMD4<Float>
  private var error = Float.infinity
  private var first: UInt8 = 0
  private var second: UInt8 = 0
  private var shares = Shares.halves(upper: 0, lower: 0)

  /// The share of the second colour in a cell.
  private enum Shares {
    /// In quarters of each half; at least one of both is 0 or 4.
    case halves(upper: Int, lower: Int)
    /// In quarters of the whole cell.
    case whole(Int)
  }

  init(palette: Palette, upper: SIMD4<Float>, lower: SIMD4<Float>) {
    self.palette = palette
    self.upper = upper
    self.lower = lower
  }

  var isGood: Bool { error <= Self.goodEnough }

  /// Keeps this pair of colours if some block with it is better than the best so far.
  mutating func `try`(_ first: UInt8, _ second: UInt8) {
    guard first != second || error == .infinity else { return }
    let base = palette.colours[Int(first)]
    let step = palette.colours[Int(second)] - base
    let length = (step * step).sum()
    let upperHalf = Half(upper - base, step, length)
    let lowerHalf = Half(lower - base, step, length)
    // No mix is nearer than the line through both colours.
    guard upperHalf.least + lowerHalf.least < error else { return }
    let upperEnd = upperHalf.betterEnd
    let lowerEnd = lowerHalf.betterEnd
    take(
      upperEnd.error + lowerEnd.error, first, second,
      .halves(upper: upperEnd.quarters, lower: lowerEnd.quarters))
    guard length > 0 else { return }
    let quarters = ((upperHalf.best + lowerHalf.best) / 2).rounded(to: 4)
    take(
      upperHalf.error(shaded: Float(quarters) / 4) + lowerHalf.error(shaded: Float(quarters) / 4),
      first, second, .whole(quarters))
    // Fonts of terminals with 16 colours may lack eighth blocks.
    guard !palette.isSmall else { return }
    let upperQuarters = upperHalf.best.rounded(to: 4)
    let lowerQuarters = lowerHalf.best.rounded(to: 4)
    take(
      upperHalf.error(share: Float(upperQuarters) / 4) + lowerEnd.error, first, second,
      .halves(upper: upperQuarters, lower: lowerEnd.quarters))
    take(
      upperEnd.error + lowerHalf.error(share: Float(lowerQuarters) / 4), first, second,
      .halves(upper: upperEnd.quarters, lower: lowerQuarters))
  }

  private mutating func take(
    _ newError: Float, _ first: UInt8, _ second: UInt8, _ shares: Shares
  ) {
    guard newError < error else { return }
    error = newError
    self.first = first
    self.second = second
    self.shares = shares
  }

  /// One pixel, compared with all mixes of two colours.
  private struct Half {
    private let distance: Float
    private let projection: Float
    private let length: Float
    /// The share of the nearest mix on the line through both colours, even outside of 0 to 1.
    private let nearest: Float

    init(_ offset: SIMD4<Float>, _ step: SIMD4<Float>, _ length: Float) {
      distance = (offset * offset).sum()
      projection = (offset * step).sum()
      self.length = length
      nearest = length > 0 ? projection / length : 0
    }

    /// The squared distance from the line.
    var least: Float { distance - projection * nearest }

    func error(share: Float) -> Float {
      distance - 2 * share * projection + share * share * length
        + MixSearch.unrest * share * (1 - share) * length
    }

    /// The same for a shade.
    func error(shaded share: Float) -> Float {
      distance - 2 * share * projection + share * share * length
        + MixSearch.shadeUnrest * share * (1 - share) * length
    }

    /// The share at which the error is smallest, anywhere on the line.
    var best: Float {
      (nearest - MixSearch.unrest / 2) * (1 / (1 - MixSearch.unrest))
    }

    /// The better one of both colours unmixed.
    var betterEnd: (quarters: Int, error: Float) {
      2 * projection > length ? (4, error(share: 1)) : (0, distance)
    }
  }

  /// The colours of the best cell found.
  var pair: (UInt8, UInt8) { (first, second) }

  /// The best cell found.
  var cell: Cell {
    let one = CellColour.palette(first)
    let other = CellColour.palette(second)
    switch shares {
    case .whole(0): return HalfCell.plain(one)
    case .whole(4): return HalfCell.plain(other)
    case .whole(let quarters):
      return Cell(glyph: Self.shades[quarters - 1], foreground: other, background: one)
    case .halves(upper: 0, let lower): return Self.lowerBlock(lower, other, on: one)
    case .halves(upper: 4, let lower): return Self.lowerBlock(4 - lower, one, on: other)
    case .halves(let upper, lower: 4): return Self.lowerBlock(4 + upper, other, on: one)
    case .halves(let upper, _): return Self.lowerBlock(8 - upper, one, on: other)
    }
  }

  private static let shades: [Unicode.Scalar] = ["░", "▒", "▓"]
  private static let lowerBlocks: [Unicode.Scalar] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇"]

  private static func lowerBlock(
    _ eighths: Int, _ colour: CellColour, on ground: CellColour
  ) -> Cell {
    switch eighths {
    case 0: HalfCell.plain(ground)
    case 8: HalfCell.plain(colour)
    default: Cell(glyph: lowerBlocks[eighths - 1], foreground: colour, background: ground)
    }
  }
}

extension Float {
  /// The nearest of 0 to `steps` parts of one.
  @inline(__always)
  fileprivate func rounded(to steps: Int) -> Int {
    Int(Swift.min(Swift.max(0, self * Float(steps) + 0.5), Float(steps)))
  }
}

extension HalfCell {
  fileprivate static func plain(_ colour: CellColour) -> Cell {
    Cell(glyph: space, background: colour)
  }
}
