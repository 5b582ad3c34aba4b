import Glibc
import Pictures
import Support
import System
import Terminal
import Testing

extension TerminalSessionTests {
  @Test func draw_at80x24_looksAsDesigned() throws {
    let stage = try Stage()
    stage.session.draw(story)
    #expect(stage.terminal.waitUntil { $0.text(row: 23).hasSuffix("? help") })
    let screen = stage.terminal.screen
    #expect(
      screen.text(row: 0)
        == " ━━━━━━━━━━━━━━ ━━━━━━━━━━━━━━━ ━━━━━━╸──────── ─────────────── ───────────────")
    #expect(
      screen.text(row: 1) == " anna  2 h ago" + String(repeating: " ", count: 59) + "paused")
    #expect(
      screen.text(row: 23)
        == " Low tide at the old pier" + String(repeating: " ", count: 48) + "? help")
    for row in 2...22 { #expect(screen.text(row: row) == "") }
    #expect(screen[1, 0].pen.bold)
    #expect(screen[32, 0].pen.foreground == .palette(6))
    #expect(screen[40, 0].pen.dim)
    #expect(screen[73, 23].pen.dim)
    #expect(screen.unknown == [])
    #expect(screen.count { $0.pen.background != .standard } == 0)
  }

  @Test func draw_at40x12_mergesTheRows() throws {
    let stage = try Stage(columns: 40, rows: 12)
    stage.session.draw(story)
    #expect(
      stage.terminal.waitUntil {
        $0.text(row: 11) == " anna  2 h ago  Low tide at th…  paused"
      })
    #expect(stage.terminal.screen.text(row: 1) == "")
  }

  @Test func draw_at300x90_usesTheWholeWidthForTheBar() throws {
    let stage = try Stage(columns: 300, rows: 90)
    stage.session.draw(story)
    #expect(stage.terminal.waitUntil { $0.text(row: 89).hasSuffix("? help") })
    let screen = stage.terminal.screen
    #expect(screen.text(row: 0).count == 299)
    #expect(screen[100, 1].glyph == "a")
    #expect(screen[199, 89].glyph == "p")
  }

  @Test func draw_error_isRedAndInMonochromeBold() throws {
    var chrome = story
    chrome.error = "cannot play beach.mp4"
    for (colour, pen) in [(ColourDepth.sixteen, ScreenPen.red), (.never, ScreenPen.heavy)] {
      let stage = try Stage(colour: colour)
      stage.session.draw(chrome)
      #expect(stage.terminal.waitUntil { $0.text(row: 23) == " cannot play beach.mp4" })
      #expect(stage.terminal.screen[1, 23].pen == pen)
      #expect(
        colour != .never
          || stage.terminal.screen.count { $0.pen.foreground != .standard } == 0)
    }
  }

  @Test func draw_sameAgain_writesNothing() throws {
    let stage = try Stage()
    stage.session.draw(story)
    #expect(stage.terminal.waitUntil { $0.text(row: 23).hasSuffix("? help") })
    usleep(20_000)
    let before = stage.terminal.output.count
    stage.session.draw(story)
    usleep(20_000)
    #expect(stage.terminal.output.count == before)
  }

  @Test func draw_fillMovesOn_writesLittle() throws {
    let stage = try Stage()
    var chrome = story
    stage.session.draw(chrome)
    #expect(stage.terminal.waitUntil { $0.text(row: 23).hasSuffix("? help") })
    usleep(20_000)
    let before = stage.terminal.output.count
    chrome.segments.fill = 0.5
    stage.session.draw(chrome)
    #expect(stage.terminal.waitUntil { $0[38, 0].glyph == "━" })
    #expect(stage.terminal.output.count - before < 80)
  }

  /// ncurses must neither clear nor write the picture's rows, whatever the chrome does.
  @Test func draw_aroundAPicture_leavesItAlone() throws {
    let stage = try Stage()
    var chrome = story
    stage.session.draw(chrome)
    let picture = String(repeating: "#", count: 80)
    let rows = (3...23).map { "\u{1B}[\($0);1H\u{1B}[38;2;9;8;7m\(picture)" }.joined()
    try stage.paint("\u{1B}7\u{1B}[?2026h\(rows)\u{1B}[m\u{1B}[?2026l\u{1B}8")
    #expect(stage.terminal.waitUntil { $0.text(row: 22) == picture })
    let changes: [(inout Chrome) -> Void] = [
      {
        $0.titleLeft = ""; $0.titleRight = ""; $0.caption = ""; $0.captionRight = ""
      },
      { $0.segments = Segments(count: 0, current: 0) },
      { $0.segments = Segments(count: 9, current: 8, fill: 1) },
      {
        $0.titleLeft = "漢字 and more"; $0.caption = String(repeating: "x", count: 200)
      },
      { $0.error = "cannot play" },
      {
        $0.error = nil; $0.dimmed = true
      },
      {
        $0.caption = ""; $0.captionRight = ""
      },
      { $0.titleLeft = "" },
    ]
    for (step, change) in changes.enumerated() {
      change(&chrome)
      stage.session.draw(chrome)
      usleep(10_000)
      let screen = stage.terminal.screen
      #expect((2...22).allSatisfy { screen.text(row: $0) == picture }, "step \(step)")
      #expect(screen[0, 2].pen.foreground == .rgb(9, 8, 7))
    }
  }

  /// Rows change hands: the picture was where the title comes back.
  @Test func draw_hiddenAndBack_leavesNoRests() throws {
    let stage = try Stage()
    var chrome = story
    stage.session.draw(chrome)
    #expect(stage.terminal.waitUntil { $0.text(row: 1).hasSuffix("paused") })
    chrome.hidden = true
    stage.session.draw(chrome)
    #expect(stage.terminal.waitUntil { $0.text(row: 1) == "" && $0.text(row: 23) == "" })
    let picture = String(repeating: "#", count: 80)
    try stage.paint(
      "\u{1B}7" + (2...24).map { "\u{1B}[\($0);1H\(picture)" }.joined() + "\u{1B}[m\u{1B}8")
    #expect(stage.terminal.waitUntil { $0.text(row: 23) == picture })
    chrome.hidden = false
    stage.session.draw(chrome)
    #expect(
      stage.terminal.waitUntil {
        $0.text(row: 1) == " anna  2 h ago" + String(repeating: " ", count: 59) + "paused"
          && $0.text(row: 23)
            == " Low tide at the old pier" + String(repeating: " ", count: 48) + "? help"
      })
    #expect((2...22).allSatisfy { stage.terminal.screen.text(row: $0) == picture })
  }

  @Test func draw_lastColumnOfTheLastRow_doesNotScroll() throws {
    let stage = try Stage(columns: 40, rows: 12)
    try stage.paint("\u{1B}7\u{1B}[12;40H\u{1B}[?7lX\u{1B}[?7h\u{1B}8")
    stage.session.draw(story)
    #expect(stage.terminal.waitUntil { $0.text(row: 11).hasSuffix("paused") })
    #expect(stage.terminal.screen.text(row: 0).hasPrefix(" ━━"))
    #expect(stage.terminal.screen.modes.contains(7))
  }

  @Test func draw_charactersYoungerThanTheCLibrary_keepTheirPlace() throws {
    let stage = try Stage()
    var chrome = story
    chrome.titleLeft = "a\u{2FFC}b\u{4DC0}c 漢 e\u{301} 🙂 end"
    stage.session.draw(chrome)
    #expect(stage.terminal.waitUntil { $0.text(row: 1).hasSuffix("paused") })
    let screen = stage.terminal.screen
    #expect(screen.text(row: 1).hasPrefix(" a? b?c 漢 e\u{301} 🙂 end "))
    #expect(screen[73, 1].glyph == "p")
  }

  @Test func draw_withoutUTF8_isASCII() throws {
    let stage = try Stage(environment: ["TERM": "xterm", "LANG": "C"])
    var chrome = story
    chrome.titleLeft = "René 漢"
    stage.session.draw(chrome)
    #expect(stage.terminal.waitUntil { $0.text(row: 1).hasPrefix(" Ren? ?") })
    #expect(stage.terminal.screen.text(row: 0).hasPrefix(" ==== ") == false)
    #expect(stage.terminal.output.allSatisfy { $0 < 0x80 })
    #expect(stage.terminal.screen.text(row: 0).contains("==>--"))
  }

  @Test(arguments: ["linux", "screen", "tmux-256color", "vt100", "rxvt", "xterm-unheard-of"])
  func draw_otherTerminals_showTheSameWords(name: String) throws {
    let stage = try Stage(environment: ["TERM": name, "LANG": "C.UTF-8"])
    stage.session.draw(story)
    #expect(
      stage.terminal.waitUntil {
        $0.text(row: 1).hasPrefix(" anna  2 h ago") && $0.text(row: 23).hasSuffix("? help")
      })
    stage.session.close()
    #expect(stage.terminal.attributesUnchanged)
    #expect(stage.terminal.waitUntil { $0.cursorVisible })
  }

  // MARK: The painter's way

  @Test func write_toAStoppedTerminal_returnsZeroAndNcursesStillWaits() throws {
    let stage = try Stage()
    try stage.settle()
    tcflow(stage.terminal.slave, TCOOFF)
    let bytes = [UInt8](repeating: UInt8(ascii: "."), count: 1 << 20)
    var taken = 0
    let before = Instant.now
    while taken < bytes.count {
      let count = try stage.session.write(bytes[taken...])
      if count == 0 { break }
      taken += count
    }
    #expect(taken < bytes.count)
    #expect(Instant.now - before < .seconds(1))
    tcflow(stage.terminal.slave, TCOON)
    #expect(fcntl(stage.session.outputDescriptor, F_GETFL) & O_NONBLOCK == 0)
  }

  @Test func write_manyBytes_allArriveInOrder() throws {
    let stage = try Stage()
    try stage.settle()
    let line = "\u{1B}[5;1H" + String(repeating: "abcdefgh", count: 10)
    try stage.paint(String(repeating: line, count: 2_000))
    #expect(
      stage.terminal.waitUntil { $0.text(row: 4) == String(repeating: "abcdefgh", count: 10) })
    #expect(stage.terminal.screen.unknown == [])
  }
}
