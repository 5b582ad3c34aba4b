import Support
import Testing

extension Benchmarks {
  /// What the terminal gets, and how soon.
  @Suite struct TerminalBenchmarks {
    @Test(.measures(.bytes)) func bytes_perPicture() throws {
      var table = Table(
        "bytes to the terminal for each picture, 120x40 cells", "clip", "program", "pictures",
        "bytes", "of mpv", "is to be")
      for (name, clip) in Effort.clips {
        let path = try clip.file()
        let home = try TemporaryDirectory()
        let report = home.path("report.json")
        _ = try Run.measure(
          Contender(
            name: "storytty", program: Programs.player,
            arguments: ["--untimed", "--report", report, path]))
        let story = try #require(try Report(path: report).stories.first)
        let ours = Double(story.bytesToTerminal) / Double(max(1, story.framesShown))
        var peers: [(name: String, pictures: Int, bytes: Double)] = []
        for peer in [Contender.mpv(path, untimed: true), .timg(path)].compactMap(\.self) {
          let output = try Run.measure(peer).output
          let pictures = max(1, peer.countFrames(output) ?? 1)
          peers.append((peer.name, pictures, Double(output.count) / Double(pictures)))
        }
        let mpv = peers.first { $0.name == "mpv" }?.bytes
        let ratio = mpv.map { ours / $0 }
        note("bytes.picture", of: name, ours, "B")
        table.add(
          name, "storytty", "\(story.framesShown)", fixed(ours, 0), fixed(ratio, 2),
          note("bytes.ofMpv", of: name, ratio, "", .atMost(0.50)))
        for peer in peers {
          table.add(
            name, peer.name, "\(peer.pictures)", fixed(peer.bytes, 0),
            fixed(mpv.map { peer.bytes / $0 }, 2), "-")
        }
      }
      table.show()
    }

    @Test(.measures(.start)) func firstPicture_fromTheStart() throws {
      var table = Table(
        "start of the process to the first byte of a picture, median of \(Effort.pairs)", "clip",
        "program", "ms", "of the fastest peer", "is to be")
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
        note("start.ms", of: name, medians[0], "ms")
        for (index, contender) in contenders.enumerated() {
          let ratio = fastest.map { medians[index] / $0 }
          table.add(
            name, contender.name, fixed(medians[index], 1), fixed(ratio, 2),
            index == 0 ? note("start.ofPeer", of: name, ratio, "", .atMost(0.45)) : "-")
        }
      }
      table.show()
    }
  }
}
