import Glibc
import Support
import System
import Terminal
import Testing

/// ncurses has one screen a process: one test at a time.
@Suite(.serialized) struct TerminalSessionTests {
  @Test func session_fromOpenToClose_leavesTheTerminalAsItWas() throws {
    let stage = try Stage()
    #expect(
      stage.terminal.waitUntil {
        $0.alternateScreen && !$0.cursorVisible
          && $0.modes.isSuperset(of: [1000, 1004, 1006, 2004])
      })
    #expect(!stage.terminal.attributesUnchanged)
    stage.session.draw(story)
    stage.session.close()
    #expect(stage.terminal.waitUntil { $0.wasLeft })
    #expect(stage.terminal.attributesUnchanged)
    let screen = stage.terminal.screen
    #expect(screen.modes.isDisjoint(with: [1000, 1004, 1006, 2004, 2026]))
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
      // The player answers the first TERM in its loop; one that comes seconds later finds that
      // nobody did.
      for _ in 0..<2 {
        kill(getpid(), signal)
        usleep(2_100_000)
      }
      withExtendedLifetime((signals, session)) {}
    }
    #expect(terminal.waitUntil { $0.alternateEntries == 1 && !$0.alternateScreen })
    #expect(terminal.attributesUnchanged)
    #expect(terminal.screen.cursorVisible)
    #expect(terminal.screen.modes.isDisjoint(with: [1000, 1004, 1006, 2004, 2026]))
    #expect(terminal.screen.pen == ScreenPen())
  }

  /// A list of sources comes through standard input; keys then come from the terminal itself.
  @Test func session_standardInputIsAPipe_readsKeysFromTheTerminal() async throws {
    let terminal = try PseudoTerminal()
    terminal.send("x")
    let path = terminal.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      setsid()
      let descriptor = open(path, O_RDWR)
      var ends: [Int32] = [-1, -1]
      guard descriptor >= 0, pipe(&ends) == 0 else { exit(2) }
      dup2(ends[0], STDIN_FILENO)
      dup2(descriptor, STDOUT_FILENO)
      var options = TerminalSession.Options()
      options.environment = Stage.environment
      let session = try TerminalSession(options)
      var events: [InputEvent] = []
      for _ in 0..<200 where !events.contains(.key(.character("x"))) {
        usleep(10_000)
        events += session.readInput()
      }
      session.close()
      exit(events.contains(.key(.character("x"))) ? 0 : 1)
    }
    #expect(terminal.attributesUnchanged)
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

  /// What nobody has the memory for is not asked of anyone.
  @Test(arguments: [(65_535, 65_535), (65_535, 24), (80, 65_535)])
  func size_beyondReason_isCutDown(columns: Int, rows: Int) throws {
    let stage = try Stage()
    var claim = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 65_535, ws_ypixel: 65_535)
    #expect(ioctl(stage.terminal.slave, UInt(TIOCSWINSZ), &claim) == 0)
    stage.session.resize()
    #expect(stage.session.size.columns == min(2000, columns))
    #expect(stage.session.size.rows == min(1000, rows))
    var options = TerminalSession.Options()
    options.input = stage.terminal.slave
    options.output = stage.terminal.slave
    options.environment = Stage.environment
    stage.session.close()
    let second = try TerminalSession(options)
    #expect(second.size == stage.session.size)
    second.draw(story)
  }

  @Test func resize_tooSmall_saysSo() throws {
    let stage = try Stage()
    stage.session.draw(story)
    try stage.terminal.resize(columns: 32, rows: 10)
    stage.session.resize()
    stage.session.draw(story)
    #expect(
      stage.terminal.waitUntil { $0.text == "\n\n\n\n\n     needs 40x12, has 32x10\n\n\n\n" })
    try stage.terminal.resize(columns: 20, rows: 5)
    stage.session.resize()
    stage.session.draw(story)
    #expect(
      stage.terminal.waitUntil { $0.text == "\n\n    needs 40x12\n      has 20x5\n" })
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
        !$0.alternateScreen && $0.cursorVisible
          && $0.modes.isDisjoint(with: [1000, 1004, 1006, 2004])
      })
    #expect(stage.terminal.attributesUnchanged)
    stage.session.draw(story)
    #expect(try stage.session.write([65]) == 0)
    stage.session.resume()
    stage.session.draw(story)
    #expect(
      stage.terminal.waitUntil {
        $0.alternateScreen && !$0.cursorVisible
          && $0.modes.isSuperset(of: [1000, 1004, 1006, 2004])
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
}
