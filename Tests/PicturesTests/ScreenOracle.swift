import Pictures

/// A terminal that understands just what the painter may write, and traps on anything else.
///
/// Autowrap is modelled as the worst of both worlds: after the last column the place is unknown
/// until a position is set.
struct ScreenOracle {
  private(set) var cells: [[Cell]]
  private(set) var synchronized = false
  private(set) var problems: [String] = []
  private var row = 0
  private var column: Int? = 0
  private var sgr = Cell.blank
  private var saved: (row: Int, column: Int?, sgr: Cell)?
  private var lastGlyph: Unicode.Scalar?

  init(columns: Int, rows: Int) {
    cells = Array(repeating: Array(repeating: .blank, count: columns), count: rows)
  }

  var columns: Int { cells.first?.count ?? 0 }

  mutating func setPlace(row: Int, column: Int) {
    self.row = row
    self.column = column
  }

  func area(top: Int, left: Int, columns: Int, rows: Int) -> CellGrid {
    var grid = CellGrid(columns: columns, rows: rows)
    for y in 0..<rows {
      for x in 0..<columns { grid[y, x] = cells[top + y][left + x] }
    }
    return grid
  }

  mutating func feed(_ bytes: [UInt8]) {
    var scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\u{1B}": escape(&scalars)
      case "\r": column = 0
      case "\n":
        if row + 1 < cells.count { row += 1 } else { problems.append("scrolled") }
      case _ where scalar.value < 0x20: problems.append("control \(scalar.value)")
      default: put(scalar)
      }
    }
  }

  private mutating func escape(_ scalars: inout Substring.UnicodeScalarView) {
    switch scalars.popFirst() {
    case "7": saved = (row, column, sgr)
    case "8":
      guard let saved else { return problems.append("restore without save") }
      (row, column, sgr) = saved
    case "[":
      var parameters = ""
      while let scalar = scalars.popFirst() {
        if "0123456789;?".unicodeScalars.contains(scalar) {
          parameters.unicodeScalars.append(scalar)
        } else {
          return control(scalar, parameters)
        }
      }
      problems.append("unfinished escape")
    default: problems.append("unknown escape")
    }
  }

  private mutating func control(_ final: Unicode.Scalar, _ parameters: String) {
    if parameters.hasPrefix("?") {
      guard parameters == "?2026", final == "h" || final == "l" else {
        return problems.append("mode \(parameters)")
      }
      synchronized = final == "h"
      return
    }
    let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false)
      .map { Int($0) }
    let count = (numbers.first ?? nil) ?? 1
    switch final {
    case "H":
      guard 1...2 ~= numbers.count, let y = numbers[0], y >= 1, y <= cells.count,
        let x = numbers.count == 2 ? numbers[1] : 1, x >= 1, x <= columns
      else { return problems.append("place \(parameters)") }
      row = y - 1
      column = x - 1
    case "C":
      guard let x = column, count >= 1, x + count < columns else {
        return problems.append("right from \(String(describing: column)) by \(count)")
      }
      column = x + count
    case "D":
      guard let x = column, count >= 1, count <= x else {
        return problems.append("left from \(String(describing: column)) by \(count)")
      }
      column = x - count
    case "B":
      guard column != nil, row + count < cells.count else {
        return problems.append("down by \(count)")
      }
      row += count
    case "b":
      guard let lastGlyph, count >= 1 else { return problems.append("repeat of nothing") }
      for _ in 0..<count { put(lastGlyph) }
    case "m": select(numbers.isEmpty ? [0] : numbers.map { $0 ?? 0 })
    default: problems.append("unknown CSI \(final)")
    }
    if final != "b" { lastGlyph = nil }
  }

  private mutating func select(_ numbers: [Int]) {
    var rest = numbers[...]
    while let number = rest.popFirst() {
      switch number {
      case 0: sgr = .blank
      case 1: sgr.style.insert(.bold)
      case 2: sgr.style.insert(.dim)
      case 7: sgr.style.insert(.reverse)
      case 22: sgr.style.subtract([.bold, .dim])
      case 27: sgr.style.remove(.reverse)
      case 39: sgr.foreground = .terminalDefault
      case 49: sgr.background = .terminalDefault
      case 30...37: sgr.foreground = .palette(UInt8(number - 30))
      case 40...47: sgr.background = .palette(UInt8(number - 40))
      case 90...97: sgr.foreground = .palette(UInt8(number - 82))
      case 100...107: sgr.background = .palette(UInt8(number - 92))
      case 38, 48:
        guard let colour = extended(&rest) else { return problems.append("colour \(numbers)") }
        if number == 38 { sgr.foreground = colour } else { sgr.background = colour }
      default: problems.append("SGR \(number)")
      }
    }
  }

  private func extended(_ rest: inout ArraySlice<Int>) -> CellColour? {
    switch rest.popFirst() {
    case 5:
      guard let index = rest.popFirst(), 0...255 ~= index else { return nil }
      return .palette(UInt8(index))
    case 2:
      guard rest.count >= 3 else { return nil }
      let channels = rest.prefix(3)
      rest = rest.dropFirst(3)
      guard channels.allSatisfy({ 0...255 ~= $0 }) else { return nil }
      return CellColour(rgb: channels.reduce(0) { $0 << 8 | UInt32($1) })
    default: return nil
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let width = DisplayText.width(of: String(scalar))
    guard let x = column, x + width <= columns else {
      return problems.append("wrote at the edge of row \(row)")
    }
    for place in x..<x + width { clearHalves(around: place) }
    sgr.glyph = scalar
    cells[row][x] = sgr
    cells[row][x].isWideTail = false
    if width == 2 {
      cells[row][x + 1] = Cell(glyph: " ", isWideTail: true)
    }
    lastGlyph = scalar
    column = x + width < columns ? x + width : nil
  }

  /// Overwriting half of a wide glyph blanks its other half.
  private mutating func clearHalves(around place: Int) {
    if cells[row][place].isWideTail { cells[row][place - 1] = .blank }
    if place + 1 < columns, cells[row][place + 1].isWideTail { cells[row][place + 1] = .blank }
  }
}

