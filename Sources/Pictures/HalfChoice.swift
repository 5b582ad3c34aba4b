/// How to draw two halves, given the terminal's present colours: the glyph, and the new foreground and
/// background.
struct HalfChoice {
  let glyph: Unicode.Scalar
  let foreground: HalfColour
  let background: HalfColour

  /// How the cell then looks.
  var appearance: CellAppearance {
    switch glyph {
    case HalfCell.space: CellAppearance(upper: background, lower: background)
    case HalfCell.fullBlock: CellAppearance(upper: foreground, lower: foreground)
    case HalfCell.upperBlock: CellAppearance(upper: foreground, lower: background)
    default: CellAppearance(upper: background, lower: foreground)
    }
  }

  private init(_ glyph: Unicode.Scalar, _ foreground: HalfColour, _ background: HalfColour) {
    self.glyph = glyph
    self.foreground = foreground
    self.background = background
  }

  /// Chooses the way with the fewest new colours, then with the fewest bytes.
  ///
  /// Present colours are kept if they are near enough, so that no channel of a half is off by more than
  /// the tolerance.
  @inline(__always)
  static func best(for halves: ColourPair, sgr: SGRState, tolerance: Tolerance) -> HalfChoice {
    let front = sgr.foreground
    let back = sgr.background
    let frontIs = tolerance.halves(of: halves, near: front)
    let backIs = tolerance.halves(of: halves, near: back)
    if frontIs.isEmpty, backIs.isEmpty, halves.areTrueColours {
      return tolerance.hasMiddle(halves.first, halves.second)
        ? HalfChoice(HalfCell.space, front, tolerance.middle(halves.first, halves.second))
        : HalfChoice(HalfCell.upperBlock, halves.first, halves.second)
    }
    return reusing(front, frontIs, back, backIs, for: halves, tolerance)
  }

  /// - Parameters:
  ///   - frontIs: the halves that the present foreground is near to.
  ///   - backIs: the same for the background.
  private static func reusing(
    _ front: HalfColour, _ frontIs: Halves, _ back: HalfColour, _ backIs: Halves,
    for halves: ColourPair, _ tolerance: Tolerance
  ) -> HalfChoice {
    if backIs == .both { return HalfChoice(HalfCell.space, front, back) }
    let frontIsUpper = frontIs.contains(.upper)
    let frontIsLower = frontIs.contains(.lower)
    let backIsUpper = backIs.contains(.upper)
    let backIsLower = backIs.contains(.lower)
    if frontIsUpper && backIsLower { return HalfChoice(HalfCell.upperBlock, front, back) }
    if backIsUpper && frontIsLower { return HalfChoice(HalfCell.lowerBlock, front, back) }
    if frontIs == .both { return HalfChoice(HalfCell.fullBlock, front, back) }

    let upper = halves.first
    let lower = halves.second
    // The default foreground can only be a foreground, and the default background only a background.
    if upper == .defaultForeground && lower == .defaultForeground {
      return HalfChoice(HalfCell.fullBlock, upper, back)
    }
    if tolerance.hasMiddle(upper, lower) {
      return HalfChoice(HalfCell.space, front, tolerance.middle(upper, lower))
    }
    let mustInvert = upper == .defaultBackground || lower == .defaultForeground
    let mayInvert = lower != .defaultBackground && upper != .defaultForeground
    let keepsUpright = frontIsUpper || backIsLower
    if mustInvert || mayInvert && !keepsUpright && (frontIsLower || backIsUpper) {
      return HalfChoice(
        HalfCell.lowerBlock, frontIsLower ? front : lower, backIsUpper ? back : upper)
    }
    return HalfChoice(
      HalfCell.upperBlock, frontIsUpper ? front : upper, backIsLower ? back : lower)
  }
}
