import Feeds
import Glibc
import Stories
import Support
import Synchronization
import System
import Testing

@testable import Resources

extension NetworkBench {
  /// Asks a folder to list itself and waits for the answer.
  func list(_ url: String) throws -> Result<[UInt8], ResourceError> {
    var answer: Result<[UInt8], ResourceError>?
    network.list(collection: url) { answer = $0.map(\.bytes) }
    try wait { answer != nil }
    return try answer ?? { throw SupportError("no answer") }()
  }
}

@Suite(.serialized, .timeLimit(.minutes(2))) struct ListingTests {
  private static let answer = Array(
    """
    <?xml version="1.0"?><D:multistatus xmlns:D="DAV:"><D:response><D:href>/x/a.mp4</D:href>\
    </D:response></D:multistatus>
    """.utf8)

  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func serving(_ status: Int = 207, chunked: Bool = false) throws -> FaultServer {
    try FaultServer { _ in
      var reply = ServerReply(status: status, body: ListingTests.answer)
      reply["Content-Type"] = "application/xml"
      reply.isChunked = chunked
      return reply
    }
  }

  @Test func list_asksForOneLevelWithItsProperties() throws {
    let server = try serving()
    defer { server.close() }
    let bench = try NetworkBench(nil)
    #expect(try bench.list(server.url + "/x/") == .success(ListingTests.answer))
    bench.network.close()
    let request = server.requests[0]
    #expect(request.method == "PROPFIND" && request.target == "/x/")
    #expect(request["depth"] == "1" && request["range"] == nil)
    #expect(request["content-type"] == "application/xml; charset=utf-8")
    let body = String(decoding: request.body, as: UTF8.self)
    for name in [
      "resourcetype", "getcontentlength", "getlastmodified", "getetag", "getcontenttype",
      "displayname",
    ] {
      #expect(body.contains("<\(name)/>"))
    }
  }

  @Test(arguments: [false, true])
  func list_isShownAsItWas_whileItsServerIsAway(chunked: Bool) throws {
    let server = try serving(chunked: chunked)
    for _ in 0..<2 {
      let bench = try NetworkBench(folder.path("cache"))
      #expect(try bench.list(server.url + "/x/") == .success(ListingTests.answer))
      bench.network.close()
    }
    // Each time it is asked whether there is something new.
    #expect(server.requests.count == 2)
    server.close()
    let later = try NetworkBench(folder.path("cache"))
    #expect(try later.list(server.url + "/x/") == .success(ListingTests.answer))
    // The folder's list is not the folder's page.
    #expect(throws: ResourceError.self) {
      try later.readAll(later.network.open(server.url + "/x/"))
    }
    later.network.close()
  }

  @Test func list_ofAFolderThatChanged_isTheNewOne() throws {
    let count = Atomic(0)
    let server = try FaultServer { _ in
      let number = count.add(1, ordering: .relaxed).newValue
      return ServerReply(
        status: 207, fields: [("ETag", "\"one\"")], body: Array("list \(number)".utf8))
    }
    defer { server.close() }
    for number in 1...3 {
      let bench = try NetworkBench(folder.path("cache"))
      #expect(try bench.list(server.url + "/x/") == .success(Array("list \(number)".utf8)))
      bench.network.close()
    }
    #expect(server.requests.count == 3)
    #expect(server.requests.allSatisfy { $0["if-none-match"] == nil && $0["if-match"] == nil })
  }

  @Test(arguments: [
    (200, "does not list folders"), (405, "does not list folders"), (501, "does not list folders"),
    (403, "forbids it"), (404, "does not have it"), (400, "answers with status 400"),
  ])
  func list_ofAServerWithoutLists_failsInWords(status: Int, words: String) throws {
    let server = try serving(status)
    defer { server.close() }
    let bench = try NetworkBench(nil)
    #expect(
      try bench.list(server.url + "/x/")
        == .failure(ResourceError("127.0.0.1:\(server.port) \(words)", isGone: status == 404)))
    bench.network.close()
  }

  @Test func list_ofAMovedFolder_followsWithTheSameQuestion() throws {
    let server = try FaultServer { request in
      request.target == "/x"
        ? ServerReply(status: 301, fields: [("Location", "/x/")])
        : ServerReply(status: 207, body: ListingTests.answer)
    }
    defer { server.close() }
    let bench = try NetworkBench(nil)
    #expect(try bench.list(server.url + "/x") == .success(ListingTests.answer))
    #expect(server.requests.map(\.method) == ["PROPFIND", "PROPFIND"])
    #expect(server.requests.allSatisfy { !$0.body.isEmpty })
    bench.network.close()
  }

  @Test(arguments: [
    ("https://dav.example.org/x/", true), ("https://dav.example.org/x/?a=/", true),
    ("https://dav.example.org/x/a.mp4", false), ("http://dav.example.org/x/", false),
    ("https://example.org/x/", false), ("x/", false),
  ])
  func isCollection_isWhatTheConfigurationSays(url: String, expected: Bool) throws {
    let webdav = try #require(SourceProfile.named("webdav"))
    let bench = try NetworkBench(nil) {
      $0.hosts = [
        HostRule(host: "dav.example.org", profile: webdav),
        HostRule(host: "example.org", fields: [("X-Client", .literal("1"))]),
      ]
    }
    #expect(bench.network.isCollection(url) == expected)
  }
}

