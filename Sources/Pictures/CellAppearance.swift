/// How a cell looks, equal for cells that look alike.
///
/// An upper half block and a lower one with exchanged colours look alike; so do a space and a full
/// block of one colour.
struct CellAppearance: Equatable, BitwiseCopyable {
  /// 0 for two plain halves, else the glyph, its style in the byte above, and one more bit for the
  /// right half of a wide glyph.
  private let shape: UInt64
  /// The upper half and the lower half, or the glyph's foreground and background.
  let colours: ColourPair

  private static let tailBit: UInt64 = 1 << 40

  /// Equals no cell: for places whose content is not known.
  static let unknown = CellAppearance(
    glyph: UInt32.max, first: .defaultForeground, second: .defaultBackground)

  @inline(__always)
  private init(shape: UInt64, _ colours: ColourPair) {
    self.shape = shape
    self.colours = colours
  }

  private init(
    glyph: UInt32, first: HalfColour, second: HalfColour, style: CellStyle = [],
    isWideTail: Bool = false
  ) {
    self.init(
      shape: UInt64(glyph) | UInt64(style.rawValue) << 32 | (isWideTail ? Self.tailBit : 0),
      ColourPair(first, second))
  }

  @inline(__always)
  init(upper: HalfColour, lower: HalfColour) {
    self.init(shape: 0, ColourPair(upper, lower))
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

  /// The appearance of a cell in a row. Anything that a terminal cannot show there (half of a wide
  /// glyph, a control, a lone mark) becomes a space.
  ///
  /// - Parameter inColours: false for one in the terminal's own colours, whatever the cell says.
  init(_ row: Span<Cell>, _ column: Int, inColours: Bool = true) {
    var cell = row[column]
    if !inColours {
      cell.foreground = .terminalDefault
      cell.background = .terminalDefault
    }
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

  /// Two plain halves, with `first` above `second`.
  var isHalves: Bool { shape == 0 }
  var glyph: UInt32 { UInt32(truncatingIfNeeded: shape) }
  var style: CellStyle { CellStyle(rawValue: UInt8(truncatingIfNeeded: shape >> 32)) }
  var isWideTail: Bool { shape & Self.tailBit != 0 }
  /// The upper half, or the glyph's foreground.
  var first: HalfColour { colours.first }
  /// The lower half, or the glyph's background.
  var second: HalfColour { colours.second }

  /// The same glyph in other colours.
  func coloured(_ first: HalfColour, _ second: HalfColour) -> CellAppearance {
    CellAppearance(shape: shape, ColourPair(first, second))
  }

  /// Whether every terminal gives it one column: printable ASCII and block elements.
  var isSurelyNarrow: Bool {
    isHalves || 0x20..<0x7F ~= glyph || 0x2580...0x259F ~= glyph
  }

  /// Whether one may be shown instead of the other.
  @inline(__always)
  func isNear(_ other: CellAppearance, _ tolerance: Tolerance) -> Bool {
    shape == other.shape && tolerance.areNear(colours, other.colours)
  }
}
