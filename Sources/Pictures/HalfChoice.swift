/// How to draw two halves, given the terminal's present colours: the glyph, and the new foreground and
/// background.
struct HalfChoice {
  let glyph: Unicode.Scalar
  let foreground: PackedColor
  let background: PackedColor

  /// How the cell then looks.
  var appearance: CellAppearance {
    switch glyph {
    case HalfCell.space: CellAppearance(upper: background, lower: background)
    case HalfCell.fullBlock: CellAppearance(upper: foreground, lower: foreground)
    case HalfCell.upperBlock: CellAppearance(upper: foreground, lower: background)
    default: CellAppearance(upper: background, lower: foreground)
    }
  }

  private init(_ glyph: Unicode.Scalar, _ foreground: PackedColor, _ background: PackedColor) {
    self.glyph = glyph
    self.foreground = foreground
    self.background = background
  }

  /// Chooses the way with the fewest new colours, then with the fewest bytes.
  ///
  /// Present colours are kept if they are near enough, so that no channel of a half is off by more than
  /// the tolerance.
  static func best(
    upper: PackedColor, lower: PackedColor, sgr: SGRState, tolerance: Tolerance
  ) -> HalfChoice {
    let front = sgr.foreground
    let back = sgr.background
    let backIsLower = tolerance.isNear(back, lower)
    let backIsUpper = tolerance.isNear(back, upper)
    if backIsUpper && backIsLower { return HalfChoice(HalfCell.space, front, back) }
    let frontIsUpper = tolerance.isNear(front, upper)
    if frontIsUpper && backIsLower { return HalfChoice(HalfCell.upperBlock, front, back) }
    let frontIsLower = tolerance.isNear(front, lower)
    if backIsUpper && frontIsLower { return HalfChoice(HalfCell.lowerBlock, front, back) }
    if frontIsUpper && frontIsLower { return HalfChoice(HalfCell.fullBlock, front, back) }

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
