import DecoderLink
import Testing

@testable import Decoders
@testable import Resources

/// Parts of a playlist that are fetched before its decoder opens them.
@Suite struct PartReadAheadTests {
  /// Opens parts that are fetched when a test says so.
  private final class Server: ResourceOpener {
    var parts: [String: Part] = [:]
    var opened: [String] = []

    func open(_ reference: String) throws(ResourceError) -> any Resource {
      opened.append(reference)
      guard let part = parts[reference] else { throw ResourceError("missing") }
      return part
    }

    func openPart(_ reference: String) throws(ResourceError) -> any Resource {
      try open(reference)
    }

    func reload(_: String?) throws(ResourceError) -> any Resource { throw ResourceError("no") }
    func forget(_: String?) {}
  }

  private final class Part: Resource {
    let info: ContentInfo?
    var keepsBytes = true
    var bearableBitRate: UInt64?
    var asked: [Range<UInt64>] = []
    var isCancelled = false
    private var answers: [(Result<Void, ResourceError>) -> Void] = []

    init(_ length: UInt64?) { info = ContentInfo(length: length) }

    func read(
      offset _: UInt64, length _: Int, answer _: @escaping (Result<[UInt8], ResourceError>) -> Void
    ) {}

    func fetch(
      offset: UInt64, length: Int, answer: @escaping (Result<Void, ResourceError>) -> Void
    ) {
      asked.append(offset..<offset + UInt64(length))
      answers.append(answer)
    }

    func cancel() { isCancelled = true }
    func availableEnd(from offset: UInt64) -> UInt64 {
      (answers.isEmpty ? asked.last?.upperBound : asked.last?.lowerBound) ?? offset
    }

    /// What was asked for has come, or cannot.
    func bring(_ result: Result<Void, ResourceError> = .success(())) {
      guard !answers.isEmpty else { return }
      if case .failure = result { asked.removeLast() }
      answers.removeFirst()(result)
    }

    /// Everything that is asked for comes.
    func bringAll() { while !answers.isEmpty { bring() } }
  }

  private let server = Server()

  /// Parts of 6 s and 1 MB.
  private func make(_ numbers: Range<Int>, rendition: UInt8 = 0) -> [NeededPart] {
    numbers.map { number in
      let url = "\(rendition)-\(number)"
      if server.parts[url] == nil { server.parts[url] = Part(1_000_000) }
      return NeededPart(
        url: url, rendition: rendition, start: .seconds(number * 6),
        end: .seconds((number + 1) * 6))
    }
  }

  private func readAhead() -> PartReadAhead {
    let readAhead = PartReadAhead(server)
    readAhead.setUrgency(.playing)
    return readAhead
  }

