/// How two halves are drawn with a pen: which glyph, and what its two colours become.
struct HalfChoice {
  let glyph: Unicode.Scalar
  let foreground: Tint
  let background: Tint

  /// What the viewer then sees.
  var look: Look {
    switch glyph {
    case HalfCell.space: Look(upper: background, lower: background)
    case HalfCell.fullBlock: Look(upper: foreground, lower: foreground)
    case HalfCell.upperBlock: Look(upper: foreground, lower: background)
    default: Look(upper: background, lower: foreground)
    }
  }

  private init(_ glyph: Unicode.Scalar, _ foreground: Tint, _ background: Tint) {
    self.glyph = glyph
    self.foreground = foreground
    self.background = background
  }

  /// Chooses what needs the fewest new colours, then the fewest bytes.
  ///
  /// Colours of the pen are kept where they are near enough, so that no half is off by more than
  /// the tolerance in any channel.
  static func best(
    upper: Tint, lower: Tint, pen: Pen, tolerance: Tolerance
  ) -> HalfChoice {
    let front = pen.foreground
    let back = pen.background
    let backIsLower = tolerance.isNear(back, lower)
    let backIsUpper = tolerance.isNear(back, upper)
    if backIsUpper && backIsLower { return HalfChoice(HalfCell.space, front, back) }
    let frontIsUpper = tolerance.isNear(front, upper)
    if frontIsUpper && backIsLower { return HalfChoice(HalfCell.upperBlock, front, back) }
    let frontIsLower = tolerance.isNear(front, lower)
    if backIsUpper && frontIsLower { return HalfChoice(HalfCell.lowerBlock, front, back) }
    if frontIsUpper && frontIsLower { return HalfChoice(HalfCell.fullBlock, front, back) }

    // The default colours can stand on their own side only.
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
