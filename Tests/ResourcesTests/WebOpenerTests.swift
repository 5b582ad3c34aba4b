import Support
import Testing

@testable import Resources

@Suite struct PeerAddressTests {
  @Test(
    arguments: [
      ("127.0.0.1", true), ("10.1.2.3", true), ("172.16.0.1", true), ("172.32.0.1", false),
      ("192.168.1.1", true), ("192.169.1.1", false), ("169.254.169.254", true), ("0.0.0.0", true),
      ("100.64.0.1", true), ("100.128.0.1", false), ("198.18.0.1", true), ("224.0.0.1", true),
      ("8.8.8.8", false), ("::1", true), ("::", true), ("fe80::1", true), ("fd00::1", true),
      ("ff02::1", true), ("2001:db8::1", false), ("::ffff:10.0.0.1", true),
      ("::ffff:8.8.8.8", false), ("64:ff9b::a00:1", true), ("64:ff9b::808:808", false),
    ])
  func isPrivate(text: String, expected: Bool) throws {
    #expect(try #require(PeerAddress(text)).isPrivate == expected)
  }

  @Test(
    arguments: [
      // Where the playlist came from, where it leads, and whether that is allowed.
      ("8.8.8.8", "192.168.1.1", false), ("8.8.8.8", "9.9.9.9", true),
      ("192.168.1.1", "192.168.1.2", true), ("192.168.1.1", "8.8.8.8", true),
      (nil, "10.0.0.1", false), (nil, "9.9.9.9", true),
    ] as [(String?, String, Bool)])
  func reached_fromAPublicPlaylist_isNothingPrivate(from: String?, to: String, allowed: Bool) throws
  {
    var origins = Origins()
    let playlist = try #require(WebAddress("http://list.example/a.m3u8"))
    if let from {
      let isAllowed = origins.reached(playlist.host, PeerAddress(from), namedBy: nil)
      #expect(isAllowed)
    }
    let other = origins.reached("media.example", PeerAddress(to), namedBy: playlist)
    #expect(other == allowed)
    let own = origins.reached(playlist.host, PeerAddress(to), namedBy: playlist)
    #expect(own)
  }
}

@Suite(.serialized) struct WebOpenerTests {
  @Test(arguments: [
    "file:///etc/passwd", "ftp://127.0.0.1/a", "concat:a|b", "data:,x",
    "crypto:http://127.0.0.1/",
  ])
  func open_ofOtherThings_isRefused(reference: String) throws {
    let bench = try NetworkBench(nil)
    let opener = WebOpener(bench.network, playlist: "https://example.org/list.m3u8")
    #expect(throws: ResourceError.self) { try opener.open(reference) }
  }

  @Test func open_fromASecurePlaylist_refusesAnInsecureAddress() throws {
    let bench = try NetworkBench(nil)
    let opener = WebOpener(bench.network, playlist: "https://example.org/list.m3u8")
    #expect(throws: ResourceError("a playlist names an insecure address")) {
      try opener.open("http://example.org/a.ts")
    }
  }

  @Test func open_ofASegment_isReadFromBesideThePlaylist() throws {
    let file = ServedFile(sampleBytes(0..<10_000))
    let server = try FaultServer { file.reply(to: $0) }
    defer { server.close() }
    let bench = try NetworkBench(nil)
    let opener = WebOpener(bench.network, playlist: server.url + "/show/list.m3u8?x=1")
    let segment = try #require(try opener.open("parts/1.ts") as? CachedResource)
    #expect(isSample(try bench.readAll(segment), 0..<10_000))
    #expect(server.requests.map(\.target) == ["/show/parts/1.ts"])
    bench.network.close()
  }

  @Test func open_fromAnUnknownPlaylist_neverReachesThisMachine() throws {
    let server = try FaultServer { _ in ServerReply() }
    defer { server.close() }
    let bench = try NetworkBench(nil)
    let opener = WebOpener(bench.network, playlist: "http://public.example/list.m3u8")
    let segment = try #require(try opener.open(server.url + "/secret") as? CachedResource)
    #expect(
      try bench.read(segment, 0, 10)
        == .failure(
          ResourceError(
            "127.0.0.1:\(server.port) is in a private network, and who names it is not")))
    #expect(server.requests.isEmpty)
    bench.network.close()
  }
}
