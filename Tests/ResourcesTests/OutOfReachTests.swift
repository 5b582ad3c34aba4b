import Support
import Testing

@testable import Resources

/// What is here plays where its server cannot be asked, whatever stands in its place.
@Suite(.serialized, .timeLimit(.minutes(3))) struct OutOfReachTests {
  private let folder: TemporaryDirectory
  private let file = ServedFile(Array("what was here before".utf8))

  init() throws { folder = try TemporaryDirectory() }

  private static let page = Array("<!DOCTYPE html><title>Welcome</title>".utf8)

  private func portal(_ status: Int = 200) -> ServerReply {
    ServerReply(
      status: status, fields: [("Content-Type", "text/html")], body: OutOfReachTests.page)
  }

  /// Reads twice, and gives what was read and what the viewer is told.
  private func read(_ url: String) throws -> (text: [String], notices: [String]) {
    let bench = try NetworkBench(folder.path("cache"))
    var (text, notices): ([String], [String]) = ([], [])
    for _ in 0..<2 {
      let resource = try bench.network.open(url, freshSeconds: 0)
      text.append(String(decoding: try bench.read(resource, 0, 100).get(), as: UTF8.self))
      resource.cancel()
      notices += bench.network.takeNotices()
    }
    bench.network.close()
    return (text, notices)
  }

  /// Fills the cache, then asks again with the server's answers turned into others.
  private func expectPlays(
    _ words: String, answer: @escaping @Sendable (ServerRequest) -> ServerReply
  ) throws {
    let isAway = Flag()
    let server = try FaultServer { [file] in isAway.isSet ? answer($0) : file.reply(to: $0) }
    defer { server.close() }
    let expected = ["what was here before", "what was here before"]
    #expect(try read(server.url + "/a") == (expected, []))
    isAway.isSet = true
    let notice = "plays as it was here: 127.0.0.1:\(server.port) \(words)"
    #expect(try read(server.url + "/a") == (expected, [notice]))
    isAway.isSet = false
    #expect(try read(server.url + "/a") == (expected, []))
  }

  @Test(arguments: [500, 502, 505, 507, 508, 509, 510, 520, 521, 522, 525, 530, 598, 599])
  func status_ofAServerThatFails_isAsGoodAsNone(status: Int) throws {
    try expectPlays("answers with status \(status)") { _ in ServerReply(status: status) }
  }

  private static let wantsLogin = "sends a web page instead (does it want a login in a browser?)"

  @Test func portal_inPlaceOfTheServer_isAsGoodAsNone() throws {
    try expectPlays(OutOfReachTests.wantsLogin) { [self] _ in portal() }
    try expectPlays(OutOfReachTests.wantsLogin) { [self] request in
      request.target == "/login"
        ? portal() : ServerReply(status: 302, fields: [("Location", "/login")])
    }
  }

  @Test func portal_thatSaysSo_isTold() throws {
    let isAway = Flag()
    let server = try FaultServer { [file, self] in isAway.isSet ? portal(511) : file.reply(to: $0) }
    defer { server.close() }
    _ = try read(server.url + "/a")
    isAway.isSet = true
    #expect(
      try read(server.url + "/a").notices == [
        "plays as it was here: the network before 127.0.0.1:\(server.port) wants a login in a "
          + "browser"
      ])
  }

  @Test func portal_inPlaceOfAFolder_isAsGoodAsNone() throws {
    let isAway = Flag()
    let server = try FaultServer { [self] _ in
      isAway.isSet ? portal() : ServerReply(status: 207, body: Array("<a/>".utf8))
    }
    defer { server.close() }
    for _ in 0..<2 {
      let bench = try NetworkBench(folder.path("cache"))
      #expect(try bench.list(server.url + "/") == .success(Array("<a/>".utf8)))
      bench.network.close()
      isAway.isSet = true
    }
  }

  /// A failure that is over soon is waited for; a page where nothing is known is one, and told at once.
  @Test func retries_areForWhatMayBeOver() throws {
    for status in [507, 511, 530, 598] {
      let isFirst = Flag()
      isFirst.isSet = true
      let server = try FaultServer { [file] request in
        defer { isFirst.isSet = false }
        return isFirst.isSet ? ServerReply(status: status) : file.reply(to: request)
      }
      defer { server.close() }
      let bench = try NetworkBench(nil)
      #expect(try bench.readAll(bench.network.open(server.url)) == file.bytes)
      bench.network.close()
    }
    let server = try FaultServer { [self] _ in portal() }
    defer { server.close() }
    let bench = try NetworkBench(nil)
    #expect(
      try bench.read(bench.network.open(server.url), 0, 9)
        == .failure(
          ResourceError("127.0.0.1:\(server.port) \(OutOfReachTests.wantsLogin)")))
    #expect(server.requests.count == 1)
    bench.network.close()
  }
}
