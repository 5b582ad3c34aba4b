import Support
import Testing

extension Benchmarks {
  /// What the terminal gets, and how soon.
  @Suite struct TerminalBenchmarks {
    @Test func bytes_perPicture() throws {
      var table = Table(
        "bytes to the terminal for each picture, 120x40 cells", "clip", "program", "pictures",
        "bytes", "of mpv", "budget")
      for (name, clip) in Effort.clips {
        let path = try clip.file()
        let home = try TemporaryDirectory()
        let report = home.path("report.json")
        _ = try Run.measure(
          Contender(
            name: "storytty", program: Programs.player,
            arguments: ["--untimed", "--report", report, path]))
        let told = try #require(try Report(path: report).stories.first)
        let ours = Double(told.bytesToTerminal) / Double(max(1, told.framesShown))
        var peers: [(name: String, pictures: Int, bytes: Double)] = []
        for peer in [Contender.mpv(path, untimed: true), .timg(path)].compactMap(\.self) {
          let output = try Run.measure(peer).output
          let pictures = max(1, peer.countFrames(output) ?? 1)
          peers.append((peer.name, pictures, Double(output.count) / Double(pictures)))
        }
        let mpv = peers.first { $0.name == "mpv" }?.bytes
        table.add(
          name, "storytty", "\(told.framesShown)", fixed(ours, 0), fixed(mpv.map { ours / $0 }, 2),
          "0.50")
        for peer in peers {
          table.add(
            name, peer.name, "\(peer.pictures)", fixed(peer.bytes, 0),
            fixed(mpv.map { peer.bytes / $0 }, 2), "-")
        }
      }
      table.show()
    }

    @Test func firstPicture_fromTheStart() throws {
      var table = Table(
        "start of the process to the first byte of a picture, median of \(Effort.pairs)", "clip",
        "program", "ms", "of the fastest peer", "budget")
      for (name, clip) in Effort.clips {
        let path = try clip.file()
        let ours = Contender(name: "storytty", program: Programs.player, arguments: [path])
        let contenders =
          [ours] + [Contender.mpv(path, untimed: false), .timg(path)].compactMap(\.self)
        var times = contenders.map { _ in [Double]() }
        for _ in 0..<Effort.pairs {
          for (index, contender) in contenders.enumerated() {
            let run = try Run.measure(contender, untilFirstPicture: true)
            times[index].append(try #require(run.firstPictureMs, "\(contender.name)"))
          }
        }
        let medians = times.map(median)
        let fastest = medians.dropFirst().min()
        for (index, contender) in contenders.enumerated() {
          table.add(
            name, contender.name, fixed(medians[index], 1),
            fixed(fastest.map { medians[index] / $0 }, 2), index == 0 ? "0.50" : "-")
        }
      }
      table.show()
    }
  }
}
