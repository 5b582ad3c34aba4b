import Glibc
import Support
import Synchronization
import System
import Testing

@testable import Resources

/// What servers do wrong, each through the cache: right bytes or an error in words, in time, and
/// nothing wrong stored.
@Suite(.serialized, .timeLimit(.minutes(4))) struct FaultTests {
  enum Fault: String, CaseIterable {
    case wrongStart, wrongEnd, wrongTotal, oneByteShort, chunkedPart, noLength, chunkedWhole
    case zippedPart, notSatisfied, notSatisfiedPage, pageOnce, replaced, weakTag, noTag
    case closesEarly, closesAtOnce, closesAfterLast, busy, tooManyRequests, stalls, drips
    case trailers, hugeLength, hugeRange, longWait, noTagOnParts, unauthorizedOnce, emptyAnswer,
      ignoresConditions, taking
  }

  private static let size: UInt64 = 1_500_000

  /// How often each fault happens before the server does right.
  private static func server(_ fault: Fault) throws -> FaultServer {
    let count = Atomic(0)
    let good = ServedFile(sampleBytes(0..<size))
    let new = ServedFile(sampleBytes(0..<size, seed: 9), tag: "\"v2\"")
    return try FaultServer { request in
      let number = count.add(1, ordering: .relaxed).oldValue
      var reply = good.reply(to: request)
      let isPart = reply.status == 206
      switch fault {
      case .wrongStart where isPart:
        reply["Content-Range"] = "bytes 7-\(6 + reply.body.count)/\(size)"
      case .wrongEnd where isPart: reply["Content-Range"] = "bytes 0-5/\(size)"
      case .wrongTotal where isPart: reply["Content-Range"] = "bytes 0-262143/262143"
      case .oneByteShort where isPart: reply.body.removeLast()
      case .chunkedPart where isPart: reply.isChunked = true
      case .noLength:
        reply = ServerReply(body: good.bytes, tellsLength: false)
      case .chunkedWhole:
        reply = ServerReply(body: good.bytes)
        reply.isChunked = true
      case .zippedPart where isPart: reply["Content-Encoding"] = "gzip"
      case .notSatisfied where isPart: return ServerReply(status: 416)
      case .notSatisfiedPage where isPart:
        return ServerReply(
          status: 416, fields: [("Content-Type", "text/html")], body: Array("<html>".utf8))
      case .pageOnce where number == 1:
        return ServerReply(
          fields: [("Content-Type", "text/html")], body: Array("<html>log in</html>".utf8))
      case .replaced where number >= 2: return new.reply(to: request)
      case .weakTag: reply["ETag"] = "W/\"v1\""
      case .noTag: reply["ETag"] = nil
      case .closesEarly where number < 4: reply.cutsAfter = 100_000
      case .closesAtOnce where number % 2 == 0: reply.closesWithoutAnswer = true
      case .closesAfterLast: reply.cutsAfter = reply.body.count
      case .busy where number % 2 == 0: return ServerReply(status: 503)
      case .tooManyRequests where number == 1:
        return ServerReply(status: 429, fields: [("Retry-After", "1")])
      case .stalls where number == 1: reply.stallsAfter = 1000
      case .drips where number == 1: reply.bytesPerSecond = 20
      case .trailers:
        reply.isChunked = true
        reply.trailers = ["ETag: \"v7\"", "Content-Length: 3"]
      case .hugeLength where number == 1:
        return ServerReply(fields: [("Content-Length", "18446744073709551615")])
      case .hugeRange where isPart && number == 1:
        reply["Content-Range"] = "bytes 0-18446744073709551614/18446744073709551615"
      case .longWait where number == 1:
        return ServerReply(status: 503, fields: [("Retry-After", "-9223372036854775808")])
      case .noTagOnParts where number > 0: reply["ETag"] = nil
      case .unauthorizedOnce where number == 1: return ServerReply(status: 401)
      case .emptyAnswer where number == 1: return ServerReply(status: 204)
      case .ignoresConditions:
        var plain = request
        plain.fields["if-match"] = nil
        reply = (number < 2 ? good : new).reply(to: plain)
      case .taking where number == 1:
        return ServerReply(status: 202, fields: [("Retry-After", "1")])
      default: break
      }
      return reply
    }
  }

  @Test(arguments: Fault.allCases)
  func fault_givesRightBytesOrWordsAndStoresNothingWrong(fault: Fault) throws {
    let folder = try TemporaryDirectory()
    let server = try FaultTests.server(fault)
    defer { server.close() }
    let start = Instant.now
    for _ in 0..<3 {
      let bench = try NetworkBench(folder.path("cache")) { $0.patienceSeconds = 1 }
      let resource = try bench.network.open(server.url + "/a?token=CANARY")
      var bytes: [UInt8] = []
      var words: String?
      while words == nil {
        switch try bench.read(resource, UInt64(bytes.count), 65_536) {
        case .success(let part):
          bytes += part
          if part.count < 65_536 { words = "" }
        case .failure(let error): words = error.reason
        }
      }
      let end = UInt64(bytes.count)
      #expect(
        isSample(bytes, 0..<end) || isSample(bytes, 0..<end, seed: 9), "mixed bytes were read")
      if words == "" {
        #expect(end == FaultTests.size)
      } else {
        #expect(
          words?.hasPrefix("127.0.0.1:\(server.port)") == true || words?.hasPrefix("it ") == true)
        #expect(words?.contains("CANARY") == false)
      }
      bench.network.close()
      #expect(try CacheDirectory(folder.path("cache")).verify().wrongSegments == 0)
    }
    // After the fault, the third time at the latest, all is well.
    let last = try NetworkBench(folder.path("cache"))
    let bytes = try last.readAll(last.network.open(server.url + "/a?token=CANARY"))
    #expect(
      isSample(bytes, 0..<FaultTests.size) || isSample(bytes, 0..<FaultTests.size, seed: 9))
    last.network.close()
    #expect(Instant.now - start < .seconds(60))
    for file in ["index.db"] {
      let text = try readFile(folder.path("cache/\(file)"))
      #expect(!String(decoding: text, as: UTF8.self).contains("CANARY"))
    }
  }

  /// The portal of a network answers for every server until one has logged in.
  @Test func portal_isNeverStored() throws {
    let folder = try TemporaryDirectory()
    let isOpen = Atomic(false)
    let good = ServedFile(sampleBytes(0..<FaultTests.size))
    let server = try FaultServer { request in
      guard isOpen.load(ordering: .relaxed) else {
        return ServerReply(
          fields: [("Content-Type", "text/html; charset=utf-8"), ("ETag", "\"v1\"")],
          body: Array("<html>welcome</html>".utf8))
      }
      return good.reply(to: request)
    }
    defer { server.close() }
    let words = ResourceError(
      "127.0.0.1:\(server.port) sends a web page instead (does it want a login in a browser?)")
    for _ in 0..<2 {
      let bench = try NetworkBench(folder.path("cache"))
      #expect(try bench.read(bench.network.open(server.url + "/a"), 0, 100) == .failure(words))
      bench.network.close()
    }
    #expect(try CacheDirectory(folder.path("cache")).list() == [])
    isOpen.store(true, ordering: .relaxed)
    let bench = try NetworkBench(folder.path("cache"))
    #expect(
      isSample(try bench.readAll(bench.network.open(server.url + "/a")), 0..<FaultTests.size))
    bench.network.close()
  }

  /// Each byte is progress, but never enough: given up in bounded time.
  @Test func byteNowAndThen_isGivenUp() throws {
    let folder = try TemporaryDirectory()
    let good = ServedFile(sampleBytes(0..<FaultTests.size))
    let server = try FaultServer { request in
      var reply = good.reply(to: request)
      reply.secondsPerByte = 2
      return reply
    }
    defer { server.close() }
    let bench = try NetworkBench(folder.path("cache")) { $0.patienceSeconds = 1 }
    let start = Instant.now
    let result = try bench.read(bench.network.open(server.url + "/a"), 0, 1000)
    #expect(
      result == .failure(ResourceError("127.0.0.1:\(server.port) sends too little")))
    // Six attempts of some seconds each.
    #expect(Instant.now - start < .seconds(30))
    bench.network.close()
    #expect(try CacheDirectory(folder.path("cache")).verify().wrongSegments == 0)
  }

  @Test(arguments: [4096, 16_000])
  func longURL_isPlayedAndStored(length: Int) throws {
    let folder = try TemporaryDirectory()
    let good = ServedFile(sampleBytes(0..<10_000))
    let server = try FaultServer { good.reply(to: $0) }
    defer { server.close() }
    let url = server.url + "/" + String(repeating: "a", count: length)
    for _ in 0..<2 {
      let bench = try NetworkBench(folder.path("cache"))
      #expect(isSample(try bench.readAll(bench.network.open(url)), 0..<10_000))
      bench.network.close()
    }
    #expect(server.requests.count == 1)
    let bench = try NetworkBench(nil)
    #expect(throws: ResourceError("is no web address")) {
      try bench.network.open(url + String(repeating: "a", count: 16 << 10))
    }
  }

  /// Another program cuts the file of an entry while it is played.
  @Test func blobThatIsCutWhileRead_isFetchedAgain() throws {
    let folder = try TemporaryDirectory()
    let cache = folder.path("cache")
    let good = ServedFile(sampleBytes(0..<FaultTests.size))
    let server = try FaultServer { good.reply(to: $0) }
    defer { server.close() }
    let bench = try NetworkBench(cache)
    let resource = try bench.network.open(server.url + "/a")
    #expect(isSample(try bench.readAll(resource), 0..<FaultTests.size))
    let part = directoryEntries(cache + "/blobs")[0]
    let blob = "\(cache)/blobs/\(part)/\(directoryEntries("\(cache)/blobs/\(part)")[0])"
    for length in [1_000_000, 1, 0] {
      #expect(truncate(blob, length) == 0)
      #expect(isSample(try bench.readAll(resource), 0..<FaultTests.size))
    }
    // The index hears of it within a second.
    try bench.wait { (try? CacheDirectory(cache).verify().wrongSegments) == 0 }
    #expect(unlink(blob) == 0)
    #expect(isSample(try bench.readAll(resource), 0..<FaultTests.size))
    bench.network.close()
    #expect(try CacheStore(directory: cache).find("@\(server.url)/a") == nil)
  }
}
