import Glibc
import Support
import System
import Testing

@testable import Resources

@Suite(.serialized, .timeLimit(.minutes(4))) struct CrashTests {
  @Test func killedWhileCaching_leavesNothingWrongAndLittleToFetchAgain() async throws {
    let size: UInt64 = 24_000_000
    let file = ServedFile(sampleBytes(0..<size))
    let server = try FaultServer { request in
      var reply = file.reply(to: request)
      reply.bytesPerSecond = 8_000_000
      return reply
    }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let (url, cache) = (server.url + "/a", folder.path("cache"))
    var random = SeededRandom(seed: 1)
    let kills = 8
    for _ in 0..<kills {
      let microseconds = UInt32.random(in: 1_000...700_000, using: &random)
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
      let check = try CacheDirectory(cache).verify()
      #expect(check.wrongSegments == 0)
    }
    #expect(try CacheDirectory(cache).verify().bytes > 0)
    let bench = try NetworkBench(cache)
    #expect(isSample(try bench.readAll(bench.network.open(url)), 0..<size))
    bench.network.close()
    #expect(server.bodyBytes <= Int(size) + kills * (5 << 20))
  }
}
