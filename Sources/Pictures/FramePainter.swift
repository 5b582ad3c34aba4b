/// Encodes the difference between a grid of cells and what an area of the terminal displays.
///
/// It remembers what the terminal shows, so its bytes must reach the terminal whole and in order,
/// and nobody else may write to the area; after anything else that may have touched it, call
/// `forgetDisplayed()`.
public struct FramePainter: Sendable {
  public struct PainterOptions: Equatable, Sendable {
    /// Wraps a frame in `CSI ? 2026 h` and `l`, so that the terminal shows it at once.
    public var synchronizedOutput: Bool
    /// Uses `REP` (`CSI n b`) for runs of one glyph.
    public var repeatCharacter: Bool
    /// `never` leaves out every colour, whatever the cells say.
    public var depth: ColourDepth

    public init(
      synchronizedOutput: Bool = true, repeatCharacter: Bool = false,
      depth: ColourDepth = .trueColour
    ) {
      self.synchronizedOutput = synchronizedOutput
      self.repeatCharacter = repeatCharacter
      self.depth = depth
    }
  }

  public let columns: Int
  public let rows: Int
  public let options: PainterOptions

  /// False while something displayed differs from the last grid, though within tolerance.
  ///
  /// Painting the same grid again with tolerance 0 makes it exact.
  public private(set) var settled = true

  private let top: Int
  private let left: Int
  private var displayed: [Look]
  private var buffer = EscapeBuffer()
  private var pen = Pen()
  private var cursor: (row: Int, column: Int)?

  /// - Parameters:
  ///   - top: the terminal row of the area's first row, from 0.
  ///   - left: the terminal column of the area's first column, from 0.
  public init(columns: Int, rows: Int, top: Int, left: Int, options: PainterOptions = .init()) {
    precondition(columns >= 0 && rows >= 0 && top >= 0 && left >= 0)
    self.columns = columns
    self.rows = rows
    self.top = top
    self.left = left
    self.options = options
    displayed = Array(repeating: .unknown, count: columns * rows)
  }

  /// Makes the next frame repaint every cell; for after a clear, a resize or foreign output.
  public mutating func forgetDisplayed() {
    for index in displayed.indices { displayed[index] = .unknown }
    settled = true
  }

  /// Encodes what must be written for the area to show the grid.
  ///
  /// - Parameter tolerance: how far, from 0 to 255, a channel of a truecolour may be off from the
  ///   grid's; measured against what is displayed, so that errors never add up.
  /// - Returns: the whole frame, framed by cursor save and restore, or nothing when every cell is
  ///   near enough.
  /// - Precondition: the grid has the painter's size.
  public mutating func paint(_ grid: CellGrid, tolerance: Int) -> [UInt8] {
    precondition(grid.columns == columns && grid.rows == rows)
    buffer.removeAll()
    buffer.append("\u{1B}7")
    if options.synchronizedOutput { buffer.append("\u{1B}[?2026h") }
    buffer.append("\u{1B}[m")
    let prologue = buffer.bytes.count
    pen = Pen()
    cursor = nil
    settled = true
    for row in 0..<rows { paintRow(row, of: grid, tolerance: tolerance) }
    guard buffer.bytes.count > prologue else { return [] }
    if !pen.isPlain { buffer.append("\u{1B}[m") }
    if options.synchronizedOutput { buffer.append("\u{1B}[?2026l") }
    buffer.append("\u{1B}8")
    return buffer.bytes
  }

  private mutating func paintRow(_ row: Int, of grid: CellGrid, tolerance: Int) {
    for column in 0..<columns {
      let index = row * columns + column
      let wanted = Look(grid, row: row, column: column)
      if displayed[index].isNear(wanted, tolerance: tolerance) {
        if displayed[index] != wanted { settled = false }
        continue
      }
      displayed[index] = wanted
      if wanted.isWideTail { continue }
      moveCursor(row: row, column: column)
      if wanted.isHalves {
        displayed[index] = write(halves: wanted, tolerance: tolerance)
        if displayed[index] != wanted { settled = false }
      } else {
        pen.change(
          foreground: wanted.first, background: wanted.second, style: wanted.style, in: &buffer)
        buffer.append(Unicode.Scalar(wanted.glyph) ?? " ")
      }
      // Terminals do not agree on the width of every glyph, nor on what follows the last column.
      cursor = wanted.isSurelyNarrow && column + 1 < columns ? (row, column + 1) : nil
    }
  }

  private mutating func write(halves wanted: Look, tolerance: Int) -> Look {
    let choice = HalfChoice(
      upper: wanted.first, lower: wanted.second, pen: pen, tolerance: tolerance)
    pen.change(
      foreground: choice.foreground, background: choice.background, style: [], in: &buffer)
    buffer.append(choice.glyph)
    return choice.look
  }

  private mutating func moveCursor(row: Int, column: Int) {
    defer { cursor = (row, column) }
    if let cursor, cursor.row == row, cursor.column <= column {
      let distance = column - cursor.column
      if distance == 0 { return }
      buffer.append("\u{1B}[")
      if distance > 1 { buffer.append(decimal: distance) }
      buffer.append(UInt8(ascii: "C"))
      return
    }
    buffer.append("\u{1B}[")
    buffer.append(decimal: top + row + 1)
    buffer.append(UInt8(ascii: ";"))
    buffer.append(decimal: left + column + 1)
    buffer.append(UInt8(ascii: "H"))
  }
}
