/// One reaction in the strip to choose from.
public struct StripItem: Equatable, Sendable {
  /// The digit that sends it; empty if none does.
  public var key: String
  /// The title, which comes from a stranger.
  public var title: String
  public var isChosen: Bool
  /// Its present frame, of `Compositor.previewColumns` and `previewRows`; nil until known.
  public var preview: CellGrid?

  public init(key: String, title: String, isChosen: Bool, preview: CellGrid? = nil) {
    self.key = key
    self.title = title
    self.isChosen = isChosen
    self.preview = preview
  }
}

extension Compositor {
  public static let previewColumns = 10
  public static let previewRows = 4
  /// The width of one reaction in columns.
  private static let itemWidth = 12
  /// With fewer rows only names are shown.
  private static let leastRowsForPreviews = 9

  /// How many reactions fit side by side.
  public static func stripRoom(columns: Int) -> Int { max(1, columns / itemWidth) }

  /// The number of rows that the strip takes.
  public static func stripHeight(rows: Int) -> Int {
    rows >= leastRowsForPreviews ? previewRows + 1 : 1
  }

  /// Draws reactions side by side over the lower part of the picture, or `note` if there are none.
  public func strip(_ items: [StripItem], note: String, onto grid: inout CellGrid) {
    let height = items.isEmpty ? 1 : Self.stripHeight(rows: grid.rows)
    guard grid.rows >= height, grid.columns > 2 else { return }
    let top = grid.rows - height
    panel(top: top, left: 0, width: grid.columns, height: height, onto: &grid)
    if items.isEmpty {
      write(StyledText(note), row: top, column: 1, width: grid.columns - 2, onto: &grid)
    }
    let room = Self.stripRoom(columns: grid.columns)
    let left = (grid.columns - min(room, items.count) * Self.itemWidth) / 2
    for (place, item) in items.prefix(room).enumerated() {
      let column = max(0, left) + place * Self.itemWidth
      draw(item, row: grid.rows - 1, column: column, onto: &grid)
      if height > 1, let preview = item.preview {
        copy(preview, top: top, left: column + 1, onto: &grid)
      }
    }
  }

  private func draw(_ item: StripItem, row: Int, column: Int, onto grid: inout CellGrid) {
    let mark = item.isChosen ? (unicode ? "▸" : ">") : " "
    write(StyledText(mark, .accent), row: row, column: column, width: 1, onto: &grid)
    write(StyledText(item.key, .accent), row: row, column: column + 1, width: 1, onto: &grid)
    write(
      StyledText(item.title, item.isChosen ? .strong : .plain), row: row, column: column + 3,
      width: Self.itemWidth - 4, onto: &grid)
  }

  private func copy(_ cells: CellGrid, top: Int, left: Int, onto grid: inout CellGrid) {
    for row in 0..<min(cells.rows, grid.rows - top) {
      for column in 0..<min(cells.columns, grid.columns - left) {
        grid[top + row, left + column] = cells[row, column]
      }
    }
  }

  /// Draws one line in the middle, a row above the lowest `taken` rows.
  public func banner(_ text: String, above taken: Int, onto grid: inout CellGrid) {
    let width = min(grid.columns, Self.widestText, textWidth(text) + 2)
    let row = max(0, grid.rows - 2 - taken)
    guard width > 2, row < grid.rows else { return }
    let left = (grid.columns - width) / 2
    panel(top: row, left: left, width: width, height: 1, onto: &grid)
    write(StyledText(text, .strong), row: row, column: left + 1, width: width - 2, onto: &grid)
  }
}
