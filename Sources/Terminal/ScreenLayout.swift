/// The layout of the screen: rows and columns of its parts.
public struct ScreenLayout: Equatable, Sendable {
  /// The smallest terminal that stories are played in.
  public static let leastColumns = 40
  public static let leastRows = 12

  public let columns: Int
  public let rows: Int
  public let barRow: Int
  /// Nil if the title shares the caption's row, or both are hidden.
  public let titleRow: Int?
  /// Nil if it is hidden.
  public let captionRow: Int?
  /// The rows of the picture, over all columns; none if the terminal is too small.
  public let picture: (top: Int, rows: Int)
  /// The columns of the title and the caption: at most 100, centred as the picture is.
  public let textColumns: Range<Int>
  /// Whether only a sentence about the size can be shown.
  public let isTooSmall: Bool

  /// With fewer rows the title shares the caption's row.
  private static let leastRowsForTitle = 16
  private static let widestText = 100

  /// The layout of a terminal of this size.
  ///
  /// - Parameter hidden: whether the picture takes the rows of title and caption.
  public static func layout(columns: Int, rows: Int, hidden: Bool = false) -> ScreenLayout {
    ScreenLayout(columns: max(0, columns), rows: max(0, rows), hidden: hidden)
  }

  private init(columns: Int, rows: Int, hidden: Bool) {
    self.columns = columns
    self.rows = rows
    isTooSmall = columns < Self.leastColumns || rows < Self.leastRows
    barRow = 0
    let textWidth = min(Self.widestText, max(0, columns - 2))
    let textStart = (columns - textWidth) / 2
    textColumns = textStart..<textStart + textWidth
    guard !isTooSmall, !hidden else {
      titleRow = nil
      captionRow = nil
      picture = isTooSmall ? (0, 0) : (1, rows - 1)
      return
    }
    titleRow = rows < Self.leastRowsForTitle ? nil : 1
    captionRow = rows - 1
    picture = titleRow == nil ? (1, rows - 2) : (2, rows - 3)
  }

  public static func == (a: ScreenLayout, b: ScreenLayout) -> Bool {
    a.columns == b.columns && a.rows == b.rows && a.titleRow == b.titleRow
      && a.captionRow == b.captionRow
  }
}
