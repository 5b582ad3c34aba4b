import Glibc
import Support
import Synchronization
import System
import Testing

@testable import Resources

/// Several processes on one cache.
@Suite(.serialized, .timeLimit(.minutes(Scale.isLong ? 20 : 4))) struct SharedCacheTests {
  private static let size: UInt64 = Scale.isLong ? 200_000_000 : 20_000_000

  /// Plays a story in a process of its own.
  private static func play(_ url: String, _ cache: String) async {
    await #expect(processExitsWith: .success) {
      [url = url as String, cache = cache as String, size = size as UInt64] in
      let bench = try NetworkBench(cache)
      let resource = try bench.network.open(url)
      var position: UInt64 = 0
      while position < size {
        let bytes = try bench.read(resource, position, 65_536).get()
        guard !bytes.isEmpty, isSample(bytes, position..<position + UInt64(bytes.count)) else {
          exit(1)
        }
        position += UInt64(bytes.count)
      }
      bench.network.close()
      exit(0)
    }
  }

  @Test(arguments: [2, 4])
  func processes_onTheSameBytes_fetchEachOnce(count: Int) async throws {
    let file = ServedFile(sampleBytes(0..<SharedCacheTests.size))
    let server = try FaultServer { file.reply(to: $0) }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let (url, cache) = (server.url + "/a", folder.path("cache"))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count { group.addTask { await SharedCacheTests.play(url, cache) } }
    }
    let size = Int(SharedCacheTests.size)
    // Four on a disk that is too slow for them stop waiting for each other now and then.
    #expect(server.bodyBytes <= size + size / (count == 2 ? 100 : 4))
    #expect(try CacheDirectory(cache).verify().wrongSegments == 0)
    let bench = try NetworkBench(cache)
    #expect(
      isSample(try bench.readAll(bench.network.open(url)), 0..<SharedCacheTests.size))
    #expect(bench.network.saving.requests == 0)
    bench.network.close()
    Scale.report(
      "\(count) processes, \(size / 1_000_000) MB: the server sent"
        + " \(Double(server.bodyBytes * 1000 / size) / 1000) of it")
  }

  /// Waits until all have read all of it, side by side.
  private func readAll(
    _ benches: [NetworkBench], _ resources: [CachedResource], _ size: UInt64
  ) throws {
    var done = [UInt64](repeating: 0, count: benches.count)
    func next(_ index: Int) {
      resources[index].read(offset: done[index], length: 65_536) { result in
        guard let bytes = try? result.get() else { return }
        #expect(isSample(bytes, done[index]..<done[index] + UInt64(bytes.count)))
        done[index] += UInt64(bytes.count)
        if bytes.count == 65_536 { next(index) }
      }
    }
    for index in benches.indices { next(index) }
    try benches.wait { done.allSatisfy { $0 >= size } }
    #expect(done == [UInt64](repeating: size, count: benches.count))
  }

  /// Until the first answer is there, nobody knows what to share.
  @Test(arguments: [100_000, 262_144, 1_000_000] as [UInt64], [0, 200_000])
  func readers_thatBeginAtTheSameMoment_shareWhatTheyBeginWith(size: UInt64, delay: UInt32) throws {
    let file = ServedFile(sampleBytes(0..<size))
    let server = try FaultServer { request in
      usleep(delay)
      return file.reply(to: request)
    }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let benches = try (0..<3).map { _ in try NetworkBench(folder.path("cache")) }
    let resources = try benches.map { try $0.network.open(server.url + "/a") }
    try readAll(benches, resources, size)
    #expect(server.bodyBytes == Int(size))
    for bench in benches { bench.network.close() }
    #expect(try CacheDirectory(folder.path("cache")).verify().wrongSegments == 0)
  }

  /// Between the moment when others find its entry and the moment when it hears of it itself, who
  /// began a story has fetched what they are about to ask for.
  @Test func entry_beforeItsMakerKnowsOfIt_isNotFetchedByOthers() throws {
    let size: UInt64 = 100_000
    let file = ServedFile(sampleBytes(0..<size))
    let server = try FaultServer { file.reply(to: $0) }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let benches = try (0..<2).map { _ in try NetworkBench(folder.path("cache")) }
    let resources = try benches.map { try $0.network.open(server.url + "/a") }
    resources[0].read(offset: 0, length: 1) { _ in }
    try benches[0].wait { resources[0].info != nil }
    var answer: Result<[UInt8], ResourceError>?
    resources[1].read(offset: 0, length: Int(size)) { answer = $0 }
    try benches[1].wait { resources[1].info != nil }
    // Long enough for a fetch of its own.
    let later = Instant.now + .milliseconds(300)
    try benches[1].wait { Instant.now > later }
    #expect(answer == nil)
    try withExtendedLifetime(resources) { try benches.wait { answer != nil } }
    #expect(isSample(try #require(answer).get(), 0..<size))
    #expect(server.bodyBytes == Int(size))
    for bench in benches { bench.network.close() }
  }

  /// Two who read the same in one process, while another one begins it: what each took hold of is
  /// let go of.
  @Test func readersThatWaitForAnotherBeginner_leaveNothingOpen() throws {
    let file = ServedFile(sampleBytes(0..<600_000))
    let server = try FaultServer { request in
      usleep(300_000)
      return file.reply(to: request)
    }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let cache = folder.path("cache")
    let benches = try (0..<2).map { _ in try NetworkBench(cache) }
    var resources = try [benches[0], benches[1], benches[1]].map {
      try $0.network.open(server.url + "/a")
    }
    resources[0].read(offset: 0, length: 1) { _ in }
    try benches[0].wait { !server.requests.isEmpty }
    var answers = 0
    for resource in resources.dropFirst() {
      for offset: UInt64 in [0, 300_000] {
        resource.read(offset: offset, length: 100_000) { result in
          let bytes = (try? result.get()) ?? []
          #expect(isSample(bytes, offset..<offset + 100_000))
          answers += 1
        }
      }
    }
    try withExtendedLifetime(resources) { try benches.wait { answers == 4 } }
    benches[0].network.close()
    resources = []
    try benches[1].wait { benches[1].network.isIdle }
    func openBlobs() -> [String] {
      directoryEntries("/proc/self/fd").compactMap { linkTarget("/proc/self/fd/\($0)") }
        .filter { $0.hasPrefix(cache + "/blobs") }
    }
    try waitUntil { openBlobs().isEmpty }
    benches[1].network.close()
  }

  /// Where the first one gets nothing that could be shared, the others fetch for themselves.
  @Test(arguments: ["cancelled", "refused", "unstorable"])
  func beginner_thatBringsNothing_keepsNobodyWaiting(how: String) throws {
    let file = ServedFile(sampleBytes(0..<100_000))
    let asked = Mutex(0)
    let server = try FaultServer { request in
      let isFirst = asked.withLock { count in
        count += 1
        return count == 1
      }
      var reply = isFirst && how == "refused" ? ServerReply(status: 404) : file.reply(to: request)
      if isFirst { usleep(300_000) }
      if how == "unstorable" { reply["Cache-Control"] = "no-store" }
      return reply
    }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let benches = try (0..<2).map { _ in try NetworkBench(folder.path("cache")) }
    let resources = try benches.map { try $0.network.open(server.url + "/a") }
    resources[0].read(offset: 0, length: 1) { _ in }
    try benches[0].wait { asked.withLock { $0 == 1 } }
    if how == "cancelled" { resources[0].cancel() }
    var answer: Result<[UInt8], ResourceError>?
    resources[1].read(offset: 0, length: 100_000) { answer = $0 }
    // Nobody waits for what a reader asked for who is gone.
    try withExtendedLifetime(resources) { try benches.wait { answer != nil } }
    #expect(isSample(try #require(answer).get(), 0..<100_000))
    for bench in benches { bench.network.close() }
  }

  /// A slow disk holds ranges for long: who waits for them goes on waiting.
  @Test func readers_whileTheDiskIsSlow_fetchEachByteOnce() throws {
    let size: UInt64 = 8_000_000
    let file = ServedFile(sampleBytes(0..<size))
    let server = try FaultServer { file.reply(to: $0) }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let disk = FaultyDisk()
    disk.set { $0.syncMilliseconds = 300 }
    let benches = try (0..<3).map { _ in try NetworkBench(folder.path("cache"), disk: disk) }
    let resources = try benches.map { try $0.network.open(server.url + "/a") }
    try readAll(benches, resources, size)
    #expect(server.bodyBytes == Int(size))
    for bench in benches { bench.network.close() }
  }
}
