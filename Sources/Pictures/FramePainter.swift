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

  private var displayed: [CellAppearance]
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
    var frame = EscapeBuffer()
    paint(grid, tolerance: tolerance, into: &frame)
    return frame.bytes
  }

  /// The same into memory that is kept from frame to frame: what the buffer held is dropped. Once it is
  /// large enough, nothing is allocated.
  public mutating func paint(_ grid: CellGrid, tolerance: Int, into frame: inout EscapeBuffer) {
    precondition(grid.columns == columns && grid.rows == rows)
    frame.removeAll()
    frame.append(options.synchronizedOutput ? "\u{1B}7\u{1B}[?2026h\u{1B}[m" : "\u{1B}7\u{1B}[m")
    let prologue = frame.count
    writer.begin()
    settled = true
    let allowed = Tolerance(tolerance)
    for row in 0..<rows {
      Self.read(row, of: grid, inColours: options.depth != .never, into: &wanted)
      let isExact = Self.paintRow(
        row, wanted, over: &displayed, allowed, with: &writer, into: &frame)
      if !isExact { settled = false }
    }
    // With `REP`, glyphs of the last row may be left to write.
    writer.finishRow(into: &frame)
    guard frame.count > prologue else { return frame.removeAll() }
    if !writer.isPlain { frame.append("\u{1B}[m") }
    frame.append(options.synchronizedOutput ? "\u{1B}[?2026l\u{1B}8" : "\u{1B}8")
  }

  /// Takes over how the cells of a row are to look.
  private static func read(
    _ row: Int, of grid: CellGrid, inColours: Bool, into wanted: inout [CellAppearance]
  ) {
    let cells = grid.cells.span.extracting(row * grid.columns..<(row + 1) * grid.columns)
    var appearances = wanted.mutableSpan
    for column in cells.indices {
      appearances[column] = CellAppearance(cells, column, inColours: inColours)
    }
  }

  /// - Returns: whether the row then shows exactly what was wanted.
  private static func paintRow(
    _ row: Int, _ wanted: [CellAppearance], over displayed: inout [CellAppearance],
    _ tolerance: Tolerance, with keptWriter: inout CellWriter, into frame: inout EscapeBuffer
  ) -> Bool {
    var isExact = true
    // In the processor's registers, as far as it has room there.
    var writer = keptWriter
    writer.beginRow(row)
    let appearances = wanted.span
    let start = row * appearances.count
    var shown = displayed.mutableSpan
    frame.write(upTo: writer.mostBytesPerRow) { pen, bytes in
      for column in appearances.indices {
        let appearance = appearances[column]
        let current = shown[start + column]
        if current == appearance { continue }
        if current.isNear(appearance, tolerance) {
          isExact = false
          continue
        }
        if writer.isBeyondCursor(column) {
          for place in writer.bridge(to: column, in: appearances, tolerance) {
            let written = writer.write(
              appearances[place], at: place, tolerance, with: &pen, in: &bytes)
            if written != appearances[place] { isExact = false }
            shown[start + place] = written
          }
        }
        let written = writer.write(appearance, at: column, tolerance, with: &pen, in: &bytes)
        if written != appearance { isExact = false }
        shown[start + column] = written
      }
    }
    keptWriter = writer
    return isExact
  }
}
