import Support
import Synchronization
import Testing

@testable import Resources

/// Servers that play elsewhere although they keep to no standard.
@Suite(.serialized, .timeLimit(.minutes(3))) struct OddServerTests {
  private let folder: TemporaryDirectory
  private static let feed = Array(#"{"version": "https://jsonfeed.org/version/1.1"}"#.utf8)

  init() throws { folder = try TemporaryDirectory() }

  private func readAll(_ url: String) throws -> Result<[UInt8], ResourceError> {
    let bench = try NetworkBench(folder.path("cache"))
    defer { bench.network.close() }
    let resource = try bench.network.open(url)
    return Result { () throws(ResourceError) in
      do {
        return try bench.readAll(resource)
      } catch let error as ResourceError {
        throw error
      } catch {
        throw ResourceError("\(error)")
      }
    }
  }

  // MARK: - Types

  private static let contents: [[UInt8]] = [
    feed, Array("<?xml version='1.0'?><rss><channel/></rss>".utf8), Array("#EXTM3U\na.mp4\n".utf8),
    [0, 0, 0, 0x18] + Array("ftypisom".utf8), Array("<svg/>".utf8), Array("<playlist/>".utf8), [],
    sampleBytes(0..<700_000),
  ]

  @Test(arguments: ["text/html; charset=utf-8", "text/plain", "application/xhtml+xml", nil])
  func type_decidesNothing(type: String?) throws {
    for (index, content) in OddServerTests.contents.enumerated() {
      var file = ServedFile(content)
      file.type = type ?? ""
      for hasRanges in [true, false] {
        let server = try FaultServer { [file] request in
          var request = request
          if !hasRanges { request.fields["range"] = nil }
          var reply = file.reply(to: request)
          if type == nil { reply["Content-Type"] = nil }
          return reply
        }
        defer { server.close() }
        #expect(try readAll(server.url).get() == content, "\(index)")
      }
    }
  }

  @Test(arguments: [
    "<!DOCTYPE html><p>", "<html>", "\u{FEFF}  <HTML lang=en>", "<!-- x --><!doctype HTML>",
    "<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC 'x'>", "<script>location='/login'</script>",
    "<head><meta http-equiv=refresh>",
  ])
  func page_isToldAsSuch(page: String) throws {
    for type in ["text/html", "text/plain", nil] {
      let server = try FaultServer { _ in
        ServerReply(
          fields: type.map { [("Content-Type", $0)] } ?? [], body: Array(page.utf8))
      }
      defer { server.close() }
      let host = "127.0.0.1:\(server.port)"
      #expect(
        try readAll(server.url)
          == .failure(
            ResourceError(
              "\(host) sends a web page instead (does it want a login in a browser?)")))
    }
  }

  @Test(
    arguments: [
      ("<div>x", true, false), ("<a href=x>", true, false), ("<audio>", false, false),
      ("<!doctype rss>", false, false), ("<htmlx>", false, false), ("x <html>", false, false),
      ("<!-- <html>", false, false), ("", false, false), ("<", false, false),
      ("<title>", true, true), ("<BODY\tx>", true, true),
    ])
  func begins_asPagesDo(text: String, whenCalledSo: Bool, else otherwise: Bool) {
    let wide: [UInt8] = text.utf8.reduce(into: [0xFF, 0xFE]) { $0 += [$1, 0] }
    for bytes in [Array(text.utf8), wide] {
      #expect(WebPage.isPage(beginningWith: bytes, isDeclaredHTML: true) == whenCalledSo)
      #expect(WebPage.isPage(beginningWith: bytes, isDeclaredHTML: false) == otherwise)
    }
  }

  // MARK: - Compression

  @Test(arguments: ["gzip", "x-gzip", "deflate", "deflate, gzip"])
  func compressedFeed_isUnpacked(coding: String) throws {
    let packed = try gzip(OddServerTests.feed)
    // What deflate means to most: without the head and the end of a gzip file.
    let bare = Array(packed.dropFirst(10).dropLast(8))
    let body =
      switch coding {
      case "deflate": bare
      case "deflate, gzip": try gzip(bare)
      default: packed
      }
    let server = try FaultServer { _ in
      ServerReply(
        fields: [("Content-Encoding", coding), ("Content-Type", "text/html"), ("ETag", "W/\"1\"")],
        body: body)
    }
    defer { server.close() }
    #expect(try readAll(server.url).get() == OddServerTests.feed)
    // Asked with a range, then without; what is stored is the text.
    #expect(server.requests.map { $0["Range"] != nil } == [true, false])
    server.close()
    #expect(try readAll(server.url).get() == OddServerTests.feed)
  }

  @Test func compressedPage_isToldAsSuch() throws {
    let page = try gzip(Array("<html>".utf8))
    let server = try FaultServer { _ in
      ServerReply(fields: [("Content-Encoding", "gzip")], body: page)
    }
    defer { server.close() }
    #expect(throws: ResourceError.self) { try readAll(server.url).get() }
  }

  @Test func compression_ofMoreThanAFeedMayHold_isRefused() throws {
    let bomb = try gzip([UInt8](repeating: 0x20, count: 65 << 20))
    let server = try FaultServer { _ in
      ServerReply(fields: [("Content-Encoding", "gzip")], body: bomb)
    }
    defer { server.close() }
    let bench = try NetworkBench(nil)
    let host = "127.0.0.1:\(server.port)"
    #expect(
      try bench.read(bench.network.open(server.url), 0, 70 << 20)
        == .failure(
          ResourceError("\(host) sends it compressed, and it is larger than 64 MiB")))
    bench.network.close()
  }

  @Test(arguments: [
    ("gzip", "sends it compressed, and damaged"),
    ("pack200", "sends it compressed, though asked not to"),
  ])
  func compression_thatCannotBeUndone_isToldOnce(coding: String, words: String) throws {
    let server = try FaultServer { _ in
      ServerReply(fields: [("Content-Encoding", coding)], body: Array("no such thing".utf8))
    }
    defer { server.close() }
    #expect(
      try readAll(server.url) == .failure(ResourceError("127.0.0.1:\(server.port) \(words)")))
    #expect(server.requests.count == (coding == "gzip" ? 2 : 1))
  }

  @Test(arguments: ["aws-chunked", "none", "binary", "utf-8", "Identity", ""])
  func codingThatIsNone_isIdentity(name: String) throws {
    let file = ServedFile(sampleBytes(0..<600_000))
    let server = try FaultServer { request in
      var reply = file.reply(to: request)
      reply["Content-Encoding"] = name
      return reply
    }
    defer { server.close() }
    #expect(isSample(try readAll(server.url).get(), 0..<600_000))
    #expect(server.requests.allSatisfy { $0["Range"] != nil })
  }

  // MARK: - Redirects

  @Test(arguments: [6, 20, 21])
  func redirects_upToTwenty_areFollowed(count: Int) throws {
    let file = ServedFile(sampleBytes(0..<1000))
    let server = try FaultServer { request in
      let number = Int(request.target.dropFirst()) ?? 0
      guard number < count else { return file.reply(to: request) }
      return ServerReply(status: 302, fields: [("Location", "/\(number + 1)")])
    }
    defer { server.close() }
    let result = try readAll(server.url + "/0")
    #expect(
      result
        == (count <= 20
          ? .success(sampleBytes(0..<1000))
          : .failure(ResourceError("127.0.0.1:\(server.port) redirects too often"))))
  }

  /// As servers write it that hold names in Latin-1; bytes of UTF-8 stay what they are.
  @Test(arguments: [([0xE9], "%E9"), ([0xC3, 0xA9], "%C3%A9"), ([0xE9, 0xC3, 0xA9], "%E9%C3%A9")])
  func location_inRawBytes_isFollowed(bytes: [UInt8], expected: String) throws {
    let file = ServedFile(sampleBytes(0..<1000))
    let server = try FaultServer { request in
      if request.target == "/caf\(expected).mp4" { return file.reply(to: request) }
      let field = Array("Location: /caf".utf8) + bytes + Array(".mp4".utf8)
      return ServerReply(status: 301, rawField: field)
    }
    defer { server.close() }
    #expect(isSample(try readAll(server.url + "/a").get(), 0..<1000))
    #expect(server.requests.map(\.target) == ["/a", "/caf\(expected).mp4"])
  }

  @Test func cookie_setOnTheWay_isBroughtBackToItsHostAlone() throws {
    let file = ServedFile(sampleBytes(0..<600_000))
    let other = try FaultServer { file.reply(to: $0) }
    let server = try FaultServer { request in
      if request.target == "/away" {
        return ServerReply(
          status: 302,
          fields: [("Set-Cookie", "c=1; path=/"), ("Location", "http://localhost:\(other.port)/a")])
      }
      guard request["Cookie"] == "ok=yes" else {
        let cookies = ["ok=yes; Path=/; HttpOnly", "two=2; Path=/else"]
        return ServerReply(
          status: 302, fields: cookies.map { ("Set-Cookie", $0) } + [("Location", "/a")])
      }
      return file.reply(to: request)
    }
    defer {
      server.close()
      other.close()
    }
    #expect(isSample(try readAll(server.url + "/a").get(), 0..<600_000))
    #expect(isSample(try readAll(server.url + "/away").get(), 0..<600_000))
    #expect(other.requests.allSatisfy { $0["Cookie"] == nil } && !other.requests.isEmpty)
  }

  // MARK: - Back ends that do not agree

  /// Two servers behind one address, each with tags of its own.
  @Test(arguments: [600_000, 20_000_000] as [UInt64])
  func backEnds_thatTagTheSameBytesDifferently_playAsOne(size: UInt64) throws {
    let count = Atomic(0)
    let files = ["\"a\"", "\"b\""].map { ServedFile(sampleBytes(0..<size), tag: $0) }
    let server = try FaultServer { request in
      files[count.add(1, ordering: .relaxed).oldValue % 2].reply(to: request)
    }
    defer { server.close() }
    #expect(isSample(try readAll(server.url + "/a").get(), 0..<size))
    // What is stored is one whole answer.
    server.close()
    #expect(isSample(try readAll(server.url + "/a").get(), 0..<size))
    #expect(try CacheDirectory(folder.path("cache")).verify().wrongSegments == 0)
  }

  @Test func server_thatRefusesAnyCondition_isAskedForAllAtOnce() throws {
    let file = ServedFile(sampleBytes(0..<3_000_000))
    let server = try FaultServer { request in
      request["If-Match"] == nil ? file.reply(to: request) : ServerReply(status: 412)
    }
    defer { server.close() }
    #expect(isSample(try readAll(server.url + "/a").get(), 0..<3_000_000))
    #expect(server.requests.count(where: { $0["Range"] == nil }) == 1)
    server.close()
    #expect(isSample(try readAll(server.url + "/a").get(), 0..<3_000_000))
  }

  /// Of the same length, and with another byte where it was read already or where it was not.
  @Test(arguments: [100, 1_550_000])
  func fileThatHasChanged_isToldWhereReadersHaveSeenOtherBytes(place: Int) throws {
    let isNew = Flag()
    let old = ServedFile(sampleBytes(0..<2_000_000))
    var bytes = old.bytes
    bytes[place] ^= 1
    let new = ServedFile(bytes, tag: "\"v2\"")
    let server = try FaultServer { (isNew.isSet ? new : old).reply(to: $0) }
    defer { server.close() }
    let bench = try NetworkBench(folder.path("cache"))
    let resource = try bench.network.open(server.url + "/a")
    #expect(isSample(try bench.read(resource, 0, 1000).get(), 0..<1000))
    isNew.isSet = true
    let result = try bench.read(resource, 1_600_000, 1000)
    if place == 100 {
      #expect(
        result == .failure(ResourceError("it has changed on 127.0.0.1:\(server.port)")))
      #expect(isSample(try bench.read(resource, 0, 1000).get(), 0..<1000))
    } else {
      #expect(try result.get() == Array(bytes[1_600_000..<1_601_000]))
    }
    bench.network.close()
    #expect(try readAll(server.url + "/a").get() == bytes)
  }

  /// A weak tag vouches for no parts, so that those for readers ahead of the one whole answer stay in
  /// memory. When the file changes they count as what was seen, like all else.
  @Test(arguments: [nil, 10_000_100, 19_000_000])
  func parts_thatAreInMemoryAlone_areComparedToo(changedAt place: Int?) throws {
    let isNew = Flag()
    let old = ServedFile(sampleBytes(0..<20_000_000), tag: "W/\"1\"")
    var bytes = old.bytes
    if let place { bytes[place] ^= 1 }
    let new = ServedFile(bytes, tag: "W/\"2\"")
    let server = try FaultServer { request in
      var reply = (isNew.isSet ? new : old).reply(to: request)
      // What is to bring all comes slowly, until the file is another one.
      if request.range == nil, !isNew.isSet { reply.bytesPerSecond = 100_000 }
      return reply
    }
    defer { server.close() }
    let bench = try NetworkBench(folder.path("cache"))
    let resource = try bench.network.open(server.url + "/a")
    #expect(isSample(try bench.read(resource, 0, 1000).get(), 0..<1000))
    let seen: Range<UInt64> = 10_000_000..<10_001_000
    #expect(isSample(try bench.read(resource, seen.lowerBound, 1000).get(), seen))
    isNew.isSet = true
    let result = try bench.read(resource, 15_000_000, 1000)
    if place == 10_000_100 {
      #expect(
        result == .failure(ResourceError("it has changed on 127.0.0.1:\(server.port)")))
    } else {
      #expect(try result.get() == Array(bytes[15_000_000..<15_001_000]))
    }
    // What was seen stays what it was.
    #expect(isSample(try bench.read(resource, seen.lowerBound, 1000).get(), seen))
    bench.network.close()
  }
}
