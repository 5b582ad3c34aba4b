/// How a cell looks, equal for cells that look alike.
///
/// An upper half block and a lower one with exchanged colours look alike; so do a space and a full
/// block of one colour.
struct CellAppearance: Equatable {
  /// 0 for two plain halves, else the glyph.
  var glyph: UInt32
  /// The upper half, or the glyph's foreground.
  var first: PackedColor
  /// The lower half, or the glyph's background.
  var second: PackedColor
  var style: CellStyle
  var isWideTail: Bool

  /// Equals no cell: for places whose content is not known.
  static let unknown = CellAppearance(
    glyph: UInt32.max, first: .defaultForeground, second: .defaultBackground, style: [],
    isWideTail: false)

  private init(
    glyph: UInt32, first: PackedColor, second: PackedColor, style: CellStyle, isWideTail: Bool
  ) {
    self.glyph = glyph
    self.first = first
    self.second = second
    self.style = style
    self.isWideTail = isWideTail
  }

  init(upper: PackedColor, lower: PackedColor) {
    self.init(glyph: 0, first: upper, second: lower, style: [], isWideTail: false)
  }

  init(_ cell: Cell) {
    if let halves = HalfCell(cell) {
      self.init(upper: PackedColor(halves.upper), lower: PackedColor(halves.lower))
    } else {
      self.init(
        glyph: cell.glyph.value, first: PackedColor(HalfColour(foreground: cell.foreground)),
        second: PackedColor(HalfColour(background: cell.background)), style: cell.style,
        isWideTail: cell.isWideTail)
    }
  }

  /// The appearance of a cell in a row. Anything that a terminal cannot show there (half of a wide
  /// glyph, a control, a lone mark) becomes a space.
  init(_ row: Span<Cell>, _ column: Int) {
    let cell = row[column]
    self.init(cell)
    if isHalves || !cell.isWideTail && isSurelyNarrow { return }
    let tail = Cell(glyph: Self.space, isWideTail: true)
    if cell.isWideTail {
      if column > 0, !row[column - 1].isWideTail,
        ScalarWidth.columns(of: row[column - 1].glyph) == 2
      {
        self.init(tail)
        return
      }
    } else {
      let width = ScalarWidth.columns(of: cell.glyph)
      let isFollowedByTail = column + 1 < row.count && row[column + 1].isWideTail
      if width == 1 || width == 2 && isFollowedByTail { return }
    }
    self.init(Cell(glyph: Self.space, background: cell.background))
  }

  private static let space: Unicode.Scalar = " "

  var isHalves: Bool { glyph == 0 }

  /// Whether every terminal gives it one column: printable ASCII and block elements.
  var isSurelyNarrow: Bool {
    isHalves || 0x20..<0x7F ~= glyph || 0x2580...0x259F ~= glyph
  }

  /// Whether one may be shown instead of the other.
  func isNear(_ other: CellAppearance, _ tolerance: Tolerance) -> Bool {
    glyph == other.glyph && style == other.style && isWideTail == other.isWideTail
      && tolerance.isNear(first, other.first) && tolerance.isNear(second, other.second)
  }
}
