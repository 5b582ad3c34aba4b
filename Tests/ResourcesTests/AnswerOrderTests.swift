import Support
import Testing

@testable import Resources

/// What readers do within an answer. Nobody's state is half-changed then: answers wait for their turn.
@Suite(.serialized, .timeLimit(.minutes(1))) struct AnswerOrderTests {
  private let server: FaultServer
  private let bench: NetworkBench

  init() throws {
    let file = ServedFile(sampleBytes(0..<1_000_000))
    server = try FaultServer { file.reply(to: $0) }
    bench = try NetworkBench(nil)
  }

  private func close() {
    bench.network.close()
    server.close()
  }

  @Test func answer_inWhichIsRead_isOverBeforeTheNext() throws {
    defer { close() }
    let resource = try bench.network.open(server.url + "/a")
    var order: [String] = []
    resource.read(offset: 0, length: 10) { _ in
      order.append("first begins")
      resource.read(offset: 20, length: 10) { result in
        #expect((try? result.get()).map { isSample($0, 20..<30) } == true)
        order.append("third")
      }
      order.append("first ends")
    }
    resource.read(offset: 10, length: 10) { _ in order.append("second") }
    try bench.wait { order.count == 4 }
    #expect(order == ["first begins", "first ends", "second", "third"])
  }

  @Test func answer_inWhichIsCancelled_isTheLast() throws {
    defer { close() }
    let resource = try bench.network.open(server.url + "/a")
    let other = try bench.network.open(server.url + "/a")
    var order: [Int] = []
    resource.read(offset: 0, length: 10) { _ in
      order.append(1)
      resource.cancel()
    }
    resource.read(offset: 10, length: 10) { _ in order.append(2) }
    other.read(offset: 10, length: 10) { _ in order.append(3) }
    try bench.wait { order.contains(3) }
    #expect(order == [1, 3])
  }

  /// The last reader leaves within an answer, while it waits for another one.
  @Test func answer_inWhichTheLastReaderLeaves_leavesNothing() throws {
    defer { close() }
    var resource: CachedResource? = try bench.network.open(server.url + "/a")
    var hasLeft = false
    resource?.read(offset: 0, length: 10) { _ in
      resource = nil
      hasLeft = true
    }
    resource?.read(offset: 10, length: 10) { _ in Issue.record("nobody waits for it") }
    try bench.wait { hasLeft && bench.network.isIdle }
    #expect(!bench.network.isFetching)
  }
}
