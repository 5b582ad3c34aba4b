/// Where a card's heading and rows go.
struct CardLayout: Equatable {
  /// The free space in a layout.
  struct Spacing: Equatable {
    var verticalPadding: Int
    /// A free row between the heading and the rows.
    var freeRow: Int

    static let all = [
      Spacing(verticalPadding: 1, freeRow: 1), Spacing(verticalPadding: 0, freeRow: 1),
      Spacing(verticalPadding: 0, freeRow: 0),
    ]
  }

  /// The sizes of the content.
  struct Sizes {
    /// The widths of the heading's lines.
    var heading: [Int]
    var rowCount: Int
    /// The width of the widest row.
    var rowWidth: Int
    /// The least width that rows may be cut to; below it fewer blocks stand side by side.
    var narrowestRow: Int
    /// The space between blocks.
    var gap: Int
  }

  private static let mostBlocks = 4

  /// The size of the whole card, with its padding.
  private(set) var width = 0
  private(set) var height = 0
  let horizontalPadding: Int
  private(set) var spacing = Spacing(verticalPadding: 0, freeRow: 0)
  private(set) var blockWidth = 0
  private(set) var rowsPerBlock = 0
  /// The number of rows that are shown; if it is less than the number of rows, the last place shows how
  /// many are missing.
  private(set) var shownRows = 0
  /// Whether all rows are shown and none is cut.
  private(set) var isWhole = true
  private var blocks = 1
  private let gap: Int

  init(columns: Int, rows: Int, content: Sizes) {
    horizontalPadding = columns >= 60 ? 2 : 1
    gap = content.gap
    let roomWide = max(0, columns - 2 * horizontalPadding)
    if content.rowCount > 0, !fit(content, roomWide: roomWide, rows: rows) {
      isWhole = false
      squeeze(content, roomWide: roomWide, roomHigh: max(0, rows - content.heading.count))
    }
    let rowsWide = content.rowCount > 0 ? blocks * blockWidth + (blocks - 1) * gap : 0
    let widest = max(content.heading.max() ?? 0, rowsWide)
    width = min(columns, widest + 2 * horizontalPadding)
    if content.rowCount == 0, rows >= content.heading.count + 4 { spacing.verticalPadding = 1 }
    height = min(
      rows,
      content.heading.count + spacing.freeRow + rowsPerBlock + 2 * spacing.verticalPadding)
  }

  /// Chooses the most generous layout that shows all rows uncut; false if there is none.
  private mutating func fit(_ content: Sizes, roomWide: Int, rows: Int) -> Bool {
    for candidate in Spacing.all {
      // A card that fills the height is not padded.
      let spare = candidate.verticalPadding * 4 + (content.heading.isEmpty ? 0 : candidate.freeRow)
      let roomHigh = rows - spare - content.heading.count
      for count in 1...Self.mostBlocks {
        let perBlock = (content.rowCount + count - 1) / count
        let wide = count * content.rowWidth + (count - 1) * gap
        guard perBlock <= roomHigh, wide <= roomWide else { continue }
        spacing = candidate
        if content.heading.isEmpty { spacing.freeRow = 0 }
        blocks = count
        blockWidth = content.rowWidth
        rowsPerBlock = perBlock
        shownRows = content.rowCount
        return true
      }
    }
    return false
  }

  /// Cuts rows, and leaves out those that still do not fit.
  private mutating func squeeze(_ content: Sizes, roomWide: Int, roomHigh: Int) {
    guard roomHigh > 0 else { return }
    let fitting = max(1, (roomWide + gap) / (content.narrowestRow + gap))
    blocks = min(fitting, (content.rowCount + roomHigh - 1) / roomHigh)
    blockWidth = min(content.rowWidth, max(0, roomWide - (blocks - 1) * gap) / blocks)
    rowsPerBlock = min(roomHigh, (content.rowCount + blocks - 1) / blocks)
    let places = blocks * rowsPerBlock
    shownRows = content.rowCount <= places ? content.rowCount : places - 1
  }

  /// The place of a row, from the first row's and the card's own left edge.
  func place(of row: Int) -> (row: Int, column: Int) {
    (row % rowsPerBlock, horizontalPadding + row / rowsPerBlock * (blockWidth + gap))
  }
}
