import Support
import Testing

@Suite struct TerminalScreenTests {
  private func screen(_ text: String, columns: Int = 8, rows: Int = 3) -> TerminalScreen {
    var screen = TerminalScreen(columns: columns, rows: rows)
    screen.feed(text)
    return screen
  }

  /// Text that is fed, and the resulting rows (joined by newlines, without trailing blanks).
  @Test(arguments: [
    ("abc", "abc\n\n"),
    ("abcdefghij", "abcdefgh\nij\n"),
    ("\u{1B}[?7labcdefghij", "abcdefgj\n\n"),
    ("1\r\n2\r\n3\r\n4", "2\n3\n4"),
    ("a\tb", "a      b\n\n"),
    ("abc\u{8}\u{8}x", "axc\n\n"),
    ("\u{1B}[2;3Hx", "\n  x\n"),
    ("\u{1B}[2;3Hx\u{1B}[Ay\u{1B}[2Dz", "  zy\n  x\n"),
    ("\u{1B}[99;99Hx", "\n\n       x"),
    ("\u{1B}[3d\u{1B}[5Gx", "\n\n    x"),
    ("\u{1B}[2Bx\u{1B}[2Cy", "\n\nx  y"),
    ("abcdef\u{1B}[1;3H\u{1B}[K", "ab\n\n"),
    ("abcdef\u{1B}[1;3H\u{1B}[1K", "   def\n\n"),
    ("abcdef\u{1B}[1;3H\u{1B}[2X", "ab  ef\n\n"),
    ("abcdef\u{1B}[1;3H\u{1B}[2P", "abef\n\n"),
    ("abcdef\u{1B}[1;3H\u{1B}[2@", "ab  cdef\n\n"),
    ("abcdef\u{1B}[1;3H\u{1B}[4hXY\u{1B}[4l", "abXYcdef\n\n"),
    ("ab\u{1B}[3b", "abbbb\n\n"),
    ("1\r\n2\r\n3\u{1B}[1;1H\u{1B}[M", "2\n3\n"),
    ("1\r\n2\r\n3\u{1B}[1;1H\u{1B}[L", "\n1\n2"),
    ("1\r\n2\r\n3\u{1B}[S", "2\n3\n"),
    ("1\r\n2\r\n3\u{1B}[T", "\n1\n2"),
    ("1\r\n2\r\n3\u{1B}[2;3r\u{1B}[3;1H\n4", "1\n3\n4"),
    ("1\r\n2\r\n3\u{1B}[1;1H\u{1B}M0", "0\n1\n2"),
    ("a\u{1B}7\u{1B}[3;3Hb\u{1B}8c", "ac\n\n  b"),
    ("abc\r\ndef\u{1B}[1;2H\u{1B}[J", "a\n\n"),
    ("abc\r\ndef\u{1B}[2;2H\u{1B}[1J", "\n  f\n"),
    ("abc\u{1B}[2J", "\n\n"),
    ("\u{1B}(0lqk\u{1B}(Bq", "┌─┐q\n\n"),
    ("\u{1B})0\u{E}x\u{F}x", "│x\n\n"),
    ("日本", "日本\n\n"),
    ("abcdefg日", "abcdefg\n日\n"),
    ("日\u{1B}[1;2Hx", " x\n\n"),
    ("e\u{301}x", "e\u{301}x\n\n"),
  ])
  func feed_text_leavesRows(fed: String, expected: String) {
    let screen = screen(fed)
    #expect(screen.text == expected)
    #expect(screen.unknown == [])
  }

  @Test(arguments: [
    ("abcdefgh", 7, 0), ("abcdefghi", 1, 1), ("日本", 4, 0), ("\u{1B}[5;20H", 7, 2), ("ab\r", 0, 0),
    ("ab\u{1B}[s\u{1B}[H\u{1B}[u", 2, 0), ("ab\n", 2, 1), ("ab\u{1B}E", 0, 1),
    ("\u{1B}[3;3H\u{1B}[2F", 0, 0), ("\u{1B}[2E", 0, 2), ("\u{1B}[2;5H\u{1B}[H", 0, 0),
  ])
  func feed_movements_putTheCursor(fed: String, column: Int, row: Int) {
    let screen = screen(fed)
    #expect(screen.cursor == (column, row))
  }

