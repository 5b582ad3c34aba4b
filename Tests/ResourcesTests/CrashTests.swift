import Glibc
import Support
import System
import Testing

@testable import Resources

@Suite(.serialized, .timeLimit(.minutes(Scale.isLong ? 40 : 4))) struct CrashTests {
  private static let size: UInt64 = 24_000_000

  /// Plays a story in a process of its own, which is killed at some moment of that; 0 for not.
  private func play(_ url: String, _ cache: String, killedAfter microseconds: UInt32) async {
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [url = url as String, cache = cache as String, microseconds = microseconds as UInt32] in
      let bench = try NetworkBench(cache)
      let resource = try bench.network.open(url)
      _ = try bench.read(resource, 0, 1).get()
      _ = try WorkerThread {
        usleep(microseconds)
        kill(getpid(), SIGKILL)
      }
      _ = try bench.readAll(resource)
      kill(getpid(), SIGKILL)
    }
  }

  /// Slow servers leave bytes in memory until they are old enough, fast ones until they are many.
  @Test(arguments: [8_000_000, 0])
  func killedWhileCaching_leavesNothingWrongAndLittleToFetchAgain(bytesPerSecond: Int) async throws
  {
    let file = ServedFile(sampleBytes(0..<CrashTests.size))
    let server = try FaultServer { request in
      var reply = file.reply(to: request)
      if bytesPerSecond > 0 { reply.bytesPerSecond = bytesPerSecond }
      return reply
    }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let cache = CacheDirectory(folder.path("cache"))
    var random = SeededRandom(seed: 1)
    var story = 0
    var mostLost: UInt64 = 0
    let kills = Scale.rounds(4, long: 100)
    for number in 0..<kills {
      let url = "\(server.url)/\(story)"
      let before = (server.bodyBytes, try cache.heldBytes())
      await play(
        url, cache.path,
        killedAfter: .random(in: 1_000...(bytesPerSecond > 0 ? 700_000 : 80_000), using: &random))
      let check = try cache.verify()
      #expect(check.wrongSegments == 0)
      let gained = try cache.heldBytes() - before.1
      mostLost = max(mostLost, UInt64(server.bodyBytes - before.0) - gained)
      let bench = try NetworkBench(cache.path)
      let resource = try bench.network.open(url)
      _ = try bench.read(resource, 0, 0)
      let isLast = number == kills - 1
      if isLast || resource.progress.isWhole || Int.random(in: 0..<4, using: &random) == 0 {
        #expect(isSample(try bench.readAll(resource), 0..<CrashTests.size))
        story += 1
      }
      bench.network.close()
    }
    #expect(story > 0)
    // What waits in the sockets of both sides is lost too.
    #expect(mostLost <= 5 << 20)
    Scale.report(
      "\(kills) kills at \(bytesPerSecond) bytes/s: \(story) stories replayed, at most"
        + " \(mostLost >> 10) KiB fetched again")
  }
}
