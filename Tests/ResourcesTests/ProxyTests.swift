import Support
import Testing

@testable import Resources

@Suite struct ProxiesTests {
  @Test(
    arguments: [
      ([:], "http://h.example/", nil), (["http_proxy": "p:1"], "http://h.example/", "p:1"),
      (["http_proxy": "p:1"], "https://h.example/", nil),
      (["HTTP_PROXY": "p:1"], "http://h.example/", nil),
      (["HTTPS_PROXY": "p:1"], "https://h.example/", "p:1"),
      (["https_proxy": "p:1", "HTTPS_PROXY": "p:2"], "https://h.example/", "p:1"),
      (["https_proxy": "", "ALL_PROXY": "p:2"], "https://h.example/", "p:2"),
      (["all_proxy": "p:1"], "http://h.example/", "p:1"),
    ] as [([String: String], String, String?)])
  func proxy_isThatOfTheScheme(environment: [String: String], url: String, expected: String?) throws
  {
    let proxies = Proxies { environment[$0] }
    #expect(proxies.proxy(for: try #require(WebAddress(url))) == expected)
  }

  @Test(
    arguments: [
      ("*", "http://h.example/", true), ("h.example", "http://h.example:8080/", true),
      (".example", "http://h.example/", true), ("example", "http://h.example/", true),
      ("example.", "http://h.example./", true), ("ample", "http://h.example/", false),
      ("x, H.Example", "http://h.example/", true), ("x y h.example", "http://h.example/", true),
      ("h.example.org", "http://h.example/", false), ("", "http://h.example/", false),
      (".", "http://h.example/", false), ("10.0.0.1", "http://10.0.0.1/", true),
      ("10.0.0.0/8", "http://10.1.2.3/", true), ("10.0.0.0/8", "http://11.1.2.3/", false),
      ("10.0.0.0/33", "http://10.0.0.0/", false), ("10.0.0.0/x", "http://10.0.0.0/", false),
      ("0.0.0.1", "http://10.0.0.1/", false), ("192.168.128.0/17", "http://192.168.200.1/", true),
      ("192.168.128.0/17", "http://192.168.100.1/", false), ("[::1]", "http://[::1]/", true),
      ("fd00::/8", "http://[fd12::1]/", true), ("fd00::/8", "http://10.0.0.1/", false),
    ])
  func exceptions_areHostsDomainsAndNetworks(exceptions: String, url: String, isException: Bool)
    throws
  {
    let proxies = Proxies { ["http_proxy": "p:1", "no_proxy": exceptions][$0] }
    #expect((proxies.proxy(for: try #require(WebAddress(url))) == nil) == isException)
  }
}

@Suite struct PrivateHostTests {
  @Test(arguments: [
    "127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "192.168.1.1", "10.0.0.7",
    "169.254.169.254", "[::1]", "[fd00::1]", "[::ffff:192.168.0.1]", "[2002:7f00:1::]", "localhost",
    "LOCALHOST.", "a.localhost", "nas.local", "nas.LOCAL.", "x.internal",
    "metadata.google.internal",
    "box.home.arpa", "nas", "１２７.０.０.１", "127\u{3002}0\u{3002}0\u{3002}1", "127\u{FF0E}0.0.1",
    "ｌｏｃａｌｈｏｓｔ", "nas.loc\u{AD}al", "127.0.0.①",
  ])
  func host_thatIsPrivateByItsName(host: String) {
    #expect(PeerAddress.isPrivate(host: host))
  }

  @Test(arguments: [
    "example.org", "8.8.8.8", "134744072", "[2001:4860:4860::8888]", "local.example.org",
    "internal.example", "localhost.example", "пример.рф", "müller.example", "例え.テスト",
    "arpa.home.org",
    "1.2.3.4.example.org",
  ])
  func host_thatIsNot(host: String) {
    #expect(!PeerAddress.isPrivate(host: host))
  }
}

