import Support
import Synchronization
import System
import Testing

@testable import Resources

@Suite(.serialized, .timeLimit(.minutes(3))) struct CloudTests {
  static let leading = SourceProfile.all.filter { $0.answer != .bytes }
  private static let length: UInt64 = 3_000_000
  private let file = ServedFile(sampleBytes(0..<length))

  private func bench(_ cloud: CloudImitation, _ directory: String?) throws -> NetworkBench {
    try NetworkBench(directory) { $0.hosts = [cloud.rule()] }
  }

  @Test func services_thatLeadOn_areThese() {
    #expect(CloudTests.leading.map(\.name) == ["yandex", "box", "onedrive"])
  }

  @Test(arguments: leading)
  func read_ofAStory_asksOnceWhereItIs(profile: SourceProfile) throws {
    let cloud = try CloudImitation(profile, file)
    let bench = try bench(cloud, nil)
    let resource = try bench.network.open(cloud.url)
    #expect(isSample(try bench.readAll(resource), 0..<CloudTests.length))
    #expect(cloud.api.requests.count == 1)
    #expect(cloud.api.requests[0]["range"] == nil)
    #expect(cloud.storage.requests.allSatisfy { $0["range"] != nil })
    #expect(UInt64(cloud.storage.bodyBytes) == CloudTests.length)
    #expect(!cloud.leaks)
  }

  @Test(arguments: leading)
  func read_inALaterRun_fetchesOnlyWhatIsMissing(profile: SourceProfile) throws {
    let length: UInt64 = 12_000_000
    let cloud = try CloudImitation(profile, ServedFile(sampleBytes(0..<length)))
    let folder = try TemporaryDirectory()
    do {
      let bench = try bench(cloud, folder.path)
      let resource = try bench.network.open(cloud.url)
      _ = try bench.read(resource, 0, 1 << 20).get()
      // All that was sent has been taken when the run ends.
      try bench.wait { !bench.network.isFetching }
      bench.network.close()
    }
    let before = cloud.storage.bodyBytes
    #expect(before >= 1 << 20 && before < 10 << 20)
    for _ in 0..<2 {
      let bench = try bench(cloud, folder.path)
      let resource = try bench.network.open(cloud.url)
      #expect(isSample(try bench.readAll(resource), 0..<length))
      bench.network.close()
    }
    // Another link led to the rest, and nothing was asked for the third time.
    #expect(cloud.api.requests.count == 2)
    #expect(UInt64(cloud.storage.bodyBytes) == length)
    // Checked by another link again, it is found to be the same.
    let bench = try bench(cloud, folder.path)
    let resource = try bench.network.open(cloud.url, freshSeconds: 0)
    #expect(isSample(try bench.readAll(resource), 0..<length))
    #expect(cloud.api.requests.count == 3)
    #expect(cloud.storage.requests.last?["if-none-match"] == "\"v1\"")
    #expect(UInt64(cloud.storage.bodyBytes) == length)
    #expect(!cloud.leaks)
  }

  @Test(arguments: leading, [401, 403, 404, 410, 200])
  func linkThatExpires_isAskedForAgainAtTheSameByte(profile: SourceProfile, status: Int) throws {
    let cloud = try CloudImitation(profile, file)
    cloud.set { state in
      state.usesPerLink = 1
      // 200: a page for people.
      state.expired = ServerReply(
        status: status, fields: [("Content-Type", "text/html")], body: Array("expired".utf8))
    }
    let bench = try bench(cloud, nil)
    let resource = try bench.network.open(cloud.url)
    #expect(isSample(try bench.readAll(resource), 0..<CloudTests.length))
    let good = cloud.storage.requests.count / 2 + 1
    #expect(good > 2)
    #expect(cloud.api.requests.count == good)
    // Pages count as bodies too.
    #expect(cloud.storage.bodyBytes == Int(CloudTests.length) + 7 * (good - 1))
    #expect(!cloud.leaks)
  }

  @Test(arguments: leading)
  func linkThatNeverWorks_failsAfterOneMore(profile: SourceProfile) throws {
    let cloud = try CloudImitation(profile, file)
    cloud.set { $0.usesPerLink = 0 }
    let bench = try LoaderBench { $0.hosts = [cloud.rule()] }
    let outcome = try bench.fetch(cloud.url, 0, 100)
    #expect(outcome.error?.words == "127.0.0.1:\(cloud.storage.port) forbids it")
    #expect(cloud.api.requests.count == 2 && cloud.storage.requests.count == 2)
  }

  @Test(arguments: leading)
  func connectionThatBreaks_goesOnByANewLink(profile: SourceProfile) throws {
    let storage = try FaultServer { [file] request in
      guard request.target != "/old" || request.range?.start == 0 else {
        return ServerReply(status: 403)
      }
      var reply = file.reply(to: request)
      if request.target == "/old" { reply.cutsAfter = 50_000 }
      return reply
    }
    let cloud = try CloudImitation(profile, file)
    cloud.set { $0.link = storage.url + "/old" }
    defer { storage.close() }
    let bench = try LoaderBench { $0.hosts = [cloud.rule()] }
    let number = bench.loader.fetch(
      FetchRequest(address: try #require(WebAddress(cloud.url)), start: 0, end: 200_000),
      allowed: 40_000)
    while storage.requests.isEmpty {
      _ = try awaitReadiness(of: [], until: .now + .milliseconds(5))
    }
    cloud.set { $0.link = storage.url + "/new" }
    bench.loader.allow(number, until: .max)
    let outcome = try bench.wait(for: [number])[0]
    #expect(isSample(outcome.bytes, 0..<200_000))
    #expect(outcome.isGapless)
    #expect(storage.requests.last?.target == "/new")
    #expect(storage.requests.last?["range"] == "bytes=50000-199999")
    #expect(storage.requests.last?["if-match"] == "\"v1\"")
  }

  @Test(arguments: leading)
  func readers_atOnce_shareOneQuestionAndOneNewToken(profile: SourceProfile) throws {
    let folder = try TemporaryDirectory()
    let runs = folder.path("runs")
    let cloud = try CloudImitation(profile, file)
    cloud.set { $0.authorization = "Bearer 2" }
    let bench = try LoaderBench {
      $0.hosts = [cloud.rule(.command("echo x >> \(runs); echo Bearer $(wc -l < \(runs))"))]
    }
    let address = try #require(WebAddress(cloud.url))
    let numbers = (0..<8).map { number in
      bench.loader.fetch(
        FetchRequest(address: address, start: 1000 * number, end: 1000 * (number + 1)),
        allowed: .max)
    }
    for (number, outcome) in try bench.wait(for: numbers).enumerated() {
      let start = 1000 * UInt64(number)
      #expect(isSample(outcome.bytes, start..<start + 1000))
    }
    #expect(try readText(runs) == "x\nx\n")
    #expect(cloud.api.requests.map { $0["authorization"] } == ["Bearer 1", "Bearer 2"])
    #expect(cloud.storage.requests.count == 8)
    #expect(!cloud.leaks)
  }

  @Test(arguments: leading)
  func fileThatIsNotReady_isWaitedFor(profile: SourceProfile) throws {
    let cloud = try CloudImitation(profile, file)
    cloud.set { $0.preparations = 1 }
    let bench = try LoaderBench { $0.hosts = [cloud.rule()] }
    let began = Instant.now
    #expect(isSample(try bench.fetch(cloud.url, 0, 100).bytes, 0..<100))
    #expect(Instant.now - began >= .seconds(1))
    #expect(cloud.api.requests.count == 2)
  }

  @Test(arguments: leading)
  func token_isSentToTheStorageOnlyWhereASectionSaysSo(profile: SourceProfile) throws {
    let cloud = try CloudImitation(profile, file)
    let bench = try LoaderBench {
      $0.hosts = [
        cloud.rule(),
        HostRule(
          host: "127.0.0.1:\(cloud.storage.port)", fields: [("Authorization", .literal("OAuth s"))]),
      ]
      $0.netrc = "machine 127.0.0.1 login anna password CANARY"
    }
    #expect(isSample(try bench.fetch(cloud.url, 0, 100).bytes, 0..<100))
    #expect(cloud.storage.requests.map { $0["authorization"] } == ["OAuth s"])
    #expect(cloud.storage.requests[0]["x-canary"] == nil)
  }

  @Test(arguments: [
    ServerReply(body: Array("{}".utf8)),
    ServerReply(body: Array(#"{"href":""}"#.utf8)),
    ServerReply(body: Array(#"["href"]"#.utf8)),
    ServerReply(body: Array(repeating: 0x20, count: 100_000)),
    ServerReply(body: Array(repeating: 0x20, count: 100_000), isChunked: true),
  ])
  func answerThatSaysNothing_failsInWords(reply: ServerReply) throws {
    let cloud = try CloudImitation(try #require(.named("yandex")), file)
    cloud.set { $0.nonsense = reply }
    let bench = try LoaderBench { $0.hosts = [cloud.rule()] }
    #expect(
      try bench.fetch(cloud.url, 0, 100).error
        == .badAnswer("127.0.0.1:\(cloud.api.port) does not say where the file is"))
    #expect(cloud.api.requests.count == 1)
  }

  @Test(arguments: [
    ("yandex", "file:///etc/passwd", "redirects to what is no web address"),
    ("box", "ftp://127.0.0.1/x", "redirects to what is no web address"),
  ])
  func linkThatIsNone_failsInWords(name: String, link: String, words: String) throws {
    let cloud = try CloudImitation(try #require(.named(name)), file)
    cloud.set { $0.link = link }
    let bench = try LoaderBench { $0.hosts = [cloud.rule()] }
    #expect(
      try bench.fetch(cloud.url, 0, 100).error
        == .badAnswer("127.0.0.1:\(cloud.api.port) \(words)"))
  }

  @Test func bytesInPlaceOfARedirect_failInWords() throws {
    let cloud = try CloudImitation(try #require(.named("box")), file)
    cloud.set { $0.nonsense = ServerReply(body: [1, 2, 3]) }
    let bench = try LoaderBench { $0.hosts = [cloud.rule()] }
    #expect(
      try bench.fetch(cloud.url, 0, 100).error
        == .badAnswer("127.0.0.1:\(cloud.api.port) does not say where the file is"))
  }

  @Test(arguments: [("yandex", "/Stories/none.mp4"), ("box", "/9")])
  func fileThatIsNotThere_failsInWords(name: String, path: String) throws {
    let cloud = try CloudImitation(try #require(.named(name)), file)
    let bench = try LoaderBench { $0.hosts = [cloud.rule()] }
    #expect(
      try bench.fetch(cloud.api.url + path, 0, 100).error
        == .refused(404, "127.0.0.1:\(cloud.api.port) does not have it"))
  }

  @Test func addressWithoutAFile_isNotOpened() throws {
    let cloud = try CloudImitation(try #require(.named("yandex")), file)
    let bench = try bench(cloud, nil)
    #expect(throws: ResourceError("it names no file of yandex")) {
      try bench.network.open(cloud.api.url + "/")
    }
  }

  @Test func shortForm_needsASection() throws {
    let plain = try NetworkBench(nil)
    #expect(
      throws: ResourceError(
        "the configuration needs a section [host api.box.com] with profile = box")
    ) { try plain.network.address(short: "box:12") }
    #expect(try plain.network.address(short: "sea.mp4") == nil)
    let set = try NetworkBench(nil) {
      $0.hosts = [HostRule(host: "api.box.com", profile: .named("box") ?? .plain)]
    }
    #expect(try set.network.address(short: "box:12/a.mp4") == "https://api.box.com/12/a.mp4")
  }
}

@Suite struct FetchRouteTests {
  private func plan(_ name: String) throws -> FetchPlan {
    let profile = try #require(SourceProfile.named(name))
    let address = try #require(WebAddress("https://api.example/1"))
    return FetchPlan(
      FetchRequest(address: address, start: 7, end: nil), profile: profile, usesRange: true,
      target: nil, backOffMilliseconds: 100)
  }

  @Test(
    arguments: [
      // What the server says each time, in seconds, and how long is waited each time.
      ([20, 20, 20, 1], [20_000, 20_000, 20_000, nil]), ([61], [nil]),
      ([0, 60], [400, nil]), ([Int64.max], [nil]), ([59, 1], [59_000, 1000]),
      ([nil, 59, nil], [400, 59_000, 400]),
    ] as [([Int64?], [Int?])])
  func preparation_isWaitedForOnlySoLong(told: [Int64?], waits: [Int?]) throws {
    for name in ["plain", "box"] {
      var plan = try plan(name)
      for (seconds, wait) in zip(told, waits) {
        plan.transferBegins()
        let field = seconds.map { ["Retry-After: \($0)"] } ?? []
        #expect(plan.take(ResponseHead(["HTTP/1.1 202 x"] + field + [""]), now: 0) == nil)
        #expect(
          plan.transferEnded(.complete, jitter: 0)
            == wait.map { .wait(milliseconds: $0) }
            ?? .fail(.unreachable("api.example is still getting it ready")))
      }
    }
  }

  @Test func link_fromHttpsToHttp_isRefused() throws {
    for name in ["yandex", "box"] {
      var plan = try plan(name)
      plan.transferBegins()
      let link = "http://example.org/a"
      let isBox = name == "box"
      let head = isBox ? ["HTTP/1.1 302 x", "Location: \(link)", ""] : ["HTTP/1.1 200 x", ""]
      #expect(plan.take(ResponseHead(head), now: 0) == nil)
      if !isBox { #expect(plan.take(link: Array(#"{"href":"\#(link)"}"#.utf8)) == .ignore) }
      #expect(
        plan.transferEnded(.complete, jitter: 0)
          == .fail(.badAnswer("api.example redirects to an insecure address")))
    }
  }

  @Test func link_isForgottenWhenItsTimeIsOver() throws {
    var origins = Origins()
    let now = Instant.now
    let file = try #require(WebAddress("https://api.box.com/1"))
    let link = Origins.Target(address: try #require(WebAddress("https://dl.example/1")))
    origins.remember(link, for: file, seconds: 60, now: now)
    // Its use makes it no younger.
    origins.remember(link, for: file, seconds: 60, now: now + .seconds(59))
    #expect(origins.target(of: file, now: now + .seconds(59)) == link)
    #expect(origins.target(of: file, now: now + .seconds(60)) == nil)
    origins.remember(link, for: file, seconds: 60, now: now + .seconds(60))
    #expect(origins.target(of: file, now: now + .seconds(119)) == link)
    origins.forget(file, of: file)
    #expect(origins.target(of: file, now: now + .seconds(119)) == link)
    origins.forget(link.address, of: file)
    #expect(origins.target(of: file, now: now + .seconds(119)) == nil)
  }
}

/// Services whose answer is the bytes, one fixture each.
@Suite(.serialized, .timeLimit(.minutes(2))) struct DirectServiceTests {
  private static let length: UInt64 = 300_000

  private func fetch(
    _ name: String, _ path: String, _ handler: @escaping FaultServer.Handler
  ) throws -> ServerRequest {
    let server = try FaultServer(handler)
    defer { server.close() }
    let profile = try #require(SourceProfile.named(name))
    let bench = try NetworkBench(nil) {
      $0.hosts = [
        HostRule(
          host: "127.0.0.1:\(server.port)", profile: profile,
          fields: [("Authorization", .literal("Bearer 1"))], user: "anna")
      ]
    }
    let resource = try bench.network.open(server.url + path)
    #expect(isSample(try bench.readAll(resource), 0..<DirectServiceTests.length))
    #expect(server.bodyBytes == Int(DirectServiceTests.length))
    #expect(server.requests.count == 2)
    #expect(server.requests.allSatisfy { $0["authorization"] == "Bearer 1" && $0.range != nil })
    return server.requests[1]
  }

  @Test func dropbox_isAskedByAField() throws {
    let file = ServedFile(sampleBytes(0..<DirectServiceTests.length))
    let request = try fetch("dropbox", "/Stories/ti%C3%A9.mp4") { request in
      guard request["dropbox-api-arg"] == #"{"path":"/Stories/ti\u00e9.mp4"}"# else {
        return ServerReply(status: 409)
      }
      var reply = file.reply(to: request)
      reply["Content-Type"] = "application/octet-stream"
      reply["Dropbox-API-Result"] = #"{"rev":"a1c10ce0dd78"}"#
      return reply
    }
    #expect(request.target == "/2/files/download" && request.method == "GET")
    #expect(request["if-match"] == "\"v1\"")
  }

  @Test func gdrive_isJoinedByItsHash() throws {
    let file = ServedFile(sampleBytes(0..<DirectServiceTests.length), tag: nil)
    let request = try fetch("gdrive", "/1aB-c/beach.mp4") { request in
      var reply = file.reply(to: request)
      reply["X-Goog-Hash"] = "crc32c=AwVrzQ=="
      return reply
    }
    #expect(request.target == "/drive/v3/files/1aB-c?alt=media")
    #expect(request["if-match"] == nil)
  }
}
