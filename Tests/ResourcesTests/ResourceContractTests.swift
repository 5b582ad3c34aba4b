import Glibc
import Support
import System
import Testing

@testable import Resources

/// What holds for every `Resource`, wherever its bytes come from.
@Suite(.serialized) struct ResourceContractTests {
  enum Kind: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case file
    case partOfAFile = "file named by a playlist"
    case cached = "web address with a cache"
    case uncached = "web address without a cache"
    case partOfAnAddress = "web address named by a playlist"
    case moved = "playlist behind a redirect"
    var testDescription: String { rawValue }
  }

  private static let size = 700_001

  /// One resource of a kind, with the bytes that it is to have; or one that does not exist.
  private final class Subject {
    let bench: NetworkBench
    let resource: any Resource
    let expected: [UInt8]
    private let server: FaultServer
    var port: UInt16 { server.port }
    private let directory: TemporaryDirectory

    init(_ kind: Kind, isMissing: Bool = false) throws {
      directory = try TemporaryDirectory()
      let bytes = sampleBytes(0..<UInt64(ResourceContractTests.size))
      let list = Array("#EXTM3U\n#EXTINF:1,\n/a.ts\n".utf8)
      let file = ServedFile(bytes)
      server = try FaultServer { request in
        switch request.target {
        case "/here": file.reply(to: request)
        case "/moved": ServerReply(status: 302, fields: [("Location", "/other/list.m3u8")])
        case "/other/list.m3u8": ServerReply(body: list)
        default: ServerReply(status: 404)
        }
      }
      bench = try NetworkBench(kind == .uncached ? nil : directory.path("cache"))
      if !isMissing { try directory.write(bytes, to: "here") }
      let path = directory.path("here")
      let url = server.url + (isMissing ? "/gone" : "/here")
      let network = bench.network
      // Where a server is decides what others may name there.
      network.note(try #require(WebAddress(server.url + "/list.m3u8")), isPrivate: true)
      switch kind {
      case .file: resource = try network.open(file: path)
      case .partOfAFile:
        resource = try LocalOpener(network, playlist: directory.path("list")).open("here")
      case .cached, .uncached: resource = try network.open(url)
      case .partOfAnAddress:
        resource = try WebOpener(network, playlist: server.url + "/list.m3u8").open(url)
      case .moved:
        resource = try WebOpener(network, playlist: server.url + "/list.m3u8")
          .open(isMissing ? "/gone" : "/moved")
      }
      expected =
        kind == .moved
        ? Array("#EXTM3U\n#EXTINF:1,\n\(server.url)/a.ts\n".utf8) : bytes
    }

    deinit {
      bench.network.close()
      server.close()
    }
  }

  @Test(arguments: Kind.allCases) func opening_isAnsweredOnce_beforeAndAfterReads(kind: Kind) throws
  {
    let subject = try Subject(kind)
    var answers: [ResourceError?] = []
    subject.resource.whenOpened { answers.append($0) }
    try subject.bench.wait { answers.count == 1 }
    #expect(
      try subject.bench.bytes(subject.resource, 0, 8).get() == Array(subject.expected.prefix(8)))
    #expect(subject.resource.info?.length == UInt64(subject.expected.count))
    subject.resource.whenOpened { answers.append($0) }
    try subject.bench.wait { answers.count == 2 }
    #expect(answers == [nil, nil])
  }

  /// Fewer bytes than asked for mean the end, and nothing lies behind it.
  @Test(arguments: Kind.allCases) func read_ofAnyRange_givesWhatIsThere(kind: Kind) throws {
    let subject = try Subject(kind)
    let all = subject.expected
    let ranges = [
      (0, 8), (0, all.count), (all.count - 3, 3), (all.count - 3, 99), (all.count, 9),
      (all.count + 9, 9), (all.count / 2, 5), (0, 0), (0, all.count + 1),
    ]
    for (offset, length) in ranges {
      let expected = Array(all.dropFirst(offset).prefix(length))
      let got = try subject.bench.bytes(subject.resource, UInt64(offset), length).get()
      #expect(got == expected, "\(offset), \(length)")
    }
  }

  /// Each read gets one answer, whatever other reads there are.
  @Test(arguments: Kind.allCases) func reads_thatOverlap_areEachAnsweredOnce(kind: Kind) throws {
    let subject = try Subject(kind)
    let all = subject.expected
    var answers: [Int: [[UInt8]]] = [:]
    let offsets = [0, all.count / 2, 3, all.count - 1, 0]
    // A playlist is read from its beginning on.
    if kind == .moved { _ = try subject.bench.bytes(subject.resource, 0, 8) }
    for (index, offset) in offsets.enumerated() {
      subject.resource.read(offset: UInt64(offset), length: 50_000) { result in
        answers[index, default: []].append((try? result.get()) ?? [])
      }
    }
    try subject.bench.wait { answers.count == offsets.count }
    for (index, offset) in offsets.enumerated() {
      #expect(answers[index] == [Array(all.dropFirst(offset).prefix(50_000))])
    }
  }

  /// At least one byte at a time up to the end, which gives none.
  @Test(arguments: Kind.allCases) func readSome_goesThroughAll(kind: Kind) throws {
    let subject = try Subject(kind)
    var all: [UInt8] = []
    while true {
      var answer: Result<[UInt8], ResourceError>?
      subject.resource.readSome(offset: UInt64(all.count), length: 65_536) { answer = $0 }
      try subject.bench.wait { answer != nil }
      let part = try #require(try answer?.get())
      #expect(part.count <= 65_536)
      if part.isEmpty { break }
      all += part
    }
    #expect(all == subject.expected)
  }

  @Test(arguments: Kind.allCases) func read_thatIsCancelled_isNotAnswered(kind: Kind) throws {
    let subject = try Subject(kind)
    var isCancelled = false
    var late = 0
    subject.resource.read(offset: 0, length: subject.expected.count) { _ in
      late += isCancelled ? 1 : 0
    }
    subject.resource.cancel()
    isCancelled = true
    // It can be read anew.
    #expect(
      try subject.bench.bytes(subject.resource, 0, 8).get() == Array(subject.expected.prefix(8)))
    #expect(late == 0)
  }

  /// The reason comes with the answer to opening it, or to the first read, and to each later one.
  @Test(arguments: Kind.allCases) func whatIsMissing_saysSoEachTime(kind: Kind) throws {
    let subject = try Subject(kind, isMissing: true)
    let reason =
      switch kind {
      case .file: "no such file"
      case .partOfAFile: "a part of it is missing"
      default: "127.0.0.1:\(subject.port) does not have it"
      }
    let opened = try subject.bench.opened(subject.resource)
    #expect(opened == nil || opened?.reason == reason)
    for _ in 0..<2 {
      guard case .failure(let error) = try subject.bench.bytes(subject.resource, 0, 8) else {
        Issue.record("it was read")
        continue
      }
      #expect(error.reason == reason)
    }
  }

  /// What nobody holds any more answers nobody.
  @Test(arguments: Kind.allCases) func resource_thatIsLetGo_doesNotTrap(kind: Kind) throws {
    let bench: NetworkBench
    do {
      let subject = try Subject(kind)
      bench = subject.bench
      subject.resource.read(offset: 0, length: 8) { _ in }
    }
    for _ in 0..<20 {
      bench.network.deliver()
      usleep(1_000)
    }
  }
}
