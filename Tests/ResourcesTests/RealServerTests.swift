import Support
import Testing

@testable import Resources

@Suite(.serialized, .timeLimit(.minutes(3))) struct NginxTests {
  private let server: Nginx
  private let folder: TemporaryDirectory
  private static let size: UInt64 = 5_000_000

  init() throws {
    folder = try TemporaryDirectory()
    server = try Nginx(
      settings: """
        location /plain/ { alias www/; }
        location /noranges/ { alias www/; max_ranges 0; }
        location /zipped/ { alias www/; gzip on; gzip_types *; gzip_min_length 1; }
        location /forced/ { alias www/; add_header Content-Encoding gzip; }
        location /packed/ { alias www/; gzip_static always; }
        location /slow/ { alias www/; limit_rate 400k; }
        location /dated/ { alias www/; etag off; }
        location /login/ { alias www/; auth_basic x; auth_basic_user_file www/users; }
        """)
    try server.serve(sampleBytes(0..<NginxTests.size), as: "a.mp4")
  }

  private func play(_ path: String, _ change: (inout NetworkOptions) -> Void = { _ in }) throws
    -> (bytes: [UInt8], saving: Saving)
  {
    let bench = try NetworkBench(folder.path("cache"), change)
    defer { bench.network.close() }
    let resource = try bench.network.open(server.url + path)
    return (try bench.readAll(resource), bench.network.saving)
  }

  @Test(arguments: ["/plain/a.mp4", "/noranges/a.mp4", "/zipped/a.mp4", "/dated/a.mp4"])
  func anyKindOfServer_isPlayedAndThenReplayedWithoutIt(path: String) throws {
    #expect(isSample(try play(path).bytes, 0..<NginxTests.size))
    let again = try play(path)
    #expect(isSample(again.bytes, 0..<NginxTests.size))
    #expect(again.saving.requests == 0)
  }

  @Test func indexAtTheEnd_takesThreeRequests() throws {
    let bench = try NetworkBench(folder.path("cache"))
    let resource = try bench.network.open(server.url + "/plain/a.mp4")
    _ = try bench.read(resource, 0, 65_536).get()
    _ = try bench.read(resource, NginxTests.size - 100_000, 100_000).get()
    _ = try bench.read(resource, 40, 65_536).get()
    let saving = bench.network.saving
    #expect(saving.requests <= 3 && saving.fetched <= 3 << 19)
    bench.network.close()
  }

  @Test func throttledServer_isReadOn() throws {
    let bench = try NetworkBench(folder.path("cache"))
    let resource = try bench.network.open(server.url + "/slow/a.mp4")
    #expect(isSample(try bench.read(resource, 0, 700_000).get(), 0..<700_000))
    bench.network.close()
  }

  @Test func login_isTakenFromTheConfig() throws {
    try server.serve(Array("anna:{PLAIN}secret\n".utf8), as: "users")
    let host = "127.0.0.1:\(server.port)"
    let bench = try NetworkBench(nil)
    #expect(
      try bench.read(bench.network.open(server.url + "/login/a.mp4"), 0, 10)
        == .failure(
          ResourceError("\(host) wants a login: see the config section [host \(host)]")))
    bench.network.close()
    let played = try play("/login/a.mp4") {
      $0.hosts = [HostRule(host: host, user: "anna", password: .literal("secret"))]
    }
    #expect(isSample(played.bytes, 0..<NginxTests.size))
  }

  @Test func compressionInSpiteOfIdentity_isUnpacked_alsoOffline() throws {
    try server.serve(gzip(sampleBytes(0..<NginxTests.size)), as: "b.mp4.gz")
    #expect(isSample(try play("/packed/b.mp4").bytes, 0..<NginxTests.size))
    let again = try play("/packed/b.mp4")
    #expect(isSample(again.bytes, 0..<NginxTests.size))
    #expect(again.saving.requests == 0)
  }

  @Test func compressionThatIsNone_isRefusedInWords() throws {
    let bench = try NetworkBench(folder.path("cache"))
    let result = try bench.read(bench.network.open(server.url + "/forced/a.mp4"), 0, 10)
    let words = "127.0.0.1:\(server.port) sends it compressed, and damaged"
    #expect(result == .failure(ResourceError(words)))
    bench.network.close()
  }

  @Test func plainServer_spokenToSecurely_failsInWords() throws {
    let bench = try NetworkBench(nil)
    let host = "127.0.0.1:\(server.port)"
    #expect(
      try bench.read(bench.network.open("https://\(host)/plain/a.mp4"), 0, 10)
        == .failure(ResourceError("the connection to \(host) is not secure")))
    bench.network.close()
  }

  @Test func fileThatIsReplaced_isNeverMixed() throws {
    let bench = try NetworkBench(folder.path("cache"))
    let resource = try bench.network.open(server.url + "/plain/a.mp4")
    #expect(isSample(try bench.read(resource, 0, 1000).get(), 0..<1000))
    try server.serve(sampleBytes(0..<NginxTests.size + 1, seed: 3), as: "a.mp4")
    #expect(throws: ResourceError.self) { try bench.read(resource, 3_000_000, 1000).get() }
    bench.network.close()
    #expect(isSample(try play("/plain/a.mp4").bytes, 0..<NginxTests.size + 1, seed: 3))
  }
}