  @Test(arguments: [
    ("31", ScreenColor.palette(1), ScreenColor.standard),
    ("97;104", .palette(15), .palette(12)),
    ("38;5;200;48;5;17", .palette(200), .palette(17)),
    ("38;2;1;2;3;48;2;4;5;6", .rgb(1, 2, 3), .rgb(4, 5, 6)),
    ("38:2::1:2:3;48:2:4:5:6", .rgb(1, 2, 3), .rgb(4, 5, 6)),
    ("38:5:9;49", .palette(9), .standard),
    ("31;41;39", .standard, .palette(1)),
    ("31;41;0", .standard, .standard),
    ("31;", .standard, .standard),
  ])
  func feed_graphicRendition_setsColors(
    parameters: String, foreground: ScreenColor, background: ScreenColor
  ) {
    let screen = screen("\u{1B}[\(parameters)mx")
    #expect(screen[0, 0].pen.foreground == foreground)
    #expect(screen[0, 0].pen.background == background)
    #expect(screen.unknown == [])
  }

  @Test func feed_attributes_areSetAndReset() {
    let screen = screen("\u{1B}[1;2;7ma\u{1B}[22mb\u{1B}[27;1mc\u{1B}[md")
    #expect((0..<4).map { screen[$0, 0].pen.bold } == [true, false, true, false])
    #expect((0..<4).map { screen[$0, 0].pen.dim } == [true, false, false, false])
    #expect((0..<4).map { screen[$0, 0].pen.reversed } == [true, true, false, false])
  }

  @Test func feed_erasing_leavesTheBackground() {
    let screen = screen("\u{1B}[44m\u{1B}[2J\u{1B}[41m\u{1B}[1;3H\u{1B}[2X")
    #expect(screen[0, 0].pen.background == .palette(4))
    #expect(screen[3, 0].pen.background == .palette(1))
    #expect(screen[4, 0].pen.background == .palette(4))
  }

  @Test func feed_alternateScreen_keepsTheNormalOne() {
    var screen = screen("abc\u{1B}[?1049h\u{1B}[H\u{1B}[31mxyz")
    #expect(screen.alternateScreen)
    #expect(screen.text(row: 0) == "xyz")
    screen.feed("\u{1B}[?1049l!")
    #expect(!screen.alternateScreen)
    #expect(screen.text(row: 0) == "abc!")
    #expect(screen[3, 0].pen.foreground == .standard)
    #expect(screen.alternateEntries == 1)
  }

  @Test func feed_modes_areFollowed() {
    var screen = screen("\u{1B}[?25l\u{1B}[?1000;1002;1006h")
    #expect(!screen.cursorVisible)
    #expect(screen.modes == [7, 1000, 1002, 1006])
    screen.feed("\u{1B}[?25h\u{1B}[?1002l")
    #expect(screen.modes == [7, 25, 1000, 1006])
  }

  @Test func feed_synchronizedUpdates_areCountedWithTheirEnds() {
    let screen = screen("\u{1B}[?2026hab\u{1B}[?2026l\u{1B}[?2026l\u{1B}[?2026h\u{1B}[?2026l")
    #expect(screen.synchronizedFrames == 2)
    #expect(screen.synchronizedEnds == [18, 42])
    #expect(screen.byteCount == 42)
  }

