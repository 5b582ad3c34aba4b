import Support
import System
import Testing

@testable import Resources

/// A cache that may be read alone, such as another user's.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ReadOnlyCacheTests {
  private static let size: UInt64 = 1_000_000
  private let folder: TemporaryDirectory
  private let disk = FaultyDisk()

  init() throws {
    folder = try TemporaryDirectory()
    disk.set {
      $0.isReadOnly = true
      $0.writesLeft = 0
    }
  }

  private var cache: String { folder.path("cache") }

  private func files() throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for name in try RealDisk().names(in: cache) where name.hasPrefix("index") {
      let file = try LockableFile(reading: cache + "/" + name)
      found[name] = try file.read(at: 0, count: Int(try file.status().size))
    }
    return found
  }

  /// Whole and fresh: nothing is asked. Whole and stale: asked, and read where it is still true. A
  /// part, or other bytes: all is fetched. Nothing is written in any case.
  @Test(
    arguments: [
      // Whether it is whole, fresh, has changed; the bytes and the requests that it takes.
      (true, true, false, 0, 0), (true, false, false, 0, 1), (true, false, true, size, nil),
      (false, true, false, size, nil),
    ] as [(Bool, Bool, Bool, UInt64, Int?)])
  func story_inACacheThatCannotBeWritten_isReadWhereItIsWhole(
    isWhole: Bool, isFresh: Bool, changes: Bool, fetched: UInt64, requests: Int?
  ) throws {
    let size = ReadOnlyCacheTests.size
    let first = ServedFile(sampleBytes(0..<size))
    let later = changes ? ServedFile(sampleBytes(0..<size, seed: 2), tag: "\"v2\"") : first
    let isLater = Flag()
    let server = try FaultServer { (isLater.isSet ? later : first).reply(to: $0) }
    defer { server.close() }
    let writer = try NetworkBench(cache)
    let story = try writer.network.open(server.url + "/a")
    if isWhole {
      _ = try writer.readAll(story)
    } else {
      _ = try writer.read(story, 0, 1000).get()
    }
    writer.network.close()
    isLater.isSet = true
    let before = (try files(), server.requests.count)
    let bench = try NetworkBench(cache, disk: disk) { if !isFresh { $0.freshSeconds = 0 } }
    let bytes = try bench.readAll(bench.network.open(server.url + "/a"))
    bench.network.close()
    #expect(isSample(bytes, 0..<size, seed: changes ? 2 : 0))
    #expect(bench.network.saving.fetched == fetched)
    if let requests { #expect(server.requests.count == before.1 + requests) }
    #expect(try files() == before.0)
  }

  /// The index of another version cannot be brought up to date, a damaged one not be set aside.
  @Test func index_thatCannotBeRead_isLeftAsItIs() throws {
    try folder.write("no database at all, and longer than the head of one would be", to: "index.db")
    #expect(throws: CacheError.self) { try CacheStore(directory: folder.path, disk: disk) }
    #expect(try RealDisk().names(in: folder.path) == ["index.db"])
  }
}
