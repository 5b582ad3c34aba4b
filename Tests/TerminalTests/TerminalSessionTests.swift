import Glibc
import Pictures
import Support
import System
import Terminal
import Testing

/// A session on a pseudo terminal of this process.
private struct Stage {
  let terminal: PseudoTerminal
  let session: TerminalSession

  static let environment = [
    "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8",
  ]

  init(
    columns: Int = 80, rows: Int = 24, cell: (width: Int, height: Int) = (10, 20),
    mouse: Bool = true, colour: ColourDepth? = nil,
    environment: [String: String] = Stage.environment
  ) throws {
    terminal = try PseudoTerminal(columns: columns, rows: rows, cell: cell)
    var options = TerminalSession.Options(mouse: mouse, colour: colour)
    options.input = terminal.slave
    options.output = terminal.slave
    options.environment = environment
    session = try TerminalSession(options)
  }

  /// Reads until so many events came, or for two seconds.
  func events(_ count: Int) throws -> [InputEvent] {
    var events: [InputEvent] = []
    let deadline = Instant.now + .seconds(2)
    while events.count < count, Instant.now < deadline {
      let interest = Interest(session.inputDescriptor)
      _ = try awaitReadiness(of: [interest], until: Instant.now + .milliseconds(100))
      events += session.readInput()
    }
    return events
  }

  /// Reads the terminal's answer to the question that every session asks first.
  func settle() throws { #expect(try events(1) == [.synchronizedOutput(true)]) }

  func paint(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      rest = rest.dropFirst(try session.write(rest))
      usleep(100)
    }
  }
}

private let story = Chrome(
  segments: Segments(count: 5, current: 2, fill: 0.45), titleLeft: "anna  2 h ago",
  titleRight: "paused", caption: "Low tide at the old pier")

/// ncurses has one screen a process: one test at a time.
@Suite(.serialized) struct TerminalSessionTests {
  // MARK: Coming and going

