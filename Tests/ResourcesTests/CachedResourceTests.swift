import Glibc
import Support
import Synchronization
import System
import Testing

@testable import Resources

@Suite(.serialized, .timeLimit(.minutes(3))) struct CachedResourceTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private var cache: String { folder.path + "/cache" }

  private func serving(
    _ count: UInt64, tag: String? = "\"v1\"",
    _ spoil: @escaping @Sendable (ServerRequest, inout ServerReply) -> Void = { _, _ in }
  ) throws -> FaultServer {
    let file = ServedFile(sampleBytes(0..<count), tag: tag)
    return try FaultServer { request in
      var reply = file.reply(to: request)
      spoil(request, &reply)
      return reply
    }
  }

  /// Plays all of an address in a run of its own.
  private func playAll(
    _ url: String, cached: Bool = true, _ change: (inout NetworkOptions) -> Void = { _ in }
  ) throws -> (bytes: [UInt8], saving: Saving) {
    let bench = try NetworkBench(cached ? cache : nil, change)
    defer { bench.network.close() }
    let resource = try bench.network.open(url)
    return (try bench.readAll(resource), bench.network.saving)
  }

  private func wrongSegments() throws -> Int {
    try CacheStore(directory: cache).verify().wrongSegments
  }

  @Test(arguments: [0, 1, 65_536, 262_144, 262_145, 3_000_000])
  func readAll_ofAnySize_givesTheBytesAndOnlyOnceFromTheServer(count: UInt64) throws {
    let server = try serving(count)
    defer { server.close() }
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<count))
    #expect(server.bodyBytes == Int(count))
    let requests = server.requests.count
    let again = try playAll(server.url + "/a")
    #expect(isSample(again.bytes, 0..<count))
    if count > 0 {
      #expect(server.requests.count == requests)
      #expect(again.saving.requests == 0 && again.saving.fetched == 0)
      #expect(again.saving.served == count && again.saving.misses == 0)
    }
  }

  @Test func info_isKnownAfterAReadOfNothing() throws {
    let server = try serving(5000)
    defer { server.close() }
    for _ in 0..<2 {
      let bench = try NetworkBench(cache)
      let resource = try bench.network.open(server.url + "/a")
      #expect(resource.info == nil)
      #expect(try bench.read(resource, 0, 0) == .success([]))
      #expect(resource.info == ContentInfo(length: 5000, type: "video/mp4"))
      bench.network.close()
    }
  }

  @Test func replay_whenTheServerIsGone_playsOffline() throws {
    let server = try serving(500_000)
    _ = try playAll(server.url + "/a")
    server.close()
    // Neither fresh nor to be checked: it plays all the same.
    let start = Instant.now
    let again = try playAll(server.url + "/a") { $0.freshSeconds = 0 }
    #expect(isSample(again.bytes, 0..<500_000))
    #expect(Instant.now - start < .seconds(10))
  }

  @Test(arguments: [false, true])
  func replay_whenTheCheckTakesLong_playsWhatIsThere(changes: Bool) throws {
    let file = ServedFile(sampleBytes(0..<500_000))
    let new = ServedFile(sampleBytes(0..<500_000, seed: 2), tag: "\"v2\"")
    let hasChanged = Atomic(false)
    let server = try FaultServer { request in
      if request["if-none-match"] != nil {
        hasChanged.store(changes, ordering: .relaxed)
        sleep(5)
      }
      return (hasChanged.load(ordering: .relaxed) ? new : file).reply(to: request)
    }
    defer { server.close() }
    _ = try playAll(server.url + "/a")
    let bench = try NetworkBench(cache) {
      $0.freshSeconds = 0
      $0.patienceSeconds = 20
    }
    let start = Instant.now
    let resource = try bench.network.open(server.url + "/a")
    #expect(isSample(try bench.readAll(resource), 0..<500_000))
    #expect(Instant.now - start < .seconds(5))
    try bench.wait { !bench.network.isFetching }
    let again = try bench.readAll(bench.network.open(server.url + "/a"))
    #expect(isSample(again, 0..<500_000, seed: changes ? 2 : 0))
    bench.network.close()
    #expect(try wrongSegments() == 0)
  }

  @Test func replay_ofStaleBytes_asksOnceAndFetchesNothing() throws {
    let server = try serving(500_000)
    defer { server.close() }
    _ = try playAll(server.url + "/a")
    let before = (server.requests.count, server.bodyBytes)
    #expect(isSample(try playAll(server.url + "/a") { $0.freshSeconds = 0 }.bytes, 0..<500_000))
    #expect(server.requests.count == before.0 + 1 && server.bodyBytes == before.1)
    #expect(server.requests.last?["if-none-match"] == "\"v1\"")
  }

  @Test func replay_ofChangedContent_givesTheNewBytes() throws {
    let version = Atomic(1)
    let server = try FaultServer { request in
      let seed = version.load(ordering: .relaxed)
      return ServedFile(
        sampleBytes(0..<600_000, seed: UInt64(seed)), tag: "\"v\(seed)\""
      ).reply(to: request)
    }
    defer { server.close() }
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<600_000, seed: 1))
    version.store(2, ordering: .relaxed)
    let second = try playAll(server.url + "/a") { $0.freshSeconds = 0 }
    #expect(isSample(second.bytes, 0..<600_000, seed: 2))
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<600_000, seed: 2))
    #expect(try wrongSegments() == 0)
  }

  /// Only a part is stored, and fresh: who comes back later sees the new bytes from the first on,
  /// also where the server does not know conditions.
  @Test(arguments: [true, false])
  func replay_ofAPartThatChanged_givesTheNewBytes(knowsConditions: Bool) throws {
    let version = Atomic(1)
    let server = try FaultServer { request in
      let seed = version.load(ordering: .relaxed)
      var request = request
      if !knowsConditions {
        for name in ["if-match", "if-none-match", "if-range"] { request.fields[name] = nil }
      }
      return ServedFile(
        sampleBytes(0..<2_000_000, seed: UInt64(seed)), tag: "\"v\(seed)\""
      ).reply(to: request)
    }
    defer { server.close() }
    let first = try NetworkBench(cache)
    _ = try first.read(first.network.open(server.url + "/a"), 0, 1000).get()
    first.network.close()
    version.store(2, ordering: .relaxed)
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<2_000_000, seed: 2))
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<2_000_000, seed: 2))
    #expect(try wrongSegments() == 0)
  }

  @Test func replay_ofAPart_isOfflineWhatItWas() throws {
    let server = try serving(2_000_000)
    let first = try NetworkBench(cache)
    _ = try first.read(first.network.open(server.url + "/a"), 0, 1000).get()
    first.network.close()
    server.close()
    let bench = try NetworkBench(cache)
    let resource = try bench.network.open(server.url + "/a")
    #expect(isSample(try bench.read(resource, 0, 65_536).get(), 0..<65_536))
    #expect(throws: ResourceError.self) { try bench.read(resource, 1_500_000, 10).get() }
    bench.network.close()
  }

  /// Who saw the old bytes has left; who reads on has seen none.
  @Test func contentThatChanges_whenWhoSawItHasLeft_isBegunAnew() throws {
    let version = Atomic(1)
    let server = try FaultServer { request in
      let seed = version.load(ordering: .relaxed)
      return ServedFile(
        sampleBytes(0..<2_000_000, seed: UInt64(seed)), tag: "\"v\(seed)\""
      ).reply(to: request)
    }
    defer { server.close() }
    let bench = try NetworkBench(cache)
    let next = try bench.network.open(server.url + "/a")
    do {
      let seen = try bench.network.open(server.url + "/a")
      #expect(isSample(try bench.read(seen, 0, 1000).get(), 0..<1000, seed: 1))
    }
    version.store(2, ordering: .relaxed)
    let bytes = try bench.read(next, 1_500_000, 1000).get()
    #expect(isSample(bytes, 1_500_000..<1_501_000, seed: 2))
    #expect(isSample(try bench.readAll(next), 0..<2_000_000, seed: 2))
    bench.network.close()
    #expect(try wrongSegments() == 0)
  }

  @Test func contentThatChangesBetweenTwoRanges_isNeverMixed() throws {
    let version = Atomic(1)
    let server = try FaultServer { request in
      let seed = version.load(ordering: .relaxed)
      return ServedFile(
        sampleBytes(0..<2_000_000, seed: UInt64(seed)), tag: "\"v\(seed)\""
      ).reply(to: request)
    }
    defer { server.close() }
    let bench = try NetworkBench(cache)
    let resource = try bench.network.open(server.url + "/a")
    #expect(isSample(try bench.read(resource, 0, 1000).get(), 0..<1000, seed: 1))
    version.store(2, ordering: .relaxed)
    #expect(
      try bench.read(resource, 1_500_000, 1000)
        == .failure(ResourceError("it has changed on 127.0.0.1:\(server.port)")))
    // What is held of the old bytes can still be read; who opens it anew gets the new ones.
    #expect(isSample(try bench.read(resource, 2000, 1000).get(), 2000..<3000, seed: 1))
    let other = try bench.network.open(server.url + "/a")
    #expect(isSample(try bench.readAll(other), 0..<2_000_000, seed: 2))
    bench.network.close()
    #expect(try wrongSegments() == 0)
  }

  @Test func anyReads_agreeWithTheFile() throws {
    let server = try serving(3_000_000)
    defer { server.close() }
    for seed in UInt64(0)..<4 {
      var random = SeededRandom(seed: seed)
      let bench = try NetworkBench(cache)
      let resource = try bench.network.open(server.url + "/a")
      for _ in 0..<40 {
        let offset = UInt64.random(in: 0..<3_100_000, using: &random)
        let length = Int.random(in: 0..<300_000, using: &random)
        let end = max(min(offset, 3_000_000), min(3_000_000, offset + UInt64(length)))
        #expect(
          isSample(try bench.read(resource, offset, length).get(), min(offset, 3_000_000)..<end))
      }
      bench.network.close()
    }
    #expect(server.bodyBytes == 3_000_000)
  }

  @Test func manyReadersOfOneRange_areOneRequest() throws {
    let server = try serving(200_000) { _, reply in reply.bytesPerSecond = 1_000_000 }
    defer { server.close() }
    let bench = try NetworkBench(cache)
    var answers = 0
    let resources = try (0..<64).map { _ in try bench.network.open(server.url + "/a") }
    for resource in resources {
      resource.read(offset: 1000, length: 100_000) { result in
        if let bytes = try? result.get(), isSample(bytes, 1000..<101_000) { answers += 1 }
      }
    }
    try withExtendedLifetime(resources) { try bench.wait { answers == 64 } }
    #expect(server.requests.count == 1)
    bench.network.close()
  }

  @Test func damagedBlob_isFetchedAgainAndNeverShown() throws {
    let server = try serving(2_000_000)
    defer { server.close() }
    _ = try playAll(server.url + "/a")
    let folders = directoryEntries(cache + "/blobs")
    let blob = "\(cache)/blobs/\(folders[0])/\(directoryEntries("\(cache)/blobs/\(folders[0])")[0])"
    var bytes = try readFile(blob)
    for place in [5, 700_000, 1_999_999] { bytes[place] ^= 0x10 }
    try writeFile(bytes, to: blob)
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<2_000_000))
    #expect(server.bodyBytes <= 2_000_000 + 3 * (256 << 10))
    #expect(try wrongSegments() == 0)
  }

  @Test func serverWithoutRanges_isReadInOrderAndStored() throws {
    let file = ServedFile(sampleBytes(0..<2_000_000))
    let server = try FaultServer { request in
      var plain = request
      plain.fields["range"] = nil
      return file.reply(to: plain)
    }
    defer { server.close() }
    let bench = try NetworkBench(cache)
    let resource = try bench.network.open(server.url + "/a")
    #expect(isSample(try bench.read(resource, 1_900_000, 1000).get(), 1_900_000..<1_901_000))
    #expect(isSample(try bench.readAll(resource), 0..<2_000_000))
    bench.network.close()
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<2_000_000))
    #expect(server.requests.count == 1)
  }

  @Test(arguments: ["W/\"v1\"", nil])
  func weakValidators_neverJoinParts(tag: String?) throws {
    let server = try serving(2_000_000, tag: tag)
    defer { server.close() }
    let bench = try NetworkBench(cache)
    let resource = try bench.network.open(server.url + "/a")
    #expect(isSample(try bench.read(resource, 100, 1000).get(), 100..<1100))
    #expect(server.requests.last?["range"] == nil)
    #expect(isSample(try bench.readAll(resource), 0..<2_000_000))
    bench.network.close()
    let requests = server.requests.count
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<2_000_000))
    #expect(server.requests.count == requests)
  }

  @Test func weakValidators_ofAPartlyReadFile_areNotStored() throws {
    let server = try serving(8_000_000, tag: nil) { request, reply in
      if request.range == nil { reply.bytesPerSecond = 2_000_000 }
    }
    defer { server.close() }
    let bench = try NetworkBench(cache)
    let resource = try bench.network.open(server.url + "/a")
    #expect(isSample(try bench.read(resource, 0, 1000).get(), 0..<1000))
    bench.network.close()
    #expect(try CacheStore(directory: cache).list() == [])
  }

  @Test(arguments: ["no-store", "no-store, max-age=60"])
  func noStore_isNotStored(value: String) throws {
    var file = ServedFile(sampleBytes(0..<700_000))
    file.cacheControl = value
    let server = try FaultServer { [file] in file.reply(to: $0) }
    defer { server.close() }
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<700_000))
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<700_000))
    #expect(server.bodyBytes == 1_400_000)
    #expect(try CacheStore(directory: cache).list() == [])
  }

  @Test func noCache_isCheckedEachTime() throws {
    var file = ServedFile(sampleBytes(0..<100_000))
    file.cacheControl = "no-cache"
    let server = try FaultServer { [file] in file.reply(to: $0) }
    defer { server.close() }
    for _ in 0..<3 { #expect(isSample(try playAll(server.url + "/a").bytes, 0..<100_000)) }
    #expect(server.requests.count == 3 && server.bodyBytes == 100_000)
  }

  @Test(arguments: [2_000_000, 40_000_000])
  func withoutCache_allIsPlayed(count: UInt64) throws {
    let server = try serving(count)
    defer { server.close() }
    #expect(isSample(try playAll(server.url + "/a", cached: false).bytes, 0..<count))
    #expect(server.bodyBytes == Int(count))
  }

  @Test func load_ofAFeed_isCheckedEachTimeAndThereOffline() throws {
    let server = try serving(400_000)
    let url = server.url + "/feed.json"
    func load(most: Int = 1 << 20) throws -> Result<[UInt8], ResourceError> {
      let bench = try NetworkBench(cache)
      defer { bench.network.close() }
      var answer: Result<[UInt8], ResourceError>?
      bench.network.load(url, most: most) { answer = $0 }
      try bench.wait { answer != nil }
      return try #require(answer)
    }
    #expect(isSample(try load().get(), 0..<400_000))
    #expect(isSample(try load().get(), 0..<400_000))
    #expect(try load(most: 399_999) == .failure(ResourceError("it is too large")))
    #expect(server.bodyBytes == 400_000)
    #expect(server.requests.last?["if-none-match"] == "\"v1\"")
    server.close()
    #expect(isSample(try load().get(), 0..<400_000))
  }

  /// One that is left may be kept for a while: nothing more is asked for on its behalf.
  @Test func cancel_ofAKeptResource_endsWhatIsFetchedAhead() throws {
    let server = try serving(8_000_000) { _, reply in reply.bytesPerSecond = 2_000_000 }
    defer { server.close() }
    let bench = try NetworkBench(cache)
    let resource = try bench.network.open(server.url + "/a")
    var position: UInt64 = 0
    while position < 1_000_000 {
      position += UInt64(try bench.read(resource, position, 65_536).get().count)
    }
    resource.cancel()
    let requests = server.requests.count
    let until = Instant.now + .milliseconds(700)
    while Instant.now < until {
      _ = try awaitReadiness(of: [Interest(bench.network.descriptor)], until: until)
      bench.network.deliver()
    }
    #expect(server.requests.count == requests)
    #expect(!bench.network.isFetching)
    // It can be read on.
    #expect(isSample(try bench.read(resource, position, 100).get(), position..<position + 100))
    bench.network.close()
  }

  /// Once its server is known for having no ranges, a file is asked for as a whole, and the answer
  /// may not say how long it is.
  @Test(arguments: ["\"v1\"", "W/\"v1\"", nil])
  func secondFile_ofAServerWithoutRangesAndLengths_isRead(tag: String?) throws {
    let file = ServedFile(sampleBytes(0..<400_000), tag: tag)
    let server = try FaultServer { request in
      var plain = request
      plain.fields["range"] = nil
      var reply = file.reply(to: plain)
      reply.isChunked = true
      reply["Content-Length"] = nil
      reply.bytesPerSecond = 800_000
      return reply
    }
    defer { server.close() }
    let bench = try NetworkBench(cache)
    for name in ["a", "b", "c"] {
      let resource = try bench.network.open("\(server.url)/\(name)")
      #expect(isSample(try bench.readAll(resource), 0..<400_000))
    }
    bench.network.close()
    #expect(try wrongSegments() == 0)
  }

  @Test func cancel_endsWhatIsNotWanted() throws {
    let server = try serving(8_000_000) { _, reply in reply.bytesPerSecond = 200_000 }
    defer { server.close() }
    let bench = try NetworkBench(cache)
    var resource: CachedResource? = try bench.network.open(server.url + "/a")
    var isAnswered = false
    resource?.read(offset: 0, length: 200_000) { _ in isAnswered = true }
    try bench.wait { server.bodyBytes > 20_000 }
    resource?.cancel()
    resource = nil
    try bench.wait { bench.network.isIdle }
    #expect(!isAnswered)
    #expect(server.bodyBytes < 200_000)
    bench.network.close()
    // What came is kept.
    #expect(try CacheStore(directory: cache).list().first.map { $0.bytes > 0 } == true)
  }

  /// A hostile file makes a decoder ask for anything.
  @Test(
    arguments: [.max, .max - 1, 1 << 63, 1 << 62, 1 << 50, 100_001, 100_000] as [UInt64])
  func read_pastTheEnd_givesNothing(offset: UInt64) throws {
    let server = try serving(100_000)
    defer { server.close() }
    let bench = try NetworkBench(cache)
    let resource = try bench.network.open(server.url + "/a")
    // Before and after the length is known.
    for _ in 0..<2 { #expect(try bench.read(resource, offset, .max) == .success([])) }
    #expect(isSample(try bench.readAll(resource), 0..<100_000))
    bench.network.close()
  }

  /// The new bytes are told by a check that takes longer than one waits for it; what was begun for
  /// the old ones meanwhile comes last.
  @Test func lateCheck_thatFindsOtherBytes_dropsWhatIsUnderWay() throws {
    let (old, new) = (
      ServedFile(sampleBytes(0..<2_000_000, seed: 1)),
      ServedFile(sampleBytes(0..<2_000_000, seed: 2), tag: "\"v2\"")
    )
    let hasChanged = Atomic(false)
    let server = try FaultServer { request in
      if request["if-none-match"] != nil {
        sleep(4)
        hasChanged.store(true, ordering: .relaxed)
      }
      var reply = (hasChanged.load(ordering: .relaxed) ? new : old).reply(to: request)
      if request["if-match"] != nil { reply.bytesPerSecond = 60_000 }
      return reply
    }
    defer { server.close() }
    let first = try NetworkBench(cache)
    _ = try first.read(first.network.open(server.url + "/a"), 0, 1000).get()
    first.network.close()
    let bench = try NetworkBench(cache) {
      $0.freshSeconds = 0
      $0.patienceSeconds = 20
    }
    let resource = try bench.network.open(server.url + "/a")
    let bytes = try bench.read(resource, 1_000_000, 200_000).get()
    #expect(isSample(bytes, 1_000_000..<1_200_000, seed: 2))
    #expect(isSample(try bench.readAll(resource), 0..<2_000_000, seed: 2))
    bench.network.close()
    #expect(try wrongSegments() == 0)
    #expect(isSample(try playAll(server.url + "/a").bytes, 0..<2_000_000, seed: 2))
  }

  @Test func errors_holdNoSecret() throws {
    let server = try FaultServer { _ in ServerReply(status: 404) }
    defer { server.close() }
    let bench = try NetworkBench(cache)
    let url = "http://anna:CANARY@127.0.0.1:\(server.port)/a?token=CANARY"
    let result = try bench.read(bench.network.open(url), 0, 10)
    let words = "127.0.0.1:\(server.port) does not have it"
    #expect(result == .failure(ResourceError(words, isGone: true)))
    bench.network.close()
  }

  @Test(arguments: ["ftp://example.org/a", "file:///etc/passwd", "nonsense", ""])
  func open_ofOtherThings_isRefused(url: String) throws {
    let bench = try NetworkBench(nil)
    #expect(throws: ResourceError("is no web address")) { try bench.network.open(url) }
  }
}
