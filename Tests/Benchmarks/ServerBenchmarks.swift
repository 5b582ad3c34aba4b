import Glibc
import Support
import Testing

extension Benchmarks {
  /// Bytes a second for large ranges, this server against nginx with one worker.
  @Suite(.serialized) struct ServerBenchmarks {
    private static let megabytes = Effort.isFull ? 512 : 8

    @Test(.measures(.serve), arguments: [1, 8])
    func ranges_forSoManyReaders_comeThisFast(readers: Int) throws {
      let folder = try TemporaryDirectory()
      let path = try folder.write("", to: "a.mp4")
      #expect(truncate(path, Self.megabytes << 20) == 0)
      let served = try Served(folder.path)
      let nginx = try Nginx(serving: folder.path)
      var own: [Double] = []
      var other: [Double] = []
      for _ in 0..<Effort.pairs {
        own.append(try rate(served.url, readers))
        other.append(try rate(nginx.url, readers))
      }
      var table = Table(
        "serve, ranges of \(Self.megabytes - 1) MiB, \(readers) at a time", "", "MB/s", "of nginx",
        "is to be")
      table.add("nginx, one worker", fixed(median(other), 0), "1.00")
      let ratio = median(own) / median(other)
      table.add(
        "storytty serve", fixed(median(own), 0), fixed(ratio, 2),
        note("serve.ofNginx", of: "\(readers) readers", ratio, "", .atLeast(0.7)))
      table.show()
    }

    /// All bytes that curl got, by the time that it took for all of them.
    private func rate(_ url: String, _ readers: Int) throws -> Double {
      let one = ["-o", "/dev/null", "-r", "1048576-", url + "/a.mp4"]
      let wanted = Array(repeatElement(one, count: readers).joined())
      let start = ContinuousClock.now
      let result = try run(
        "/usr/bin/curl",
        ["-s", "-Z", "--parallel-immediate", "-w", "%{http_code} %{size_download}\n"] + wanted)
      let time = milliseconds(ContinuousClock.now - start)
      let size = (Self.megabytes - 1) << 20
      #expect(result.outputText == String(repeating: "206 \(size)\n", count: readers))
      return Double(size * readers) / time / 1000
    }
  }
}
