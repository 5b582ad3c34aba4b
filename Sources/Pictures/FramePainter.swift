/// Encodes the difference between a grid of cells and what an area of the terminal displays.
///
/// It keeps what the terminal displays, so its bytes must reach the terminal completely and in order,
/// and nothing else may write to the area; if something may have, call `forgetDisplayed()`.
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
  /// How frames are written; a change applies from the next frame on.
  public var options: PainterOptions {
    didSet { writer.repeats = options.repeatCharacter }
  }

  /// False while a displayed cell differs from the last grid, though within tolerance.
  ///
  /// Painting the same grid again with tolerance 0 makes the display exact.
  public private(set) var settled = true

  private(set) var displayed: [CellAppearance]
  /// The row that is being painted.
  private var wanted: [CellAppearance]
  private var writer: CellWriter

  /// - Parameters:
  ///   - top: the terminal row of the area's first row, from 0.
  ///   - left: the terminal column of the area's first column, from 0.
  public init(columns: Int, rows: Int, top: Int, left: Int, options: PainterOptions = .init()) {
    precondition(columns >= 0 && rows >= 0 && top >= 0 && left >= 0)
    self.columns = columns
    self.rows = rows
    self.options = options
    displayed = Array(repeating: .unknown, count: columns * rows)
    wanted = Array(repeating: .unknown, count: columns)
    writer = CellWriter(top: top, left: left, columns: columns, repeats: options.repeatCharacter)
  }

  /// Makes the next frame repaint every cell, as after a clear, a resize or foreign output.
  public mutating func forgetDisplayed() {
    for index in displayed.indices { displayed[index] = .unknown }
    settled = true
  }

  /// Encodes what must be written for the area to show the grid.
  ///
  /// - Parameter tolerance: how far, from 0 to 255, a channel of a truecolour may differ from the
  ///   grid's. Measured against the display, so that errors do not add up.
  /// - Returns: the whole frame, between cursor save and restore, or nothing if every cell is near
  ///   enough.
  /// - Precondition: the grid has the painter's size.
  public mutating func paint(_ grid: CellGrid, tolerance: Int) -> [UInt8] {
    precondition(grid.columns == columns && grid.rows == rows)
    writer.begin(synchronized: options.synchronizedOutput)
    settled = true
    let allowed = Tolerance(tolerance)
    let grid = options.depth == .never ? grid.withoutColours : grid
    for row in 0..<rows {
      writer.beginRow(row)
      let start = row * columns
      let cells = grid.cells.span.extracting(start..<start + columns)
      var appearances = wanted.mutableSpan
      for column in cells.indices { appearances[column] = CellAppearance(cells, column) }
      let isExact = Self.paintRow(
        wanted, over: &displayed, at: start, allowed, with: &writer)
      if !isExact { settled = false }
    }
    return writer.end(synchronized: options.synchronizedOutput)
  }

  /// - Returns: whether the row then shows exactly what was wanted.
  private static func paintRow(
    _ wanted: [CellAppearance], over displayed: inout [CellAppearance], at start: Int,
    _ tolerance: Tolerance,
    with writer: inout CellWriter
  ) -> Bool {
    var shown = displayed.mutableSpan
    let appearances = wanted.span
    var isExact = true
    for column in appearances.indices {
      let appearance = appearances[column]
      let current = shown[start + column]
      if current.isNear(appearance, tolerance) {
        if current != appearance { isExact = false }
        continue
      }
      if writer.isBeyondCursor(column) {
        for place in writer.bridge(to: column, in: wanted, tolerance) {
          shown[start + place] = writer.write(wanted[place], at: place, tolerance)
        }
      }
      let written = writer.write(appearance, at: column, tolerance)
      if written != appearance { isExact = false }
      shown[start + column] = written
    }
    return isExact
  }
}

extension CellGrid {
  /// The same glyphs and styles in the terminal's own colours.
  var withoutColours: CellGrid {
    var plain = self
    for index in plain.cells.indices {
      plain.cells[index].foreground = .terminalDefault
      plain.cells[index].background = .terminalDefault
    }
    return plain
  }
}
