/// A terminal's screen in memory: what a viewer would see after the bytes fed to it.
///
/// It understands what ncurses writes for xterm-256color and what careful programs write on their
/// own. Unknown sequences are recorded in `unknown` and change nothing.
public struct TerminalScreen: Sendable {
  public internal(set) var columns: Int
  public internal(set) var rows: Int
  /// The column, 0 at the left, and the row, 0 at the top, where the next character goes.
  public internal(set) var cursor: (column: Int, row: Int) = (0, 0)
  public internal(set) var pen = ScreenPen()
  /// The private modes that are set: 7 autowrap, 25 cursor visible, 1049 alternate screen ...
  public internal(set) var modes: Set<Int> = [7, 25]
  /// The titles that were set, in order.
  public internal(set) var titles: [String] = []
  /// Queries to the terminal, in order.
  public internal(set) var queries: [String] = []
  /// Unknown sequences and controls, in order.
  public internal(set) var unknown: [String] = []
  /// How many invalid UTF-8 sequences there were.
  public internal(set) var malformedCharacters = 0
  public internal(set) var bells = 0
  /// How many times the terminal's palette was reset (ncurses does so at its end).
  public internal(set) var paletteResets = 0
  /// How many times the alternate screen was entered.
  public internal(set) var alternateEntries = 0
  /// Where each synchronized update ended: the number of bytes up to there.
  public internal(set) var synchronizedEnds: [Int] = []
  /// The number of bytes so far.
  public internal(set) var byteCount = 0

  var cells: [ScreenCell]
  /// The cells of the hidden screen: the normal one while the alternate one shows, and the reverse.
  var hiddenCells: [ScreenCell]
  var scrollTop = 0
  var scrollBottom: Int
  var wrapPending = false
  var inserting = false
  var lastPrinted: Unicode.Scalar?
  /// Whether G0 and G1 hold the line drawing set, and which of them is in use.
  var drawingSets = (false, false)
  var shiftedOut = false
  var saved = Saved()
  var tabStops: Set<Int> = []
  var parser = SequenceParser()

  /// The state that `ESC 7` saves.
  struct Saved: Sendable {
    var cursor: (column: Int, row: Int) = (0, 0)
    var pen = ScreenPen()
    var drawingSets = (false, false)
    var shiftedOut = false
    var wrapPending = false
  }

  public init(columns: Int, rows: Int) {
    precondition(columns > 0 && rows > 0, "a screen has cells")
    self.columns = columns
    self.rows = rows
    scrollBottom = rows - 1
    cells = Array(repeating: ScreenCell(), count: columns * rows)
    hiddenCells = cells
  }

  /// Takes the program's bytes.
  public mutating func feed(_ bytes: some Collection<UInt8>) {
    var parser = self.parser
    for byte in bytes {
      byteCount += 1
      parser.consume(byte) { perform($0) }
    }
    self.parser = parser
  }

  /// Takes a program's text.
  public mutating func feed(_ text: String) { feed(Array(text.utf8)) }

  public subscript(column: Int, row: Int) -> ScreenCell { cells[row * columns + column] }

  /// A row as text, without trailing blanks.
  public func text(row: Int) -> String {
    var text = ""
    for cell in cells[row * columns..<(row + 1) * columns] { text += cell.glyph }
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  /// All rows as text, without trailing blanks.
  public var text: String { (0..<rows).map(text(row:)).joined(separator: "\n") }

  public var cursorVisible: Bool { modes.contains(25) }
  public var alternateScreen: Bool { modes.contains(1049) }
  public var synchronizedFrames: Int { synchronizedEnds.count }

  /// How many cells satisfy a condition.
  public func count(where condition: (ScreenCell) -> Bool) -> Int {
    cells.reduce(0) { $0 + (condition($1) ? 1 : 0) }
  }

  /// Changes the size as xterm does: the top left part stays.
  public mutating func resize(columns newColumns: Int, rows newRows: Int) {
    precondition(newColumns > 0 && newRows > 0, "a screen has cells")
    func resized(_ old: [ScreenCell]) -> [ScreenCell] {
      var new = Array(repeating: ScreenCell(), count: newColumns * newRows)
      for row in 0..<min(rows, newRows) {
        for column in 0..<min(columns, newColumns) {
          new[row * newColumns + column] = old[row * columns + column]
        }
      }
      return new
    }
    cells = resized(cells)
    hiddenCells = resized(hiddenCells)
    columns = newColumns
    rows = newRows
    scrollTop = 0
    scrollBottom = rows - 1
    wrapPending = false
    moveCursor(column: cursor.column, row: cursor.row)
  }

  /// Moves the cursor to a place, or to the nearest one on the screen.
  mutating func moveCursor(column: Int, row: Int) {
    cursor = (min(max(column, 0), columns - 1), min(max(row, 0), rows - 1))
    wrapPending = false
  }
}

/// In the message of a failing test, a screen is shown as its text, not as thousands of cells.
extension TerminalScreen: CustomStringConvertible, CustomReflectable {
  public var description: String { "\(columns)x\(rows) screen:\n\(text)" }
  public var customMirror: Mirror { Mirror(self, children: ["text": text]) }
}
