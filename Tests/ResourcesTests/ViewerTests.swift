import Glibc
import Support
import System
import Testing

@testable import Resources

/// What viewers do: they come back, go on, leave half way, skip.
@Suite(.serialized, .timeLimit(.minutes(Scale.isLong ? 20 : 4))) struct ViewerTests {
  private func watch(
    _ url: String, _ cache: String, upTo end: UInt64
  ) throws -> Saving {
    let bench = try NetworkBench(cache)
    let resource = try bench.network.open(url)
    var position: UInt64 = 0
    while position < end {
      let bytes = try bench.read(resource, position, 65_536).get()
      guard !bytes.isEmpty else { break }
      #expect(isSample(bytes, position..<position + UInt64(bytes.count)))
      position += UInt64(bytes.count)
    }
    bench.network.close()
    return bench.network.saving
  }

  /// Left in the middle of a window, at full speed and at that of a slow line.
  @Test(arguments: [0, 2_000_000])
  func partlyWatchedStory_isCompletedByWhatIsMissing(bytesPerSecond: Int) throws {
    let size: UInt64 = Scale.isLong ? 60_000_000 : 6_000_000
    let file = ServedFile(sampleBytes(0..<size))
    let server = try FaultServer { request in
      var reply = file.reply(to: request)
      if bytesPerSecond > 0 { reply.bytesPerSecond = bytesPerSecond }
      return reply
    }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let (url, cache) = (server.url + "/a", folder.path("cache"))
    let first = try watch(url, cache, upTo: size * 2 / 5)
    let held = try CacheDirectory(cache).heldBytes()
    let sent = server.bodyBytes
    #expect(held >= size * 2 / 5)
    let second = try watch(url, cache, upTo: size)
    let missing = size - held
    #expect(second.fetched <= missing + (512 << 10))
    #expect(first.fetched + second.fetched - size <= max(size / 100, 256 << 10))
    // With what waited in a socket when the viewer left.
    #expect(server.bodyBytes <= Int(size) + (1 << 20))
    // Watched whole: nobody is asked any more.
    let requests = server.requests.count
    let again = try watch(url, cache, upTo: size)
    #expect(server.requests.count == requests && again.requests == 0 && again.fetched == 0)
    #expect(try CacheDirectory(cache).verify().wrongSegments == 0)
    Scale.report(
      "40 % of \(size / 1_000_000) MB at \(bytesPerSecond) bytes/s, then all: missing"
        + " \(missing), sent \(server.bodyBytes - sent), in all \(server.bodyBytes)")
  }

  /// A viewer goes on to a place that a request under way will come to much later: a new one begins
  /// there.
  @Test func seekFarAhead_doesNotWaitForAllBeforeIt() throws {
    let file = ServedFile(sampleBytes(0..<8_000_000))
    let server = try FaultServer { request in
      var reply = file.reply(to: request)
      reply.bytesPerSecond = 600_000
      return reply
    }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let bench = try NetworkBench(folder.path("cache"))
    let resource = try bench.network.open(server.url + "/a")
    var position: UInt64 = 0
    while position < 1_500_000 {
      position += UInt64(try bench.read(resource, position, 65_536).get().count)
    }
    // Well within the window of 4 MiB that was begun there.
    #expect(server.requests.contains { $0.range.map { $0.end ?? 0 > 4_000_000 } ?? false })
    let far: UInt64 = 3_900_000
    #expect(isSample(try bench.read(resource, far, 1_000).get(), far..<far + 1_000))
    #expect(bench.network.saving.fetched < 2_500_000)
    // What was skipped can still be had.
    #expect(isSample(try bench.read(resource, 2_000_000, 9).get(), 2_000_000..<2_000_009))
    bench.network.close()
    #expect(try CacheDirectory(folder.path("cache")).verify().wrongSegments == 0)
  }

  /// Seeking back is no saving, coming back is.
  @Test func bytesReadAgain_countOnceForEachOpening() throws {
    let file = ServedFile(sampleBytes(0..<1_000_000))
    let server = try FaultServer { file.reply(to: $0) }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let bench = try NetworkBench(folder.path("cache"))
    defer { bench.network.close() }
    for opening: UInt64 in 1...3 {
      let resource = try bench.network.open(server.url + "/a")
      for (offset, length) in [(0, 600_000), (200_000, 800_000), (0, 1_000_000), (999_999, 50)] {
        _ = try bench.read(resource, UInt64(offset), length).get()
      }
      let saving = bench.network.saving
      #expect(saving.served == opening * 1_000_000 && saving.fetched == 1_000_000)
      #expect(saving.saved == (opening - 1) * 1_000_000)
    }
  }

  /// In a process of its own, whose descriptors are counted.
  @Test func skips_inQuickSuccession_leaveNothingOpenAndWasteLittle() async throws {
    let folder = try TemporaryDirectory()
    let (skips, path) = (Scale.rounds(30, long: 1_000), folder.path)
    await #expect(processExitsWith: .success) { [skips = skips as Int, path = path as String] in
      let figures = try ViewerTests.skip(skips, path + "/cache")
      try writeFile(Array(figures.utf8), to: path + "/figures")
      exit(figures.hasPrefix("good") ? 0 : 1)
    }
    let figures = try readText(folder.path("figures"))
    #expect(figures.hasPrefix("good"), "\(figures)")
    #expect(try CacheDirectory(folder.path("cache")).verify().wrongSegments == 0)
    Scale.report(figures)
  }

  /// Skips ten times a second; begins with "good" where all is as it should be.
  private static func skip(_ skips: Int, _ cache: String) throws -> String {
    let file = ServedFile(sampleBytes(0..<2_000_000))
    let server = try FaultServer { request in
      var reply = file.reply(to: request)
      reply.bytesPerSecond = 400_000
      return reply
    }
    defer { server.close() }
    // The server's own sockets are of this process too.
    func descriptors() -> Int { directoryEntries("/proc/self/fd").count - server.openConnections }
    var before = 0
    var most = 0
    var received = 0
    // The first network loads libraries, which open what they need for good.
    for round in 0..<2 {
      if round == 1 { before = descriptors() }
      // What is kept is counted at the end: nothing may go for want of room.
      let bench = try NetworkBench(cache) { $0.limits.entries = 2 * skips }
      for number in 0..<(round == 0 ? 3 : skips) {
        let resource = try bench.network.open("\(server.url)/\(round)/\(number)")
        resource.read(offset: 0, length: 65_536) { _ in }
        let until = Instant.now + .milliseconds(100)
        while Instant.now < until {
          _ = try awaitReadiness(of: [Interest(bench.network.descriptor)], until: until)
          bench.network.deliver()
        }
        resource.cancel()
        if round == 1 { most = max(most, descriptors()) }
      }
      try bench.wait { bench.network.isIdle }
      received += Int(bench.network.traffic.bytes)
      bench.network.close()
    }
    try waitUntil { server.openConnections == 0 }
    let (sent, held) = (server.bodyBytes, Int(try CacheDirectory(cache).heldBytes()))
    let after = descriptors()
    let isGood = after <= before && most <= before + 24 && sent - held <= sent / 5
    return "\(isGood ? "good" : "bad"): \(skips) skips, \(server.requests.count) requests,"
      + " \(before) descriptors before, at most \(most), \(after) after; sent \(sent), received \(received), kept \(held),"
      + " at most \(server.mostOpen) connections at the server"
  }
}
