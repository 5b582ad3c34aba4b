import Glibc
import Support
import System
import Testing

extension EndToEnd {
  @Suite struct ReportTests {
    @Test func names_areTheContract() throws {
      let play = try Play(["--untimed", try Colors.clip(Colors.red, seconds: 0.5)])
      #expect(play.terminal.awaitEnd()?.shellStatus == 0)
      let json = try JSONValue(parsing: readFile(play.reportPath))
      #expect(
        json.keys == [
          "cache", "cpuMs", "keys", "maxRssKiB", "network", "startToFirstPictureMs", "stories",
          "transitions", "wakeUps",
        ])
      let story = try #require(json["stories"].elements.first)
      #expect(
        story.keys == [
          "avOffsetMsP50", "avOffsetMsP99", "bytesToTerminal", "durationMs", "error",
          "firstPictureMs", "framesDecoded", "framesDropped", "framesShown", "kind", "notes",
          "presentedMs",
          "source", "status", "waitedMs", "waits",
        ])
      #expect(json["keys"].keys == ["count", "latencyMsP50", "latencyMsP99"])
      #expect(json["transitions"].keys == ["count", "gapMsP50", "gapMsP99"])
      #expect(json["network"].keys == ["bytes", "requests"])
      #expect(json["cache"].keys == ["bytesFetched", "bytesServed", "hits", "misses"])
      #expect(json["cpuMs"].keys == ["decoders", "player"])
      #expect(json["maxRssKiB"].keys == ["decoders", "player"])
      #expect(json["wakeUps"].keys == ["paused", "playing"])
      for state in ["paused", "playing"] {
        #expect(json["wakeUps"][state].keys == ["count", "perSecond", "seconds"])
      }
    }

    @Test func wakeUps_areThoseOfTheLoop() throws {
      let clip = Clip(width: 90, height: 160, rate: 10, seconds: 2)
      let play = try Play([try clip.file()])
      #expect(play.terminal.waitUntil { $0.text.contains("━") })
      play.terminal.send(" ")
      #expect(play.terminal.waitUntil { $0.text.contains("▮▮") })
      play.terminal.send(" ")
      #expect(play.terminal.waitUntil { $0.text.contains("That was all") })
      play.terminal.send("q")
      #expect(play.terminal.awaitEnd()?.shellStatus == 0)
      let report = try play.report()
      let (playing, paused) = (report.wakeUps.playing, report.wakeUps.paused)
      // Each picture after the first wakes it, and so does the key that goes on.
      #expect(playing.count >= report.stories[0].framesShown - 1)
      #expect(paused.count >= 1)
      for tally in [playing, paused] {
        let rate = try #require(tally.perSecond)
        #expect(tally.seconds > 0)
        // Both are rounded to thousandths, and a pause may be short.
        let rounding = 0.001 * (rate + tally.seconds) + 0.001
        #expect(abs(rate * tally.seconds - Double(tally.count)) < rounding)
      }
    }

    @Test func figures_ofAnUntimedRun_areTrue() throws {
      let clips = [
        try Clip(width: 180, height: 320, seconds: 2).file(),
        try Colors.clip(Colors.red, seconds: 1),
      ]
      let play = try Play(["--untimed"] + clips)
      let ending = try #require(play.terminal.awaitEnd())
      #expect(ending.shellStatus == 0)
      play.expectRestored()
      let report = try play.report()
      #expect(report.stories.map(\.source) == clips)
      #expect(report.stories.map(\.kind) == ["video", "video"])
      #expect(report.stories.map(\.status) == ["ended", "ended"])
      #expect(report.stories.map(\.error) == [nil, nil])
      // Every picture, in order, none left out.
      #expect(report.stories.map(\.framesDecoded) == [50, 10])
      #expect(report.stories.map(\.framesShown) == [50, 10])
      #expect(report.stories.map(\.framesDropped) == [0, 0])
      #expect(report.stories.map { $0.durationMs ?? 0 } == [2000, 1000])
      #expect(abs(report.stories[0].presentedMs - 2000) < 41)
      #expect(report.keys.count == 0 && report.keys.latencyMsP50 == nil)
      #expect(report.transitions.count == 1)
      #expect(report.transitions.gapMsP99 != nil)
      // The bytes counted are the frames' bytes.
      let bytes = report.stories.reduce(0) { $0 + $1.bytesToTerminal }
      #expect(bytes > 1000 && bytes <= play.terminal.output.count)
      // Each moving picture is one update; what does not change is not written.
      #expect(play.terminal.screen.synchronizedFrames >= 51)
      let cpu = report.cpuMs.player + report.cpuMs.decoders
      #expect(cpu > 0 && cpu <= ending.processorMilliseconds + 20)
      #expect(report.cpuMs.decoders > 0)
      #expect(report.maxRssKiB.player > 1000 && report.maxRssKiB.player < 200_000)
      #expect(report.maxRssKiB.decoders > 1000)
      let first = try #require(report.startToFirstPictureMs)
      #expect(first > 0 && first < 10_000)
      let story = try #require(report.stories[0].firstPictureMs)
      #expect(story <= first)
      #expect(report.network.requests == 0 && report.network.bytes == 0)
    }

    @Test func untimed_isFasterThanTime() throws {
      let play = try Play(["--untimed", try Clip(width: 90, height: 160, seconds: 30).file()])
      #expect(play.terminal.awaitEnd(within: .seconds(25))?.shellStatus == 0)
      #expect(try play.report().stories.first?.framesShown == 750)
    }

    @Test func untimed_keys_doNothingButQuit() throws {
      let clips = try [Colors.red, Colors.lime].map { _ in
        try Clip(width: 90, height: 160, seconds: 300).file()
      }
      let play = try Play(["--untimed"] + clips)
      #expect(play.terminal.waitUntil { $0.synchronizedFrames > 5 })
      play.press(.right)
      play.type(" h?")
      play.watch(for: .milliseconds(200))
      play.type("q")
      #expect(play.terminal.awaitEnd()?.shellStatus == 0)
      #expect(try play.report().stories.map(\.status) == ["stopped"])
      play.expectRestored()
    }

    @Test func untimed_still_isShownOnce() throws {
      let directory = try TemporaryDirectory()
      try directory.write(makePNG(width: 8, height: 8) { _, _ in Colors.lime }, to: "a.png")
      let play = try Play(["--untimed", directory.path])
      #expect(play.terminal.awaitEnd(within: .seconds(4))?.shellStatus == 0)
      let story = try #require(try play.report().stories.first)
      #expect(story.kind == "picture" && story.status == "ended" && story.framesShown == 1)
    }

    @Test func size_option_limitsThePicture() throws {
      let play = try Play(["--size", "60x20", Colors.clip(Colors.red)], columns: 120, rows: 40)
      // Between the title's row and the caption's, 9:16, in the middle of 60 columns.
      let expected = (rows: 2..<19, columns: 20..<39)
      #expect(
        play.terminal.waitUntil { isNear($0[30, 10].pen.background, Colors.red) })
      play.watch(for: .milliseconds(300))
      let screen = play.terminal.screen
      for row in 0..<40 {
        for column in 0..<120 {
          let isRed = isNear(screen[column, row].pen.background, Colors.red)
          let isInside = expected.rows.contains(row) && expected.columns.contains(column)
          #expect(isRed == isInside, "column \(column), row \(row)")
        }
      }
      let lines = screen.text.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.dropFirst(20).allSatisfy { $0.allSatisfy { $0 == " " } })
      #expect(lines.allSatisfy { $0.dropFirst(60).allSatisfy { $0 == " " } })
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
    }

    @Test func report_old_isReplacedAndPrivate() throws {
      let directory = try TemporaryDirectory()
      let path = try directory.write(String(repeating: "old ", count: 10_000), to: "r.json")
      let terminal = try PseudoTerminal()
      try terminal.start(
        Programs.player,
        ["--untimed", "--report", path, try Colors.clip(Colors.red, seconds: 0.5)],
        environment: Play.environment(home: directory.path))
      #expect(terminal.awaitEnd()?.shellStatus == 0)
      #expect(try Report(path: path).stories.count == 1)
      var information = stat()
      #expect(stat(path, &information) == 0)
      #expect(information.st_mode & 0o777 == 0o600)
      // Nothing half written is left beside it.
      #expect(directoryEntries(directory.path).filter { $0.contains("r.json") } == ["r.json"])
    }

    /// Where others may write, they may have laid a link to a file of the viewer's.
    @Test func reportAndLog_whereALinkWasLaid_areNotWritten() throws {
      let directory = try TemporaryDirectory()
      let mine = try directory.write("mine", to: "mine")
      let clip = try Colors.clip(Colors.red, seconds: 0.5)
      let shared = directory.path("shared")
      #expect(mkdir(shared, 0o700) == 0 && chmod(shared, 0o1777) == 0)
      #expect(symlink(mine, shared + "/x") == 0)
      let words = "it is a symbolic link in a folder that others may write"
      for (option, said) in [
        ("--report", "cannot write the report \(shared)/x: \(words)"),
        ("--log", "cannot open \(shared)/x: \(words)"),
      ] {
        let terminal = try PseudoTerminal(columns: 200, rows: 40)
        try terminal.start(
          Programs.player, ["--untimed", option, shared + "/x", clip],
          environment: Play.environment(home: directory.path))
        #expect(terminal.awaitEnd()?.shellStatus == 1)
        #expect(terminal.screen.text.contains("storytty: \(said)"))
        #expect(try readText(mine) == "mine")
        #expect(directoryEntries(shared) == ["x"])
      }
    }

    @Test func log_thatTakesNoMore_isSaidOnce() throws {
      let clips = try [Colors.red, Colors.lime].map { try Colors.clip($0, seconds: 0.5) }
      let play = try Play(["--untimed", "--log", "/dev/full"] + clips)
      #expect(play.terminal.awaitEnd()?.shellStatus == 0)
      let said = "storytty: cannot write the log /dev/full: No space left on device"
      #expect(play.terminal.screen.text.ranges(of: said).count == 1)
    }

    @Test func keyLatency_neighboursReady_isCounted() throws {
      let clips = try [Colors.red, Colors.lime, Colors.blue].map { try Colors.clip($0) }
      let play = try Play(clips)
      #expect(play.waitFor(color: Colors.red))
      play.watch(for: .milliseconds(700))
      play.press(.right)
      #expect(play.waitFor(color: Colors.lime))
      #expect(play.quit()?.shellStatus == 0)
      let report = try play.report()
      #expect(report.keys.count == 1)
      let latency = try #require(report.keys.latencyMsP99)
      #expect(latency == report.keys.latencyMsP50)
      #expect(latency < 500)
    }
  }
}
