import Glibc
import Support
import System
import Testing

extension Benchmarks {
  /// What stories from a web server cost it, and the viewer.
  @Suite(.serialized) struct NetworkBenchmarks {
    private let home: TemporaryDirectory
    private let nginx: Nginx

    init() throws {
      home = try TemporaryDirectory()
      nginx = try Nginx()
    }

    private var cacheOption: [String] { ["--cache-dir", home.path("cache")] }

    private static func run(
      _ arguments: [String], within limit: Duration = .seconds(200),
      _ hand: (PseudoTerminal) throws -> Void = { _ in }
    ) throws -> Report {
      let own = try TemporaryDirectory()
      let terminal = try PseudoTerminal(columns: 120, rows: 40)
      try terminal.start(
        Programs.player, ["--report", own.path("report.json")] + arguments,
        environment: Run.environment(home: own.path))
      try hand(terminal)
      guard terminal.awaitEnd(within: limit) != nil else {
        throw SupportError("the player did not end")
      }
      return try Report(path: own.path("report.json"))
    }

    /// Origin bytes over the file's size, however it is watched.
    @Test(.measures(.traffic)) func originBytes_overTheSize() throws {
      var clip = Clip(.footage, width: 1280, height: 720, rate: 30, seconds: Effort.isFull ? 20 : 3)
      clip.sound = true
      let path = try clip.file()
      let size = try readFile(path).count
      var table = Table("origin bytes over the file's size", "watched", "requests", "ratio")
      func add(_ what: String, _ reports: [Report]) {
        let bytes = reports.map(\.network.bytes).reduce(0, +)
        let requests = reports.map(\.network.requests).reduce(0, +)
        let ratio = Double(bytes) / Double(size)
        note("traffic.ofSize", of: what, ratio, "")
        table.add(what, "\(requests)", fixed(ratio, 3))
      }
      for name in ["whole", "part", "seek", "two"] {
        try nginx.serve(file: path, as: "\(name).mp4")
      }
      func url(_ name: String) -> String { "\(nginx.url)/\(name).mp4" }
      let whole = try Self.run(["--untimed"] + cacheOption + [url("whole")])
      add("whole", [whole])
      add("whole, again", [try Self.run(["--untimed"] + cacheOption + [url("whole")])])
      let part = try Self.run(cacheOption + [url("part")]) { terminal in
        usleep(UInt32(clip.seconds * 400_000))
        terminal.send("q")
      }
      add(
        "40 %, then whole",
        [part, try Self.run(["--untimed"] + cacheOption + [url("part")])])
      let sought = try Self.run(cacheOption + [url("seek")]) { terminal in
        for key in ["..", ",", ".", ",,", "."] {
          usleep(400_000)
          terminal.send(key)
        }
        usleep(400_000)
        terminal.send("q")
      }
      add(
        "seeking, then whole", [sought, try Self.run(["--untimed"] + cacheOption + [url("seek")])])
      let homes = try [TemporaryDirectory(), TemporaryDirectory()]
      let terminals = try homes.map { own in
        let terminal = try PseudoTerminal(columns: 120, rows: 40)
        try terminal.start(
          Programs.player,
          ["--untimed", "--report", own.path("report.json")] + cacheOption + [url("two")],
          environment: Run.environment(home: own.path))
        return terminal
      }
      for terminal in terminals { _ = terminal.awaitEnd(within: .seconds(200)) }
      add("two players at once", try homes.map { try Report(path: $0.path("report.json")) })
      table.show()
      #expect(whole.network.bytes == size)
    }

    /// A line of 200 kB/s and stories that need about as much.
    @Test(.measures(.slow)) func slowLine_withAndWithoutPreloading() throws {
      let count = Effort.isFull ? 8 : 2
      let seconds = Effort.isFull ? 10.0 : 1
      let slow = try SlowLine(to: nginx.port, bytesPerSecond: 200_000)
      for number in 0..<count {
        let clip = Clip(
          .pattern, width: 640 - 2 * number, height: 360, rate: 30, seconds: seconds, sound: true)
        let file = try Self.padded(clip, to: Int(seconds * 200_000))
        try nginx.serve(file: file, as: "slow/\(number).mp4")
      }
      var table = Table(
        "\(count) stories of \(Int(seconds * 200)) kB at 200 kB/s", "", "stops", "stood still s",
        "first pictures after s", "requests")
      for (name, options) in [("preloading", []), ("none", ["--no-preload"])] {
        let report = try Self.run(
          options + ["--cache-dir", home.path(name)]
            + (0..<count).map { "\(slow.url)/slow/\($0).mp4" }
        ) { terminal in
          _ = terminal.waitUntil(within: .seconds(seconds * Double(count) * 2 + 20)) {
            $0.text.contains("That was all")
          }
          terminal.send("q")
        }
        #expect(report.stories.map(\.status) == Array(repeating: "ended", count: count))
        let waited = report.stories.reduce(0) { $0 + $1.waitedMs } / 1000
        note("slow.stoodStill", of: name, waited, "s")
        let loading = report.stories.reduce(0) { $0 + ($1.firstPictureMs ?? 0) } / 1000
        table.add(
          name, "\(report.stories.reduce(0) { $0 + $1.waits })", fixed(waited, 1),
          fixed(loading, 1), "\(report.network.requests)")
      }
      table.show()
    }

    /// The same clip with bytes between its packets, so that each second takes as many.
    private static func padded(_ clip: Clip, to size: Int) throws -> String {
      let path = try clip.file()
      let folder = path.split(separator: "/").dropLast().joined(separator: "/")
      let padded = "/\(folder)/padded-\(size)-\(clip.width)x\(clip.height).mp4"
      guard !fileExists(padded) else { return padded }
      let rate = "\(size * 8 / Int(max(1, clip.seconds)) * 95 / 100)"
      let made = try Support.run(
        Programs.installed("ffmpeg") ?? "ffmpeg",
        [
          "-v", "error", "-nostdin", "-y", "-i", path, "-c:a", "copy", "-c:v", "libx264",
          "-preset", "veryfast", "-b:v", rate, "-minrate", rate, "-maxrate", rate, "-bufsize",
          rate, "-x264-params", "nal-hrd=cbr", "-movflags", "+faststart", padded,
        ])
      guard made.status == 0 else { throw SupportError(made.errorText) }
      return padded
    }
  }
}
