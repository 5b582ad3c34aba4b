import Glibc
import Support
import Synchronization
import System
import Testing

@testable import Resources

/// Where secrets go, and where no trace of them is left.
@Suite(.serialized, .timeLimit(.minutes(3))) struct SecretsTests {
  private static let names = [
    "Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "Dropbox-API-Arg", "X-Auth",
  ]
  private static let canary = "CANARY"

  /// Ways to another origin, after a status. SOURCE and TARGET stand for the two hosts.
  private static let ways: [(status: Int, location: String)] = [
    (301, "http://TARGET/b"), (302, "http://TARGET/b"), (303, "http://TARGET/b"),
    (307, "http://TARGET/b"), (308, "http://TARGET/b"), (302, "//TARGET/b"),
    // The same port spoken of by another name, and the name of the first one as a login.
    (302, "http://localhost:TARGETPORT/b"), (302, "http://SOURCE@TARGET/b"),
    (302, "http://anna:x@TARGET/b"), (302, "HTTP://TARGET/b#SOURCE"),
    (302, "http://TARGET\\@SOURCE/b"), (302, "http://TARGET/b?u=http://SOURCE/"),
  ]

  @Test(arguments: 0..<12)
  func redirect_anyWayToAnotherOrigin_carriesNoSecret(way: Int) throws {
    let (status, location) = SecretsTests.ways[way]
    let file = ServedFile(sampleBytes(0..<600_000))
    let target = try FaultServer { file.reply(to: $0) }
    let told =
      location.replacing("TARGETPORT", with: "\(target.port)")
      .replacing("TARGET", with: "127.0.0.1:\(target.port)")
    let source = try FaultServer { request in
      let host = request["host"] ?? ""
      return ServerReply(
        status: status, fields: [("Location", told.replacing("SOURCE", with: host))])
    }
    defer {
      target.close()
      source.close()
    }
    let folder = try TemporaryDirectory()
    let logged = LoggedLines()
    let bench = try NetworkBench(folder.path("cache")) { options in
      options.log = logged.log
      options.hosts = [
        HostRule(
          host: "127.0.0.1:\(source.port)",
          fields: SecretsTests.names.map { ($0, .literal(SecretsTests.canary)) },
          user: "anna", password: .literal(SecretsTests.canary))
      ]
      options.netrc = "default login anna password \(SecretsTests.canary)"
    }
    let url =
      "http://anna:\(SecretsTests.canary)@127.0.0.1:\(source.port)/a?k=\(SecretsTests.canary)"
    let resource = try bench.network.open(url)
    var words: [String] = []
    // The eleventh is read by some as a way to the target: it is none.
    let isRefused = location.contains("\\")
    switch try bench.read(resource, 0, 600_000) {
    case .success(let bytes):
      #expect(!isRefused)
      #expect(isSample(bytes, 0..<600_000))
    case .failure(let error):
      #expect(isRefused)
      words.append(error.reason)
    }
    words += bench.network.takeNotices() + [resource.progress.host, "\(resource.progress)"]
    bench.network.close()
    #expect(source.requests.count > 0)
    for name in SecretsTests.names { #expect(source.requests[0][name] == SecretsTests.canary) }
    #expect(isRefused == target.requests.isEmpty)
    for request in target.requests {
      #expect(!"\(request)".contains(SecretsTests.canary))
      for name in SecretsTests.names { #expect(request[name] == nil) }
    }
    #expect(logged.lines.count >= 3)
    words += logged.lines
    #expect(words.allSatisfy { !$0.contains(SecretsTests.canary) })
    #expect(try traces(in: folder.path("cache")) == [])
  }

  /// Files under a directory that hold the canary.
  private func traces(in directory: String) throws -> [String] {
    var found: [String] = []
    for name in directoryEntries(directory) {
      let path = "\(directory)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        found += try traces(in: path)
      } else if try readFile(path).firstRange(of: Array(SecretsTests.canary.utf8)) != nil {
        found.append(path)
      }
    }
    return found
  }

  /// Answers of each kind: none leaves a secret in what is shown or stored.
  @Test(arguments: [200, 401, 403, 404, 416, 500, 302, 0])
  func anyAnswer_leavesNoTraceOfSecrets(status: Int) throws {
    let file = ServedFile(sampleBytes(0..<600_000))
    let server = try FaultServer { request in
      if status == 200 { return file.reply(to: request) }
      var reply = ServerReply(status: status)
      reply.closesWithoutAnswer = status == 0
      reply["Location"] = "http://anna:CANARY@127.0.0.1:1/?k=CANARY"
      return reply
    }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let logged = LoggedLines()
    let bench = try NetworkBench(folder.path("cache")) { options in
      options.log = logged.log
      options.hosts = [
        HostRule(
          host: "127.0.0.1:\(server.port)",
          fields: [("X-Auth", .command("echo CANARY")), ("Cookie", .literal("a=CANARY"))])
      ]
    }
    let resource = try bench.network.open(
      "http://anna:CANARY@127.0.0.1:\(server.port)/a?token=CANARY#CANARY")
    var words = "\(resource.progress)"
    if case .failure(let error) = try bench.read(resource, 0, 100) { words += error.reason }
    words += bench.network.takeNotices().joined()
    bench.network.close()
    #expect(logged.lines.count >= 3)
    words += logged.lines.joined()
    #expect(!words.contains("CANARY"))
    #expect(try traces(in: folder.path("cache")) == [])
    let listed = try CacheDirectory(folder.path("cache")).list().map(\.source)
    #expect(listed == (status == 200 ? ["http://127.0.0.1:\(server.port)/a"] : []))
  }

  /// The first login is good for one half of the file alone.
  @Test func login_thatExpiresHalfWay_isRenewedOnceAndNothingIsFetchedTwice() throws {
    let size: UInt64 = 8_000_000
    let folder = try TemporaryDirectory()
    let runs = folder.path("runs")
    let file = ServedFile(sampleBytes(0..<size))
    let server = try FaultServer { request in
      let isSecondHalf = (request.range?.end ?? 0) > size / 2
      let login = request["authorization"]
      guard login == "Bearer 2" || (login == "Bearer 1" && !isSecondHalf) else {
        return ServerReply(status: 401, fields: [("WWW-Authenticate", "Bearer")])
      }
      return file.reply(to: request)
    }
    defer { server.close() }
    let bench = try NetworkBench(folder.path("cache")) {
      $0.hosts = [
        HostRule(
          host: "127.0.0.1:\(server.port)",
          fields: [("Authorization", .command("echo x >> \(runs); echo Bearer $(wc -l < \(runs))"))]
        )
      ]
    }
    let resources = try (0..<8).map { _ in try bench.network.open(server.url + "/a") }
    var done = [UInt64](repeating: 0, count: 8)
    var failures: [ResourceError] = []
    func next(_ index: Int) {
      resources[index].read(offset: done[index], length: 100_000) { result in
        switch result {
        case .success(let bytes):
          #expect(isSample(bytes, done[index]..<done[index] + UInt64(bytes.count)))
          done[index] += UInt64(bytes.count)
          if bytes.count == 100_000 { next(index) }
        case .failure(let error): failures.append(error)
        }
      }
    }
    for index in 0..<8 { next(index) }
    try bench.wait { !failures.isEmpty || done.allSatisfy { $0 == size } }
    #expect(failures == [])
    bench.network.close()
    #expect(try readText(runs) == "x\nx\n")
    #expect(server.bodyBytes == Int(size))
  }
}

/// All that the log is told.
private final class LoggedLines: Sendable {
  private let all = Mutex<[String]>([])
  var lines: [String] { all.withLock { $0 } }
  var log: Log {
    Log(Set(Log.Category.allCases)) { _, _, words in self.all.withLock { $0.append(words) } }
  }
}
