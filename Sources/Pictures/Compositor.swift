/// A key and what it does, for cards.
public struct CardRow: Equatable, Sendable {
  public var keys: String
  public var action: String

  public init(keys: String, action: String) {
    self.keys = keys
    self.action = action
  }
}

/// Draws texts over picture cells: help, info, waits, captions, the end.
///
/// Every function changes the grid that a picture was just rendered into and keeps nothing. Texts
/// are made safe and cut to what fits, so strangers' words may be passed as they are. An area too
/// small for anything is left as it is.
public struct Compositor: Sendable {
  public enum Corner: Sendable {
    case topLeft
    case topRight
  }

  let depth: ColourDepth
  let unicode: Bool

  /// - Parameter unicode: false where only ASCII can be shown.
  public init(depth: ColourDepth, unicode: Bool) {
    self.depth = depth
    self.unicode = unicode
  }

  /// Darkens the whole picture, as while waiting.
  public func dim(_ grid: inout CellGrid) {
    Scrim(depth: depth, coversDefault: false)
      .darken(&grid, rows: 0..<grid.rows, columns: 0..<grid.columns)
  }

  /// A centred card of keys and what they do, the picture dark around it.
  public func card(title: String, rows: [CardRow], onto grid: inout CellGrid) {
    dim(&grid)
    let width = min(grid.columns, 60)
    var lines = [Line(title, ink: .strong)]
    lines += rows.map { Line("\($0.keys)  \($0.action)") }
    panel(lines, width: width, top: (grid.rows - lines.count) / 2, left: nil, onto: &grid)
  }

  /// Names and values in a corner; the width does not depend on the values.
  public func infoPanel(
    _ rows: [(name: String, value: String)], corner: Corner = .topRight, onto grid: inout CellGrid
  ) {
    let width = min(grid.columns, 40)
    let lines = rows.map { Line("\($0.name)  \($0.value)") }
    panel(
      lines, width: width, top: 0, left: corner == .topLeft ? 0 : grid.columns - width, onto: &grid)
  }

  /// The picture dimmed, with a turning sign and what is being waited for.
  ///
  /// - Parameter phase: counts up while waiting; eight make a turn.
  public func spinner(phase: Int, text: String, onto grid: inout CellGrid) {
    dim(&grid)
    let signs = Array(unicode ? "▏▎▍▌▋▊▉█" : "|/-\\|/-\\")
    let sign = signs[((phase % signs.count) + signs.count) % signs.count]
    panel(
      [Line("\(sign) \(text)")], width: min(grid.columns, 60), top: grid.rows / 2, left: nil,
      onto: &grid)
  }

  /// What is said after the last story, with the keys that lead on.
  public func endCard(lines: [String], keys: [CardRow], onto grid: inout CellGrid) {
    dim(&grid)
    var all = lines.map { Line($0, ink: .strong) }
    all += keys.map { Line("\($0.keys)  \($0.action)") }
    panel(
      all, width: min(grid.columns, 60), top: (grid.rows - all.count) / 2, left: nil, onto: &grid)
  }

  /// The whole caption over the lower part of the picture.
  public func caption(_ text: String, onto grid: inout CellGrid) {
    let width = min(grid.columns, 100)
    let lines = DisplayText.wrap(
      DisplayText.safe(text, unicode: unicode), to: width - 4, limit: max(1, grid.rows / 2),
      unicode: unicode)
    panel(
      lines.map { Line($0) }, width: width, top: grid.rows - lines.count, left: nil, onto: &grid)
  }

  /// One line of words about what went wrong, at the bottom.
  public func errorLine(_ text: String, onto grid: inout CellGrid) {
    panel(
      [Line(text, ink: .alarm)], width: grid.columns, top: grid.rows - 1, left: 0, onto: &grid)
  }

  /// Replaces everything by the size that is needed and the size there is.
  public func tooSmall(
    needs: (columns: Int, rows: Int), has: (columns: Int, rows: Int), onto grid: inout CellGrid
  ) {
    grid.fill(with: .blank)
    let text =
      "needs \(needs.columns)x\(needs.rows), has \(has.columns)x\(has.rows)"
    panel(
      [Line(text)], width: grid.columns, top: grid.rows / 2, left: 0, onto: &grid)
  }
}

extension Compositor {
  enum Ink {
    case plain
    case strong
    case alarm
  }

  struct Line {
    var text: String
    var ink: Ink

    init(_ text: String, ink: Ink = .plain) {
      self.text = text
      self.ink = ink
    }
  }

  /// - Parameter left: nil centres.
  func panel(
    _ lines: [Line], width: Int, top: Int, left: Int?, onto grid: inout CellGrid
  ) {
    let left = left ?? (grid.columns - width) / 2
    for (offset, line) in lines.enumerated() {
      let row = top + offset
      guard row >= 0, row < grid.rows, left >= 0, width > 0 else { continue }
      Scrim(depth: depth, coversDefault: true)
        .darken(&grid, rows: row..<row + 1, columns: left..<left + width)
      let text = DisplayText.cut(
        DisplayText.safe(line.text, unicode: unicode), to: width - 2, unicode: unicode)
      write(text, ink: line.ink, row: row, column: left + 1, onto: &grid)
    }
  }

  private func write(
    _ text: String, ink: Ink, row: Int, column: Int, onto grid: inout CellGrid
  ) {
    var column = column
    for character in text {
      let width = DisplayText.width(of: character)
      guard width > 0, let scalar = character.unicodeScalars.first else { continue }
      guard column + width <= grid.columns else { return }
      let ground = Scrim(depth: depth, coversDefault: true).ground(below: grid[row, column])
      grid[row, column] = Cell(
        glyph: scalar, foreground: .terminalDefault, background: ground,
        style: ink == .strong ? .bold : [])
      if width == 2 {
        grid[row, column + 1] = Cell(glyph: " ", background: ground, isWideTail: true)
      }
      column += width
    }
  }
}