@Suite(.serialized, .timeLimit(.minutes(2))) struct WebDAVServerTests {
  private func fill(_ server: LocalServer) throws {
    for name in ["clip10.mp4", "clip2.mp4", "anna & ben/a b.mp4", "anna & ben/æ.mp4", ".no.mp4"] {
      try server.serve(sampleBytes(0..<50_000), as: name)
    }
    chmod(server.folder.path("www/anna & ben"), 0o755)
  }

  /// Lists the server's root and the folders in it, then reads all stories.
  private func check(_ server: LocalServer) throws {
    try fill(server)
    let bench = try NetworkBench(nil) {
      $0.hosts = [
        HostRule(host: "127.0.0.1:\(server.port)", user: "anna", password: .literal("secret"))
      ]
    }
    let root = try WebFolder(
      url: server.url + "/", listing: try bench.list(server.url + "/").get())
    var parts: [String: Result<WebFolder, FeedError>] = [:]
    for folder in root.folders {
      let listing = try bench.list(folder.url).get()
      parts[folder.url] = .success(try WebFolder(url: folder.url, listing: listing))
    }
    let feed = try root.feed(parts: parts)
    #expect(feed.skipped == [])
    #expect(feed.reels.map(\.name).last == "anna & ben")
    #expect(
      feed.reels.map { $0.stories.map { String($0.source.text.dropFirst(server.url.count)) } } == [
        ["/clip2.mp4", "/clip10.mp4"],
        ["/anna%20%26%20ben/a%20b.mp4", "/anna%20%26%20ben/%C3%A6.mp4"],
      ])
    for story in feed.reels.flatMap(\.stories) {
      #expect(story.kind == .video)
      #expect(isSample(try bench.readAll(bench.network.open(story.source.text)), 0..<50_000))
    }
    bench.network.close()
  }

  @Test(arguments: LocalServer.Login.allCases)
  func apache_isListedAndRead(login: LocalServer.Login) throws {
    try check(try LocalServer.apache(login))
  }

  @Test func rclone_isListedAndRead() throws { try check(try LocalServer.rclone()) }

  @Test func wrongLogin_failsInWords() throws {
    let server = try LocalServer.apache()
    let host = "127.0.0.1:\(server.port)"
    let bench = try NetworkBench(nil)
    #expect(
      try bench.list(server.url + "/")
        == .failure(
          ResourceError("\(host) wants a login: see the config section [host \(host)]")))
    bench.network.close()
  }
}
