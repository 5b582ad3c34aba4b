import Glibc
import Support
import System
import Testing

extension Benchmarks {
  /// What a viewer feels: keys, gaps, drops, and what it costs to wait.
  @Suite struct WatchingBenchmarks {
    private let clip = Effort.clips[0].clip

    /// A player on a terminal of 200x60, driven by hand.
    private func watch(
      _ sources: [String], options: [String] = [], _ hand: (PseudoTerminal) throws -> Void
    ) throws -> Report {
      let home = try TemporaryDirectory()
      let report = home.path("report.json")
      let terminal = try PseudoTerminal(columns: 200, rows: 60)
      try terminal.start(
        Programs.player, ["--report", report] + options + sources,
        environment: Run.environment(home: home.path))
      try hand(terminal)
      terminal.send("q")
      guard terminal.awaitEnd(within: .seconds(60)) != nil else {
        throw SupportError("the player did not end")
      }
      return try Report(path: report)
    }

    private func pause(_ duration: Duration) {
      usleep(UInt32(max(0, milliseconds(duration)) * 1000))
    }

    @Test(.measures(.keys)) func keys_neighboursReady() throws {
      let path = try clip.file()
      let presses = Effort.by(short: 2, quick: 10, full: 200)
      let nginx = try Nginx()
      try nginx.serve(file: path, as: "clip.mp4")
      let cache = try TemporaryDirectory()
      let urls = (0..<4).map { "\(nginx.url)/clip.mp4?number=\($0)" }
      let cached = ["--cache-dir", cache.path]
      for url in urls {
        let fetched = try run(
          Programs.player, ["cache", "prefetch", url] + cached,
          environment: Run.environment(home: cache.path))
        #expect(fetched.status == 0)
      }
      let new = (4...presses / 3 + 8).map { "\(nginx.url)/clip.mp4?number=\($0)" }
      var table = Table(
        "key to the last byte of the new story's picture, 200x60", "", "keys", "p50 ms", "p99 ms",
        "p99 is to be")
      // There and back between the second and the third of four; of new ones two on and one back.
      for (name, sources, options, keys) in [
        ("files", [path, path, path, path], [], "lh"), ("web, cached", urls, cached, "lh"),
        ("web, first time", new, cached, "llh"),
      ] {
        let report = try watch(sources, options: options) { terminal in
          pause(.milliseconds(1200))
          if keys == "lh" {
            terminal.send("l")
            pause(.milliseconds(700))
          }
          for key in String(repeating: keys, count: presses).prefix(presses) {
            terminal.send(String(key))
            pause(.milliseconds(700))
          }
        }
        #expect(report.keys.count >= presses)
        table.add(
          name, "\(report.keys.count)", fixed(report.keys.latencyMsP50, 1),
          fixed(report.keys.latencyMsP99, 1),
          note("keys.p99", of: name, report.keys.latencyMsP99, "ms", .atMost(16)))
        note("keys.p50", of: name, report.keys.latencyMsP50, "ms")
      }
      table.show()
    }

    @Test(.measures(.gaps)) func transitions_neighboursReady() throws {
      var short = clip
      short.seconds = 0.8
      let path = try short.file()
      let count = Effort.by(short: 2, quick: 11, full: 201)
      let nginx = try Nginx()
      try nginx.serve(file: path, as: "clip.mp4")
      let cache = try TemporaryDirectory()
      let urls = (0..<count).map { "\(nginx.url)/clip.mp4?number=\($0)" }
      var table = Table(
        "last picture of a story to the first of the next, 200x60", "", "transitions", "p50 ms",
        "p99 ms", "p99 is to be")
      let runs = [
        ("files", Array(repeating: path, count: count), [String]()),
        ("web, first time", urls, ["--cache-dir", cache.path]),
        ("web, cached", urls, ["--cache-dir", cache.path]),
      ]
      for (name, sources, options) in runs {
        let report = try watch(sources, options: options) { terminal in
          _ = terminal.waitUntil(within: .milliseconds(1600 * count + 2000)) {
            $0.text.contains("That was all")
          }
        }
        let gap = report.transitions
        let budget = Budget.atMost((10_000 / Double(short.rate)).rounded() / 10 + 4)
        table.add(
          name, "\(gap.count)", fixed(gap.gapMsP50, 1), fixed(gap.gapMsP99, 1),
          note("gaps.p99", of: name, gap.gapMsP99, "ms", budget))
      }
      if let gap = try mpvGap(path) { table.add("mpv, two files", "1", fixed(gap, 1), "", "") }
      table.show()
    }

