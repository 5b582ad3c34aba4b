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
      ("fec0::1", true), ("feff::1", true), ("fe7f::1", false), ("64:ff9b:1::1", true),
      ("64:ff9b:1:ffff::808:808", true), ("64:ff9b:2::1", false), ("2002:7f00:1::", true),
      ("2002:c0a8:101::1", true), ("2002:a9fe:a9fe::1", true), ("2002:808:808::1", false),
      ("2003::1", false),
    ])
  func isPrivate(text: String, expected: Bool) throws {
    #expect(try #require(PeerAddress(text)).isPrivate == expected)
  }

  @Test(
    arguments: [
      // Where it is, whether it may be in a private network, and whether it may be asked.
      ("192.168.1.1", false, false), ("9.9.9.9", false, true), ("192.168.1.2", true, true),
      ("8.8.8.8", true, true), (nil, false, false), (nil, true, true),
    ] as [(String?, Bool, Bool)])
  func mayAsk_forWhatAPublicSourceNames_isNothingPrivate(
    peer: String?, reachesPrivate: Bool, expected: Bool
  ) {
    let peer = peer.flatMap { PeerAddress($0) }
    #expect(PeerAddress.mayAsk(peer, reachesPrivate: reachesPrivate) == expected)
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

  private func serving(_ count: UInt64) throws -> FaultServer {
    let file = ServedFile(sampleBytes(0..<count))
    return try FaultServer { file.reply(to: $0) }
  }

  private func refusal(_ server: FaultServer) -> ResourceError {
    ResourceError("127.0.0.1:\(server.port) is in a private network, and who names it is not")
  }

  @Test func open_ofASegment_isReadFromBesideThePlaylist() throws {
    let server = try serving(10_000)
    defer { server.close() }
    let bench = try NetworkBench(nil)
    let playlist = server.url + "/show/list.m3u8?x=1"
    _ = try bench.readAll(bench.network.open(playlist))
    let opener = WebOpener(bench.network, playlist: playlist)
    let segment = try opener.open("parts/1.ts", freshSeconds: nil)
    #expect(isSample(try bench.readAll(segment), 0..<10_000))
    #expect(server.requests.map(\.target) == ["/show/list.m3u8?x=1", "/show/parts/1.ts"])
    bench.network.close()
  }

  /// A master playlist and a media playlist, each behind redirects; the second names its segments in
  /// all the ways there are.
  private func moving(_ head: String) throws -> FaultServer {
    let media = """
      \(head)\r\n#EXT-X-KEY:METHOD=AES-128,URI="../keys/k?x=1",IV=0x1\r\n\
      #EXT-X-MAP:URI="init.mp4"\r\n#EXTINF:2,URI="no"\r\n1.ts\r\n#EXTINF:2,\r\n/far/2.ts\r\n\
      #EXTINF:2,\r\nftp://h/3.ts\r\n\r\n# URI="comment"
      """
    return try FaultServer { request in
      func to(_ place: String) -> ServerReply {
        ServerReply(status: 302, fields: [("Location", place)])
      }
      switch request.target {
      case "/play": return to("/a/b/master.m3u8?sig=1")
      case "/a/b/master.m3u8?sig=1": return ServerReply(body: Array("#EXTM3U\nlow.m3u8\n".utf8))
      case "/a/b/low.m3u8": return to("/c/d/low.m3u8?sig=2")
      case "/c/d/low.m3u8?sig=2": return ServerReply(body: Array(media.utf8))
      case "/c/d/1.ts": return to("/e/1.ts")
      case "/e/1.ts": return ServerReply(body: Array("a segment".utf8))
      default: return ServerReply(status: 404)
      }
    }
  }

  /// Reads as much as there is at once, as a decoder does.
  private func some(
    _ resource: any Resource, _ offset: UInt64, _ count: Int, _ bench: NetworkBench
  ) throws -> String {
    var answer: Result<[UInt8], ResourceError>?
    resource.readSome(offset: offset, length: count) { answer = $0 }
    try bench.wait { answer != nil }
    return try String(decoding: (answer?.get() ?? []), as: UTF8.self)
  }

  /// What may stand before the mark, and how it is written.
  @Test(arguments: [
    "#EXTM3U", "\u{FEFF}#EXTM3U", "\r\n  \r\n#EXTM3U", "# made by hand\r\n\r\n#extm3u",
    "\u{FEFF}\r\n#" + String(repeating: "-", count: 900) + "\r\n#EXTM3U",
  ])
  func playlists_behindRedirects_nameWhatIsBesideThem(head: String) throws {
    let folder = try TemporaryDirectory()
    let server = try moving(head)
    defer { server.close() }
    // From the server, and from the cache alone.
    for isFirst in [true, false] {
      let bench = try NetworkBench(folder.path("cache"))
      let master = try bench.network.open(server.url + "/play", freshSeconds: isFirst ? nil : 0)
      let opener = WebOpener(bench.network, playlist: server.url + "/play", resource: master)
      #expect(try some(master, 0, 99, bench) == "#EXTM3U\nlow.m3u8\n")
      let low = try opener.open("low.m3u8")
      let expected = """
        \(head)\r\n#EXT-X-KEY:METHOD=AES-128,URI="\(server.url)/c/keys/k?x=1",IV=0x1\r\n\
        #EXT-X-MAP:URI="\(server.url)/c/d/init.mp4"\r\n#EXTINF:2,URI="no"\r\n\
        \(server.url)/c/d/1.ts\r\n#EXTINF:2,\r\n\(server.url)/far/2.ts\r\n\
        #EXTINF:2,\r\nftp://h/3.ts\r\n\r\n# URI="comment"
        """
      #expect(try some(low, 0, 9999, bench) == expected)
      let low2 = try opener.open("low.m3u8")
      #expect(try some(low2, 0, 5, bench) == String(expected.utf8.prefix(5)))
      #expect(try some(low, 10, 20, bench) == String(expected.utf8.dropFirst(10).prefix(20)))
      #expect(try some(low, 99_999, 5, bench) == "")
      #expect(low.info?.length == UInt64(expected.utf8.count) && low.availableEnd(from: 0) == .max)
      // What is no playlist stays as it is, wherever it is.
      let segment = try opener.open(server.url + "/c/d/1.ts")
      #expect(try some(segment, 0, 99, bench) == "a segment")
      #expect(try some(segment, 2, 3, bench) == "seg")
      bench.network.close()
      server.close()
    }
  }

  /// A decoder lets go of a playlist when it has read it, and asks for its parts later.
  @Test func open_afterThePlaylistWasLetGo_isStillBesideWhereItWas() throws {
    let server = try moving("#EXTM3U")
    defer { server.close() }
    let bench = try NetworkBench(nil)
    var master: CachedResource? = try bench.network.open(server.url + "/play")
    let opener = WebOpener(bench.network, playlist: server.url + "/play", resource: master)
    #expect(try bench.readAll(try #require(master)).count == 17)
    #expect(try some(opener.open("low.m3u8"), 0, 7, bench) == "#EXTM3U")
    weak let gone = master
    master = nil
    #expect(gone == nil)
    #expect(try some(opener.open("low.m3u8"), 0, 7, bench) == "#EXTM3U")
    bench.network.close()
  }

  @Test func open_fromAnUnknownPlaylist_neverReachesThisMachine() throws {
    let server = try serving(1000)
    defer { server.close() }
    let bench = try NetworkBench(nil)
    // Also not on a host of the playlist's name: names may lead elsewhere from one day to the next.
    for playlist in ["http://public.example/list.m3u8", server.url + "/list.m3u8"] {
      let opener = WebOpener(bench.network, playlist: playlist)
      let segment = try opener.open(server.url + "/secret", freshSeconds: nil)
      #expect(try bench.read(segment, 0, 10) == .failure(refusal(server)))
    }
    #expect(server.requests.isEmpty)
    bench.network.close()
  }

  /// However many others came in between, and whether they were asked for by name or not.
  @Test(arguments: [1, 4_095, 4_096, 20_000])
  func open_ofTheLastOfManyThatAFeedNames_isReadAsTheFirst(count: Int) throws {
    let server = try serving(1000)
    defer { server.close() }
    let bench = try NetworkBench(nil)
    let feed = server.url + "/feed.json"
    _ = try bench.readAll(bench.network.open(feed))
    // As if each had been read.
    for index in 0..<count {
      let address = try #require(WebAddress("\(server.url)/\(index)"))
      bench.network.note(address, isPrivate: true)
    }
    let last = try bench.network.open(server.url + "/last.png", namedBy: feed)
    #expect(isSample(try bench.readAll(last), 0..<1000))
    bench.network.close()
  }

  /// The stored playlist is read without asking anybody where its server is now.
  @Test(arguments: [true, false])
  func open_fromAStoredPlaylist_reachesWhatItsServerCould(isPrivate: Bool) throws {
    let folder = try TemporaryDirectory()
    let (server, other) = (try serving(10_000), try serving(5_000))
    defer { other.close() }
    let playlist = server.url + "/list.m3u8"
    let first = try NetworkBench(folder.path("cache"))
    _ = try first.readAll(first.network.open(playlist))
    first.network.close()
    server.close()
    if !isPrivate {
      // As if it had come from elsewhere; nothing on loopback is public.
      let store = try CacheStore(directory: folder.path("cache"))
      let address = try #require(WebAddress(playlist))
      let found = try #require(try store.find(address.identity()))
      var facts = found.facts
      #expect(facts.isPrivate)
      facts.isPrivate = false
      try store.revise(found.entry, facts)
      store.close(found.entry)
    }
    let bench = try NetworkBench(folder.path("cache"))
    #expect(isSample(try bench.readAll(bench.network.open(playlist)), 0..<10_000))
    let opener = WebOpener(bench.network, playlist: playlist)
    let segment = try opener.open(other.url + "/1.ts", freshSeconds: nil)
    let named = try bench.network.open(other.url + "/2.mp4", namedBy: playlist)
    if isPrivate {
      #expect(isSample(try bench.readAll(segment), 0..<5_000))
      #expect(isSample(try bench.readAll(named), 0..<5_000))
    } else {
      #expect(try bench.read(segment, 0, 10) == .failure(refusal(other)))
      #expect(try bench.read(named, 0, 10) == .failure(refusal(other)))
      #expect(other.requests.isEmpty)
    }
    bench.network.close()
  }
}
