import Support
import Synchronization
import System
import Testing

@testable import Resources

/// A loader whose events a test waits for.
final class LoaderBench {
  let waker: Waker
  let loader: HTTPLoader

  struct Outcome {
    var heads: [FetchHead] = []
    var bytes: [UInt8] = []
    /// Where the first byte belongs; nil where none came.
    var start: UInt64?
    var isGapless = true
    var ending: FetchEnding?
    var error: FetchError?
  }

  init(
    _ change: (inout NetworkOptions) -> Void = { _ in },
    library: @escaping @Sendable () -> CurlLibrary? = { CurlLibrary.installed }
  ) throws {
    var options = NetworkOptions()
    options.usesProxies = false
    options.backOffMilliseconds = 5
    options.patienceSeconds = 2
    change(&options)
    waker = try Waker()
    loader = try HTTPLoader(options: options, waker: waker, library: library)
  }

  private var isClosed = false

  deinit { close() }

  /// Ends all, once.
  func close() {
    if !isClosed { loader.close() }
    isClosed = true
  }

  func fetch(
    _ url: String, _ start: UInt64 = 0, _ end: UInt64? = nil, known: RequestSpec.Known? = nil,
    revalidates: Bool = false
  ) throws -> Outcome {
    let address = try #require(WebAddress(url))
    let request = FetchRequest(
      address: address, start: start, end: end, known: known, revalidates: revalidates)
    let outcomes = try wait(for: [loader.fetch(request, allowed: .max)])
    return outcomes[0]
  }

  func wait(for numbers: [FetchNumber]) throws -> [Outcome] {
    var outcomes = [FetchNumber: Outcome](
      uniqueKeysWithValues: numbers.map { ($0, Outcome()) })
    let deadline = Instant.now + .seconds(30)
    while outcomes.values.contains(where: { $0.ending == nil && $0.error == nil }) {
      guard Instant.now < deadline else { throw SupportError("the fetch does not end") }
      _ = try awaitReadiness(of: [Interest(waker.number)], until: deadline)
      waker.silence()
      for (number, event) in loader.take() {
        switch event {
        case .head(let head): outcomes[number]?.heads.append(head)
        case .bytes(let offset, let bytes):
          if let start = outcomes[number]?.start, let count = outcomes[number]?.bytes.count,
            start + UInt64(count) != offset
          {
            outcomes[number]?.isGapless = false
          }
          if outcomes[number]?.start == nil { outcomes[number]?.start = offset }
          outcomes[number]?.bytes += bytes
        case .ended(let ending): outcomes[number]?.ending = ending
        case .failed(let error): outcomes[number]?.error = error
        }
      }
    }
    return numbers.compactMap { outcomes[$0] }
  }
}

