import Terminal
import Testing

@Suite struct ScreenLayoutTests {
  struct Case: Sendable {
    let columns: Int
    let rows: Int
    var hidden = false
    let title: Int?
    let caption: Int?
    let top: Int
    let pictureRows: Int
    let text: Range<Int>
  }

  private static let cases = [
    Case(columns: 80, rows: 24, title: 1, caption: 23, top: 2, pictureRows: 21, text: 1..<79),
    Case(
      columns: 80, rows: 24, hidden: true, title: nil, caption: nil, top: 1, pictureRows: 23,
      text: 1..<79),
    Case(columns: 40, rows: 12, title: nil, caption: 11, top: 1, pictureRows: 10, text: 1..<39),
    Case(
      columns: 40, rows: 12, hidden: true, title: nil, caption: nil, top: 1, pictureRows: 11,
      text: 1..<39),
    Case(columns: 80, rows: 15, title: nil, caption: 14, top: 1, pictureRows: 13, text: 1..<79),
    Case(columns: 40, rows: 16, title: 1, caption: 15, top: 2, pictureRows: 13, text: 1..<39),
    Case(columns: 102, rows: 30, title: 1, caption: 29, top: 2, pictureRows: 27, text: 1..<101),
    Case(columns: 300, rows: 90, title: 1, caption: 89, top: 2, pictureRows: 87, text: 100..<200),
  ]

  @Test(arguments: cases)
  func layout_usableSize_dividesAllRows(expected: Case) {
    let layout = ScreenLayout.layout(
      columns: expected.columns, rows: expected.rows, hidden: expected.hidden)
    #expect(layout.barRow == 0)
    #expect(layout.titleRow == expected.title)
    #expect(layout.captionRow == expected.caption)
    #expect(layout.picture.top == expected.top)
    #expect(layout.picture.rows == expected.pictureRows)
    #expect(layout.textColumns == expected.text)
    #expect(!layout.isTooSmall)
    let chrome = 1 + (expected.title == nil ? 0 : 1) + (expected.caption == nil ? 0 : 1)
    #expect(chrome + layout.picture.rows == expected.rows)
  }

  @Test(arguments: [(39, 12), (40, 11), (32, 10), (1, 1), (0, 0), (300, 3), (-5, 4)])
  func layout_belowTheLeast_hasNoPicture(columns: Int, rows: Int) {
    let layout = ScreenLayout.layout(columns: columns, rows: rows)
    #expect(layout.isTooSmall)
    #expect(layout.picture.rows == 0)
    #expect(layout.titleRow == nil)
    #expect(layout.captionRow == nil)
  }
}
