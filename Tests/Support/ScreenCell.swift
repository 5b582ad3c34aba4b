/// A colour as the program set it.
public enum ScreenColor: Hashable, Sendable {
  /// The terminal's own foreground or background.
  case standard
  case palette(UInt8)
  case rgb(UInt8, UInt8, UInt8)
}

/// Everything that Select Graphic Rendition sets.
public struct ScreenPen: Hashable, Sendable {
  public var foreground = ScreenColor.standard
  public var background = ScreenColor.standard
  public var bold = false
  public var dim = false
  public var italic = false
  public var underlined = false
  public var blinking = false
  public var reversed = false
  public var hidden = false
  public var struckOut = false

  public init() {}
}

/// One character position of a screen.
public struct ScreenCell: Hashable, Sendable {
  /// A base character with its combining marks; empty in the right half of a wide one.
  public var glyph = " "
  public var pen = ScreenPen()

  public init() {}

  public init(glyph: String, pen: ScreenPen) {
    self.glyph = glyph
    self.pen = pen
  }

  /// The colours that a half block or a space shows in its upper and lower half, after reversal.
  /// Nil for any other glyph.
  public var halves: (upper: ScreenColor, lower: ScreenColor)? {
    let ink = pen.reversed ? pen.background : pen.foreground
    let paper = pen.reversed ? pen.foreground : pen.background
    switch glyph {
    case "▀": return (ink, paper)
    case "▄": return (paper, ink)
    case "█": return (ink, ink)
    case " ": return (paper, paper)
    default: return nil
    }
  }
}
