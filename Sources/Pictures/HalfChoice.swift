/// How two halves are drawn with a pen: which glyph, and what its two colours become.
struct HalfChoice {
  var glyph: Unicode.Scalar
  var foreground: HalfColour
  var background: HalfColour

  /// What the viewer then sees.
  var look: Look {
    switch glyph {
    case HalfCell.space: Look(upper: background, lower: background)
    case HalfCell.fullBlock: Look(upper: foreground, lower: foreground)
    case HalfCell.upperBlock: Look(upper: foreground, lower: background)
    default: Look(upper: background, lower: foreground)
    }
  }

  /// Chooses what needs the fewest new colours, then the fewest bytes.
  ///
  /// Colours of the pen are kept where they are near enough, so that no half is off by more than
  /// `tolerance` in any channel.
  init(upper: HalfColour, lower: HalfColour, pen: Pen, tolerance: Int) {
    func near(_ one: HalfColour, _ other: HalfColour) -> Bool {
      one.isNear(other, tolerance: tolerance)
    }
    if near(upper, lower) {
      if near(pen.background, upper), near(pen.background, lower) {
        self.init(glyph: HalfCell.space, foreground: pen.foreground, background: pen.background)
        return
      }
      if near(pen.foreground, upper), near(pen.foreground, lower) {
        self.init(glyph: HalfCell.fullBlock, foreground: pen.foreground, background: pen.background)
        return
      }
    }
    let upright = Self.drawn(HalfCell.upperBlock, upper, lower, pen, tolerance)
    let inverted = Self.drawn(HalfCell.lowerBlock, lower, upper, pen, tolerance)
    var best = upright
    if let inverted, best.map({ inverted.newColours < $0.newColours }) ?? true { best = inverted }
    if near(upper, lower), best.map({ $0.newColours > 0 }) ?? true {
      if upper == .defaultForeground {
        self.init(glyph: HalfCell.fullBlock, foreground: upper, background: pen.background)
      } else {
        self.init(glyph: HalfCell.space, foreground: pen.foreground, background: upper)
      }
      return
    }
    self =
      best?.choice
      ?? HalfChoice(
        glyph: HalfCell.space, foreground: pen.foreground, background: .defaultBackground)
  }

  private init(glyph: Unicode.Scalar, foreground: HalfColour, background: HalfColour) {
    self.glyph = glyph
    self.foreground = foreground
    self.background = background
  }

  /// - Returns: nil where a default colour would stand on the wrong side.
  private static func drawn(
    _ glyph: Unicode.Scalar, _ foreground: HalfColour, _ background: HalfColour, _ pen: Pen,
    _ tolerance: Int
  ) -> (choice: HalfChoice, newColours: Int)? {
    guard foreground != .defaultBackground, background != .defaultForeground else { return nil }
    let keepsForeground = foreground.isNear(pen.foreground, tolerance: tolerance)
    let keepsBackground = background.isNear(pen.background, tolerance: tolerance)
    let choice = HalfChoice(
      glyph: glyph, foreground: keepsForeground ? pen.foreground : foreground,
      background: keepsBackground ? pen.background : background)
    return (choice, (keepsForeground ? 0 : 1) + (keepsBackground ? 0 : 1))
  }
}
