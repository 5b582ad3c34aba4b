import Support
import Testing

@testable import Resources

/// What feeds, lists and playlists name is relative to the address that answered last (RFC 3986,
/// section 5.1.3).
@Suite(.serialized, .timeLimit(.minutes(2))) struct BaseAddressTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// A text at `/new/list` that `/old` leads to by way of `/on`.
  private func moved(_ type: String = "text/plain; charset=koi8-r") throws -> FaultServer {
    var file = ServedFile(Array("a text".utf8))
    file.type = type
    return try FaultServer { [file] request in
      switch request.target {
      case "/old?key=CANARY": ServerReply(status: 301, fields: [("Location", "/on")])
      case "/on": ServerReply(status: 302, fields: [("Location", "new/list?token=CANARY")])
      case "/new/list?token=CANARY": file.reply(to: request)
      default: ServerReply(status: 404)
      }
    }
  }

  private func read(_ url: String, freshSeconds: Int64 = 0) throws -> CachedResource {
    let bench = try NetworkBench(folder.path("cache"))
    let resource = try bench.network.open(url, freshSeconds: freshSeconds)
    #expect(String(decoding: try bench.read(resource, 0, 100).get(), as: UTF8.self) == "a text")
    bench.network.close()
    return resource
  }

  @Test func answer_behindRedirects_isOfTheLastAddress() throws {
    let server = try moved()
    defer { server.close() }
    // Fetched, checked with its server, fresh, and where the server is away.
    for run in 0..<4 {
      if run == 3 { server.close() }
      let resource = try read(server.url + "/old?key=CANARY", freshSeconds: run == 2 ? 600 : 0)
      #expect(resource.answeredAt == server.url + "/new/list")
      #expect(resource.charset == "koi8-r")
    }
    #expect(
      server.requests.map { $0["If-None-Match"] != nil } == [false, false, false] + [
        true, true, true,
      ])
  }

  @Test func answer_withoutRedirects_isOfTheAddressThatWasAsked() throws {
    let server = try moved("text/plain")
    defer { server.close() }
    for _ in 0..<2 {
      let resource = try read(server.url + "/new/list?token=CANARY")
      #expect(resource.answeredAt == nil && resource.charset == nil)
    }
  }

  @Test func base_holdsTheLoginForItsOwnServerAlone() throws {
    let (server, other) = (try moved(), try moved())
    let away = try FaultServer { _ in
      ServerReply(status: 307, fields: [("Location", other.url + "/new/list?token=CANARY")])
    }
    defer { for server in [server, other, away] { server.close() } }
    func login(_ url: String) -> String {
      url.replacing("http://", with: "http://anna%20b:p%2Fw@")
    }
    #expect(
      try read(login(server.url) + "/old?key=CANARY").answeredAt == login(server.url) + "/new/list")
    #expect(try read(login(away.url) + "/").answeredAt == other.url + "/new/list")
  }

  /// A server may move what it says has not changed; and what a former version of the program has
  /// stored tells no base.
  @Test func base_ofWhatHasNotChanged_isOfTheAddressThatSaidSo() throws {
    let place = Flag()
    let file = ServedFile(Array("a text".utf8))
    let server = try FaultServer { request in
      guard request.target == "/old" else { return file.reply(to: request) }
      return ServerReply(status: 302, fields: [("Location", place.isSet ? "/b/list" : "/a/list")])
    }
    defer { server.close() }
    #expect(try read(server.url + "/old").answeredAt == server.url + "/a/list")
    place.isSet = true
    for fresh: Int64 in [0, 600] {
      #expect(
        try read(server.url + "/old", freshSeconds: fresh).answeredAt == server.url + "/b/list")
    }
    #expect(server.bodyBytes == 6)
  }

  @Test func base_isStoredWithoutSecrets() throws {
    let server = try moved()
    defer { server.close() }
    _ = try read(server.url.replacing("http://", with: "http://anna:CANARY@") + "/old?key=CANARY")
    let index = String(decoding: try readFile(folder.path("cache/index.db")), as: UTF8.self)
    #expect(index.contains("/new/list") && !index.contains("CANARY"))
  }

  @Test(
    arguments: [
      ("text/xml; charset=utf-8", "utf-8"), ("text/xml;CHARSET=\"Windows-1251\"", "Windows-1251"),
      ("text/xml; q=1 ; charset = 'koi8-r' ; x=2", "koi8-r"), ("text/xml; charset=", nil),
      ("text/xml", nil), ("charset=utf-8", nil), ("text/xml; xcharset=utf-8", nil),
      ("text/xml; charset=\(String(repeating: "x", count: 65))", nil), (nil, nil),
    ] as [(String?, String?)])
  func charset_isThatOfTheType(type: String?, expected: String?) {
    let head = ResponseHead(["HTTP/1.1 200 OK"] + (type.map { ["Content-Type: \($0)"] } ?? []))
    #expect(head.charset == expected)
  }
}