  @Test func parts_comeOneAfterAnother() {
    let readAhead = readAhead()
    readAhead.want(make(0..<3), reachesEnd: true)
    #expect(server.opened == ["0-0"])
    #expect(readAhead.ahead == PartsAhead(availableUntil: .zero, isWhole: false))
    server.parts["0-0"]?.bring()
    server.parts["0-0"]?.bring()
    // The next part is begun while the last bytes of this one are on their way.
    #expect(
      server.parts["0-0"]?.asked == [0..<262_144, 262_144..<475_712, 475_712..<1_000_000])
    #expect(server.opened == ["0-0", "0-1"])
    server.parts["0-0"]?.bring()
    #expect(readAhead.ahead == PartsAhead(availableUntil: .seconds(6), isWhole: false))
    server.parts["0-1"]?.bringAll()
    server.parts["0-2"]?.bringAll()
    #expect(server.opened == ["0-0", "0-1", "0-2"])
    #expect(readAhead.ahead == PartsAhead(availableUntil: .seconds(18), isWhole: true))
    #expect(!readAhead.isFetching)
  }

  /// On a slow line the last bytes of a part come before those of the next one, but for a quarter of a
  /// second; that is measured again and again.
  @Test(arguments: [
    (nil, 524_288), (100_000_000, 524_288), (6_000_000, 250_000), (1_200_000, 50_000),
    (1_000, 32_768),
  ])
  func nextPart_isBegun_byTheRateOfTheLine(rate: UInt64?, last: UInt64) {
    let readAhead = readAhead()
    let parts = make(0..<2)
    server.parts["0-0"]?.bearableBitRate = rate
    readAhead.want(parts, reachesEnd: true)
    server.parts["0-0"]?.bring()
    #expect(server.opened == ["0-0"])
    #expect(server.parts["0-0"]?.asked.last == 262_144..<1_000_000 - last)
    server.parts["0-0"]?.bring()
    #expect(server.opened == ["0-0", "0-1"])
    #expect(server.parts["0-0"]?.asked.last == 1_000_000 - last..<1_000_000)
  }

  /// A line that has become slower meanwhile is left to the part that is needed first.
  @Test func nextPart_onALineThatHasBecomeSlow_waits() {
    let readAhead = readAhead()
    let parts = make(0..<2)
    server.parts["0-0"]?.bearableBitRate = 100_000_000
    readAhead.want(parts, reachesEnd: true)
    server.parts["0-0"]?.bring()
    server.parts["0-0"]?.bearableBitRate = 1_200_000
    server.parts["0-0"]?.bring()
    #expect(server.opened == ["0-0"])
    #expect(server.parts["0-0"]?.asked.last == 475_712..<950_000)
    server.parts["0-0"]?.bring()
    #expect(server.opened == ["0-0", "0-1"])
  }

  /// A seek leads elsewhere: what is not needed any more is let go of, what is here stays.
  @Test func parts_thatAreNotNeeded_areLetGoOf() {
    let readAhead = readAhead()
    readAhead.want(make(0..<3), reachesEnd: false)
    server.parts["0-0"]?.bringAll()
    readAhead.want(make(1..<2) + make(7..<8), reachesEnd: false)
    #expect(server.parts["0-0"]?.isCancelled == true)
    #expect(server.parts["0-1"]?.isCancelled == false)
    readAhead.want(make(7..<9), reachesEnd: false)
    #expect(server.parts["0-1"]?.isCancelled == true)
    #expect(server.opened == ["0-0", "0-1", "0-7"])
    // An answer of before means nothing.
    server.parts["0-1"]?.bring()
    #expect(server.parts["0-1"]?.asked.count == 1)
    #expect(server.opened == ["0-0", "0-1", "0-7"])
  }

  /// Nothing is fetched ahead for a neighbour.
  @Test func parts_ofAStoryThatDoesNotPlay_areNotFetched() {
    let readAhead = PartReadAhead(server)
    readAhead.want(make(0..<2), reachesEnd: false)
    #expect(server.opened == [])
    readAhead.setUrgency(.playing)
    #expect(server.opened == ["0-0"])
    readAhead.setUrgency(.held)
    #expect(server.parts["0-0"]?.isCancelled == true)
    #expect(!readAhead.isFetching)
  }

  @Test func part_thatIsMissing_stopsNothing() {
    let readAhead = readAhead()
    let parts = make(0..<3)
    server.parts["0-0"] = nil
    readAhead.want(parts, reachesEnd: false)
    #expect(server.opened == ["0-0", "0-1"])
    server.parts["0-1"]?.bring(.failure(ResourceError("gone")))
    #expect(server.opened.last == "0-2")
  }

  /// What could not be fetched is not here, and what follows it is of no use.
  @Test func part_thatFails_isNotHere() {
    let readAhead = readAhead()
    readAhead.want(make(0..<3), reachesEnd: true)
    server.parts["0-0"]?.bringAll()
    server.parts["0-1"]?.bring(.failure(ResourceError("gone")))
    server.parts["0-2"]?.bringAll()
    #expect(server.opened == ["0-0", "0-1", "0-2"])
    #expect(!readAhead.isFetching)
    #expect(readAhead.ahead == PartsAhead(availableUntil: .seconds(6), isWhole: false))
  }

  /// A length that is known late ends what was asked for behind it.
  @Test func part_thatIsShorterThanAsked_isWhole() {
    let readAhead = readAhead()
    server.parts["0-0"] = Part(1_000)
    readAhead.want(make(0..<1), reachesEnd: true)
    server.parts["0-0"]?.bringAll()
    #expect(server.parts["0-0"]?.asked == [0..<262_144])
    #expect(readAhead.ahead == PartsAhead(availableUntil: .seconds(6), isWhole: true))
  }

  /// The sound of a story may be behind its pictures.
  @Test func ahead_isWhatAllRenditionsHave() {
    let readAhead = readAhead()
    let (pictures, sounds) = (make(0..<2), make(0..<2, rendition: 1))
    readAhead.want([pictures[0], sounds[0], pictures[1], sounds[1]], reachesEnd: true)
    server.parts["0-0"]?.bringAll()
    #expect(readAhead.ahead?.availableUntil == .zero)
    server.parts["1-0"]?.bringAll()
    #expect(readAhead.ahead?.availableUntil == .seconds(6))
    server.parts["0-1"]?.bringAll()
    #expect(readAhead.ahead?.availableUntil == .seconds(6))
    server.parts["1-1"]?.bringAll()
    #expect(readAhead.ahead == PartsAhead(availableUntil: .seconds(12), isWhole: true))
  }

  @Test func range_isFetchedAlone() {
    let readAhead = readAhead()
    server.parts["all"] = Part(10_000_000)
    readAhead.want(
      [
        NeededPart(url: "all", offset: 700, length: 300_000, start: .zero, end: .seconds(2)),
        NeededPart(url: "all", offset: 300_700, length: 10, start: .seconds(2), end: .seconds(4)),
      ], reachesEnd: false)
    server.parts["all"]?.bringAll()
    #expect(server.parts["all"]?.asked == [700..<262_844, 300_700..<300_710, 262_844..<300_700])
  }

  /// What no cache keeps stays in memory, and so is limited.
  @Test func part_thatIsNotKept_isFetchedInPart() {
    let readAhead = readAhead()
    let part = Part(100 << 20)
    part.keepsBytes = false
    server.parts["0-0"] = part
    readAhead.want(make(0..<1), reachesEnd: false)
    part.bringAll()
    #expect(part.asked.last?.upperBound == 4 << 20)
    #expect(readAhead.ahead?.isWhole == false)
  }

  /// Many of them, too.
  @Test func parts_thatAreNotKept_areNotFetchedOnAndOn() {
    let readAhead = readAhead()
    for number in 0..<20 {
      let part = Part(4 << 20)
      part.keepsBytes = false
      server.parts["0-\(number)"] = part
    }
    readAhead.want(make(0..<20), reachesEnd: false)
    for number in 0..<20 { server.parts["0-\(number)"]?.bringAll() }
    #expect(server.opened == (0..<9).map { "0-\($0)" })
    // The decoder has come further.
    readAhead.want(make(2..<20), reachesEnd: false)
    #expect(server.opened.last == "0-9")
    #expect(server.opened.count == 10)
  }

  /// A very long part is fetched as it is read, and those behind it wait.
  @Test func part_thatIsVeryLong_isFetchedInPart() {
    let readAhead = readAhead()
    let part = Part(1 << 30)
    server.parts["0-0"] = part
    readAhead.want(make(0..<2), reachesEnd: false)
    part.bringAll()
    #expect(part.asked.last?.upperBound == 64 << 20)
    #expect(server.opened == ["0-0"])
  }
}
