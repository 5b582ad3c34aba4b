/// The colour of one half of a cell.
///
/// Like `CellColour`, but the terminal's default foreground and background are two colours, since a
/// half can be drawn with either.
struct HalfColour: Equatable {
  /// `0x00RRGGBB` of a truecolour, 0x0100_00ii of a palette's entry, else one of the two defaults.
  let raw: UInt32

  private static let paletteKind: UInt32 = 0x0100_0000

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

  /// Whether it is neither an entry of the palette nor a default.
  var isTrueColour: Bool { raw < Self.paletteKind }

  /// The palette's index, nil for the others.
  var paletteIndex: UInt32? { raw >> 24 == 1 ? raw & 0xFF : nil }

  /// Blue, green and red in lanes of 16 bits; the highest lane tells all colours apart that are not
  /// truecolours.
  var lanes: UInt64 {
    let raw = UInt64(raw)
    return isTrueColour
      ? raw & 0xFF | (raw & 0xFF00) << 8 | (raw & 0xFF_0000) << 16
      : (raw >> 16 & 0xFF00 | raw & 0xFF) << 48
  }

  var cellColour: CellColour {
    if isTrueColour { return CellColour(rgb: raw) }
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