  /// Sequences that a hostile text may contain, and how they are recorded; harmless ones are not.
  @Test(
    arguments: [
      ("\u{1B}]0;title\u{7}", ["title"], []),
      ("\u{1B}]2;title\u{1B}\\", ["title"], []),
      ("\u{1B}]52;c;AAAA\u{7}", [], ["OSC 52;c;AAAA"]),
      ("\u{1B}[5i", [], ["CSI 5i"]),
      ("\u{1B}[?9999h", [], ["CSI ?9999h"]),
      ("\u{1B}[12;999m", [], ["CSI 12;999m"]),
      ("\u{1B}P1q\u{1B}\\", [], ["ESC P of 2 bytes"]),
      ("\u{1B}_Gx\u{1B}\\", [], ["ESC _ of 2 bytes"]),
      ("\u{1B}#8", [], ["ESC #8"]),
      ("\u{5}", [], ["C0 control 5"]),
      ("\u{9B}31m", [], ["C1 control 9b"]),
      ("\u{1B}[22;0;0t\u{1B}[23;0;0t", [], []),
    ] as [(String, [String], [String])])
  func feed_dangerousSequences_areRecorded(fed: String, titles: [String], unknown: [String]) {
    let screen = screen(fed)
    #expect(screen.titles == titles)
    #expect(screen.unknown == unknown)
  }

  @Test(
    arguments: [
      ([0x61, 0xFF, 0x62], "a\u{FFFD}b", 1), ([0xE2, 0x96, 0x41], "\u{FFFD}A", 1),
      ([0xE2, 0x96, 0x80], "▀", 0), ([0xC0, 0x80], "\u{FFFD}\u{FFFD}", 2),
      ([0xED, 0xA0, 0x80, 0x78], "\u{FFFD}x", 1), ([0xE0, 0x80, 0x80], "\u{FFFD}", 1),
    ] as [([UInt8], String, Int)])
  func feed_brokenCharacters_areReplacedAndCounted(
    fed: [UInt8], expected: String, malformed: Int
  ) {
    var screen = TerminalScreen(columns: 8, rows: 1)
    screen.feed(fed)
    #expect(screen.text == expected)
    #expect(screen.malformedCharacters == malformed)
  }

  @Test func feed_anyCut_givesTheSameScreen() {
    let bytes = Array(
      "a\u{1B}[2;3H日▀\u{1B}[38;2;1;2;3mx\u{1B}]0;t\u{1B}\\\u{1B}7\u{1B}[?2026h\u{1B}[?2026l".utf8)
    var whole = TerminalScreen(columns: 8, rows: 3)
    whole.feed(bytes)
    for cut in 0...bytes.count {
      var parts = TerminalScreen(columns: 8, rows: 3)
      parts.feed(bytes[..<cut])
      parts.feed(bytes[cut...])
      #expect(parts.text == whole.text)
      #expect(parts.titles == ["t"])
      #expect(parts.synchronizedEnds == whole.synchronizedEnds)
      #expect(parts.pen == whole.pen)
    }
  }

  @Test func feed_randomBytes_neverTraps() {
    var random = SeededRandom(seed: 7)
    var screen = TerminalScreen(columns: 9, rows: 4)
    let alphabet = Array("\u{1B}[]?;:0123456789mHJKhlABCDLMPST@Xrq78()0\u{E}\u{F}\n\r\t\u{8}x".utf8)
    for _ in 0..<20_000 {
      let printed = alphabet.randomElement(using: &random) ?? 0
      screen.feed([
        Bool.random(using: &random) ? printed : UInt8.random(in: 0...255, using: &random)
      ])
      #expect(0..<9 ~= screen.cursor.column && 0..<4 ~= screen.cursor.row)
    }
  }

  @Test func resize_keepsTheTopLeft() {
    var screen = screen("abcdefgh12345678")
    screen.resize(columns: 4, rows: 2)
    #expect(screen.text == "abcd\n1234")
    screen.resize(columns: 6, rows: 3)
    #expect(screen.text == "abcd\n1234\n")
  }

  @Test(arguments: [
    ("▀", ScreenColor.palette(1), ScreenColor.palette(4)),
    ("▄", .palette(4), .palette(1)), ("█", .palette(1), .palette(1)),
    (" ", .palette(4), .palette(4)), ("\u{1B}[7m▀", .palette(4), .palette(1)),
  ])
  func halves_ofBlocks_areTheColorsSeen(glyph: String, upper: ScreenColor, lower: ScreenColor) {
    let halves = screen("\u{1B}[31;44m\(glyph)")[0, 0].halves
    #expect(halves?.upper == upper)
    #expect(halves?.lower == lower)
  }
}
