import Terminal
import Testing

@Suite struct ChromeTests {
  /// The rows as text, each with its number; columns as drawn.
  private static func text(
    _ chrome: Chrome, columns: Int, rows: Int, unicode: Bool = true
  ) -> [String] {
    let layout = ScreenLayout.layout(columns: columns, rows: rows, hidden: chrome.hidden)
    return chrome.rows(layout, unicode: unicode, drawsLines: unicode).map { row in
      var line = ""
      for run in row.runs {
        line += String(repeating: " ", count: run.column - line.count) + run.text
      }
      return "\(row.row):\(line)"
    }
  }

  private static let story = Chrome(
    segments: Segments(count: 3, current: 1, fill: 0.5), titleLeft: "anna  2 h ago",
    titleRight: "paused", caption: "Low tide at the old pier, and nobody there but gulls")

  private static let bar40 = "0: ━━━━━━━━━━━━ ━━━━━━────── ────────────"

  @Test func rows_at40x16_showAll() {
    #expect(
      Self.text(Self.story, columns: 40, rows: 16) == [
        Self.bar40,
        "1: anna  2 h ago                   paused",
        "15: Low tide at the old pier, and…  ? help",
      ])
  }

  @Test func rows_at40x12_mergeTitleAndCaption() {
    #expect(
      Self.text(Self.story, columns: 40, rows: 12) == [
        Self.bar40, "11: anna  2 h ago  Low tide at th…  paused",
      ])
    var quiet = Self.story
    quiet.titleRight = ""
    #expect(
      Self.text(quiet, columns: 40, rows: 12)[1] == "11: anna  2 h ago  Low tide at th…  ? help")
  }

  @Test func rows_error_takesTheCaptionsRow() {
    var chrome = Self.story
    chrome.error = "cannot play beach.mp4: the file is cut off after 1.2 s"
    #expect(
      Self.text(chrome, columns: 80, rows: 24)[2]
        == "23: cannot play beach.mp4: the file is cut off after 1.2 s")
    #expect(
      Self.text(chrome, columns: 40, rows: 12)[1] == "11: cannot play beach.mp4: the file is cu…")
  }

  @Test func rows_hidden_leaveTheBar() {
    var chrome = Self.story
    chrome.hidden = true
    #expect(Self.text(chrome, columns: 40, rows: 16) == [Self.bar40])
  }

  @Test(arguments: [
    (32, 10, ["5:     needs 40x12, has 32x10"]),
    (20, 5, ["2:    needs 40x12", "3:      has 20x5"]),
    (10, 2, ["0:min 40x12", "1: has 10x2"]),
    (20, 1, ["0:    needs 40x12"]),
    (9, 1, ["0:min 40x12"]),
    (8, 2, ["1: 40x12"]),
    (1, 1, ["0:…"]),
  ])
  func rows_tooSmall_sayTheSizes(columns: Int, rows: Int, expected: [String]) {
    #expect(Self.text(Self.story, columns: columns, rows: rows) == expected)
  }

  @Test func rows_at300_keepTextTo100Columns() {
    let rows = Self.text(Self.story, columns: 300, rows: 90)
    let margin = String(repeating: " ", count: 100)
    #expect(rows[1] == "1:\(margin)anna  2 h ago" + String(repeating: " ", count: 81) + "paused")
  }

  @Test func rows_withoutUnicode_areASCII() {
    var chrome = Self.story
    chrome.titleLeft = "René"
    let rows = Self.text(chrome, columns: 40, rows: 16, unicode: false)
    #expect(
      rows == [
        "0: ============ =====>------ ------------",
        "1: Ren?                            paused",
        "15: Low tide at the old pier, a...  ? help",
      ])
  }

  @Test func rows_hostileText_isHarmless() {
    var chrome = Self.story
    chrome.titleLeft = "a\u{1B}[2Jb\u{202E}c\u{9B}d\r\ne\u{200D}"
    chrome.caption = "\u{1B}]0;owned\u{07}"
    chrome.error = nil
    let rows = Self.text(chrome, columns: 80, rows: 24)
    #expect(rows.contains { $0.contains("a") } && rows.contains { $0.contains("owned") })
    for row in rows {
      #expect(row.unicodeScalars.allSatisfy { !$0.properties.isBidiControl && $0.value >= 0x20 })
      #expect(row.unicodeScalars.allSatisfy { !(0x7F...0x9F).contains($0.value) })
    }
  }

  @Test func rows_longRightText_leavesRoomForTheLeft() {
    var chrome = Self.story
    chrome.titleRight = String(repeating: "x", count: 200)
    #expect(
      Self.text(chrome, columns: 40, rows: 16)[1]
        == "1: anna  2 h ago      " + String(repeating: "x", count: 18) + "…")
  }

  @Test func rows_wideCharacters_areMeasured() {
    var chrome = Self.story
    chrome.titleLeft = String(repeating: "漢", count: 40)
    let layout = ScreenLayout.layout(columns: 40, rows: 16)
    let runs = chrome.rows(layout, unicode: true, drawsLines: true)[1].runs
    // 38 columns less "paused" and the distance: 14 wide ones and the ellipsis.
    #expect(runs.map(\.text) == [String(repeating: "漢", count: 14) + "…", "paused"])
    #expect(runs.map(\.column) == [1, 33])
  }

  @Test func rows_dimmed_standBack() {
    var chrome = Self.story
    chrome.dimmed = true
    let layout = ScreenLayout.layout(columns: 80, rows: 24)
    let rows = chrome.rows(layout, unicode: true, drawsLines: true)
    #expect(rows[1].runs.map(\.tone) == [.quiet, .quiet])
    #expect(rows[2].runs.map(\.tone) == [.plain, .quiet])
    chrome.error = "gone"
    #expect(chrome.rows(layout, unicode: true, drawsLines: true)[2].runs.map(\.tone) == [.alarm])
  }
}
