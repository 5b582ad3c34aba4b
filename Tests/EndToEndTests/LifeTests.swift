import Glibc
import Support
import System
import Testing

extension EndToEnd {
  /// Signals, sizes, and every way to end.
  @Suite struct LifeTests {
    private func playing() throws -> Play {
      let play = try Play([try Colors.clip(Colors.red)])
      try #require(play.waitFor(color: Colors.red))
      return play
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func signal_toEnd_restoresReportsAndDiesOfIt(number: Int32) throws {
      let play = try playing()
      play.terminal.signal(number)
      #expect(play.terminal.awaitEnd()?.signal == number)
      play.expectRestored()
      #expect(try play.report().stories.map(\.status) == ["stopped"])
      var information = stat()
      #expect(stat(play.reportPath, &information) == 0)
      #expect(information.st_mode & 0o777 == 0o600)
    }

    @Test(arguments: [
      SIGQUIT, SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGUSR1, SIGUSR2, SIGALRM,
      SIGVTALRM, SIGPROF, SIGXCPU, SIGSYS, SIGIO, SIGPWR,
    ])
    func signal_fatal_restoresAndDiesOfIt(number: Int32) throws {
      let play = try playing()
      play.terminal.signal(number)
      #expect(play.terminal.awaitEnd()?.signal == number)
      play.expectRestored()
    }

    @Test func interruptKey_isTheSignal() throws {
      let play = try playing()
      play.type("\u{3}")
      #expect(play.terminal.awaitEnd()?.signal == SIGINT)
      play.expectRestored()
    }

    @Test func killed_player_leavesNoDecoder() throws {
      let play = try playing()
      let player = try #require(play.terminal.identifier)
      #expect(!Processes.decoders(of: player).isEmpty)
      play.terminal.signal(SIGKILL)
      #expect(play.terminal.awaitEnd()?.signal == SIGKILL)
      #expect(Processes.orphanedDecoders() == [])
    }

    @Test func hangUp_endsThePlayer() throws {
      let play = try playing()
      play.terminal.hangUp()
      #expect(play.terminal.awaitEnd()?.signal == SIGHUP)
      #expect(Processes.orphanedDecoders() == [])
      #expect(try play.report().stories.map(\.status) == ["stopped"])
    }

    /// From the kernel and from a shell.
    @Test func twoHangUpsAtOnce_loseNothing() throws {
      let play = try playing()
      for _ in 0..<3 { play.terminal.signal(SIGHUP) }
      #expect(play.terminal.awaitEnd()?.signal == SIGHUP)
      play.expectRestored()
      #expect(try play.report().stories.map(\.status) == ["stopped"])
    }

    /// What a sound library complains of is not written over the picture.
    @Test func wordsOfLibraries_stayOffTheScreen() throws {
      let home = try TemporaryDirectory()
      let device = try home.write("pcm.!default { type pulse }\n", to: "pulse.conf")
      let play = try Play(
        [Colors.clip(Colors.red, sound: true)],
        environment: [
          "HOME": "/proc/nowhere", "ALSA_CONFIG_PATH": device, "XDG_RUNTIME_DIR": "/proc/nowhere",
        ])
      #expect(play.waitFor("no sound"))
      play.watch(for: .milliseconds(300))
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
      #expect(!String(decoding: play.terminal.output, as: UTF8.self).contains("/proc/nowhere"))
    }

    /// Under a shell with job control, which waits for a line before it goes on with a stopped job.
    @Test(arguments: [true, false])
    func suspended_leavesTheScreenAndComesBack(byKey: Bool) throws {
      let home = try TemporaryDirectory()
      let (report, number) = (home.path("report.json"), home.path("number"))
      let script = """
        (echo $BASHPID > "$1"; shift; exec "$@"); status=$?
        while [ $status -gt 128 ]; do read -r line; fg > /dev/null; status=$?; done
        exit $status
        """
      let terminal = try PseudoTerminal()
      try terminal.start(
        "/bin/bash",
        [
          "-mc", script, "bash", number, Programs.player, "--report", report,
          try Colors.clip(Colors.red),
        ],
        environment: Play.environment(home: home.path))
      try #require(terminal.waitUntil { shows(Colors.red, on: $0) })
      let player = try #require(try pid_t(readText(number).filter(\.isNumber)))
      if byKey { terminal.send("\u{1A}") } else { kill(player, SIGTSTP) }
      #expect(terminal.waitUntil { !$0.alternateScreen })
      for _ in 0..<500 where Processes.state(of: player) != "T" { usleep(2000) }
      #expect(Processes.state(of: player) == "T")
      #expect(terminal.screen.modes == [7, 25])
      #expect(terminal.attributesUnchanged)
      _ = terminal.waitUntil(within: .milliseconds(1500)) { _ in false }
      terminal.send("\n")
      #expect(terminal.waitUntil { shows(Colors.red, on: $0) })
      #expect(terminal.screen.alternateScreen)
      _ = terminal.waitUntil(within: .milliseconds(300)) { _ in false }
      terminal.send("q")
      #expect(terminal.awaitEnd()?.shellStatus == 0)
      #expect(terminal.attributesUnchanged)
      #expect(terminal.screen.modes == [7, 25])
      // The clock stood while the process did.
      let story = try #require(try Report(path: report).stories.first)
      #expect(story.presentedMs < 1600)
    }

    @Test func resize_whilePlaying_laysOutAnew() throws {
      let play = try playing()
      for (columns, rows) in [(40, 12), (300, 90), (80, 24), (41, 90), (200, 13), (120, 40)] {
        try play.terminal.resize(columns: columns, rows: rows)
        #expect(play.waitFor(color: Colors.red))
        // The picture, 9:16, fills the rows, or the columns of a narrow terminal.
        let least = min(rows - 4, columns * 16 / 9 / 2 - 1)
        #expect(
          play.terminal.waitUntil { screen in
            let rows = (0..<screen.rows).filter {
              screen[screen.columns / 2, $0].halves.map { isNear($0.lower, Colors.red) } ?? false
            }
            return rows.count >= least
          }, "\(columns)x\(rows)")
      }
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
    }

