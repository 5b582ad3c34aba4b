import Support
import Synchronization
import System
import Testing

@testable import Resources

/// Servers that gave a part of a story and then refuse the rest of it.
@Suite(.serialized, .timeLimit(.minutes(3))) struct RefusalTests {
  /// How a server goes on after it has given a part.
  enum Turn: Sendable, CaseIterable {
    case gone, withdrawn, forbidden, wantsLogin, changed, page, broken, closed
  }

  private static let size: UInt64 = 4_000_000
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func serving(_ turn: Turn, _ hasTurned: Flag) throws -> FaultServer {
    let file = ServedFile(sampleBytes(0..<RefusalTests.size))
    return try FaultServer { request in
      guard hasTurned.isSet else { return file.reply(to: request) }
      switch turn {
      case .gone: return ServerReply(status: 404)
      case .withdrawn: return ServerReply(status: 410)
      case .forbidden: return ServerReply(status: 403)
      case .wantsLogin: return ServerReply(status: 401)
      case .changed: return ServerReply(status: 412)
      case .page:
        var reply = ServerReply(body: Array("<html>".utf8))
        reply["Content-Type"] = "text/html"
        return reply
      case .broken: return ServerReply(status: 503)
      case .closed:
        var reply = ServerReply()
        reply.closesWithoutAnswer = true
        return reply
      }
    }
  }

  /// Reads on, from what is held into what is refused: that is asked for once, by whatever comes to
  /// it first, and never again by what only goes on.
  @Test(arguments: Turn.allCases)
  func partlyHeldStory_thatIsRefused_isAskedForOnce(turn: Turn) throws {
    let hasTurned = Flag()
    let server = try serving(turn, hasTurned)
    defer { server.close() }
    let bench = try NetworkBench(folder.path("cache"))
    let resource = try bench.network.open(server.url + "/a")
    _ = try bench.read(resource, 0, 65_536).get()
    try bench.wait { !bench.network.isFetching }
    hasTurned.isSet = true
    let before = server.requests.count
    // Up to the end of what is held, so that more is fetched ahead.
    var position: UInt64 = 65_536
    var failure: ResourceError?
    while failure == nil, position < RefusalTests.size {
      switch try bench.read(resource, position, 65_536) {
      case .success(let bytes): position += UInt64(bytes.count)
      case .failure(let error): failure = error
      }
    }
    let first = try #require(failure)
    try bench.wait { !bench.network.isFetching || server.requests.count > before + 60 }
    // One fetch ahead and one of the reader, with their attempts; a connection that was closed
    // may count twice.
    let asked = server.requests.count
    #expect(asked <= before + 3 * (FetchPlan.mostRetries + 1))
    for _ in 0..<50 {
      #expect(try bench.read(resource, 0, 1000).get().count == 1000)
      #expect(try bench.read(resource, 3_000_000, 1000) == .failure(first))
      bench.network.deliver()
    }
    #expect(server.requests.count == asked)
    bench.network.close()
  }

  @Test(arguments: Turn.allCases)
  func refusedStory_openedAnew_isTriedAnew(turn: Turn) throws {
    let hasTurned = Flag()
    let server = try serving(turn, hasTurned)
    defer { server.close() }
    let bench = try NetworkBench(folder.path("cache"))
    let resource = try bench.network.open(server.url + "/a")
    _ = try bench.read(resource, 0, 1000).get()
    hasTurned.isSet = true
    #expect(throws: ResourceError.self) { try bench.read(resource, 3_000_000, 1000).get() }
    hasTurned.isSet = false
    let again = try bench.network.open(server.url + "/a")
    #expect(isSample(try bench.readAll(again), 0..<RefusalTests.size))
    bench.network.close()
  }

  /// What only fetches ahead, as for a neighbour of the story on the screen.
  @Test(arguments: Turn.allCases)
  func fetchAhead_thatIsRefused_isNotGoneOnWith(turn: Turn) throws {
    let hasTurned = Flag()
    let server = try serving(turn, hasTurned)
    defer { server.close() }
    let bench = try NetworkBench(folder.path("cache"))
    let resource = try bench.network.open(server.url + "/a")
    _ = try bench.read(resource, 0, 1000).get()
    hasTurned.isSet = true
    let before = server.requests.count
    var answer: Result<Void, ResourceError>?
    resource.fetch(offset: 3_000_000, length: 1000) { answer = $0 }
    try bench.wait { answer != nil }
    #expect(throws: ResourceError.self) { try answer?.get() }
    try bench.wait { !bench.network.isFetching || server.requests.count > before + 60 }
    #expect(server.requests.count <= before + 3 * (FetchPlan.mostRetries + 1))
    bench.network.close()
  }
}
