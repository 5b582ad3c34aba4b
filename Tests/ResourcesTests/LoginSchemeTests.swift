import Support
import Synchronization
import System
import Testing

@testable import Resources

/// What is sent to a server for what it asks.
@Suite(.serialized, .timeLimit(.minutes(2))) struct LoginSchemeTests {
  private static let file = ServedFile(sampleBytes(0..<300_000))
  private static let basic = "Basic YW5uYTpzZWNyZXQ="

  /// A server that asks by these fields, and lets in who answers by a way that it offers.
  private func server(_ challenges: [String], takes: String?) throws -> FaultServer {
    try FaultServer { request in
      if let takes, request["authorization"]?.contains(takes) == true {
        return LoginSchemeTests.file.reply(to: request)
      }
      return ServerReply(status: 401, fields: challenges.map { ("WWW-Authenticate", $0) })
    }
  }

  private func bench(_ server: FaultServer) throws -> LoaderBench {
    let host = "127.0.0.1:\(server.port)"
    return try LoaderBench {
      $0.hosts = [HostRule(host: host, user: "anna", password: .literal("secret"))]
    }
  }

  /// What the requests carried: scheme, algorithm and nonce; "-" for nothing.
  private func sent(_ server: FaultServer) -> [String] {
    server.requests.map { request in
      guard let text = request["authorization"] else { return "-" }
      guard let challenge = Challenge.all(in: text).first, challenge.isOf("Digest") else {
        return text
      }
      return "Digest \(challenge["algorithm"] ?? "-") \(challenge["nonce"] ?? "-")"
    }
  }

  @Test(
    arguments: [
      (["Basic realm=x"], basic, ["-", basic]),
      (["Digest realm=x, nonce=n"], "nonce=\"n\"", ["-", "Digest - n"]),
      (["Basic realm=x, Digest realm=x, nonce=n"], "nonce=\"n\"", ["-", "Digest - n"]),
      (["Digest realm=x, nonce=n, Basic realm=x"], "nonce=\"n\"", ["-", "Digest - n"]),
      (["Basic realm=x", "Digest realm=x, nonce=n"], "nonce=\"n\"", ["-", "Digest - n"]),
      (
        ["Digest nonce=m, algorithm=MD5", "Digest nonce=n, algorithm=SHA-256"], "nonce=\"n\"",
        ["-", "Digest SHA-256 n"]
      ),
      (
        ["Digest nonce=m, algorithm=SHA-512-256", "Digest nonce=n, algorithm=MD5"],
        "nonce=\"n\"", ["-", "Digest MD5 n"]
      ),
      (["Negotiate, NTLM, Basic realm=x"], basic, ["-", basic]),
      (["Bearer realm=x", "Basic realm=x"], basic, ["-", basic]),
    ] as [([String], String, [String])])
  func bestThatIsOffered_isAnswered(
    challenges: [String], takes: String, expected: [String]
  ) throws {
    let server = try server(challenges, takes: takes)
    defer { server.close() }
    let bench = try bench(server)
    #expect(isSample(try bench.fetch(server.url + "/a?b=c", 0, 100).bytes, 0..<100))
    #expect(sent(server) == expected)
  }

  /// No password goes out, and the viewer reads what is wanted.
  @Test(
    arguments: [
      (["Bearer realm=x"], "Bearer"), (["NTLM", "Negotiate"], "NTLM or Negotiate"),
      (["Negotiate YII=="], "Negotiate"), (["Digest nonce=n, algorithm=SHA-512-256"], "Digest"),
      (["Bearer realm=\"x, Basic realm=y, Digest nonce=z\""], "Bearer"),
      (["Bearer realm=x Basic"], "Bearer"),
    ])
  func unknownSchemes_getNoPassword_andAreNamed(challenges: [String], names: String) throws {
    let server = try server(challenges, takes: nil)
    defer { server.close() }
    let host = "127.0.0.1:\(server.port)"
    #expect(
      try bench(server).fetch(server.url, 0, 100).error
        == FetchError(
          kind: .wantsLogin,
          words: "\(host) wants a login by \(names), not by a name and a password: "
            + "see header-command in the config section [host \(host)]"))
    #expect(Set(sent(server)) == ["-"])
  }

  /// One nonce serves as long as the server takes it: a range is one request.
  @Test func digest_isCountedUpAndAsksOnce() throws {
    let server = try server(["Digest realm=x, nonce=n, qop=auth"], takes: "nonce=\"n\"")
    defer { server.close() }
    let bench = try bench(server)
    for part in UInt64(0)..<3 {
      let range = part * 100..<part * 100 + 100
      let bytes = try bench.fetch(server.url, range.lowerBound, range.upperBound).bytes
      #expect(isSample(bytes, range))
    }
    let counts = server.requests.map { request in
      request["authorization"].flatMap { Challenge.all(in: $0).first?["nc"] }
    }
    #expect(counts == [nil, "00000001", "00000002", "00000003"])
  }

  /// A nonce that has grown old costs one more request, whether the server says so or not.
  @Test(arguments: [", stale=true", ""])
  func digest_withAnOldNonce_isAnsweredAnew(stale: String) throws {
    let nonce = Atomic(1)
    let server = try FaultServer { request in
      let current = nonce.load(ordering: .relaxed)
      guard request["authorization"]?.contains("nonce=\"n\(current)\"") == true else {
        let told = request["authorization"] == nil ? "" : stale
        return ServerReply(
          status: 401, fields: [("WWW-Authenticate", "Digest realm=x, nonce=n\(current)\(told)")])
      }
      return LoginSchemeTests.file.reply(to: request)
    }
    defer { server.close() }
    let bench = try bench(server)
    #expect(isSample(try bench.fetch(server.url, 0, 100).bytes, 0..<100))
    nonce.store(2, ordering: .relaxed)
    #expect(isSample(try bench.fetch(server.url, 100, 200).bytes, 100..<200))
    #expect(sent(server) == ["-", "Digest - n1", "Digest - n1", "Digest - n2"])
  }

  /// A wrong password is not tried for ever, whatever the server says of its nonces.
  @Test(arguments: ["Basic realm=x", "Digest realm=x, nonce=N", "Digest nonce=N, stale=true"])
  func wrongPassword_isTriedAFewTimesAtMost(challenge: String) throws {
    let count = Atomic(0)
    let server = try FaultServer { _ in
      let number = count.add(1, ordering: .relaxed).newValue
      let told = challenge.replacing("N", with: "n\(number)")
      return ServerReply(status: 401, fields: [("WWW-Authenticate", told)])
    }
    defer { server.close() }
    let host = "127.0.0.1:\(server.port)"
    #expect(
      try bench(server).fetch(server.url, 0, 100).error
        == FetchError(
          kind: .wantsLogin,
          words: "\(host) wants a login: see the config section [host \(host)]"))
    #expect(server.requests.count == (challenge.contains("stale") ? 5 : 2))
  }

  /// What a netrc file has goes where the viewer said to go, and to the usual secure port of a machine
  /// that it names: never in clear or to another port because a feed writes so.
  @Test(
    arguments: [
      ("machine 127.0.0.1 login anna password secret", true, true),
      ("machine 127.0.0.1 login anna password secret", false, false),
      ("default login anna password secret", true, true),
      ("default login anna password secret", false, false),
      ("machine 127.0.0.1\r\n  login anna\r\n  password secret\r\n", true, true),
    ])
  func loginOfNetrc_goesWhereTheViewerSaid(netrc: String, isNamed: Bool, goes: Bool) throws {
    let server = try server(["Basic realm=x"], takes: LoginSchemeTests.basic)
    defer { server.close() }
    let bench = try NetworkBench(nil) { $0.netrc = netrc }
    if isNamed { bench.network.note(named: "http://127.0.0.1:\(server.port)/feed.json") }
    let result = try bench.read(bench.network.open(server.url + "/a.mp4"), 0, 100)
    bench.network.close()
    #expect((try? result.get()).map { isSample($0, 0..<100) } == (goes ? true : nil))
    #expect(sent(server).contains(LoginSchemeTests.basic) == goes)
  }

  /// What would begin another field, or end one early, is not sent at all.
  @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\u{0}b", "a\u{1B}b"])
  func fieldWithAControlCharacter_isRefused(value: String) throws {
    let server = try server([], takes: "x")
    defer { server.close() }
    let host = "127.0.0.1:\(server.port)"
    let bench = try LoaderBench {
      $0.hosts = [HostRule(host: host, fields: [("X-Key", .literal(value))])]
    }
    #expect(
      try bench.fetch(server.url, 0, 100).error
        == FetchError(
          kind: .wantsLogin,
          words: "the header X-Key in the config section [host \(host)] holds a line break or "
            + "another control character, which none may"))
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: ["user", "password"])
  func loginWithAControlCharacter_isRefused(part: String) throws {
    let server = try server(["Basic realm=x"], takes: "x")
    defer { server.close() }
    let host = "127.0.0.1:\(server.port)"
    let address = part == "user" ? "http://an%01na:x@\(host)/" : "http://anna:x%0D%0Ay@\(host)/"
    #expect(
      try LoaderBench().fetch(address, 0, 100).error
        == FetchError(
          kind: .wantsLogin,
          words: "the login for \(host) holds a line break or another control character, "
            + "which none may"))
    #expect(server.requests.isEmpty)
  }

  /// Only the first line that a command prints counts, whatever ends it.
  @Test(arguments: [
    "printf 'secret\\r\\nmore\\r\\n'", "printf 'secret\\nmore\\n'", "printf secret",
  ])
  func passwordOfACommand_isItsFirstLine(command: String) throws {
    let server = try server(["Basic realm=x"], takes: LoginSchemeTests.basic)
    defer { server.close() }
    let bench = try LoaderBench {
      $0.hosts = [
        HostRule(host: "127.0.0.1:\(server.port)", user: "anna", password: .command(command))
      ]
    }
    #expect(isSample(try bench.fetch(server.url, 0, 100).bytes, 0..<100))
    #expect(sent(server) == ["-", LoginSchemeTests.basic])
  }

  @Test(
    arguments: [
      ("a", "a"), ("a\n", "a"), ("a\r\n", "a"), ("a\r\nb\r\n", "a"), ("\r\n\n a \nb", " a "),
      ("a\rb\n", "a\rb"), ("", nil), ("\r\n", nil),
    ] as [(String, String?)])
  func firstLine(text: String, expected: String?) {
    #expect(SecretCommands.firstLine(of: text) == expected)
  }
}