    /// The longest time between two pictures that mpv draws of two files.
    private func mpvGap(_ path: String) throws -> Double? {
      guard let program = Programs.installed("mpv") else { return nil }
      let home = try TemporaryDirectory()
      let terminal = try PseudoTerminal(columns: 200, rows: 60)
      try terminal.start(
        program,
        [
          "--no-config", "--really-quiet", "--vo=tct", "--vo-tct-width=200",
          "--vo-tct-height=57", "--no-audio", path, path,
        ], environment: Run.environment(home: home.path))
      _ = terminal.awaitEnd(within: .seconds(20))
      // A pause of the output is a gap between pictures; before the first one it loads.
      let arrivals = terminal.chunks.filter { $0.bytes.count > 200 }.map(\.arrival)
      return zip(arrivals, arrivals.dropFirst()).map { milliseconds($1 - $0) }.max()
    }

    @Test(.measures(.watch)) func drops_memoryAndIdling() throws {
      var table = Table(
        "watching at its own pace, 200x60, three stories ready", "what", "measured", "is to be")
      let path = try clip.file()
      var ready: [(rss: Int, pss: Int)] = []
      var idle = 0.0
      var peak: Double?
      let report = try watch([path, path, path]) { terminal in
        let player = try #require(terminal.identifier)
        pause(.seconds(1))
        // The first is their parent, the second plays.
        ready = Self.children(of: player).dropFirst(2).compactMap(Self.memory)
        pause(.seconds(clip.seconds))
        // The second story, paused.
        terminal.send(" ")
        pause(.milliseconds(700))
        peak = Self.peakKibibytes(player)
        idle = share(of: [player] + Self.children(of: player))
      }
      let folder = try TemporaryDirectory()
      let picture = try folder.write(
        makePNG(width: 640, height: 360) { column, row in UInt32(column * 0x01_00_01 + row) },
        to: "still.png")
      var still = 0.0
      _ = try watch(["--image-time", "60", picture]) { terminal in
        let player = try #require(terminal.identifier)
        pause(.seconds(1))
        still = share(of: [player] + Self.children(of: player))
      }
      let story = try #require(report.stories.first)
      table.add("pictures shown of \(story.framesDecoded)", "\(story.framesShown)", "-")
      func add(_ what: String, _ value: Double?, _ budget: Double, digits: Int = 1) {
        let verdict = note("watch", of: what, value, "", .atMost(budget))
        table.add(what, fixed(value, digits), verdict)
      }
      add("pictures dropped", Double(story.framesDropped), 0, digits: 0)
      add("player, peak RSS MiB", peak.map { $0 / 1024 }, 40)
      add("playing decoder, peak RSS MiB", report.maxRssKiB.decoders / 1024, 75)
      add("ready neighbour, RSS MiB", Self.most(ready.map(\.rss)), 40)
      add("ready neighbour, PSS MiB", Self.most(ready.map(\.pss)), 6)
      add("paused, % of a core", idle, 0.5, digits: 2)
      add("a picture shown, % of a core", still, 0.5, digits: 2)
      table.show()
    }

    /// What processes take of one processor, in percent.
    private func share(of processes: [pid_t]) -> Double {
      let before = processes.map(Self.processorMs).reduce(0, +)
      let length = Effort.by(short: 1.0, quick: 4, full: 10)
      pause(.seconds(length))
      return (processes.map(Self.processorMs).reduce(0, +) - before) / (length * 10)
    }

    private static func most(_ kibibytes: [Int]) -> Double? {
      kibibytes.max().map { Double($0) / 1024 }
    }

    /// A process's children, the first started first.
    private static func children(of process: pid_t) -> [pid_t] {
      let text = (try? readText("/proc/\(process)/task/\(process)/children")) ?? ""
      return text.split(separator: " ").compactMap { pid_t($0) }.sorted()
    }

    private static func processorMs(_ process: pid_t) -> Double {
      let text = (try? readText("/proc/\(process)/schedstat")) ?? ""
      return (text.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e6
    }

    /// The largest resident set so far. What getrusage says of a child holds its starter's too,
    /// which here is the test's own.
    private static func peakKibibytes(_ process: pid_t) -> Double? {
      let text = (try? readText("/proc/\(process)/status")) ?? ""
      let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
        .flatMap { Double($0) }
    }

    private static func memory(_ process: pid_t) -> (rss: Int, pss: Int)? {
      guard let text = try? readText("/proc/\(process)/smaps_rollup") else { return nil }
      func field(_ name: String) -> Int? {
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) }
      }
      guard let rss = field("Rss:"), let pss = field("Pss:") else { return nil }
      return (rss, pss)
    }
  }
}