    @Test func resize_tooSmall_saysWhatItNeeds() throws {
      let play = try playing()
      try play.terminal.resize(columns: 32, rows: 10)
      #expect(play.waitFor("needs 40x12, has 32x10"))
      try play.terminal.resize(columns: 10, rows: 2)
      play.watch(for: .milliseconds(200))
      try play.terminal.resize(columns: 1, rows: 1)
      play.watch(for: .milliseconds(200))
      try play.terminal.resize(columns: 80, rows: 24)
      #expect(play.waitFor(color: Colors.red))
      #expect(!play.terminal.screen.text.contains("needs"))
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
    }

    @Test(arguments: [(40, 12), (80, 24), (200, 60), (300, 90)])
    func sizes_everyOne_showPictureBarAndCaption(columns: Int, rows: Int) throws {
      let clip = try Colors.clip(Colors.red)
      let play = try Play([clip, clip, clip], columns: columns, rows: rows)
      #expect(play.waitFor(color: Colors.red))
      #expect(play.waitFor("1/3"))
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
    }

    @Test func list_onStandardInput_leavesTheKeysToTheTerminal() throws {
      let clips = try [Colors.red, Colors.lime].map { try Colors.clip($0) }
      let directory = try TemporaryDirectory()
      let list = try directory.write(clips.joined(separator: "\n") + "\n", to: "list")
      let terminal = try PseudoTerminal()
      try terminal.start(
        "/bin/sh", ["-c", "\"$0\" - < \"$1\"", Programs.player, list],
        environment: Play.environment(home: directory.path))
      #expect(terminal.waitUntil { shows(Colors.red, on: $0) })
      terminal.send("l")
      #expect(terminal.waitUntil { shows(Colors.lime, on: $0) })
      terminal.send("q")
      #expect(terminal.awaitEnd()?.shellStatus == 0)
      #expect(terminal.attributesUnchanged)
      #expect(terminal.screen.modes == [7, 25])
    }

