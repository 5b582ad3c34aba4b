import Support
import Testing

@testable import Resources

/// What the playlist of a live story may bring about.
@Suite struct LiveOpenerTests {
  private let folder: TemporaryDirectory
  private let server: FaultServer

  init() throws {
    folder = try TemporaryDirectory()
    let file = ServedFile(sampleBytes(0..<10_000))
    server = try FaultServer { file.reply(to: $0) }
  }

  private var cache: String { folder.path("cache") }
  private var playlist: String { server.url + "/live.m3u8" }

  /// The paths of what is stored.
  private func stored() throws -> [String] {
    try CacheDirectory(cache).list().map { String($0.source.dropFirst(server.url.count)) }.sorted()
  }

  private func opener(_ bench: NetworkBench) throws -> WebOpener {
    _ = try bench.readAll(bench.network.open(playlist))
    return WebOpener(bench.network, playlist: playlist)
  }

  /// Also if the story plays them, or if they were stored in this run.
  @Test(arguments: [true, false]) func forget_ofWhatWasStoredBefore_deletesNothing(
    inThisRun: Bool
  ) throws {
    defer { server.close() }
    var bench = try NetworkBench(cache)
    for path in ["/1.ts", "/2.ts"] { _ = try bench.readAll(bench.network.open(server.url + path)) }
    if !inThisRun {
      bench.network.close()
      bench = try NetworkBench(cache)
    }
    let opener = try opener(bench)
    for path in ["1.ts", "3.ts"] {
      _ = try bench.readAll(opener.openStored(path))
      opener.forget(path)
    }
    opener.forget("2.ts")
    bench.network.close()
    #expect(try stored() == ["/1.ts", "/2.ts", "/live.m3u8"])
  }

  /// The entry is made later than the story needs it.
  @Test func forget_beforeAnEntryIsMade_deletesItThen() throws {
    defer { server.close() }
    let bench = try NetworkBench(cache)
    let opener = try opener(bench)
    let (part, other) = (try opener.openStored("1.ts"), try opener.openStored("2.ts"))
    opener.forget("1.ts")
    opener.forget("2.ts")
    // It is needed again.
    let again = try opener.openStored("2.ts")
    for resource in [part, other, again] { _ = try bench.readAll(resource) }
    bench.network.close()
    #expect(try stored() == ["/2.ts", "/live.m3u8"])
  }

  /// An old copy of what grows is of no use.
  @Test func forget_ofThePlaylistItself_deletesIt() throws {
    defer { server.close() }
    let bench = try NetworkBench(cache)
    try opener(bench).forget(nil)
    bench.network.close()
    #expect(try stored() == [])
  }

  @Test func reload_ofWhatIsNoFileOfAService_isRefused() throws {
    defer { server.close() }
    let yandex = try #require(SourceProfile.named("yandex"))
    let bench = try NetworkBench(nil) {
      $0.hosts = [HostRule(host: "127.0.0.1:\(server.port)", profile: yandex)]
    }
    let opener = WebOpener(bench.network, playlist: playlist)
    let refusal = ResourceError("it names no file of yandex")
    #expect(throws: refusal) { try opener.open("/folder/") }
    #expect(throws: refusal) { try opener.openPart("/folder/") }
    #expect(throws: refusal) { try opener.reload("/folder/") }
    #expect(server.requests.isEmpty)
    bench.network.close()
  }

  /// Where a public name leads may change while the story plays.
  @Test func reload_fromAPrivateNetwork_opensNoWayThere() throws {
    defer { server.close() }
    let bench = try NetworkBench(nil)
    let address = try #require(WebAddress(playlist))
    let opener = WebOpener(bench.network, playlist: playlist)
    let new = try opener.reload(nil)
    #expect(isSample(try bench.bytes(new, 0, 10_001).get(), 0..<10_000))
    #expect(!bench.network.isPrivate(address))
    let part = try opener.openPart("1.ts")
    #expect(
      try bench.bytes(part, 0, 10)
        == .failure(
          ResourceError(
            "127.0.0.1:\(server.port) is in a private network, and who names it is not")))
    _ = try bench.readAll(bench.network.open(playlist))
    #expect(bench.network.isPrivate(address))
    _ = try bench.bytes(opener.reload(nil), 0, 10)
    #expect(bench.network.isPrivate(address))
    bench.network.close()
  }
}
