import Pictures
import Support
import System
import Terminal
import Testing
import Glibc

extension TerminalSessionTests {
  // MARK: Descriptions (they belong to the same globals)

  @Test(arguments: [
    ("xterm-256color", ColourDepth.palette256, false),
    ("tmux-256color", .palette256, false),
    ("linux", .sixteen, false),
    ("vt100", .never, false),
    ("dumb", .never, true),
    // Not known to Debian's ncurses: taken for an xterm.
    ("xterm-ghostty-of-tomorrow", .palette256, false),
  ])
  func detect_realDescriptions(
    name: String, colour: ColourDepth, isDumb: Bool
  ) throws {
    let abilities = try #require(
      TerminalAbilities.detect(environment: ["TERM": name, "LANG": "C.UTF-8"]))
    #expect(abilities.colour == colour)
    // Only the terminal itself can say so.
    #expect(!abilities.repeatCharacter)
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

  /// Their descriptions promise the old protocol alone, which cannot say column 290.
  @Test(arguments: ["tmux-256color", "screen", "xterm", "rxvt"])
  func readInput_mouseOfOtherTerminals_reachesAllColumns(name: String) throws {
    let stage = try Stage(columns: 300, environment: ["TERM": name, "LANG": "C.UTF-8"])
    try stage.settle()
    stage.terminal.send("\u{1B}[<0;290;3M\u{1B}[<0;290;3m\u{1B}[M !!x")
    #expect(
      try stage.events(4) == [
        .press(row: 2, column: 289), .release(row: 2, column: 289), .press(row: 0, column: 0),
        .key(.character("x")),
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
    stage.terminal.send("\u{1B}[?62;22c\u{1B}P1$r0 q\u{1B}\\\u{1B}[12;5R\u{1B}]11;rgb:q\u{07}x")
    #expect(try stage.events(1) == [.key(.character("x"))])
  }

  @Test(arguments: [
    ("XTerm(379)", true), ("XTerm(378)", false), ("XTerm", false), ("VTE(7003)", true),
    ("foot(1.16.2)", true), ("kitty(0.40.0)", true), ("WezTerm 20230712-072601-f4abf8fd", true),
    ("ghostty 1.1.3", true), ("tmux 3.4", false), ("tmux 3.5a", false), ("tmux 3.6", true),
    ("tmux 4", true), ("tmux next-3.7", false), ("iTerm2 3.5.0", false), ("mosh(1.4)", false),
    ("GNU Screen(5.0.0)", false), ("", false), ("XTerm(99999999999999999999)", false),
  ])
  func readInput_name_decidesWhetherItRepeats(name: String, repeats: Bool) throws {
    let stage = try Stage(name: name)
    #expect(try stage.events(2) == [.program(name), .synchronizedOutput(true)])
    #expect(stage.session.abilities.repeatCharacter == repeats)
    #expect(stage.session.abilities.synchronizedOutput)
  }

  /// Asked, and gone on at once.
  @Test func questions_leaveNothingOnTheScreenOfWhoDoesNotParseThem() throws {
    let stage = try Stage()
    stage.session.draw(story)
    #expect(stage.terminal.waitUntil { $0.text(row: 1).hasSuffix("paused") })
    #expect(stage.terminal.screen.queries.prefix(2) == ["CSI >0q", "CSI ?2026$p"])
    // What such a terminal shows: all of it behind the second byte.
    let output = String(decoding: stage.terminal.output, as: UTF8.self)
      .replacing("\u{1B}[>0q", with: "0q").replacing("\u{1B}[?2026$p", with: "p")
    var screen = TerminalScreen(columns: 80, rows: 24)
    screen.feed(output)
    #expect(screen.text == stage.terminal.screen.text)
  }

  @Test func readInput_whatIsPasted_isDroppedWhole() throws {
    let stage = try Stage()
    try stage.settle()
    #expect(stage.terminal.waitUntil { $0.modes.contains(2004) })
    stage.terminal.send("a\u{1B}[200~q\n\u{1B}OC\u{1B}[<0;12;3M\u{1B}[?2026;0$y\u{1B}[201~b")
    #expect(try stage.events(2) == [.key(.character("a")), .key(.character("b"))])
    #expect(stage.session.abilities.synchronizedOutput)
  }

  /// It would be typed into the shell, and run there.
  @Test func close_insideAPaste_dropsItsRest() throws {
    let stage = try Stage()
    try stage.settle()
    stage.terminal.send("\u{1B}[200~rm -rf x\n")
    #expect(try stage.events(1) == [])
    stage.terminal.send("rm -rf y\n")
    usleep(20_000)
    stage.session.close()
    var waiting = pollfd(fd: stage.terminal.slave, events: Int16(POLLIN), revents: 0)
    #expect(poll(&waiting, 1, 50) == 0)
    #expect(stage.terminal.waitUntil { !$0.modes.contains(2004) })
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
}
