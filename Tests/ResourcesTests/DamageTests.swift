import Glibc
import Support
import System
import Testing

@testable import Resources

/// What a failing disk does to stored bytes.
@Suite(.serialized, .timeLimit(.minutes(Scale.isLong ? 20 : 4))) struct DamageTests {
  private static let size: UInt64 = 6_000_000

  private func segment(of place: Int) -> Int { place / (256 << 10) }

  /// Flips a bit or zeroes a block at some places; the segments that hold them.
  private func damage(_ path: String, _ count: Int, _ random: inout SeededRandom) throws -> Set<Int>
  {
    var bytes = try readFile(path)
    var hit: Set<Int> = []
    for _ in 0..<count {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      hit.insert(segment(of: place))
      if Bool.random(using: &random) {
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      } else {
        let start = place - place % 4096
        let end = min(start + 4096, bytes.count)
        bytes.replaceSubrange(start..<end, with: repeatElement(0, count: end - start))
      }
    }
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    #expect(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
    close(descriptor)
    return hit
  }

  @Test func damage_anywhere_isAllCaughtAndReadRight() throws {
    let file = ServedFile(sampleBytes(0..<DamageTests.size))
    let server = try FaultServer { file.reply(to: $0) }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let (url, cache) = (server.url + "/a", folder.path("cache"))
    func play() throws {
      let bench = try NetworkBench(cache)
      #expect(isSample(try bench.readAll(bench.network.open(url)), 0..<DamageTests.size))
      bench.network.close()
    }
    try play()
    let part = directoryEntries(cache + "/blobs")[0]
    let path = "\(cache)/blobs/\(part)/\(directoryEntries("\(cache)/blobs/\(part)")[0])"
    var random = SeededRandom(seed: 3)
    var damaged = 0
    let rounds = Scale.rounds(6, long: 200)
    for round in 0..<rounds {
      let hit = try damage(path, 5, &random)
      damaged += hit.count
      if round % 2 == 0 {
        #expect(try CacheDirectory(cache).verify().wrongSegments == hit.count)
      }
      // What is damaged is fetched again, and nothing else.
      let before = server.bodyBytes
      try play()
      let lost = hit.reduce(0) { sum, index in
        sum + min(Int(DamageTests.size) - index * (256 << 10), 256 << 10)
      }
      #expect(server.bodyBytes - before == lost)
      #expect(try CacheDirectory(cache).verify().wrongSegments == 0)
    }
    Scale.report("\(rounds * 5) damages in \(damaged) segments: all caught, all read right")
  }
}