/// Behind a proxy nobody can tell in which network a server is.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ProxyTests {
  private let folder: TemporaryDirectory
  private let file = ServedFile(sampleBytes(0..<1000))

  init() throws { folder = try TemporaryDirectory() }

  private func bench(_ proxy: FaultServer, except: String = "") throws -> NetworkBench {
    try NetworkBench(folder.path("cache")) { options in
      options.usesProxies = true
      options.environment = { ["http_proxy": proxy.url, "no_proxy": except][$0] }
    }
  }

  private func refusal(_ host: String) -> Result<[UInt8], ResourceError> {
    .failure(ResourceError("\(host) is in a private network, and who names it is not"))
  }

  /// The proxy is on this machine, the feed is not.
  @Test func feed_throughAProxy_namesNothingPrivate() throws {
    let proxy = try FaultServer { [file] request in
      request.target == "http://media.example/leads"
        ? ServerReply(status: 302, fields: [("Location", "http://169.254.169.254/x")])
        : file.reply(to: request)
    }
    defer { proxy.close() }
    let feed = "http://feeds.example/feed.json"
    for isFirst in [true, false] {
      let bench = try bench(proxy)
      #expect(isSample(try bench.readAll(bench.network.open(feed)), 0..<1000))
      for host in [
        "127.0.0.1", "192.168.1.1", "169.254.169.254", "localhost", "nas.local", "[::1]",
      ] {
        let named = try bench.network.open("http://\(host)/\(isFirst)", namedBy: feed)
        #expect(try bench.read(named, 0, 9) == refusal(host))
      }
      let leads = try bench.network.open("http://media.example/leads", namedBy: feed)
      #expect(try bench.read(leads, 0, 9) == refusal("169.254.169.254"))
      // What is public is fetched through it, wherever it is itself.
      let named = try bench.network.open("http://media.example/\(isFirst)", namedBy: feed)
      #expect(isSample(try bench.readAll(named), 0..<1000))
      bench.network.close()
    }
    let hosts = proxy.requests.map { $0.target.split(separator: "/")[1] }
    #expect(Set(hosts) == ["feeds.example", "media.example"])
  }

  @Test func feed_ofAServerThatIsAskedDirectly_namesWhatIsInItsNetwork() throws {
    let proxy = try FaultServer { _ in ServerReply(status: 500) }
    let server = try FaultServer { [file] in file.reply(to: $0) }
    defer { for server in [proxy, server] { server.close() } }
    let bench = try bench(proxy, except: "127.0.0.0/8")
    _ = try bench.readAll(bench.network.open(server.url + "/feed"))
    let named = try bench.network.open(server.url + "/a", namedBy: server.url + "/feed")
    #expect(isSample(try bench.readAll(named), 0..<1000))
    #expect(proxy.requests.isEmpty)
    bench.network.close()
  }

  /// Who has been led into a private network is still who was asked: also where the way is known
  /// already, and where nobody is asked any more.
  @Test func feed_thatLeadsIntoAPrivateNetwork_namesNothingThere() throws {
    let server = try FaultServer { [file] in file.reply(to: $0) }
    let proxy = try FaultServer { _ in
      ServerReply(status: 302, fields: [("Location", server.url + "/feed")])
    }
    defer { for server in [proxy, server] { server.close() } }
    let feed = "http://feeds.example/feed.json"
    for isFirst in [true, false] {
      let bench = try bench(proxy, except: "127.0.0.1")
      for freshSeconds: Int64 in isFirst ? [600, 0, 0] : [600] {
        let resource = try bench.network.open(feed, freshSeconds: freshSeconds)
        #expect(isSample(try bench.readAll(resource), 0..<1000))
        #expect(resource.answeredAt == server.url + "/feed")
        let named = try bench.network.open(server.url + "/a", namedBy: feed)
        #expect(try bench.read(named, 0, 9) == refusal("127.0.0.1:\(server.port)"))
      }
      bench.network.close()
    }
    #expect(!server.requests.contains { $0.target == "/a" } && !server.requests.isEmpty)
  }
}
