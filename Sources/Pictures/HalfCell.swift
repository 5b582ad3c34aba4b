/// The colour of one half of a cell.
///
/// Like `CellColour`, but the terminal's default foreground and background are two colours, since a
/// half can be drawn with either.
struct HalfColour: Equatable {
  let raw: UInt32

  static let defaultBackground = HalfColour(raw: 0x0200_0000)
  static let defaultForeground = HalfColour(raw: 0x0300_0000)

  init(raw: UInt32) {
    self.raw = raw
  }

  init(foreground: CellColour) {
    raw = foreground == .terminalDefault ? Self.defaultForeground.raw : foreground.raw
  }

  init(background: CellColour) {
    raw = background.raw
  }

  var cellColour: CellColour {
    if raw < 0x0100_0000 { return CellColour(rgb: raw) }
    if raw < 0x0200_0000 { return .palette(UInt8(truncatingIfNeeded: raw)) }
    return .terminalDefault
  }
}

/// A cell as two colours one above the other, which a half block, full block or space shows.
struct HalfCell: Equatable {
  var upper: HalfColour
  var lower: HalfColour

  static let space: Unicode.Scalar = " "
  static let upperBlock: Unicode.Scalar = "\u{2580}"
  static let lowerBlock: Unicode.Scalar = "\u{2584}"
  static let fullBlock: Unicode.Scalar = "\u{2588}"

  init(upper: HalfColour, lower: HalfColour) {
    self.upper = upper
    self.lower = lower
  }

  /// - Returns: nil for a cell that is not two plain halves.
  init?(_ cell: Cell) {
    guard cell.style.isEmpty, !cell.isWideTail else { return nil }
    let foreground = HalfColour(foreground: cell.foreground)
    let background = HalfColour(background: cell.background)
    switch cell.glyph {
    case Self.space: self.init(upper: background, lower: background)
    case Self.upperBlock: self.init(upper: foreground, lower: background)
    case Self.lowerBlock: self.init(upper: background, lower: foreground)
    case Self.fullBlock: self.init(upper: foreground, lower: foreground)
    default: return nil
    }
  }

  /// The cell that shows these halves; the default background is never used as a foreground.
  var cell: Cell {
    if upper == lower {
      return upper == .defaultForeground
        ? Cell(glyph: Self.fullBlock) : Cell(glyph: Self.space, background: upper.cellColour)
    }
    if upper == .defaultBackground || lower == .defaultForeground {
      return Cell(
        glyph: Self.lowerBlock, foreground: lower.cellColour, background: upper.cellColour)
    }
    return Cell(glyph: Self.upperBlock, foreground: upper.cellColour, background: lower.cellColour)
  }
}