    @Test func medium_onStandardInput_leavesTheKeysToTheTerminal() throws {
      let clip = try Colors.clip(Colors.red)
      let directory = try TemporaryDirectory()
      let terminal = try PseudoTerminal()
      try terminal.start(
        "/bin/sh", ["-c", "cat \"$1\" | \"$0\" -", Programs.player, clip],
        environment: Play.environment(home: directory.path, changes: ["TMPDIR": directory.path]))
      #expect(terminal.waitUntil { shows(Colors.red, on: $0) })
      #expect(terminal.screen.text.contains("standard input"))
      // The copy has no name.
      #expect(!directoryEntries(directory.path).contains { $0.hasPrefix("storytty-") })
      terminal.send("q")
      #expect(terminal.awaitEnd()?.shellStatus == 0)
      #expect(terminal.attributesUnchanged)
    }

    @Test func paused_costsNextToNothing() throws {
      let play = try Play([try Clip(width: 180, height: 320, seconds: 30).file()])
      #expect(play.terminal.waitUntil { $0.synchronizedFrames > 5 })
      play.type(" ")
      play.watch(for: .milliseconds(500))
      // A tick is 10 ms; the budget is 0.5 % of a core, a tick may be charged by chance.
      #expect(try ticksInTwoSeconds(of: play) <= 3)
      #expect(play.quit()?.shellStatus == 0)
    }

    /// A player and its decoders that wait for a viewer.
    enum Waiting: String, CaseIterable {
      case pausedBesideABadNeighbour
      case manualAtTheEnd
      case manualAtTheEndOfADeadDecoder
      case endCardAfterAFailure
      case afterANotice
      case tooSmallAScreen
    }

    @Test(arguments: Waiting.allCases) func waiting_costsNextToNothing(at place: Waiting) throws {
      let directory = try TemporaryDirectory()
      let bad = try directory.write("this is not a video\n", to: "bad.mp4")
      let long = try Clip(width: 180, height: 320, seconds: 30).file()
      let short = try Clip(width: 180, height: 320, seconds: 0.5).file()
      let arguments =
        switch place {
        case .pausedBesideABadNeighbour: [long, bad]
        case .manualAtTheEnd, .manualAtTheEndOfADeadDecoder: ["--manual", short, long]
        case .endCardAfterAFailure: [short, bad]
        case .afterANotice, .tooSmallAScreen: [long]
        }
      let play = try Play(arguments)
      #expect(play.terminal.waitUntil { $0.synchronizedFrames > 5 })
      switch place {
      case .pausedBesideABadNeighbour:
        play.type(" ")
        play.watch(for: .milliseconds(500))
      case .manualAtTheEnd: play.watch(for: .milliseconds(1_500))
      case .manualAtTheEndOfADeadDecoder:
        play.watch(for: .milliseconds(1_500))
        let decoders = Processes.decoders(of: try #require(play.terminal.identifier))
        #expect(!decoders.isEmpty)
        for decoder in decoders { kill(decoder, SIGKILL) }
        try play.terminal.resize(columns: 100, rows: 30)
        play.watch(for: .milliseconds(500))
      case .endCardAfterAFailure:
        #expect(play.waitFor("That was all"))
        play.watch(for: .milliseconds(500))
      case .afterANotice:
        play.type(" o")
        #expect(play.waitFor("this story has no link"))
        #expect(play.terminal.waitUntil { !$0.text.contains("this story has no link") })
        play.watch(for: .milliseconds(500))
      case .tooSmallAScreen:
        play.type(" ")
        try play.terminal.resize(columns: 30, rows: 8)
        #expect(play.waitFor("needs 40x12"))
        play.watch(for: .milliseconds(500))
      }
      // 5 % of a core.
      #expect(try ticksInTwoSeconds(of: play) < 10)
      #expect(play.quit()?.shellStatus == (place == .endCardAfterAFailure ? 3 : 0))
      play.expectRestored()
    }

    /// What the player and its decoders use of the processor, in hundredths of a second.
    private func ticksInTwoSeconds(of play: Play) throws -> Int {
      let player = try #require(play.terminal.identifier)
      let family = [player] + Processes.allDecoders(of: player)
      let before = try family.map(processorTicks).reduce(0, +)
      play.watch(for: .seconds(2))
      return try family.map(processorTicks).reduce(0, +) - before
    }

    private func processorTicks(_ process: pid_t) throws -> Int {
      let text = try readText("/proc/\(process)/stat")
      let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
      return fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0
    }
  }
}
