/// How a cell's glyph is drawn besides its colours.
public struct CellStyle: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  public static let bold = CellStyle(rawValue: 1)
  public static let dim = CellStyle(rawValue: 2)
  public static let reverse = CellStyle(rawValue: 4)
}

/// One character position: a glyph, two colours and a style, in 16 bytes.
public struct Cell: Equatable, Sendable {
  public var glyph: Unicode.Scalar
  public var foreground: CellColour
  public var background: CellColour
  public var style: CellStyle
  /// True for the right half of a glyph that is two columns wide and stands in the cell before.
  public var isWideTail: Bool

  public init(
    glyph: Unicode.Scalar, foreground: CellColour = .terminalDefault,
    background: CellColour = .terminalDefault, style: CellStyle = [], isWideTail: Bool = false
  ) {
    self.glyph = glyph
    self.foreground = foreground
    self.background = background
    self.style = style
    self.isWideTail = isWideTail
  }

  /// A space in the terminal's own colours.
  public static let blank = Cell(glyph: " ")
}
