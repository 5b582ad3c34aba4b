import Support
import Testing

extension Benchmarks {
  /// Processor seconds against full-quality decoding alone, in pairs one after the other.
  @Suite struct ProcessorBenchmarks {
    private func reference(_ path: String) throws -> Double {
      let ffmpeg = try #require(Programs.installed("ffmpeg"))
      let result = try run(
        ffmpeg,
        ["-v", "error", "-nostdin", "-threads", "1", "-i", path, "-an", "-f", "null", "-"],
        within: .seconds(300))
      try #require(result.status == 0)
      return result.ending.processorMilliseconds
    }

    @Test func decodingAlone_againstFFmpegNull() throws {
      var table = Table(
        "decoder alone against ffmpeg-null, CPU, median of \(Effort.pairs)", "clip", "pictures",
        "decoder ms", "ffmpeg ms", "ratio", "reachable")
      for (name, clip) in Effort.clips {
        let path = try clip.file()
        var (ours, theirs, ratios) = ([Double](), [Double](), [Double]())
        var pictures = 0
        for _ in 0..<Effort.pairs {
          let run = try DecodeRun(path)
          let reference = try reference(path)
          pictures = run.pictures
          ours.append(run.processorMs)
          theirs.append(reference)
          ratios.append(run.processorMs / reference)
        }
        #expect(pictures == Int(Double(clip.rate) * clip.seconds))
        table.add(
          name, "\(pictures)", fixed(median(ours), 0), fixed(median(theirs), 0),
          fixed(median(ratios), 2), name == "1920x1080" ? "0.84" : "0.71")
      }
      table.show()
    }

    @Test func wholePipeline_againstFFmpegNull() throws {
      var table = Table(
        "both programs, half blocks 120x40, --untimed, against ffmpeg-null, CPU, median of "
          + "\(Effort.pairs)", "clip", "program", "CPU ms", "ffmpeg ms", "ratio", "budget")
      for (name, clip) in Effort.clips {
        let path = try clip.file()
        let home = try TemporaryDirectory()
        let report = home.path("report.json")
        let ours = Contender(
          name: "storytty", program: Programs.player,
          arguments: ["--untimed", "--report", report, path])
        let contenders = [ours] + [Contender.mpv(path, untimed: true)].compactMap(\.self)
        for contender in contenders {
          var (mine, theirs, ratios) = ([Double](), [Double](), [Double]())
          for _ in 0..<(contender.name == "storytty" ? Effort.pairs : min(3, Effort.pairs)) {
            let run = try Run.measure(contender)
            let reference = try reference(path)
            mine.append(run.processorMs)
            theirs.append(reference)
            ratios.append(run.processorMs / reference)
          }
          let budget = name == "1920x1080" ? "0.90" : "0.80"
          table.add(
            name, contender.name, fixed(median(mine), 0), fixed(median(theirs), 0),
            fixed(median(ratios), 2), contender.name == "storytty" ? budget : "-")
        }
        let told = try #require(try Report(path: report).stories.first)
        #expect(told.framesShown == Int(Double(clip.rate) * clip.seconds))
      }
      table.show()
    }
  }
}
