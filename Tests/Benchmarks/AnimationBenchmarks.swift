import Support
import System
import Testing

extension Benchmarks {
  /// What drawing animations costs.
  @Suite struct AnimationBenchmarks {
    /// Those of the corpus that play, or one of our own where there is no corpus.
    private func samples(_ directory: TemporaryDirectory) throws -> [(name: String, path: String)] {
      guard Media.isAvailable else {
        return [("square", try directory.write(Lottie.text(), to: "square.json"))]
      }
      let good = try Media.entries().filter { $0.kind == "lottie" }
      return (Effort.isFull ? good : Array(good.prefix(2))).map {
        (String($0.name.split(separator: "/").last ?? ""), $0.path)
      }
    }

    @Test(.measures(.animations)) func frames_drawnAndKept() throws {
      let directory = try TemporaryDirectory()
      var table = Table(
        "an animation's frame for a grid of 120x80, decoder's CPU in microseconds",
        "animation", "frames", "drawn", "kept")
      for (name, path) in try samples(directory) {
        let run = try DecodeRun(path, rounds: 3)
        let frames = run.pictures / 3
        #expect(frames > 0 && run.roundsMs.count == 3)
        let costs = run.roundsMs.map { $0 * 1000 / Double(frames) }
        note("animations.drawn", of: name, costs[0], "us")
        table.add(name, "\(frames)", fixed(costs[0], 0), fixed(min(costs[1], costs[2]), 0))
      }
      table.show()
    }

    /// A feed with one story, and with reactions that follow each other over all of it.
    private func feed(_ clip: String, seconds: Double, in directory: TemporaryDirectory) throws
      -> (without: String, with: String)
    {
      try directory.copy(clip, as: "clip.mp4")
      for name in ["a", "b"] {
        let named = Media.isAvailable ? ["a": "clouds", "b": "fireworks"][name] ?? "" : ""
        let bytes =
          Media.isAvailable
          ? try readFile(Media.path("lottie/spa__\(named).json")) : Lottie.text()
        try directory.write(bytes, to: "anim/\(name).json")
      }
      // Each lasts 2 s.
      let times = stride(from: 0.2, to: seconds - 2, by: 2)
      let received = times.enumerated().map {
        #"{"at":\#($1),"id":"\#($0 % 2 == 0 ? "a" : "b")"}"#
      }
      func text(_ reactions: String) -> String {
        #"""
        {"version":"https://jsonfeed.org/version/1.1","_storytty":{"animations":"anim"},
         "items":[{"id":"1","attachments":[{"url":"clip.mp4"}],
                   "_storytty":{"reactions":[\#(reactions)]}}]}
        """#
      }
      return (
        try directory.write(text(""), to: "without.json"),
        try directory.write(text(received.joined(separator: ",")), to: "with.json")
      )
    }

    private func processorMs(_ source: String) throws -> Double {
      let home = try TemporaryDirectory()
      let report = home.path("report.json")
      let terminal = try PseudoTerminal(columns: 120, rows: 43)
      try terminal.start(
        Programs.player, ["--report", report, "--no-sound", "--no-history", source],
        environment: Run.environment(home: home.path))
      guard terminal.waitUntil(within: .seconds(60), { $0.text.contains("That was all") }) else {
        throw SupportError("the story did not end")
      }
      terminal.send("q")
      guard terminal.awaitEnd(within: .seconds(20)) != nil else {
        throw SupportError("the player did not end")
      }
      let share = try Report(path: report).cpuMs
      return share.player + share.decoders
    }

    @Test(.measures(.reactions)) func overlay_overAVideo() throws {
      let directory = try TemporaryDirectory()
      let (name, clip) = Effort.clips[Effort.clips.count - 1]
      let feeds = try feed(clip.file(), seconds: clip.seconds, in: directory)
      var without: [Double] = []
      var with: [Double] = []
      for _ in 0..<min(5, Effort.pairs) {
        without.append(try processorMs(feeds.without))
        with.append(try processorMs(feeds.with))
      }
      var table = Table(
        "reactions over all of a story at its own pace, 120x40, CPU of both programs", "clip",
        "without ms", "with ms", "ratio", "is to be")
      let ratio = median(zip(with, without).map { $0 / $1 })
      table.add(
        name, fixed(median(without), 0), fixed(median(with), 0), fixed(ratio, 2),
        note("reactions.ratio", of: name, ratio, "", .atMost(1.15)))
      table.show()
    }
  }
}
