import Glibc
import Support
import System
import Testing

extension EndToEnd {
  /// Terminals that do not take what they are sent, and ends that come too early or too late.
  @Suite struct TerminalFaultTests {
    enum Obstacle: CaseIterable {
      /// Nobody reads the other side, as where a line or a multiplexer hangs.
      case unread
      /// The output was stopped, as ^S does it.
      case stopped
    }

    enum Way: CaseIterable {
      case quit, terminate, terminateTwice, terminateThenAbort, abort, hangUp, interrupt

      var signals: [Int32] {
        switch self {
        case .quit: []
        case .terminate: [SIGTERM]
        case .terminateTwice: [SIGTERM, SIGTERM]
        case .terminateThenAbort: [SIGTERM, SIGABRT]
        case .abort: [SIGABRT]
        case .hangUp: [SIGHUP]
        case .interrupt: [SIGINT]
        }
      }
    }

    /// More than any buffer between holds.
    private static func clip() throws -> String {
      try Clip(width: 180, height: 320, rate: 30, seconds: 30).file()
    }

    @Test(arguments: Obstacle.allCases, Way.allCases)
    func end_terminalTakesNothing_comesSoonAndRestores(obstacle: Obstacle, way: Way) throws {
      let terminal = try UnreadTerminal()
      try terminal.start([try Self.clip()])
      usleep(1_200_000)
      if obstacle == .stopped {
        tcflow(terminal.slave, TCOOFF)
        terminal.read()
        usleep(300_000)
      }
      let asked = Instant.now
      if way == .quit { terminal.type("q") }
      for signal in way.signals {
        kill(terminal.player, signal)
        usleep(50_000)
      }
      let status = try #require(terminal.awaitEnd(within: .seconds(3)))
      #expect(Instant.now - asked < .milliseconds(1500))
      #expect(status & 0x7F == way.signals.last ?? 0)
      #expect(status >> 8 == 0)
      #expect(terminal.isRestored)
      #expect(terminal.read().hasSuffix("\u{1B}[?25h\r"))
      #expect(Processes.orphanedDecoders() == [])
    }

    /// The answer to what the session asks first, when the end came before it.
    @Test func end_beforeTheAnswer_leavesNothingToTheShell() throws {
      let terminal = try UnreadTerminal()
      try terminal.start([try Colors.clip(Colors.red)])
      var output = ""
      for _ in 0..<5000 where !output.contains("\u{1B}[?2026$p") {
        usleep(1000)
        output += terminal.read()
      }
      terminal.type("q")
      usleep(150_000)
      terminal.type("\u{1B}[?2026;2$y")
      #expect(try #require(terminal.awaitEnd(within: .seconds(3))) == 0)
      #expect(terminal.isRestored)
      #expect(terminal.unreadInput == "")
    }

    /// A session leader's group has nobody who could continue it.
    @Test func stop_whereNobodyCouldContinue_goesOn() throws {
      let play = try Play([try Colors.clip(Colors.red)])
      let player = try #require(play.terminal.identifier)
      #expect(play.waitFor(color: Colors.red))
      play.type("\u{1A}")
      #expect(play.terminal.waitUntil { $0.alternateEntries == 2 && $0.alternateScreen })
      #expect(play.waitFor(color: Colors.red))
      #expect(Processes.state(of: player) != "T")
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
    }

    @Test func paste_whilePlaying_isNoKeys() throws {
      let play = try Play([try Colors.clip(Colors.red), try Colors.clip(Colors.lime)])
      #expect(play.waitFor(color: Colors.red))
      play.type("\u{1B}[200~lqQ\n\u{1B}[C\u{1B}OC?")
      play.watch(for: .milliseconds(400))
      play.type("lq\u{1B}[20")
      play.watch(for: .milliseconds(400))
      play.type("1~")
      play.watch(for: .milliseconds(300))
      #expect(shows(Colors.red, on: play.terminal.screen))
      #expect(!play.terminal.screen.text.contains("this help"))
      play.type("l")
      #expect(play.waitFor(color: Colors.lime))
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
    }

