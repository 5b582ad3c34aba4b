/// A row of a card: keys and what they do.
public struct CardRow: Equatable, Sendable {
  public var keys: String
  public var meaning: String
  /// The meaning in fewer words, for narrow terminals.
  public var briefMeaning: String

  /// - Parameter briefMeaning: nil if the meaning is short enough.
  public init(keys: String, meaning: String, briefMeaning: String? = nil) {
    self.keys = keys
    self.meaning = meaning
    self.briefMeaning = briefMeaning ?? meaning
  }
}

/// A heading and rows of keys and what they do, laid out for a grid.
struct Card {
  private let heading: [StyledText]
  private let rows: [CardRow]
  private let layout: CardLayout
  private let keyWidth: Int
  private let keyGap: Int

  /// - Parameter dropsHeading: whether the heading is left out if not all rows fit below it.
  init(
    heading: [StyledText], dropsHeading: Bool = false, rows: [CardRow], columns: Int, rowsHigh: Int,
    _ style: Compositor
  ) {
    let roomy = Card(
      heading, rows, keyGap: 2, blockGap: 3, columns: columns, rowsHigh: rowsHigh, style)
    guard !roomy.layout.isWhole else {
      self = roomy
      return
    }
    // Only the first of several keys and the brief meanings, so that more rows fit side by side.
    let short = rows.map { row in
      CardRow(keys: String(row.keys.prefix { $0 != " " }), meaning: row.briefMeaning)
    }
    let headings = dropsHeading ? [heading, []] : [heading]
    let dense = headings.map {
      Card($0, short, keyGap: 1, blockGap: 2, columns: columns, rowsHigh: rowsHigh, style)
    }
    let most = (dense + [roomy]).map(\.layout.shownRows).max()
    self = (dense + [roomy]).first { $0.layout.shownRows == most } ?? roomy
  }

  private init(
    _ heading: [StyledText], _ rows: [CardRow], keyGap: Int, blockGap: Int, columns: Int,
    rowsHigh: Int, _ style: Compositor
  ) {
    self.heading = heading
    self.rows = rows
    self.keyGap = keyGap
    keyWidth = rows.map { style.textWidth($0.keys) }.max() ?? 0
    let meaningWidth = rows.map { style.textWidth($0.meaning) }.max() ?? 0
    layout = CardLayout(
      columns: columns, rows: rowsHigh,
      content: CardLayout.Sizes(
        heading: heading.map { style.textWidth($0.text) }, rowCount: rows.count,
        rowWidth: keyWidth + keyGap + meaningWidth, narrowestRow: keyWidth + keyGap + 10,
        gap: blockGap))
  }

  /// The most rows that can be left out at the beginning, so that the last ones are seen; 0 where all
  /// rows fit.
  var mostSkipped: Int {
    guard layout.shownRows < rows.count, layout.rowsPerBlock > 0 else { return 0 }
    // At the end no place is needed for "n more".
    return rows.count - layout.shownRows - 1
  }

  /// - Parameter skipped: rows that are left out at the beginning, at most `mostSkipped`.
  func draw(with style: Compositor, skipping skipped: Int = 0, onto grid: inout CellGrid) {
    let skipped = min(max(0, skipped), mostSkipped)
    let isAtEnd = skipped > 0 && skipped == mostSkipped
    let shown = rows.dropFirst(skipped).prefix(layout.shownRows + (isAtEnd ? 1 : 0))
    let top = (grid.rows - layout.height) / 2
    let left = (grid.columns - layout.width) / 2
    style.panel(
      top: top, left: left, width: layout.width, height: layout.height, onto: &grid)
    let firstRow = drawHeading(top: top, left: left, with: style, onto: &grid)
    for (index, entry) in shown.enumerated() {
      let place = layout.place(of: index)
      let row = firstRow + place.row
      let column = left + place.column
      style.write(
        StyledText(entry.keys, .accent), row: row, column: column,
        width: min(keyWidth, layout.blockWidth), onto: &grid)
      let start = keyWidth + keyGap
      style.write(
        StyledText(entry.meaning), row: row, column: column + start,
        width: layout.blockWidth - start, onto: &grid)
    }
    let missing = rows.count - skipped - shown.count
    guard missing > 0, layout.rowsPerBlock > 0 else { return }
    let place = layout.place(of: layout.shownRows)
    style.write(
      StyledText("\(style.unicode ? "…" : "...") \(missing) more", .quiet),
      row: firstRow + place.row, column: left + place.column, width: layout.blockWidth, onto: &grid)
  }

  /// - Returns: the row below it.
  private func drawHeading(
    top: Int, left: Int, with style: Compositor, onto grid: inout CellGrid
  ) -> Int {
    let inside = max(0, layout.width - 2 * layout.horizontalPadding)
    var row = top + layout.spacing.verticalPadding
    for line in heading where row < top + layout.height {
      let free = max(0, inside - style.textWidth(line.text))
      style.write(
        line, row: row, column: left + layout.horizontalPadding + free / 2, width: inside,
        onto: &grid)
      row += 1
    }
    return row + layout.spacing.headingGap
  }
}
