/// Where the heading and rows of a card go: a box over the picture, such as the help.
struct CardLayout: Equatable {
  /// The free space in a layout.
  struct Spacing: Equatable {
    /// Free rows above and below what the card holds.
    var verticalPadding: Int
    /// Free rows between the heading and the rows.
    var headingGap: Int

    static let tight = Spacing(verticalPadding: 0, headingGap: 0)
    static let fromRoomiest = [
      Spacing(verticalPadding: 1, headingGap: 1), Spacing(verticalPadding: 0, headingGap: 1), tight,
    ]

    var paddingRows: Int { 2 * verticalPadding }
    /// A padded card leaves as many rows free above and below itself.
    var marginRows: Int { 2 * verticalPadding }
  }

  /// The sizes of the content.
  struct Sizes {
    /// The widths of the heading's lines.
    var heading: [Int]
    var rowCount: Int
    /// The width of the widest row.
    var rowWidth: Int
    /// Rows are not cut narrower than this: fewer stand side by side instead.
    var narrowestRow: Int
    /// The space between blocks.
    var gap: Int
  }

  /// The most blocks of rows that are not cut.
  private static let mostBlocks = 4

  /// The size of the whole card, with its padding.
  private(set) var width = 0
  private(set) var height = 0
  let horizontalPadding: Int
  private(set) var spacing = Spacing.tight
  private(set) var blockWidth = 0
  private(set) var rowsPerBlock = 0
  /// How many rows are shown. If not all fit, one row less, for "n more".
  private(set) var shownRows = 0
  /// Whether all rows are shown and none is cut.
  private(set) var isWhole = true
  /// Columns of rows that stand side by side.
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
    if content.rowCount == 0 {
      let padded = Spacing(verticalPadding: 1, headingGap: 0)
      if rows >= content.heading.count + padded.paddingRows + padded.marginRows { spacing = padded }
    }
    height = min(
      rows, content.heading.count + spacing.headingGap + rowsPerBlock + spacing.paddingRows)
  }

  /// Chooses the most generous layout that shows all rows uncut; false if there is none.
  private mutating func fit(_ content: Sizes, roomWide: Int, rows: Int) -> Bool {
    for var candidate in Spacing.fromRoomiest {
      if content.heading.isEmpty { candidate.headingGap = 0 }
      let free = candidate.paddingRows + candidate.marginRows + candidate.headingGap
      let roomHigh = rows - free - content.heading.count
      for count in 1...Self.mostBlocks {
        let perBlock = (content.rowCount + count - 1) / count
        let wide = count * content.rowWidth + (count - 1) * gap
        guard perBlock <= roomHigh, wide <= roomWide else { continue }
        spacing = candidate
        blocks = count
        blockWidth = content.rowWidth
        rowsPerBlock = perBlock
        shownRows = content.rowCount
        return true
      }
    }
    return false
  }

  /// Cuts rows, and leaves out what then still does not fit. The spacing is tight.
  private mutating func squeeze(_ content: Sizes, roomWide: Int, roomHigh: Int) {
    guard roomHigh > 0 else { return }
    let fitting = max(1, (roomWide + gap) / (content.narrowestRow + gap))
    blocks = min(fitting, (content.rowCount + roomHigh - 1) / roomHigh)
    blockWidth = min(content.rowWidth, max(0, roomWide - (blocks - 1) * gap) / blocks)
    rowsPerBlock = min(roomHigh, (content.rowCount + blocks - 1) / blocks)
    let places = blocks * rowsPerBlock
    shownRows = content.rowCount <= places ? content.rowCount : places - 1
  }

  /// The place of a row: down from the first row, and right from the card's left edge. Only for
  /// layouts that show rows.
  func place(of row: Int) -> (row: Int, column: Int) {
    (row % rowsPerBlock, horizontalPadding + row / rowsPerBlock * (blockWidth + gap))
  }
}