    /// A terminal may claim any size; that must not be a way to all of the memory.
    @Test(arguments: [true, false])
    func size_beyondReason_costsLittle(fromTheStart: Bool) throws {
      let home = try TemporaryDirectory()
      let report = home.path("report.json")
      let terminal = try PseudoTerminal()
      func claim(_ columns: UInt16, _ rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        #expect(ioctl(terminal.slave, UInt(TIOCSWINSZ), &size) == 0)
      }
      if fromTheStart { claim(65_535, 65_535) }
      try terminal.start(
        Programs.player, ["--report", report, try Colors.clip(Colors.red)],
        environment: Play.environment(home: home.path))
      #expect(terminal.waitUntil { $0.synchronizedFrames > 0 })
      claim(65_535, 65_535)
      let before = terminal.screen.synchronizedFrames
      if !fromTheStart { #expect(terminal.waitUntil { $0.synchronizedFrames > before }) }
      claim(120, 40)
      #expect(terminal.waitUntil { shows(Colors.red, on: $0) })
      terminal.send("q")
      #expect(terminal.awaitEnd()?.shellStatus == 0)
      let memory = try Report(path: report).maxRssKiB
      #expect(memory.player < 400_000)
      #expect(memory.decoders < 400_000)
    }

    @Test func stopKeys_whilePlaying_areNotTheLines() throws {
      let play = try Play([try Clip(width: 180, height: 320, rate: 30, seconds: 30).file()])
      #expect(play.terminal.waitUntil { $0.synchronizedFrames > 5 })
      play.type("\u{13}")
      play.watch(for: .milliseconds(300))
      let before = play.terminal.screen.synchronizedFrames
      #expect(play.terminal.waitUntil { $0.synchronizedFrames > before + 5 })
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
    }
  }
}

/// A pseudo terminal whose other side is read only when told to, and the player on it.
private final class UnreadTerminal {
  let slave: Int32
  private(set) var player: pid_t = 0
  private let master: Int32
  private let path: String
  private let home: TemporaryDirectory
  private var before = termios()

  init() throws {
    home = try TemporaryDirectory()
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    var unlock: Int32 = 0
    var number: UInt32 = 0
    guard ioctl(master, 0x4004_5431, &unlock) == 0, ioctl(master, 0x8004_5430, &number) == 0
    else { throw SupportError("cannot unlock a pseudo terminal") }
    path = "/dev/pts/\(number)"
    slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    var size = winsize(ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0)
    guard ioctl(slave, UInt(TIOCSWINSZ), &size) == 0, tcgetattr(slave, &before) == 0 else {
      throw SupportError("cannot open \(path)")
    }
  }

  deinit {
    if player > 0 {
      kill(player, SIGKILL)
      waitpid(player, nil, 0)
    }
    close(slave)
    close(master)
  }

  func start(_ arguments: [String]) throws {
    var files = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&files)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&files)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&files, 0, path, O_RDWR, 0)
    for descriptor in Int32(1)...2 { posix_spawn_file_actions_adddup2(&files, 0, descriptor) }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    let newSession: Int32 = 0x80
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | newSession))
    let argv = ([Programs.player] + arguments).map { strdup($0) } + [nil]
    let envp =
      Play.environment(home: home.path).map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for copy in argv + envp { free(copy) } }
    guard posix_spawn(&player, Programs.player, &files, &attributes, argv, envp) == 0 else {
      throw SupportError("cannot start the player")
    }
  }

  func type(_ text: String) {
    _ = text.withCString { write(master, $0, strlen($0)) }
  }

  /// What a shell would find typed. The line is raw after it.
  var unreadInput: String {
    var raw = termios()
    tcgetattr(slave, &raw)
    cfmakeraw(&raw)
    tcsetattr(slave, TCSANOW, &raw)
    _ = fcntl(slave, F_SETFL, O_NONBLOCK)
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(slave, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }

  /// All that came out and was not read yet.
  @discardableResult
  func read() -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(master, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }

  var isRestored: Bool {
    var now = termios()
    guard tcgetattr(slave, &now) == 0 else { return false }
    return now.c_iflag == before.c_iflag && now.c_oflag == before.c_oflag
      && now.c_cflag == before.c_cflag && now.c_lflag == before.c_lflag
  }

  /// The status as wait tells it; nil when the player still runs.
  func awaitEnd(within limit: Duration) -> Int32? {
    awaitValue(within: limit) {
      var status: Int32 = 0
      guard waitpid(player, &status, WNOHANG) == player else { return nil }
      player = 0
      return status
    }
  }
}
