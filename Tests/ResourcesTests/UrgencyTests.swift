import Support
import System
import Testing

@testable import Resources

/// Whose bytes come first.
@Suite(.serialized, .timeLimit(.minutes(4))) struct UrgencyTests {
  private static let size: UInt64 = 24_000_000
  private static let file = ServedFile(sampleBytes(0..<size), tag: nil)

  /// A server that sends all of a file, whatever range is asked for.
  private func rangelessServer() throws -> FaultServer {
    try FaultServer { _ in
      var reply = ServerReply(body: UrgencyTests.file.bytes)
      reply["Content-Type"] = "video/mp4"
      return reply
    }
  }

  private func count(_ server: FaultServer, _ target: String) -> Int {
    server.requests.count { $0.target == target }
  }

  /// Opens two neighbours that take both places of a host and stand still there.
  private func openNeighbours(
    _ bench: NetworkBench, _ server: FaultServer
  ) throws -> [CachedResource] {
    let neighbours = try ["/1", "/2"].map { try bench.network.open(server.url + $0) }
    for neighbour in neighbours {
      neighbour.setUrgency(.ready)
      #expect(isSample(try bench.read(neighbour, 0, 65_536).get(), 0..<65_536))
    }
    var sent = -1
    try bench.wait {
      defer { sent = server.bodyBytes }
      return sent == server.bodyBytes && sent > 8_000_000
    }
    #expect(server.bodyBytes < 2 * Int(UrgencyTests.size))
    return neighbours
  }

  /// Reads all of a story that plays.
  private func expectWhole(_ bench: NetworkBench, _ resource: CachedResource) throws {
    #expect(isSample(try bench.readAll(resource), 0..<UrgencyTests.size))
  }

  /// Both transfers that a host may have are those of neighbours, which wait to be read.
  @Test(arguments: [true, false], [ResourceUrgency.ready, .held])
  func story_whoseNeighboursHoldAllPlaces_takesOne(
    isStored: Bool, urgency: ResourceUrgency
  ) throws {
    let server = try rangelessServer()
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let bench = try NetworkBench(isStored ? folder.path("cache") : nil)
    var neighbours = try openNeighbours(bench, server)
    for neighbour in neighbours { neighbour.setUrgency(urgency) }
    var story: CachedResource? = try bench.network.open(server.url + "/3")
    try expectWhole(bench, try #require(story))
    #expect(count(server, "/3") == 1)
    // Who gave up a place does not ask for it again and again.
    #expect(server.requests.count <= 4)
    #expect(server.mostOpen <= 3)
    story?.setUrgency(.ready)
    story = nil
    while let neighbour = neighbours.popLast() {
      neighbour.setUrgency(.playing)
      try expectWhole(bench, neighbour)
    }
    bench.network.close()
  }

  /// A neighbour's fetch that waits for its turn is a playing story's when that is told.
  @Test func neighbour_thatBeginsToPlayWhileItsFetchWaits_takesAPlace() throws {
    let server = try rangelessServer()
    defer { server.close() }
    let bench = try NetworkBench(nil)
    let neighbours = try openNeighbours(bench, server)
    let story = try bench.network.open(server.url + "/3")
    story.setUrgency(.ready)
    var answer: Result<[UInt8], ResourceError>?
    story.read(offset: 0, length: 65_536) { answer = $0 }
    // The loader takes what it is told in order.
    let other = try bench.network.open("http://127.0.0.2:1/")
    _ = try bench.read(other, 0, 1)
    #expect(answer == nil && count(server, "/3") == 0)
    story.setUrgency(.playing)
    try bench.wait { answer != nil }
    #expect(isSample(try #require(answer).get(), 0..<65_536))
    try expectWhole(bench, story)
    withExtendedLifetime(neighbours) { bench.network.close() }
  }

  /// However long its turn does not come: that is not its server's fault.
  @Test func neighbour_whoseFetchWaitsForLong_isNotGivenUp() throws {
    let server = try rangelessServer()
    defer { server.close() }
    let bench = try NetworkBench(nil) { $0.patienceSeconds = 1 }
    let neighbours = try openNeighbours(bench, server)
    let story = try bench.network.open(server.url + "/3")
    story.setUrgency(.ready)
    var answer: Result<[UInt8], ResourceError>?
    story.read(offset: 0, length: 65_536) { answer = $0 }
    // Twelve times what a connection is given are too long for a fetch that runs.
    let later = Instant.now + .milliseconds(13_500)
    try bench.wait { answer != nil || Instant.now > later }
    #expect(answer == nil)
    story.setUrgency(.playing)
    try bench.wait { answer != nil }
    #expect(isSample(try #require(answer).get(), 0..<65_536))
    withExtendedLifetime((neighbours, story)) { bench.network.close() }
  }

  /// A transfer that began as a neighbour's is not taken from the story that plays now.
  @Test func neighbour_thatBeginsToPlayWhileItsFetchRuns_keepsItsPlace() throws {
    let server = try rangelessServer()
    defer { server.close() }
    let bench = try NetworkBench(nil)
    let neighbours = try openNeighbours(bench, server)
    neighbours[0].setUrgency(.playing)
    let story = try bench.network.open(server.url + "/3")
    #expect(isSample(try bench.read(story, 0, 65_536).get(), 0..<65_536))
    // No place is free, and none is given up for what nobody waits for.
    let fourth = try bench.network.open(server.url + "/4")
    fourth.setUrgency(.ready)
    var answer: Result<[UInt8], ResourceError>?
    fourth.read(offset: 0, length: 65_536) { answer = $0 }
    try expectWhole(bench, neighbours[0])
    #expect(count(server, "/1") == 1)
    try bench.wait { answer != nil }
    try expectWhole(bench, story)
    #expect(count(server, "/3") == 1)
    withExtendedLifetime((neighbours, fourth)) { bench.network.close() }
  }

  /// It has taken hold of what it wants, and looks whether another process has stored it.
  @Test func neighbour_thatIsHeldBackBeforeItsFetchBegins_fetchesNothing() throws {
    let size: UInt64 = 2_000_000
    let file = ServedFile(sampleBytes(0..<size))
    let server = try FaultServer { file.reply(to: $0) }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let benches = try (0..<2).map { _ in try NetworkBench(folder.path("cache")) }
    let resources = try benches.map { try $0.network.open(server.url + "/a") }
    resources[0].setUrgency(.ready)
    var answers: [Result<[UInt8], ResourceError>] = []
    for resource in resources { resource.read(offset: 0, length: 1000) { answers.append($0) } }
    try benches.wait { answers.count == 2 && !resources.contains { $0.isFetching } }
    let before = benches[0].network.traffic
    resources[0].read(offset: 1_000_000, length: 1000) { answers.append($0) }
    #expect(answers.count == 2 && benches[0].network.traffic == before)
    resources[0].setUrgency(.held)
    // Another process may have what it had taken hold of.
    resources[1].read(offset: 1_000_000, length: 1000) { answers.append($0) }
    try benches.wait { answers.count == 3 && !resources[1].isFetching }
    #expect(benches[0].network.traffic == before)
    resources[0].setUrgency(.ready)
    try benches.wait { answers.count == 4 }
    #expect(try answers.suffix(2).allSatisfy { isSample(try $0.get(), 1_000_000..<1_001_000) })
    // Each byte came once.
    #expect(server.bodyBytes <= Int(size))
    withExtendedLifetime(resources) { for bench in benches { bench.network.close() } }
  }

  /// What a neighbour reads of the cache was saved once it is told, and not where it never is.
  @Test func saving_ofANeighbour_countsOnceItPlays() throws {
    let size: UInt64 = 300_000
    let file = ServedFile(sampleBytes(0..<size))
    let server = try FaultServer { file.reply(to: $0) }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let bench = try NetworkBench(folder.path("cache"))
    let told = try bench.network.open(server.url + "/a")
    #expect(isSample(try bench.readAll(told), 0..<size))
    #expect(bench.network.saving.served == size && bench.network.saving.saved == 0)
    for isTold in [false, true] {
      let neighbour = try bench.network.open(server.url + "/a")
      neighbour.setUrgency(.ready)
      #expect(isSample(try bench.read(neighbour, 0, 100_000).get(), 0..<100_000))
      #expect(bench.network.saving.saved == 0)
      if isTold { neighbour.setUrgency(.playing) }
      #expect(bench.network.saving.saved == (isTold ? 100_000 : 0))
    }
    bench.network.close()
  }

  /// What can be read without a server is told to the byte.
  @Test func availableEnd_isWhereWhatIsHereEnds() throws {
    let size: UInt64 = 2_000_000
    let file = ServedFile(sampleBytes(0..<size))
    let server = try FaultServer { file.reply(to: $0) }
    defer { server.close() }
    let bench = try NetworkBench(nil)
    let resource = try bench.network.open(server.url + "/a")
    #expect(resource.availableEnd(from: 0) == 0)
    resource.setUrgency(.ready)
    for offset: UInt64 in [0, 1_048_576] { _ = try bench.read(resource, offset, 1000).get() }
    try bench.wait { !resource.isFetching }
    let first = resource.availableEnd(from: 0)
    #expect(first >= 1000 && first < 1_048_576)
    #expect(
      resource.availableEnd(from: first - 1) == first && resource.availableEnd(from: first) == first
    )
    #expect(resource.availableEnd(from: 1_048_576) > 1_049_576)
    #expect(resource.availableEnd(from: size) == size && resource.availableEnd(from: .max) == .max)
    bench.network.close()
  }
}
