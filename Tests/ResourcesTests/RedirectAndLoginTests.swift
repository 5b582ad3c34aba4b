import Glibc
import Support
import Synchronization
import System
import Testing

@testable import Resources

@Suite(.serialized, .timeLimit(.minutes(2))) struct RedirectTests {
  private let file = ServedFile(sampleBytes(0..<300_000))

  private func redirecting(_ status: Int = 302, to url: String) throws -> FaultServer {
    try FaultServer { _ in ServerReply(status: status, fields: [("Location", url)]) }
  }

  private let secrets = [
    "Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "Dropbox-API-Arg", "X-Auth",
  ]

  @Test(arguments: [301, 302, 303, 307, 308])
  func redirect_toAnotherOrigin_carriesNoSecret(status: Int) throws {
    let target = try FaultServer { [file] in file.reply(to: $0) }
    let source = try redirecting(status, to: target.url + "/b?sig=1")
    defer {
      target.close()
      source.close()
    }
    let bench = try LoaderBench { [secrets] options in
      options.hosts = [
        HostRule(
          host: "127.0.0.1:\(source.port)", fields: secrets.map { ($0, .literal("CANARY")) },
          user: "anna", password: .literal("CANARY"))
      ]
      options.netrc = "machine elsewhere.example login anna password CANARY"
    }
    #expect(isSample(try bench.fetch(source.url + "/a", 0, 100).bytes, 0..<100))
    for name in secrets { #expect(source.requests[0][name] == "CANARY") }
    for request in target.requests {
      #expect(!request.fields.values.contains { $0.contains("CANARY") })
      for name in secrets { #expect(request[name] == nil) }
    }
  }

  @Test func redirect_isRememberedWhileItWorks() throws {
    let target = try FaultServer { [file] in file.reply(to: $0) }
    let source = try redirecting(to: target.url + "/b")
    defer {
      target.close()
      source.close()
    }
    let bench = try LoaderBench()
    for _ in 0..<3 { _ = try bench.fetch(source.url + "/a", 0, 100) }
    #expect(source.requests.count == 1 && target.requests.count == 3)
  }

  @Test func expiredLink_isResolvedAgainAtTheSameOffset() throws {
    let count = Atomic(0)
    let target = try FaultServer { [file] request in
      guard request.target == "/signed\(count.load(ordering: .relaxed))" else {
        return ServerReply(status: 403)
      }
      return file.reply(to: request)
    }
    let source = try FaultServer { _ in
      let number = count.add(1, ordering: .relaxed).newValue
      return ServerReply(status: 302, fields: [("Location", "\(target.url)/signed\(number)")])
    }
    defer {
      target.close()
      source.close()
    }
    let bench = try LoaderBench()
    _ = try bench.fetch(source.url + "/a", 0, 100)
    count.store(7, ordering: .relaxed)
    #expect(isSample(try bench.fetch(source.url + "/a", 5000, 6000).bytes, 5000..<6000))
    #expect(source.requests.count == 2)
    #expect(target.requests.last?["range"] == "bytes=5000-5999")
  }

  @Test func redirectLoop_endsInWords() throws {
    let server = try FaultServer { _ in ServerReply(status: 302, fields: [("Location", "/again")]) }
    defer { server.close() }
    let outcome = try LoaderBench().fetch(server.url)
    #expect(outcome.error == .badAnswer("127.0.0.1:\(server.port) redirects too often"))
    #expect(server.requests.count == 21)
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://x/", "javascript:1"])
  func redirect_toAnotherScheme_isRefused(location: String) throws {
    let server = try redirecting(to: location)
    defer { server.close() }
    #expect(
      try LoaderBench().fetch(server.url).error
        == .badAnswer("127.0.0.1:\(server.port) redirects to what is no web address"))
  }

  @Test func plan_fromHttpsToHttp_isRefused() throws {
    let address = try #require(WebAddress("https://example.org/a"))
    var plan = FetchPlan(
      FetchRequest(address: address, start: 0, end: nil), usesRange: true, target: nil,
      backOffMilliseconds: 1)
    plan.transferBegins()
    let head = ResponseHead(["HTTP/1.1 302 x", "Location: http://example.org/a"])
    #expect(plan.take(head, now: 0) == nil)
    #expect(
      plan.transferEnded(.complete, jitter: 0)
        == .fail(.badAnswer("example.org redirects to an insecure address")))
  }
}

@Suite(.serialized, .timeLimit(.minutes(2))) struct LoginTests {
  private let file = ServedFile(sampleBytes(0..<300_000))
  /// "anna:secret" as Basic has it.
  private let basic = "Basic YW5uYTpzZWNyZXQ="

  private func guarded(
    by value: String, challenge: String = "Basic realm=\"x\""
  ) throws -> FaultServer {
    try FaultServer { [file] request in
      guard request["authorization"] == value else {
        return ServerReply(status: 401, fields: [("WWW-Authenticate", challenge)])
      }
      return file.reply(to: request)
    }
  }

  @Test func loginOfTheURL_isSentWhenAskedFor() throws {
    let server = try guarded(by: basic)
    defer { server.close() }
    let bench = try LoaderBench()
    let url = "http://anna:secret@127.0.0.1:\(server.port)/a"
    for _ in 0..<2 { #expect(isSample(try bench.fetch(url, 0, 100).bytes, 0..<100)) }
    // The server has said once what it takes.
    #expect(server.requests.map { $0["authorization"] } == [nil, basic, basic])
  }

  @Test func loginOfNetrc_isSent() throws {
    let server = try guarded(by: basic)
    defer { server.close() }
    let bench = try LoaderBench { $0.netrc = "machine 127.0.0.1 login anna password secret" }
    #expect(isSample(try bench.fetch(server.url, 0, 100).bytes, 0..<100))
  }

  @Test func wrongLogin_failsInWords() throws {
    let server = try guarded(by: "nothing")
    defer { server.close() }
    let host = "127.0.0.1:\(server.port)"
    let bench = try LoaderBench {
      $0.hosts = [HostRule(host: host, user: "anna", password: .literal("CANARY"))]
    }
    let outcome = try bench.fetch(server.url + "/a?k=CANARY", 0, 100)
    #expect(
      outcome.error
        == FetchError(
          kind: .wantsLogin,
          words: "\(host) wants a login: see the config section [host \(host)]"))
    #expect(server.requests.count <= 3)
  }

  @Test func commandSecret_isSent() throws {
    let server = try guarded(by: "Bearer one")
    defer { server.close() }
    let bench = try LoaderBench {
      $0.hosts = [
        HostRule(
          host: "127.0.0.1:\(server.port)",
          fields: [("Authorization", .command("echo Bearer one; echo two; echo noise >&2"))])
      ]
    }
    #expect(isSample(try bench.fetch(server.url, 0, 100).bytes, 0..<100))
    #expect(server.requests.count == 1)
  }

  @Test func commandThatFails_meansNoSecret() throws {
    let server = try guarded(by: "Bearer one")
    defer { server.close() }
    let bench = try LoaderBench {
      $0.hosts = [
        HostRule(
          host: "127.0.0.1:\(server.port)",
          fields: [("Authorization", .command("echo Bearer one; exit 1"))])
      ]
    }
    #expect(try bench.fetch(server.url, 0, 100).error?.kind == .wantsLogin)
  }

  /// What was to give the secret is named, but nothing that may be secret in it.
  @Test(
    arguments: [
      ([("Authorization", .command("false CANARY"))], nil, "its command false failed"),
      ([("Authorization", .command("CANARY=x; false"))], nil, "its command failed"),
      (
        [("Authorization", .environment("STORYTTY_NO_SUCH"))], nil,
        "its variable STORYTTY_NO_SUCH is not set"
      ),
      ([], .command("/bin/false"), "its command /bin/false failed"),
      ([], .environment("STORYTTY_NO_SUCH"), "its variable STORYTTY_NO_SUCH is not set"),
      ([("X-A", .command("echo x"))], .command("false"), "its command false failed"),
    ] as [([(String, Secret)], Secret?, String)])
  func secretThatCannotBeHad_isNamed(
    fields: [(String, Secret)], password: Secret?, words: String
  ) throws {
    let server = try guarded(by: "nothing")
    defer { server.close() }
    let host = "127.0.0.1:\(server.port)"
    let bench = try LoaderBench {
      $0.hosts = [
        HostRule(
          host: host, fields: fields, user: password.map { _ in "anna" }, password: password)
      ]
    }
    #expect(
      try bench.fetch(server.url, 0, 100).error
        == FetchError(
          kind: .wantsLogin,
          words: "\(host) wants a login: see the config section [host \(host)]: \(words)"))
  }

  /// A command that hangs is ended with all that it has started: after its patience, or when
  /// nobody waits for it any more.
  @Test(arguments: [true, false], ["", "exec >&-; "])
  func commandThatHangs_isEnded(byPatience: Bool, start: String) throws {
    let server = try guarded(by: "nothing")
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let file = folder.path("child")
    let host = "127.0.0.1:\(server.port)"
    let bench = try LoaderBench {
      $0.patienceSeconds = byPatience ? 1 : 60
      $0.hosts = [
        HostRule(
          host: host,
          fields: [
            (
              "Authorization",
              .command(
                "sleep 600 & echo $! > \(file).new; mv \(file).new \(file); \(start)wait")
            )
          ])
      ]
    }
    let request = FetchRequest(
      address: try #require(WebAddress(server.url)), start: 0, end: 100, known: nil,
      revalidates: false)
    let number = bench.loader.fetch(request, allowed: .max)
    let deadline = Instant.now + .seconds(20)
    while !fileExists(file), Instant.now < deadline {
      _ = try awaitReadiness(of: [], until: .now + .milliseconds(5))
    }
    let child = try #require(pid_t(readText(file).filter(\.isNumber)))
    #expect(Glibc.kill(child, 0) == 0)
    if byPatience {
      let error = try bench.wait(for: [number])[0].error
      #expect(error?.kind == .wantsLogin)
      #expect(error?.words.hasSuffix(": its command sleep failed") == true)
    } else {
      bench.close()
    }
    // Its new parent may not have reaped it yet.
    while isRunning(child), Instant.now < deadline {
      _ = try awaitReadiness(of: [], until: .now + .milliseconds(5))
    }
    #expect(!isRunning(child))
  }

  private func isRunning(_ process: pid_t) -> Bool {
    guard let text = try? readText("/proc/\(process)/stat") else { return false }
    return !text.contains(") Z ")
  }

  @Test func loginThatExpires_isRenewedOnceForAllReaders() throws {
    let folder = try TemporaryDirectory()
    let runs = folder.path("runs")
    let server = try FaultServer { [file] request in
      // The first secret is good for the head of the file alone.
      let start = request.range?.start ?? 0
      let wanted = start < 100_000 ? "Bearer 1" : "Bearer 2"
      guard request["authorization"] == wanted || request["authorization"] == "Bearer 2" else {
        return ServerReply(status: 401, fields: [("WWW-Authenticate", "Bearer")])
      }
      return file.reply(to: request)
    }
    defer { server.close() }
    let bench = try LoaderBench {
      $0.hosts = [
        HostRule(
          host: "127.0.0.1:\(server.port)",
          fields: [
            ("Authorization", .command("echo x >> \(runs); echo Bearer $(wc -l < \(runs))"))
          ])
      ]
    }
    #expect(isSample(try bench.fetch(server.url, 0, 100).bytes, 0..<100))
    let address = try #require(WebAddress(server.url))
    let numbers = (0..<8).map { number in
      bench.loader.fetch(
        FetchRequest(
          address: address, start: 100_000 + 1000 * number, end: 101_000 + 1000 * number),
        allowed: .max)
    }
    for (number, outcome) in try bench.wait(for: numbers).enumerated() {
      let start = 100_000 + 1000 * UInt64(number)
      #expect(isSample(outcome.bytes, start..<start + 1000))
    }
    #expect(try readText(runs) == "x\nx\n")
    #expect(server.bodyBytes == 8_100)
  }
}