@Suite(.serialized, .timeLimit(.minutes(2))) struct HTTPLoaderTests {
  private let file = ServedFile(sampleBytes(0..<300_000))

  @Test func fetch_ofARange_givesItsBytes() throws {
    let server = try FaultServer { [file] in file.reply(to: $0) }
    defer { server.close() }
    let bench = try LoaderBench()
    let outcome = try bench.fetch(server.url + "/a", 1000, 200_000)
    #expect(isSample(outcome.bytes, 1000..<200_000))
    #expect(outcome.start == 1000 && outcome.isGapless)
    #expect(outcome.ending == .complete(total: 300_000))
    #expect(outcome.heads.map(\.type) == ["video/mp4"])
    #expect(outcome.heads.map(\.validator.entityTag) == ["\"v1\""])
    #expect(bench.loader.traffic.requests == 1)
    #expect(bench.loader.traffic.bytes == 199_000)
    let request = server.requests[0]
    #expect(request["range"] == "bytes=1000-199999")
    #expect(request["accept-encoding"] == "identity")
    #expect(request["user-agent"] == "storytty")
  }

  @Test func fetches_oneAfterAnother_useOneConnection() throws {
    let server = try FaultServer { [file] in file.reply(to: $0) }
    defer { server.close() }
    let bench = try LoaderBench()
    for start in [UInt64(0), 1000, 2000] {
      #expect(try bench.fetch(server.url, start, start + 1000).bytes.count == 1000)
    }
    #expect(Set(server.requests.map(\.connection)) == [0])
  }

  @Test func fetches_ofManyAtOnce_useTwoConnections() throws {
    let server = try FaultServer { [file] request in
      var reply = file.reply(to: request)
      reply.bytesPerSecond = 400_000
      return reply
    }
    defer { server.close() }
    let bench = try LoaderBench()
    let address = try #require(WebAddress(server.url))
    let numbers = (0..<8).map { number in
      bench.loader.fetch(
        FetchRequest(address: address, start: 30_000 * number, end: 30_000 * (number + 1)),
        allowed: .max)
    }
    let outcomes = try bench.wait(for: numbers)
    for (number, outcome) in outcomes.enumerated() {
      #expect(isSample(outcome.bytes, 30_000 * UInt64(number)..<30_000 * UInt64(number + 1)))
    }
    #expect(server.mostOpen == 2)
  }

  @Test(arguments: [0, 1, 70_000, 199_999])
  func fetch_whoseConnectionBreaks_goesOnWhereItWas(place: Int) throws {
    let count = Atomic(0)
    let server = try FaultServer { [file] request in
      var reply = file.reply(to: request)
      if count.add(1, ordering: .relaxed).oldValue == 0 { reply.cutsAfter = place }
      return reply
    }
    defer { server.close() }
    let outcome = try LoaderBench().fetch(server.url, 0, 200_000)
    #expect(isSample(outcome.bytes, 0..<200_000) && outcome.isGapless)
    #expect(server.bodyBytes == 200_000)
    #expect(server.requests.count == 2)
    #expect(server.requests[1]["if-match"] == (place == 0 ? nil : "\"v1\""))
  }

  @Test func fetch_whoseConnectionEndsAfterTheLastByte_isWhole() throws {
    let server = try FaultServer { [file] request in
      var reply = file.reply(to: request)
      reply.cutsAfter = 1000
      return reply
    }
    defer { server.close() }
    #expect(isSample(try LoaderBench().fetch(server.url, 0, 1000).bytes, 0..<1000))
    #expect(server.requests.count == 1)
  }

  @Test func fetch_thatStalls_resumes() throws {
    let count = Atomic(0)
    let server = try FaultServer { [file] request in
      var reply = file.reply(to: request)
      if count.add(1, ordering: .relaxed).oldValue == 0 { reply.stallsAfter = 5000 }
      return reply
    }
    defer { server.close() }
    let start = Instant.now
    let outcome = try LoaderBench { $0.patienceSeconds = 1 }.fetch(server.url, 0, 10_000)
    #expect(isSample(outcome.bytes, 0..<10_000))
    #expect(Instant.now - start < .seconds(8))
  }

  @Test func fetch_whoseServerAlwaysCloses_failsAfterFiveRetries() throws {
    let server = try FaultServer { _ in
      var reply = ServerReply()
      reply.closesWithoutAnswer = true
      return reply
    }
    defer { server.close() }
    let outcome = try LoaderBench().fetch(server.url)
    #expect(
      outcome.error == .unreachable("127.0.0.1:\(server.port) breaks the connection"))
    #expect(server.requests.count >= 6)
  }

  @Test(arguments: [429, 500, 503])
  func fetch_ofABusyServer_waitsAsItAsks(status: Int) throws {
    let count = Atomic(0)
    let server = try FaultServer { [file] request in
      if count.add(1, ordering: .relaxed).oldValue == 0 {
        return ServerReply(status: status, fields: [("Retry-After", "1")])
      }
      return file.reply(to: request)
    }
    defer { server.close() }
    let start = Instant.now
    #expect(isSample(try LoaderBench().fetch(server.url, 0, 10).bytes, 0..<10))
    #expect(Instant.now - start >= .seconds(1))
  }

  @Test func fetch_fromAServerWithoutRanges_takesTheWhole() throws {
    let server = try FaultServer { [file] request in
      var plain = request
      plain.fields["range"] = nil
      return file.reply(to: plain)
    }
    defer { server.close() }
    let bench = try LoaderBench()
    let first = try bench.fetch(server.url, 1000, 2000)
    #expect(
      first.heads.map(\.accepted) == [
        AcceptedBody(start: 0, end: 300_000, total: 300_000, ignoresRange: true)
      ])
    #expect(first.start == 0 && isSample(first.bytes, 0..<300_000))
    let second = try bench.fetch(server.url + "/b", 1000, 2000)
    #expect(isSample(second.bytes, 0..<300_000))
    #expect(server.requests.map { $0["range"] } == ["bytes=1000-1999", nil])
  }

  @Test(arguments: [0, 1, 2, 3, 4, 5])
  func fetch_fromAServerWithWrongRanges_takesTheWhole(fault: Int) throws {
    let server = try FaultServer { [file] request in
      var reply = file.reply(to: request)
      guard reply.status == 206 else { return reply }
      switch fault {
      case 0: reply["Content-Range"] = "bytes 1001-2000/300000"
      case 1: reply["Content-Range"] = "bytes 1000-2000/300000"
      case 2: reply["Content-Range"] = "bytes 1000-1999/1500"
      case 3: reply.body.removeLast()
      case 4: reply["Content-Encoding"] = "gzip"
      default: reply["Content-Range"] = nil
      }
      return reply
    }
    defer { server.close() }
    let outcome = try LoaderBench().fetch(server.url, 1000, 2000)
    #expect(isSample(outcome.bytes, 0..<300_000))
    // What is compressed is asked for as a whole at once.
    let parts = fault == 4 ? 1 : 2
    #expect(
      server.requests.map { $0["range"] } == [String?](repeating: "bytes=1000-1999", count: parts)
        + [nil])
  }

  @Test func fetch_ofAChunkedPart_isWhole() throws {
    let server = try FaultServer { [file] request in
      var reply = file.reply(to: request)
      reply.isChunked = true
      return reply
    }
    defer { server.close() }
    let outcome = try LoaderBench().fetch(server.url, 0, 100_000)
    #expect(isSample(outcome.bytes, 0..<100_000))
    #expect(outcome.ending == .complete(total: 300_000))
  }

  @Test(arguments: [true, false])
  func fetch_withoutLength_knowsItsEndWhereItIsTold(chunked: Bool) throws {
    let server = try FaultServer { [file] request in
      var reply = ServerReply(body: file.bytes)
      reply.isChunked = chunked
      reply.tellsLength = false
      return reply
    }
    defer { server.close() }
    let outcome = try LoaderBench().fetch(server.url)
    #expect(isSample(outcome.bytes, 0..<300_000))
    #expect(outcome.ending == .complete(total: chunked ? 300_000 : nil))
  }

  @Test func fetch_ofAnEmptyFile_isPastItsEnd() throws {
    let server = try FaultServer { ServedFile([]).reply(to: $0) }
    defer { server.close() }
    #expect(try LoaderBench().fetch(server.url, 0, 100).ending == .complete(total: 0))
  }

  @Test func fetch_ofChangedContent_saysSo() throws {
    let server = try FaultServer { [file] in file.reply(to: $0) }
    defer { server.close() }
    let known = RequestSpec.Known(length: 300_000, validator: Validator(entityTag: "\"v0\""))
    let outcome = try LoaderBench().fetch(server.url, 0, 100, known: known)
    #expect(outcome.error?.kind == .changed)
    #expect(server.bodyBytes == 0)
  }

  @Test func fetch_thatRevalidates_hearsNotModified() throws {
    let server = try FaultServer { [file] in file.reply(to: $0) }
    defer { server.close() }
    let known = RequestSpec.Known(length: 300_000, validator: Validator(entityTag: "\"v1\""))
    let outcome = try LoaderBench().fetch(server.url, 0, 100, known: known, revalidates: true)
    #expect(outcome.ending == .notModified(ResponseHead.Storing(), isPrivate: true))
    #expect(outcome.bytes == [])
  }

  @Test(
    arguments: [
      (404, "does not have it"), (403, "forbids it"), (418, "answers with status 418"),
      (204, "has nothing there"),
    ])
  func fetch_ofARefusal_saysWhat(status: Int, words: String) throws {
    let server = try FaultServer { _ in ServerReply(status: status, body: Array("<html>".utf8)) }
    defer { server.close() }
    let outcome = try LoaderBench().fetch(server.url + "/x?token=CANARY", 0, 10)
    #expect(outcome.error?.words == "127.0.0.1:\(server.port) \(words)")
    #expect(server.requests.count == 1)
  }

  @Test func fetch_whereNobodyListens_failsInWords() throws {
    let server = try FaultServer { _ in ServerReply() }
    server.close()
    let outcome = try LoaderBench().fetch(server.url)
    #expect(
      outcome.error == .unreachable("127.0.0.1:\(server.port) does not accept connections"))
  }

  @Test func fetch_fromADeadOrigin_failsAtOnceAfterAWhile() throws {
    let server = try FaultServer { _ in ServerReply() }
    server.close()
    let bench = try LoaderBench { $0.backOffMilliseconds = 100 }
    _ = try bench.fetch(server.url)
    let start = Instant.now
    let outcome = try bench.fetch(server.url + "/other")
    #expect(outcome.error == .unreachable("127.0.0.1:\(server.port) does not accept connections"))
    #expect(Instant.now - start < .milliseconds(90))
  }

  @Test func fetch_ofAnUnknownHost_failsInWords() throws {
    let outcome = try LoaderBench().fetch("http://nothing.invalid/a")
    #expect(outcome.error == .unreachable("nothing.invalid cannot be found"))
  }

  @Test func fetch_ofALongURL_works() throws {
    let server = try FaultServer { [file] in file.reply(to: $0) }
    defer { server.close() }
    let path = "/" + String(repeating: "a", count: 4096)
    #expect(isSample(try LoaderBench().fetch(server.url + path, 0, 10).bytes, 0..<10))
    #expect(server.requests[0].target == path)
  }

  @Test func allowed_holdsTheTransferBack() throws {
    let file = ServedFile(sampleBytes(0..<8_000_000))
    let server = try FaultServer { file.reply(to: $0) }
    defer { server.close() }
    let bench = try LoaderBench()
    let address = try #require(WebAddress(server.url))
    let number = bench.loader.fetch(
      FetchRequest(address: address, start: 0, end: nil), allowed: 100_000)
    var received: UInt64 = 0
    let deadline = Instant.now + .seconds(1)
    while Instant.now < deadline {
      _ = try awaitReadiness(of: [Interest(bench.waker.number)], until: deadline)
      bench.waker.silence()
      for (_, event) in bench.loader.take() {
        if case .bytes(_, let bytes) = event { received += UInt64(bytes.count) }
      }
    }
    #expect((100_000...300_000).contains(received))
    bench.loader.allow(number, until: .max)
    #expect(try bench.wait(for: [number])[0].bytes.count == 8_000_000 - Int(received))
  }

  @Test func cancel_endsTheConnectionUnlessItIsNearlyDone() throws {
    let server = try FaultServer { [file] request in
      var reply = file.reply(to: request)
      reply.bytesPerSecond = request.range?.end == nil ? 2_000 : 20_000
      return reply
    }
    defer { server.close() }
    let bench = try LoaderBench()
    let address = try #require(WebAddress(server.url + "/slow"))
    let long = bench.loader.fetch(FetchRequest(address: address, start: 0, end: nil), allowed: .max)
    let short = bench.loader.fetch(
      FetchRequest(address: address, start: 0, end: 10_000), allowed: .max)
    try waitUntil { server.requests.count == 2 }
    bench.loader.cancel(long, unlessRemaining: 64 << 10)
    bench.loader.cancel(short, unlessRemaining: 64 << 10)
    #expect(isSample(try bench.wait(for: [short])[0].bytes, 0..<10_000))
    #expect(server.bodyBytes < 250_000)
  }
}
