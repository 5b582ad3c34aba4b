import Support
import System
import Testing

@testable import Resources

/// Where nothing, or not all, can be stored, all is played and the viewer is told once.
@Suite(.timeLimit(.minutes(3))) struct NoRoomTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private var cache: String { folder.path + "/cache" }

  private func serving(_ count: UInt64) throws -> FaultServer {
    let file = ServedFile(sampleBytes(0..<count))
    return try FaultServer { file.reply(to: $0) }
  }

  /// Plays a file of so many bytes; gives what the viewer is told until a condition holds.
  private func play(
    _ server: FaultServer, _ count: UInt64, disk: any Disk = RealDisk(),
    _ change: (inout NetworkOptions) -> Void = { _ in },
    until isEnough: ([String]) -> Bool = { !$0.isEmpty }
  ) throws -> [String] {
    let bench = try NetworkBench(cache, disk: disk, change)
    defer { bench.network.close() }
    let resource = try bench.network.open(server.url + "/a")
    #expect(isSample(try bench.readAll(resource), 0..<count))
    var notices: [String] = []
    try bench.wait {
      notices += bench.network.takeNotices()
      return isEnough(notices)
    }
    return notices
  }

  private func wrongSegments() throws -> Int {
    try CacheStore(directory: cache).verify().wrongSegments
  }

  @Test func unusableDirectory() throws {
    let server = try serving(2_000_000)
    defer { server.close() }
    try folder.write("a file", to: "cache")
    let notices = try play(server, 2_000_000)
    #expect(notices.count == 1 && notices[0].hasPrefix("no cache: cannot "))
  }

  @Test func fullCache() throws {
    let server = try serving(6_000_000)
    defer { server.close() }
    let notices = try play(server, 6_000_000) { $0.limits.bytes = 2 << 20 }
    #expect(notices == ["no room to cache: what is fetched is not kept"])
    #expect(try wrongSegments() == 0)
  }

  /// Twelve pieces are written; more writes than that do not come.
  @Test(arguments: 0..<12)
  func fullDisk_atAnyWrite(writes: Int) throws {
    let server = try serving(3_000_000)
    defer { server.close() }
    let disk = FaultyDisk()
    disk.set { $0.writesLeft = writes }
    let notices = try play(server, 3_000_000, disk: disk)
    #expect(notices == ["no room to cache: what is fetched is not kept"])
    #expect(server.bodyBytes == 3_000_000)
    #expect(try wrongSegments() == 0)
    #expect(try play(server, 3_000_000, until: { _ in true }) == [])
  }
}