/// What a viewer sees of a cell, worked out from its glyph by cases; an oracle for `CellAppearance`.
struct Appearance: Equatable {
  /// Of the upper half or the glyph, and of the lower half or the ground; the terminal's own two
  /// colours are numbers that no other colour has.
  var colours: [UInt32]
  var glyph: Unicode.Scalar?
  var style: CellStyle = []
  var isWideTail = false

  static let defaultForeground: UInt32 = 0x7000_0000
  static let defaultBackground: UInt32 = 0x7000_0001

  init(_ cell: Cell) {
    let front =
      cell.foreground == .terminalDefault ? Self.defaultForeground : cell.foreground.raw
    let back =
      cell.background == .terminalDefault ? Self.defaultBackground : cell.background.raw
    colours = [front, back]
    isWideTail = cell.isWideTail
    if isWideTail {
      colours = []
      return
    }
    switch cell.style.isEmpty ? cell.glyph : "?" {
    case " ": colours = [back, back]
    case "▀": break
    case "▄": colours = [back, front]
    case "█": colours = [front, front]
    default:
      glyph = cell.glyph
      style = cell.style
    }
  }
}

/// The largest difference of a channel between what two cells show; 256 where they differ otherwise.
func difference(_ one: Cell, _ other: Cell) -> Int {
  if one == other { return 0 }
  let first = Appearance(one)
  let second = Appearance(other)
  guard first.glyph == second.glyph, first.style == second.style,
    first.isWideTail == second.isWideTail
  else { return 256 }
  var largest = 0
  for (a, b) in zip(first.colours, second.colours) where a != b {
    guard a < 0x100_0000, b < 0x100_0000 else { return 256 }
    for shift in [0, 8, 16] as [UInt32] {
      largest = max(largest, abs(Int(a >> shift & 0xFF) - Int(b >> shift & 0xFF)))
    }
  }
  return largest
}

/// The largest difference over two grids of one size.
func difference(_ one: CellGrid, _ other: CellGrid) -> Int {
  var largest = 0
  for row in 0..<one.rows {
    for column in 0..<one.columns {
      largest = max(largest, difference(one[row, column], other[row, column]))
    }
  }
  return largest
}

/// Numbers that are the same in every run (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