@Suite(.serialized, .timeLimit(.minutes(1))) struct SecureServerTests {
  /// Also where nobody else can listen a password goes only to who takes it so.
  @Test func login_overTLS_isToldOnlyWhereItIsOffered() throws {
    let server = try Nginx(
      isSecure: true,
      settings: """
        location /basic/ { auth_basic x; auth_basic_user_file users; }
        location /bearer/ {
          if ($http_authorization) { return 418; }
          add_header WWW-Authenticate Bearer always; return 401;
        }
        """)
    try server.folder.write("anna:{PLAIN}secret\n", to: "users")
    try server.serve(sampleBytes(0..<1000), as: "basic/a.mp4")
    let bench = try NetworkBench(nil) { $0.certificates = server.folder.path("cert") }
    func read(_ name: String) throws -> Result<[UInt8], ResourceError> {
      let url = "https://anna:secret@127.0.0.1:\(server.port)/\(name)"
      return try bench.read(bench.network.open(url), 0, 1000)
    }
    #expect(throws: ResourceError.self) { try read("bearer/a.mp4").get() }
    #expect(isSample(try read("basic/a.mp4").get(), 0..<1000))
    bench.network.close()
    #expect(server.accesses.map(\.status) == [401, 401, 206])
  }

  @Test func certificate_isCheckedAndHTTP2Spoken() throws {
    let server = try Nginx(isSecure: true)
    try server.serve(sampleBytes(0..<2_000_000), as: "a.mp4")
    let url = "https://127.0.0.1:\(server.port)/a.mp4"
    let stranger = try NetworkBench(nil)
    #expect(
      try stranger.read(stranger.network.open(url), 0, 10)
        == .failure(
          ResourceError("the certificate of \(server.host) is not trusted; see --ca-file")))
    stranger.network.close()
    let bench = try NetworkBench(nil) { $0.certificates = server.folder.path("cert") }
    #expect(isSample(try bench.readAll(bench.network.open(url)), 0..<2_000_000))
    bench.network.close()
    #expect(server.accesses.allSatisfy { $0.version == "HTTP/2.0" && $0.status == 206 })
  }
}

@Suite(.serialized, .timeLimit(.minutes(1))) struct ApacheTests {
  @Test func loginByDigest_isTakenFromTheConfig() throws {
    let server = try LocalServer.apache()
    try server.serve(sampleBytes(0..<1_000_000), as: "a.mp4")
    let bench = try NetworkBench(nil) {
      $0.hosts = [
        HostRule(host: "127.0.0.1:\(server.port)", user: "anna", password: .literal("secret"))
      ]
    }
    let resource = try bench.network.open(server.url + "/a.mp4")
    #expect(isSample(try bench.readAll(resource), 0..<1_000_000))
    bench.network.close()
  }
}
