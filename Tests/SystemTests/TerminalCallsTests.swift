import Glibc
import Support
import System
import Testing

@Suite struct TerminalCallsTests {
  @Test(arguments: [(120, 40, 10, 20), (80, 24, 0, 0), (300, 90, 7, 15)])
  func windowSize_ofATerminal_isWhatTheKernelSays(
    columns: Int, rows: Int, cellWidth: Int, cellHeight: Int
  ) throws {
    let terminal = try PseudoTerminal(
      columns: columns, rows: rows, cell: (cellWidth, cellHeight))
    let size = try #require(WindowSize(descriptor: terminal.slave))
    #expect(size.columns == columns)
    #expect(size.rows == rows)
    #expect(size.pixels?.width == (cellWidth > 0 ? columns * cellWidth : nil))
    #expect(size.pixels?.height == (cellHeight > 0 ? rows * cellHeight : nil))
  }

  @Test func windowSize_ofAFile_isNil() throws {
    let file = try Descriptor.open(reading: "/dev/null")
    #expect(WindowSize(descriptor: file.number) == nil)
    #expect(outputQueued(file.number) == nil)
  }

  @Test func outputQueued_ofADrainedTerminal_isZero() throws {
    let terminal = try PseudoTerminal()
    _ = "abc".withCString { write(terminal.slave, $0, 3) }
    #expect(terminal.waitUntil { $0.text(row: 0) == "abc" })
    #expect(outputQueued(terminal.slave) == 0)
  }

  /// Each fatal signal restores the terminal and still ends the process by that signal.
  @Test(arguments: [
    SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM,
    SIGVTALRM, SIGPROF, SIGXCPU, SIGSYS, SIGIO, SIGPWR,
  ])
  func guard_fatalSignal_restoresTheTerminal(number: Int32) async throws {
    let terminal = try PseudoTerminal()
    let path = terminal.path
    await #expect(processExitsWith: .signal(number)) {
      [path = path as String, number = number as Int32] in
      unblockSignals()
      try TerminalCallsTests.makeRaw(path)
      let signals = try Signals()
      _ = signals.descriptor
      raise(number)
    }
    #expect(terminal.attributesUnchanged)
    #expect(terminal.waitUntil { $0.text(row: 0) == "restored" })
  }

  @Test func guard_disarmed_doesNothing() async throws {
    let terminal = try PseudoTerminal()
    let path = terminal.path
    await #expect(processExitsWith: .signal(SIGABRT)) { [path = path as String] in
      unblockSignals()
      try TerminalCallsTests.makeRaw(path)
      TerminalGuard.disarm()
      _ = try Signals()
      raise(SIGABRT)
    }
    #expect(!terminal.attributesUnchanged)
    #expect(terminal.output == [])
  }

  @Test func guard_restore_worksOnce() async throws {
    let terminal = try PseudoTerminal()
    let path = terminal.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      unblockSignals()
      try TerminalCallsTests.makeRaw(path)
      TerminalGuard.restore()
      TerminalGuard.restore()
    }
    #expect(terminal.attributesUnchanged)
    #expect(terminal.waitUntil { $0.text(row: 0) == "restored" })
  }

  /// Sets up a terminal like an interactive program, with the guard armed.
  private static func makeRaw(_ path: String) throws {
    let descriptor = open(path, O_RDWR | O_NOCTTY)
    var attributes = termios()
    guard tcgetattr(descriptor, &attributes) == 0 else { throw SupportError("no terminal") }
    TerminalGuard.arm(
      descriptor: descriptor, attributes: attributes, bytes: Array("restored".utf8))
    cfmakeraw(&attributes)
    tcsetattr(descriptor, TCSANOW, &attributes)
  }
}
