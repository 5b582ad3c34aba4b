import Support
import Testing

extension Benchmarks {
  /// Processor seconds against full-quality decoding alone, in pairs one after the other.
  @Suite struct ProcessorBenchmarks {
    /// What decoding alone costs FFmpeg with one thread; without the loop filter it is the least
    /// that can be reached without leaving pictures out.
    private func reference(_ path: String, loopFilter: Bool = true) throws -> Double {
      let ffmpeg = try #require(Programs.installed("ffmpeg"))
      let filter = loopFilter ? [] : ["-skip_loop_filter", "all"]
      let result = try run(
        ffmpeg,
        ["-v", "error", "-nostdin", "-threads", "1"] + filter
          + ["-i", path, "-an", "-f", "null", "-"], within: .seconds(300))
      try #require(result.status == 0)
      return result.ending.processorMilliseconds
    }

    /// Medians of several figures, taken in turn with the reference.
    private struct Pairs {
      var ours: [Double] = []
      var reference: [Double] = []
      var floor: [Double] = []

      var ratio: Double { median(zip(ours, reference).map { $0 / $1 }) }
      var floorRatio: Double { median(zip(floor, reference).map { $0 / $1 }) }
      var excess: Double { ratio - floorRatio }
      var cells: [String] {
        [
          fixed(median(ours), 0), fixed(median(reference), 0), fixed(ratio, 2),
          fixed(floorRatio, 2), fixed(excess, 2),
        ]
      }
    }

    private func compare(_ path: String, pairs: Int, _ ours: () throws -> Double) throws -> Pairs {
      var measured = Pairs()
      for _ in 0..<pairs {
        measured.ours.append(try ours())
        measured.reference.append(try reference(path))
        measured.floor.append(try reference(path, loopFilter: false))
      }
      return measured
    }

    private static let columns = [
      "clip", "program", "CPU ms", "ffmpeg ms", "ratio", "floor", "excess", "excess is to be",
    ]

    @Test(.measures(.decode)) func decodingAlone_againstFFmpegNull() throws {
      var table = Table(
        "decoder alone against ffmpeg-null (floor: its loop filter off), CPU, median of "
          + "\(Effort.pairs)", Self.columns)
      for (name, clip) in Effort.clips {
        let path = try clip.file()
        var pictures = 0
        let measured = try compare(path, pairs: Effort.pairs) {
          let run = try DecodeRun(path)
          pictures = run.pictures
          return run.processorMs
        }
        #expect(pictures == Int(Double(clip.rate) * clip.seconds))
        let verdict = note("decode.excess", of: name, measured.excess, "of ffmpeg-null")
        table.add([name, "decoder"] + measured.cells + [verdict])
      }
      table.show()
    }

    @Test(.measures(.cpu)) func wholePipeline_againstFFmpegNull() throws {
      var table = Table(
        "both programs, half blocks 120x40, --untimed, against ffmpeg-null, CPU, median of "
          + "\(Effort.pairs)", Self.columns)
      for (name, clip) in Effort.clips {
        let path = try clip.file()
        let home = try TemporaryDirectory()
        let report = home.path("report.json")
        let ours = Contender(
          name: "storytty", program: Programs.player,
          arguments: ["--untimed", "--report", report, path])
        let measured = try compare(path, pairs: Effort.pairs) {
          try Run.measure(ours).processorMs
        }
        note("cpu.ratio", of: name, measured.ratio, "of ffmpeg-null")
        let verdict = note(
          "cpu.excess", of: name, measured.excess, "of ffmpeg-null", .atMost(0.10))
        table.add([name, "storytty"] + measured.cells + [verdict])
        let story = try #require(try Report(path: report).stories.first)
        #expect(story.framesShown == Int(Double(clip.rate) * clip.seconds))
        if let mpv = Contender.mpv(path, untimed: true) {
          let measured = try compare(path, pairs: min(3, Effort.pairs)) {
            try Run.measure(mpv).processorMs
          }
          table.add([name, "mpv"] + measured.cells + ["-"])
        }
      }
      table.show()
    }
  }
}
