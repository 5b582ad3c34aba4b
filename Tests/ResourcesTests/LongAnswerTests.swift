import Support
import Synchronization
import System
import Testing

@testable import Resources

/// Long files of servers that send no strong validator: one answer that brings all is kept, and parts
/// of different answers never meet on the disk.
@Suite(.serialized, .timeLimit(.minutes(3))) struct LongAnswerTests {
  private static let size: UInt64 = 20_000_000
  private static let young = "Mon, 02 Feb 2026 09:59:30 GMT"
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private var cache: String { folder.path("cache") }

  /// What vouches for the bytes, and what the server does with conditions and ranges.
  struct Kind: Sendable, CustomTestStringConvertible {
    var tag: String?
    var modified: String?
    var knowsConditions = true
    var testDescription: String {
      "\(tag ?? "no tag"), \(modified ?? "no date")\(knowsConditions ? "" : ", no conditions")"
    }
  }

  private func serving(
    _ kind: Kind, seed: UInt64 = 0, count: UInt64 = size,
    _ spoil: @escaping @Sendable (ServerRequest, inout ServerReply) -> Void = { _, _ in }
  ) throws -> FaultServer {
    var file = ServedFile(sampleBytes(0..<count, seed: seed), tag: kind.tag)
    file.modified = kind.modified
    return try FaultServer { [file] request in
      var request = request
      if !kind.knowsConditions { request.fields["if-none-match"] = nil }
      var reply = file.reply(to: request)
      spoil(request, &reply)
      return reply
    }
  }

  /// Plays all of it in a run of its own.
  private func playAll(
    _ url: String, _ change: (inout NetworkOptions) -> Void = { _ in }
  ) throws -> (bytes: [UInt8], saving: Saving) {
    let bench = try NetworkBench(cache, change)
    defer { bench.network.close() }
    let resource = try bench.network.open(url)
    return (try bench.readAll(resource), bench.network.saving)
  }

  private func held() throws -> [UInt64] { try CacheStore(directory: cache).list().map(\.bytes) }

  private func wrongSegments() throws -> Int {
    try CacheStore(directory: cache).verify().wrongSegments
  }

  private static let weak = Kind(
    tag: "W/\"1313d00-18c\"", modified: "Mon, 02 Feb 2026 08:00:00 GMT")

  @Test(arguments: [weak, Kind(tag: "W/\"v1\""), Kind(modified: young), Kind()])
  func answer_isKeptWhole_andPlaysWithoutItsServer(kind: Kind) throws {
    let server = try serving(kind)
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<LongAnswerTests.size))
    // The first request was for a part: what had come of it came again.
    #expect(server.bodyBytes <= Int(LongAnswerTests.size) + 512 << 10)
    #expect(server.requests.map { $0["range"] } == ["bytes=0-262143", nil])
    #expect(try held() == [LongAnswerTests.size])
    let requests = server.requests.count
    let again = try playAll(server.url + "/a")
    #expect(isSample(again.bytes, 0..<LongAnswerTests.size))
    #expect(again.saving.requests == 0 && again.saving.fetched == 0)
    #expect(server.requests.count == requests)
    server.close()
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<LongAnswerTests.size))
    #expect(try wrongSegments() == 0)
  }

  /// Its server is asked about all of it at once, and none of it comes again.
  @Test(
    arguments: [
      weak, Kind(tag: "W/\"v1\"", knowsConditions: false),
      Kind(modified: young, knowsConditions: false),
    ])
  func staleAnswer_isCheckedAsAWhole(kind: Kind) throws {
    let server = try serving(kind)
    defer { server.close() }
    _ = try playAll(server.url + "/a")
    let before = (server.requests.count, server.bodyBytes)
    let again = try playAll(server.url + "/a") { $0.freshSeconds = 0 }
    #expect(isSample(again.bytes, 0..<LongAnswerTests.size))
    #expect(server.requests.count == before.0 + 1)
    #expect(server.requests.last?["if-none-match"] == kind.tag)
    #expect(server.bodyBytes - before.1 <= (kind.knowsConditions ? 0 : 262_144))
    #expect(try held() == [LongAnswerTests.size])
  }

  /// One that knows neither conditions nor ranges begins to send all: that is stopped.
  @Test func staleAnswer_ofAServerThatSendsAll_isNotFetchedAgain() throws {
    let isPlain = Flag()
    let server = try serving(LongAnswerTests.weak) { [size = LongAnswerTests.size] request, reply in
      guard isPlain.isSet else { return }
      reply.status = 200
      reply["Content-Range"] = nil
      reply.body = sampleBytes(0..<size)
      reply.bytesPerSecond = 4_000_000
    }
    defer { server.close() }
    _ = try playAll(server.url + "/a")
    isPlain.isSet = true
    let before = server.bodyBytes
    let again = try playAll(server.url + "/a") { $0.freshSeconds = 0 }
    #expect(isSample(again.bytes, 0..<LongAnswerTests.size))
    #expect(server.bodyBytes - before < 2_000_000)
    #expect(try held() == [LongAnswerTests.size])
  }

  @Test func staleAnswer_thatHasChanged_isFetchedAnew() throws {
    let version = Flag()
    let server = try FaultServer { request in
      let tag = version.isSet ? "W/\"v2\"" : "W/\"v1\""
      let bytes = sampleBytes(0..<LongAnswerTests.size, seed: version.isSet ? 2 : 1)
      return ServedFile(bytes, tag: tag).reply(to: request)
    }
    defer { server.close() }
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<LongAnswerTests.size, seed: 1))
    version.isSet = true
    let again = try playAll(server.url + "/a") { $0.freshSeconds = 0 }
    #expect(isSample(again.bytes, 0..<LongAnswerTests.size, seed: 2))
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<LongAnswerTests.size, seed: 2))
    #expect(try wrongSegments() == 0)
  }

  /// The index of a file may be at its end: that does not wait for all before it, and is for memory.
  @Test func readingTheEndFirst_waitsForNothing_andAllIsKeptAllTheSame() throws {
    let server = try serving(LongAnswerTests.weak) { request, reply in
      if request.range == nil { reply.bytesPerSecond = 10_000_000 }
    }
    defer { server.close() }
    let bench = try NetworkBench(cache)
    let resource = try bench.network.open(server.url + "/a")
    #expect(isSample(try bench.read(resource, 0, 65_536).get(), 0..<65_536))
    let end = LongAnswerTests.size - 100_000..<LongAnswerTests.size
    #expect(isSample(try bench.read(resource, end.lowerBound, 100_000).get(), end))
    #expect(server.bodyBytes < 3_000_000)
    #expect(isSample(try bench.readAll(resource), 0..<LongAnswerTests.size))
    bench.network.close()
    #expect(server.bodyBytes < Int(LongAnswerTests.size) + 2_000_000)
    #expect(try held() == [LongAnswerTests.size])
    #expect(try wrongSegments() == 0)
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<LongAnswerTests.size))
  }

  @Test func anyReads_agreeWithTheFile() throws {
    let server = try serving(LongAnswerTests.weak)
    defer { server.close() }
    for seed in UInt64(0)..<3 {
      var random = SeededRandom(seed: seed)
      let bench = try NetworkBench(cache)
      let resource = try bench.network.open(server.url + "/a")
      for _ in 0..<30 {
        let offset = UInt64.random(in: 0..<LongAnswerTests.size, using: &random)
        let length = Int.random(in: 0..<300_000, using: &random)
        let end = min(LongAnswerTests.size, offset + UInt64(length))
        #expect(isSample(try bench.read(resource, offset, length).get(), offset..<end))
      }
      bench.network.close()
    }
    #expect(try wrongSegments() == 0)
  }

  /// What follows a break is another answer: it is shown, and nothing is kept.
  @Test(arguments: [true, false])
  func answer_thatBreaksOff_isPlayedOn_andNotKept(changes: Bool) throws {
    let version = Flag()
    let server = try FaultServer { request in
      let isNew = version.isSet
      var reply = ServedFile(
        sampleBytes(0..<LongAnswerTests.size, seed: isNew ? 2 : 1),
        tag: isNew ? "W/\"v2\"" : "W/\"v1\""
      ).reply(to: request)
      if request.range == nil {
        reply.cutsAfter = 7_000_000
        version.isSet = changes
      }
      return reply
    }
    defer { server.close() }
    let bench = try NetworkBench(cache)
    let resource = try bench.network.open(server.url + "/a")
    if changes {
      #expect(throws: ResourceError("it has changed on 127.0.0.1:\(server.port)")) {
        try bench.readAll(resource)
      }
    } else {
      #expect(isSample(try bench.readAll(resource), 0..<LongAnswerTests.size, seed: 1))
    }
    bench.network.close()
    #expect(try CacheStore(directory: cache).list().filter { $0.bytes > 0 } == [])
  }

  @Test func answer_thatIsLeft_isNotKept() throws {
    let server = try serving(LongAnswerTests.weak) { request, reply in
      if request.range == nil { reply.bytesPerSecond = 4_000_000 }
    }
    defer { server.close() }
    let bench = try NetworkBench(cache)
    var resource: CachedResource? = try bench.network.open(server.url + "/a")
    let reader = try #require(resource)
    #expect(isSample(try bench.read(reader, 0, 3_000_000).get(), 0..<3_000_000))
    resource = nil
    _ = consume reader
    try bench.wait { bench.network.isIdle }
    #expect(server.bodyBytes < 6_000_000)
    bench.network.close()
    #expect(try held() == [])
  }

  /// A viewer who goes far away does not have all before that fetched, nor is the line taken for
  /// busy: other stories may have it.
  @Test func viewerWhoGoesFar_hasTheRestNotFetched() throws {
    let server = try serving(LongAnswerTests.weak, count: 60_000_000)
    defer { server.close() }
    let bench = try NetworkBench(cache)
    let resource = try bench.network.open(server.url + "/a")
    // What comes so fast would be there within a second, were it let go so far.
    for start in stride(from: UInt64(0), to: 3_000_000, by: 100_000) {
      #expect(isSample(try bench.read(resource, start, 100_000).get(), start..<start + 100_000))
    }
    for start in stride(from: UInt64(50_000_000), to: 51_000_000, by: 100_000) {
      #expect(isSample(try bench.read(resource, start, 100_000).get(), start..<start + 100_000))
    }
    try bench.wait { !resource.isFetching }
    #expect(server.bodyBytes < 27_000_000)
    bench.network.close()
    #expect(try held() == [])
  }

  /// Where all of it has no room nothing goes for a part, and it plays.
  @Test(arguments: [true, false])
  func answer_thatHasNoRoom_isPlayed_andNothingGoesForIt(quota: Bool) throws {
    let small = try serving(Kind(tag: "\"v1\""), seed: 3, count: 1_000_000)
    let server = try serving(LongAnswerTests.weak)
    defer { for each in [small, server] { each.close() } }
    _ = try playAll(small.url + "/b")
    let disk = FaultyDisk()
    if !quota { disk.set { $0.free = 15_000_000 } }
    let bench = try NetworkBench(cache, disk: disk) {
      if quota { $0.limits.bytes = 12_000_000 }
    }
    let resource = try bench.network.open(server.url + "/a")
    #expect(isSample(try bench.readAll(resource), 0..<LongAnswerTests.size))
    #expect(resource.whyNotKept == "the cache has no room or cannot be written")
    bench.network.close()
    #expect(try held() == [1_000_000])
    #expect(server.bodyBytes < Int(LongAnswerTests.size) + 300_000)
  }

  /// Another player that comes while one brings all of it leaves that one's entry alone.
  @Test func secondPlayer_doesNotUndoWhatTheFirstKeeps() throws {
    let server = try serving(LongAnswerTests.weak) { request, reply in
      if request.range == nil { reply.bytesPerSecond = 8_000_000 }
    }
    defer { server.close() }
    let first = try NetworkBench(cache)
    let one = try first.network.open(server.url + "/a")
    #expect(isSample(try first.read(one, 0, 3_000_000).get(), 0..<3_000_000))
    let second = try NetworkBench(cache)
    let other = try second.network.open(server.url + "/a")
    #expect(isSample(try second.read(other, 9_000_000, 1000).get(), 9_000_000..<9_001_000))
    #expect(other.whyNotKept == "another player is fetching it")
    second.network.close()
    #expect(isSample(try first.readAll(one), 0..<LongAnswerTests.size))
    first.network.close()
    #expect(try held() == [LongAnswerTests.size])
    let requests = server.requests.count
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<LongAnswerTests.size))
    #expect(server.requests.count == requests)
  }

  /// A part that turns out to be damaged is fetched for memory, and all of it anew the next time.
  @Test func damagedPart_isNeverShown_andNotMendedByAnotherAnswer() throws {
    let server = try serving(LongAnswerTests.weak)
    defer { server.close() }
    _ = try playAll(server.url + "/a")
    let blobs = cache + "/blobs/" + directoryEntries(cache + "/blobs")[0]
    let blob = blobs + "/" + directoryEntries(blobs)[0]
    var bytes = try readFile(blob)
    bytes[9_000_000] ^= 0x10
    try writeFile(bytes, to: blob)
    let before = server.bodyBytes
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<LongAnswerTests.size))
    #expect(server.bodyBytes - before <= 2 << 20)
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<LongAnswerTests.size))
    #expect(try held().last == LongAnswerTests.size)
    #expect(try wrongSegments() == 0)
  }

  @Test(arguments: ["no-store", "no-store, max-age=60"])
  func answer_thatMayNotBeStored_isNot(value: String) throws {
    let server = try serving(LongAnswerTests.weak) { _, reply in reply["Cache-Control"] = value }
    defer { server.close() }
    let bench = try NetworkBench(cache)
    let resource = try bench.network.open(server.url + "/a")
    _ = try bench.read(resource, 0, 10).get()
    #expect(resource.whyNotKept == "its server forbids that (no-store)")
    #expect(isSample(try bench.readAll(resource), 0..<LongAnswerTests.size))
    bench.network.close()
    #expect(try held() == [])
  }
}