  @Test func session_fromOpenToClose_leavesTheTerminalAsItWas() throws {
    let stage = try Stage()
    #expect(
      stage.terminal.waitUntil {
        $0.alternateScreen && !$0.cursorVisible && $0.modes.isSuperset(of: [1000, 1004, 1006])
      })
    #expect(!stage.terminal.attributesUnchanged)
    stage.session.draw(story)
    stage.session.close()
    #expect(stage.terminal.waitUntil { $0.wasLeft })
    #expect(stage.terminal.attributesUnchanged)
    let screen = stage.terminal.screen
    #expect(screen.modes.isDisjoint(with: [1000, 1004, 1006, 2026]))
    #expect(screen.modes.contains(7))
    #expect(screen.pen == ScreenPen())
    #expect(screen.unknown == [])
    #expect(screen.alternateEntries == 1)
    stage.session.close()
    #expect(stage.session.readInput() == [])
    #expect(try stage.session.write([1, 2, 3]) == 0)
  }

  @Test func session_forgotten_restoresToo() throws {
    var stage: Stage? = try Stage()
    let terminal = try #require(stage?.terminal)
    #expect(terminal.waitUntil { $0.alternateScreen })
    stage = nil
    #expect(terminal.waitUntil { $0.wasLeft })
    #expect(terminal.attributesUnchanged)
  }

  @Test func session_halfAFrameWritten_closesCleanly() throws {
    let stage = try Stage()
    stage.session.draw(story)
    try stage.paint("\u{1B}7\u{1B}[?2026h\u{1B}[5;5H\u{1B}[38;2;1;2")
    stage.session.close()
    #expect(stage.terminal.waitUntil { $0.wasLeft })
    #expect(stage.terminal.screen.pen == ScreenPen())
    #expect(!stage.terminal.screen.modes.contains(2026))
  }

  @Test(arguments: [SIGABRT, SIGSEGV, SIGTERM])
  func session_fatalSignal_restoresFirst(signal: Int32) async throws {
    let terminal = try PseudoTerminal()
    let path = terminal.path
    await #expect(processExitsWith: .signal(signal)) {
      [path = path as String, signal = signal as Int32] in
      let descriptor = open(path, O_RDWR | O_NOCTTY)
      let signals = try Signals()
      var options = TerminalSession.Options()
      options.input = descriptor
      options.output = descriptor
      options.environment = Stage.environment
      let session = try TerminalSession(options)
      session.draw(story)
      _ = try session.write(Array("\u{1B}7\u{1B}[?2026h\u{1B}[5;5H\u{1B}[38;2;1;2".utf8)[...])
      // The player answers the first TERM in its loop; the second one finds that nobody did.
      for _ in 0..<2 {
        kill(getpid(), signal)
        usleep(200_000)
      }
      withExtendedLifetime((signals, session)) {}
    }
    #expect(terminal.waitUntil { $0.alternateEntries == 1 && !$0.alternateScreen })
    #expect(terminal.attributesUnchanged)
    #expect(terminal.screen.cursorVisible)
    #expect(terminal.screen.modes.isDisjoint(with: [1000, 1004, 1006, 2026]))
    #expect(terminal.screen.pen == ScreenPen())
  }

  /// ncurses takes INT, TERM, TSTP and WINCH wherever they still have their default action.
  @Test func session_defaultActions_areLeftAlone() async throws {
    let terminal = try PseudoTerminal()
    let path = terminal.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      let watched = [SIGINT, SIGTERM, SIGTSTP, SIGWINCH]
      for number in watched { Glibc.signal(number, SIG_DFL) }
      let descriptor = open(path, O_RDWR | O_NOCTTY)
      var options = TerminalSession.Options()
      options.input = descriptor
      options.output = descriptor
      options.environment = Stage.environment
      let session = try TerminalSession(options)
      session.draw(story)
      session.suspend()
      session.resume()
      session.draw(story)
      let handlers = watched.map { number -> Bool in
        var action = sigaction()
        sigaction(number, nil, &action)
        return action.__sigaction_handler.sa_handler == nil
      }
      session.close()
      exit(handlers == [true, true, true, true] ? 0 : 1)
    }
  }

  @Test(arguments: [
    (["TERM": "dumb"], TerminalError.tooSimple(name: "dumb")),
    ([:], .tooSimple(name: "")),
  ])
  func init_dumbTerminal_throwsAndWritesNothing(
    environment: [String: String], expected: TerminalError
  ) throws {
    let terminal = try PseudoTerminal()
    var options = TerminalSession.Options()
    options.input = terminal.slave
    options.output = terminal.slave
    options.environment = environment
    #expect(throws: expected) { try TerminalSession(options) }
    #expect(terminal.output == [])
    #expect(terminal.attributesUnchanged)
  }

  @Test func init_noTerminal_throws() throws {
    var options = TerminalSession.Options()
    options.output = try #require([open("/dev/null", O_WRONLY | O_CLOEXEC)].first)
    defer { close(options.output) }
    #expect(throws: TerminalError.notATerminal) { try TerminalSession(options) }
  }

  // MARK: Descriptions (they belong to the same globals)

  @Test(arguments: [
    ("xterm-256color", ColourDepth.palette256, true, false),
    ("tmux-256color", .palette256, false, false),
    ("linux", .sixteen, false, false),
    ("vt100", .never, false, false),
    ("dumb", .never, false, true),
    // Not known to Debian's ncurses: taken for an xterm.
    ("xterm-ghostty-of-tomorrow", .palette256, true, false),
  ])
  func detect_realDescriptions(
    name: String, colour: ColourDepth, repeats: Bool, isDumb: Bool
  ) throws {
    let abilities = try #require(
      TerminalAbilities.detect(environment: ["TERM": name, "LANG": "C.UTF-8"]))
    #expect(abilities.colour == colour)
    #expect(abilities.repeatCharacter == repeats)
    #expect(abilities.isDumb == isDumb)
    #expect(abilities.name == name)
  }

  // MARK: Input

  @Test func readInput_keysAndMouse_asTyped() throws {
    let stage = try Stage()
    try stage.settle()
    #expect(stage.session.abilities.synchronizedOutput)
    #expect(stage.session.readInput() == [])
    // xterm's arrows in application mode, as its description has them, and in the other mode.
    stage.terminal.send("\u{1B}OC\u{1B}[Dq \u{1B}OP\u{1B}[Zé\u{1B}[<0;12;3M\u{1B}[<0;12;3m\u{0C}")
    #expect(
      try stage.events(9) == [
        .key(.right), .key(.left), .key(.character("q")), .key(.character(" ")), .key(.f(1)),
        .key(.backTab), .key(.character("é")), .press(row: 2, column: 11),
        .release(row: 2, column: 11), .key(.control("L")),
      ])
  }

  @Test func readInput_escapeAlone_isAKeyWithin100ms() throws {
    let stage = try Stage()
    try stage.settle()
    stage.terminal.send("\u{1B}")
    let before = Instant.now
    #expect(try stage.events(1) == [.key(.escape)])
    #expect(Instant.now - before < .milliseconds(100))
  }

  @Test func readInput_splitSequence_isPutTogether() throws {
    let stage = try Stage()
    try stage.settle()
    stage.terminal.send("\u{1B}[")
    usleep(5_000)
    #expect(stage.session.readInput() == [])
    stage.terminal.send("<0;2")
    usleep(5_000)
    // An unfinished mouse report must not hold the player up.
    let before = Instant.now
    #expect(stage.session.readInput() == [])
    #expect(Instant.now - before < .milliseconds(60))
    stage.terminal.send(";3M")
    #expect(try stage.events(1) == [.press(row: 2, column: 1)])
  }

  @Test func readInput_unknownAnswers_areNoKeys() throws {
    let stage = try Stage()
    try stage.settle()
    stage.terminal.send("\u{1B}[?62;22c\u{1B}P>|q q q\u{1B}\\\u{1B}[12;5R\u{1B}]11;rgb:q\u{07}x")
    #expect(try stage.events(1) == [.key(.character("x"))])
  }

  @Test(arguments: [(0, false), (1, true), (2, true), (3, true), (4, false)])
  func readInput_answersOfMode2026(value: Int, expected: Bool) throws {
    let stage = try Stage()
    try stage.settle()
    stage.terminal.send("\u{1B}[?2026;\(value)$y")
    #expect(try stage.events(1) == [.synchronizedOutput(expected)])
    #expect(stage.session.abilities.synchronizedOutput == expected)
  }

  @Test func readInput_withoutMouse_leavesTheTerminalsOwn() throws {
    let stage = try Stage(mouse: false)
    #expect(stage.terminal.waitUntil { $0.modes.contains(1004) })
    #expect(stage.terminal.screen.modes.isDisjoint(with: [1000, 1006]))
  }

  @Test func hasHungUp_masterClosed_isTrue() throws {
    let stage = try Stage()
    #expect(!stage.session.hasHungUp)
    stage.terminal.hangUp()
    #expect(stage.session.hasHungUp)
    #expect(stage.session.readInput() == [])
    #expect(throws: TerminalError.hungUp) { try stage.session.write([65]) }
  }

  // MARK: Measures

  @Test(
    arguments: [
      ((10, 20), 0.5), ((12, 20), 0.6), ((9, 24), 0.375), ((0, 0), 0.5), ((20, 20), 0.5),
      ((1, 20), 0.5),
    ] as [((Int, Int), Double)])
  func cellAspect_saneOrOneHalf(cell: (Int, Int), expected: Double) throws {
    let stage = try Stage(cell: cell)
    #expect(stage.session.cellAspect == expected)
  }

  // MARK: Chrome

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

  // MARK: Size, repaint, suspension

  @Test func resize_largerAndSmaller_laysOutAnew() throws {
    let stage = try Stage()
    stage.session.draw(story)
    for (columns, rows) in [(120, 40), (40, 12), (300, 90), (80, 24)] {
      try stage.terminal.resize(columns: columns, rows: rows)
      stage.session.resize()
      #expect(stage.session.size.columns == columns)
      #expect(stage.session.size.rows == rows)
      stage.session.draw(story)
      #expect(
        stage.terminal.waitUntil { screen in
          screen.text(row: rows - 1).hasPrefix(" ") && screen.text(row: 0).count == columns - 1
            && (3..<rows - 1).allSatisfy { screen.text(row: $0) == "" }
        }, "\(columns)x\(rows)")
      #expect(stage.session.readInput().allSatisfy { $0 == .synchronizedOutput(true) })
    }
  }

  @Test func resize_tooSmall_saysSo() throws {
    let stage = try Stage()
    stage.session.draw(story)
    try stage.terminal.resize(columns: 32, rows: 10)
    stage.session.resize()
    stage.session.draw(story)
    #expect(
      stage.terminal.waitUntil { $0.text == "\n\n\n\n\n     needs 40x12, has 32x10\n\n\n\n" })
  }

  @Test func repaintAll_afterForeignOutput_drawsAnew() throws {
    let stage = try Stage()
    stage.session.draw(story)
    #expect(stage.terminal.waitUntil { $0.text(row: 23).hasSuffix("? help") })
    let before = stage.terminal.screen.text
    try stage.paint("\u{1B}[1;1Hwall: the system goes down\u{1B}[24;1Hnow")
    stage.session.repaintAll()
    stage.session.draw(story)
    #expect(stage.terminal.waitUntil { $0.text == before })
  }

  @Test func suspend_andResume_leaveAndEnterTheScreen() throws {
    let stage = try Stage()
    stage.session.draw(story)
    stage.session.suspend()
    #expect(
      stage.terminal.waitUntil {
        !$0.alternateScreen && $0.cursorVisible && $0.modes.isDisjoint(with: [1000, 1004, 1006])
      })
    #expect(stage.terminal.attributesUnchanged)
    stage.session.draw(story)
    #expect(try stage.session.write([65]) == 0)
    stage.session.resume()
    stage.session.draw(story)
    #expect(
      stage.terminal.waitUntil {
        $0.alternateScreen && !$0.cursorVisible && $0.modes.isSuperset(of: [1000, 1004, 1006])
          && $0.text(row: 1).hasSuffix("paused")
      })
    stage.session.close()
    #expect(stage.terminal.waitUntil { $0.wasLeft })
    #expect(stage.terminal.attributesUnchanged)
  }

  @Test func close_whileSuspended_staysRestored() throws {
    let stage = try Stage()
    stage.session.draw(story)
    stage.session.suspend()
    stage.session.close()
    #expect(stage.terminal.waitUntil { $0.wasLeft })
    #expect(stage.terminal.attributesUnchanged)
    #expect(stage.terminal.screen.alternateEntries == 1)
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

extension TerminalScreen {
  /// Whether the alternate screen was entered and left, and the cursor is back.
  fileprivate var wasLeft: Bool { alternateEntries > 0 && !alternateScreen && cursorVisible }
}

extension ScreenPen {
  fileprivate static let red: ScreenPen = {
    var pen = ScreenPen()
    pen.foreground = .palette(1)
    return pen
  }()
  fileprivate static let heavy: ScreenPen = {
    var pen = ScreenPen()
    pen.bold = true
    return pen
  }()
}
