/// Draws texts over picture cells: help, info, waits, captions, the end.
///
/// Every function changes the grid that a picture was just rendered into and keeps no state. Texts are
/// made harmless and cut to fit, so they may come from strangers. If an area is too small, the
/// beginning is shown.
public struct Compositor: Sendable {
  public enum Corner: Sendable {
    case topLeft
    case topRight
  }

  /// Texts are not stretched beyond this on wide screens.
  static let widestText = 100
  /// The columns for a value in the info panel, whatever it is.
  private static let valueWidth = 24

  let depth: ColourDepth
  let unicode: Bool

  /// - Parameter unicode: false where only ASCII can be shown.
  public init(depth: ColourDepth, unicode: Bool) {
    self.depth = depth
    self.unicode = unicode
  }

  /// Darkens the whole picture, as while waiting.
  public func dim(_ grid: inout CellGrid) {
    Scrim(depth: depth, strength: .dim)
      .darken(&grid, rows: 0..<grid.rows, columns: 0..<grid.columns)
  }

  /// A centred card of keys and what they do, the picture dark around it.
  ///
  /// Rows that do not fit below each other are shown side by side, if necessary with fewer keys,
  /// shorter actions and without the title; the last place counts rows that still do not fit.
  ///
  /// - Parameter skipped: rows that are left out at the beginning, as far as others come into sight.
  public func card(
    title: String, rows: [CardRow], skipping skipped: Int = 0, onto grid: inout CellGrid
  ) {
    dim(&grid)
    card(title: title, rows: rows, columns: grid.columns, rowsHigh: grid.rows)
      .draw(with: self, skipping: skipped, onto: &grid)
  }

  /// The most rows that it makes sense to skip in a card over so many cells; 0 where all rows fit.
  public func mostSkipped(title: String, rows: [CardRow], columns: Int, rowsHigh: Int) -> Int {
    card(title: title, rows: rows, columns: columns, rowsHigh: rowsHigh).mostSkipped
  }

  private func card(title: String, rows: [CardRow], columns: Int, rowsHigh: Int) -> Card {
    Card(
      heading: title.isEmpty ? [] : [StyledText(title, .strong)], dropsHeading: true, rows: rows,
      columns: columns, rowsHigh: rowsHigh, self)
  }

  /// The card after the last story, with the keys that lead on.
  public func endCard(lines: [String], keys: [CardRow], onto grid: inout CellGrid) {
    dim(&grid)
    let heading = lines.enumerated().map { StyledText($1, $0 == 0 ? .strong : .plain) }
    Card(
      heading: heading, rows: keys, columns: grid.columns, rowsHigh: grid.rows, self
    ).draw(with: self, onto: &grid)
  }

  /// Names and values in a corner; the width does not depend on the values. Those that are too long go
  /// on below.
  public func infoPanel(
    _ rows: [(name: String, value: String)], corner: Corner = .topRight, onto grid: inout CellGrid
  ) {
    let nameWidth = rows.map { textWidth($0.name) }.max() ?? 0
    let width = min(grid.columns, nameWidth + Self.valueWidth + 4)
    let rows = rows.flatMap { row in
      let value = DisplayText.safe(row.value, unicode: unicode)
      let lines = DisplayText.wrap(
        value, to: width - nameWidth - 4, limit: grid.rows, unicode: unicode)
      return (lines.isEmpty ? [""] : lines).enumerated().map { index, line in
        (name: index == 0 ? row.name : "", value: line)
      }
    }
    let height = min(grid.rows, rows.count)
    let left = corner == .topLeft ? 0 : grid.columns - width
    guard width > 2, height > 0 else { return }
    panel(top: 0, left: left, width: width, height: height, onto: &grid)
    for (row, line) in rows.prefix(height).enumerated() {
      write(
        StyledText(line.name, .quiet), row: row, column: left + 1, width: width - 2, onto: &grid)
      let column = nameWidth + 3
      write(
        StyledText(line.value), row: row, column: left + column, width: width - column - 1,
        onto: &grid)
    }
  }

  /// Dims the picture and shows a spinner with what is being waited for.
  ///
  /// - Parameter phase: counts up while waiting; eight make a round.
  public func spinner(phase: Int, text: String, onto grid: inout CellGrid) {
    dim(&grid)
    let signs = Array(unicode ? "▏▎▍▌▋▊▉█" : "|/-\\|/-\\")
    let sign = signs[(phase % signs.count + signs.count) % signs.count]
    let width = min(grid.columns, Self.widestText, textWidth(text) + 4)
    let left = (grid.columns - width) / 2
    let row = grid.rows / 2
    guard width > 2, row < grid.rows else { return }
    panel(top: row, left: left, width: width, height: 1, onto: &grid)
    write(StyledText(String(sign), .accent), row: row, column: left + 1, width: 1, onto: &grid)
    write(StyledText(text), row: row, column: left + 3, width: width - 4, onto: &grid)
  }

  /// The whole caption over the lower part of the picture, at most half of it.
  public func caption(_ text: String, onto grid: inout CellGrid) {
    let width = min(grid.columns, Self.widestText)
    let lines = DisplayText.wrap(
      DisplayText.safe(text, unicode: unicode), to: width - 2, limit: max(1, grid.rows / 2),
      unicode: unicode)
    let height = min(lines.count, grid.rows)
    guard height > 0 else { return }
    let top = grid.rows - height
    panel(top: top, left: 0, width: grid.columns, height: height, onto: &grid)
    for (offset, line) in lines.prefix(height).enumerated() {
      write(
        StyledText(line), row: top + offset, column: (grid.columns - width) / 2 + 1,
        width: width - 2, onto: &grid)
    }
  }

  /// Darkens a rectangle inside the grid for text.
  func panel(top: Int, left: Int, width: Int, height: Int, onto grid: inout CellGrid) {
    Scrim(depth: depth, strength: .panel)
      .darken(&grid, rows: top..<top + height, columns: left..<left + width)
  }

  /// The width in columns of a text once it is harmless.
  func textWidth(_ text: String) -> Int {
    DisplayText.width(of: DisplayText.safe(text, unicode: unicode))
  }
}
