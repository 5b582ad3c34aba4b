import Support
import System
import Testing

extension EndToEnd {
  /// Every file of the corpus through both programs, as its line in the manifest says.
  @Suite(.enabled(if: Media.isAvailable)) struct CorpusTests {
    /// Plays files in batches by one player each; the stories told, by source.
    private func tell(_ paths: [String], within limit: Duration) throws -> [String: Report.Story] {
      var told: [String: Report.Story] = [:]
      var start = 0
      while start < paths.count {
        let batch = Array(paths[start..<min(start + 25, paths.count)])
        start += batch.count
        let play = try Play(["--untimed"] + batch, columns: 40, rows: 12)
        let ending = play.terminal.awaitEnd(within: limit)
        #expect(ending.map { [0, 2, 3].contains($0.shellStatus) } == true, "\(batch)")
        play.expectRestored()
        for story in try play.report().stories { told[story.source] = story }
      }
      return told
    }

    private func entries(_ kinds: Set<String>, _ matches: (String) -> Bool) throws -> [Media.Entry]
    {
      try Media.entries().filter { kinds.contains($0.kind) && matches($0.expected) }
    }

    private static let played: Set<String> = [
      "play", "play sound", "play sound with cover", "show picture",
      "show picture (animate; a still first frame is the least)",
    ]

    @Test func playable_files_areTold() throws {
      let entries = try entries(["video", "image", "audio", "lottie"]) {
        Self.played.contains($0)
      }
      #expect(entries.count > 200)
      // A video of six minutes is not told whole.
      let long = entries.filter { ($0.frames ?? 0) > 2000 || $0.name.contains("__long_") }
      let short = entries.filter { entry in !long.contains { $0.name == entry.name } }
      let told = try tell(short.map(\.path), within: .seconds(240))
      for entry in short {
        let story = told[entry.path]
        #expect(story?.status == "ended", "\(entry.name): \(story?.error ?? "not told")")
        #expect((story?.framesShown ?? 0) > 0, "\(entry.name)")
      }
      for entry in long {
        let result = try storytty(["show", entry.path, "--size", "40x20", "--at", "60"])
        #expect(result.status == 0, "\(entry.name): \(result.errorText)")
      }
    }

    @Test func broken_files_failWithAReason() throws {
      let entries = try entries(["broken", "video", "image", "audio"]) {
        $0.hasPrefix("clear error")
      }.filter { !$0.name.hasSuffix(".xml") && !$0.name.contains("feed_") }
      #expect(entries.count > 30)
      let told = try tell(entries.map(\.path), within: .seconds(240))
      // What is known by its first bytes to be no medium is left out before it is told.
      #expect(told.count > 40)
      for entry in entries {
        guard let story = told[entry.path] else { continue }
        #expect(story.status == "failed", "\(entry.name) is \(story.status)")
        #expect(story.error?.isEmpty == false, "\(entry.name)")
      }
    }

    @Test func doubtful_files_neverHang() throws {
      let entries = try entries(["broken", "video", "image", "audio"]) {
        $0.hasPrefix("play what decodes") || $0.hasPrefix("show within")
          || $0.contains(" or clear error")
      }
      #expect(entries.count > 30)
      let told = try tell(entries.map(\.path), within: .seconds(300))
      #expect(told.count > 50)
      for entry in entries {
        guard let story = told[entry.path] else { continue }
        #expect(["ended", "failed"].contains(story.status), "\(entry.name)")
      }
    }
  }

  /// Samples cut off and with bits turned over: the player never fails itself.
  @Suite struct FuzzTests {
    private static var isLong: Bool { variable("STORYTTY_LONG") != nil }

    private func samples() throws -> [[UInt8]] {
      var samples = [
        try readFile(Clip(width: 64, height: 48, rate: 10, seconds: 0.5, sound: true).file()),
        makePNG(width: 20, height: 20) { x, y in UInt32(x * y * 7919) & 0xFFFFFF },
      ]
      if Media.isAvailable {
        let small = try Media.entries().filter {
          ["video", "image", "audio"].contains($0.kind) && ($0.durationSeconds ?? 0) < 2.5
        }
        for entry in small {
          let bytes = try readFile(entry.path)
          if bytes.count < 60_000 { samples.append(bytes) }
        }
      }
      return samples
    }

    private func damaged(_ sample: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
      guard sample.count > 8 else { return sample }
      if Int.random(in: 0..<3, using: &random) == 0 {
        return Array(sample.prefix(Int.random(in: 0..<sample.count, using: &random)))
      }
      var bytes = sample
      // Most parsers live in the first bytes.
      let reach = Bool.random(using: &random) ? min(2000, bytes.count) : bytes.count
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        let index = Int.random(in: 0..<reach, using: &random)
        bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
      }
      return bytes
    }

    @Test func damagedSamples_neverHarmThePlayer() throws {
      let samples = try samples()
      var random = SeededRandom(seed: 11)
      let (batches, size) = Self.isLong ? (25, 40) : (5, 30)
      for batch in 0..<batches {
        let directory = try TemporaryDirectory()
        let paths = try (0..<size).map { index in
          let sample = samples[Int.random(in: samples.indices, using: &random)]
          return try directory.write(damaged(sample, &random), to: "\(batch)-\(index)")
        }
        let play = try Play(["--untimed"] + paths, columns: 40, rows: 12)
        let ending = play.terminal.awaitEnd(within: .seconds(240))
        #expect(ending.map { [0, 2, 3].contains($0.shellStatus) } == true, "batch \(batch)")
        play.expectRestored()
        let report = try play.report()
        #expect(report.stories.count > size / 2)
        #expect(report.stories.allSatisfy { ["ended", "failed"].contains($0.status) })
      }
    }
  }
}
