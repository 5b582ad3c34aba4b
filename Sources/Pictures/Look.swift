/// What a viewer sees in one cell, in one form for cells that look alike.
///
/// An upper half block and a lower one with its colours exchanged are one look; so are a space and
/// a full block of one colour.
struct Look: Equatable {
  /// 0 for two plain halves, else the glyph.
  var glyph: UInt32
  /// The upper half, or the glyph's foreground.
  var first: HalfColour
  /// The lower half, or the glyph's background.
  var second: HalfColour
  var style: CellStyle
  var isWideTail: Bool

  /// Equal to no cell: for places whose content is not known.
  static let unknown = Look(
    glyph: UInt32.max, first: .defaultForeground, second: .defaultBackground, style: [],
    isWideTail: false)

  private init(
    glyph: UInt32, first: HalfColour, second: HalfColour, style: CellStyle, isWideTail: Bool
  ) {
    self.glyph = glyph
    self.first = first
    self.second = second
    self.style = style
    self.isWideTail = isWideTail
  }

  init(upper: HalfColour, lower: HalfColour) {
    self.init(glyph: 0, first: upper, second: lower, style: [], isWideTail: false)
  }

  init(_ cell: Cell) {
    if let halves = HalfCell(cell) {
      self.init(upper: halves.upper, lower: halves.lower)
    } else {
      self.init(
        glyph: cell.glyph.value, first: HalfColour(foreground: cell.foreground),
        second: HalfColour(background: cell.background), style: cell.style,
        isWideTail: cell.isWideTail)
    }
  }

  /// The look of a grid's cell, with a space in place of what no terminal can show there: half of a
  /// wide glyph, a control, a lone mark.
  init(_ grid: CellGrid, row: Int, column: Int) {
    let cell = grid[row, column]
    self.init(cell)
    if isHalves || !cell.isWideTail && isSurelyNarrow { return }
    let tail = Cell(glyph: Self.space, isWideTail: true)
    if cell.isWideTail {
      if column > 0, !grid[row, column - 1].isWideTail,
        ScalarWidth.columns(of: grid[row, column - 1].glyph) == 2
      {
        self.init(tail)
        return
      }
    } else {
      let width = ScalarWidth.columns(of: cell.glyph)
      let isFollowedByTail = column + 1 < grid.columns && grid[row, column + 1].isWideTail
      if width == 1 || width == 2 && isFollowedByTail { return }
    }
    self.init(Cell(glyph: Self.space, background: cell.background))
  }

  private static let space: Unicode.Scalar = " "

  var isHalves: Bool { glyph == 0 }

  /// Whether every terminal moves by one column for it: halves and printable ASCII.
  var isSurelyNarrow: Bool { isHalves || 0x20..<0x7F ~= glyph }

  /// Whether one may stand for the other: no channel of a colour is off by more than `tolerance`.
  func isNear(_ other: Look, tolerance: Int) -> Bool {
    if self == other { return true }
    return tolerance > 0 && glyph == other.glyph && style == other.style
      && isWideTail == other.isWideTail && first.isNear(other.first, tolerance: tolerance)
      && second.isNear(other.second, tolerance: tolerance)
  }
}

extension HalfColour {
  private var isTrueColour: Bool { raw < 0x0100_0000 }

  /// Whether no channel is off by more than `tolerance`; palette colours are near themselves only.
  func isNear(_ other: HalfColour, tolerance: Int) -> Bool {
    if raw == other.raw { return true }
    guard isTrueColour, other.isTrueColour else { return false }
    return (0..<3).allSatisfy { channel in
      let shift = UInt32(8 * channel)
      return abs(Int(raw >> shift & 0xFF) - Int(other.raw >> shift & 0xFF)) <= tolerance
    }
  }
}
