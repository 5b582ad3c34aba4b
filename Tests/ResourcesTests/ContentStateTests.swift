import System
import Testing

@testable import Resources

/// What a content decides, without a cache, a server or another process.
@Suite struct ContentStateTests {
  private static let entry = EntryNumber(value: 1)
  private static let long: UInt64 = 20 << 20
  private static let strong = Validator(entityTag: "\"a\"")
  private static let other = Validator(entityTag: "\"b\"")
  private static let weak = Validator(entityTag: "W/\"a\"")

  /// A content that is told things by hand; its first reader is number 1.
  private struct Rig {
    var state: ContentState
    var now = Instant.now
    var actions: [ContentAction] = []

    init(hasCache: Bool = true) {
      state = ContentState(
        ContentState.Setup(
          address: WebAddress.example, hasCache: hasCache, freshSeconds: 60,
          began: 500), at: Rig.moment(.now))
      send(.join(1))
    }

    private static func moment(_ now: Instant) -> ContentState.Moment {
      ContentState.Moment(now: now, seconds: 1000, littleLeft: 65_536, muchLeft: 262_144)
    }

    @discardableResult mutating func send(_ events: ContentEvent...) -> [ContentAction] {
      actions = []
      for event in events { actions += state.handle(event, at: Rig.moment(now)) }
      return actions
    }

    mutating func read(_ offset: UInt64 = 0, _ length: Int = 100, number: UInt64 = 1) {
      send(
        .read(
          PendingRead(
            number: ReadNumber(value: number), reader: 1, offset: offset, length: length)), .tick)
    }

    mutating func open(
      length: UInt64 = 1_000_000, _ validator: Validator = strong, checked: Int64 = 990,
      stored: Range<UInt64>? = nil
    ) {
      send(
        .opened(
          FoundEntry(
            entry: StoredEntry(
              number: ContentStateTests.entry, extents: Extents([stored ?? 0..<length])),
            facts: ContentFacts(length: length, validator: validator, checked: checked))))
    }

    mutating func head(
      _ flight: UInt64 = 1, _ range: Range<UInt64> = 0..<262_144, of total: UInt64? = 1_000_000,
      _ validator: Validator = strong, ignoresRange: Bool = false, isForbidden: Bool = false
    ) {
      var storing = ResponseHead.Storing()
      storing.isForbidden = isForbidden
      let accepted = AcceptedBody(
        start: range.lowerBound, end: range.upperBound, total: total, ignoresRange: ignoresRange)
      fetched(
        flight,
        .head(FetchHead(accepted: accepted, type: nil, validator: validator, storing: storing)))
    }

    mutating func fetched(_ flight: UInt64 = 1, _ event: FetchEvent) {
      send(.fetched(FlightNumber(value: flight), event, agrees: true))
    }

    /// A range is claimed and still missing.
    mutating func claim(_ range: Range<UInt64>, reread: UInt64) {
      send(
        .claimed(range, of: range),
        .reread(ContentStateTests.entry, state.entry?.extents, number: reread))
    }

    /// Nothing is stored, and this process may begin: the first fetch is under way.
    mutating func begin() {
      send(.opened(nil))
      read()
      send(.lockedCreation(true), .opened(nil), .tick)
    }

    /// The first answer has come, and there is room for it.
    mutating func beginStoring(_ validator: Validator = strong) {
      begin()
      head(1, 0..<262_144, of: 1_000_000, validator)
      send(
        .created(
          CreatedEntry(
            entry: StoredEntry(number: ContentStateTests.entry, extents: Extents()), isNew: true,
            held: state.claimable)))
    }

    var isKnown: Bool { if case .known = state.phase { true } else { false } }
    var isChecking: Bool { if case .checking = state.phase { true } else { false } }

    var fetches: [FetchRequest] {
      actions.compactMap { if case .fetch(_, let request, _, _) = $0 { request } else { nil } }
    }

    var failures: Int { actions.count { if case .fail = $0 { true } else { false } } }
    var askedClaim: Range<UInt64>? {
      actions.compactMap { if case .claim(_, let range, _) = $0 { range } else { nil } }.first
    }

    var answeredRead: PendingRead? {
      actions.compactMap { if case .answer(let read, _) = $0 { read } else { nil } }.first
    }

    var answers: [Range<UInt64>] {
      actions.compactMap { if case .answer(_, let range) = $0 { range } else { nil } }
    }
  }

  // MARK: - Looking

  @Test func looking_answersAndFetchesNothing() {
    var rig = Rig()
    rig.read()
    #expect(rig.state.phase == .looking && rig.fetches.isEmpty && rig.answers.isEmpty)
    #expect(rig.state.isFetching)
  }

  @Test func looking_whenNothingIsStored_isUnknown() {
    var rig = Rig()
    rig.send(.opened(nil))
    #expect(rig.state.phase == .unknown)
  }

  /// Fresh, stale, and a part of a former run, by the validator.
  @Test(
    arguments: [
      (1_000_000, "\"a\"", 990, 1_000_000, "known"),
      (1_000_000, "\"a\"", 10, 1_000_000, "checking"),
      (1_000_000, "\"a\"", 400, 262_144, "checking"), (1_000_000, "\"a\"", 990, 262_144, "known"),
      (1_000_000, "W/\"a\"", 990, 1_000_000, "known"),
      (1_000_000, "W/\"a\"", 990, 262_144, "unknown"),
    ] as [(UInt64, String, Int64, UInt64, String)])
  func looking_whenSomethingIsStored(
    length: UInt64, tag: String, checked: Int64, end: UInt64, phase: String
  ) {
    var rig = Rig()
    rig.open(length: length, Validator(entityTag: tag), checked: checked, stored: 0..<end)
    switch rig.state.phase {
    case .known: #expect(phase == "known")
    case .checking: #expect(phase == "checking")
    case .unknown:
      #expect(phase == "unknown")
      #expect(
        rig.actions.contains(.supersede(Self.entry)) && rig.actions.contains(.close(Self.entry)))
    case .looking, .locking: Issue.record("the cache has answered")
    }
  }

  @Test(
    arguments: [
      (1_000_000, "\"a\"", ContentState.Mode.joined), (1_000_000, "W/\"a\"", .whole),
      (20 << 20, "W/\"a\"", .loose), (20 << 20, "\"a\"", .joined),
    ] as [(UInt64, String, ContentState.Mode)])
  func opened_choosesTheMode(length: UInt64, tag: String, mode: ContentState.Mode) {
    var rig = Rig()
    rig.open(length: length, Validator(entityTag: tag))
    #expect(rig.state.mode == mode && rig.isKnown)
  }

  @Test func opened_whileItIsBeingMadeElsewhere_isNotKeptAndNotSuperseded() {
    var rig = Rig()
    rig.send(
      .opened(
        FoundEntry(
          entry: StoredEntry(number: Self.entry, extents: Extents()),
          facts: ContentFacts(length: Self.long, validator: Self.weak, checked: 990),
          isBeingMade: true)))
    #expect(rig.actions == [.close(Self.entry)] && rig.state.whyNotKept != nil)
  }

  // MARK: - Unknown and locking

  @Test func unknown_whenRead_asksForTheRightToBegin() {
    var rig = Rig()
    rig.send(.opened(nil))
    rig.read()
    #expect(rig.actions.contains(.lockCreation) && rig.fetches.isEmpty)
    #expect(rig.state.phase == .locking(0..<262_144))
  }

  @Test func locking_whenGranted_looksOnceMoreAndThenFetches() {
    var rig = Rig()
    rig.send(.opened(nil))
    rig.read()
    #expect(rig.send(.lockedCreation(true)) == [.open(milliseconds: 0)])
    #expect(rig.state.phase == .looking)
    rig.send(.opened(nil), .tick)
    #expect(rig.state.phase == .unknown && rig.fetches.map(\.start) == [0])
  }

  @Test func locking_whenAnotherProcessHasTheRight_waitsAndThenFetchesAllTheSame() {
    var rig = Rig()
    rig.send(.opened(nil))
    rig.read()
    #expect(rig.send(.lockedCreation(false)) == [.open(milliseconds: 50)])
    rig.send(.opened(nil), .tick)
    #expect(rig.actions.contains(.lockCreation))
    rig.now = rig.now + .seconds(5)
    rig.send(.lockedCreation(false))
    #expect(rig.state.phase == .unknown && rig.fetches.count == 1)
  }

  /// By what the first answer says: range, length, validator, whether it ignores the range.
  @Test(
    arguments: [
      (0..<262_144, 1_000_000, "\"a\"", false, ContentState.Mode.joined),
      (0..<262_144, 1_000_000, "W/\"a\"", false, .whole),
      (0..<262_144, 20 << 20, "W/\"a\"", false, .loose),
      (0..<1000, 1000, "\"a\"", false, .joined), (0..<1000, 1000, "W/\"a\"", false, .whole),
      (0..<1_000_000, 1_000_000, "\"a\"", true, .whole),
    ] as [(Range<UInt64>, UInt64, String, Bool, ContentState.Mode)])
  func unknown_atTheFirstAnswer_isKnown(
    range: Range<UInt64>, total: UInt64, tag: String, ignoresRange: Bool,
    mode: ContentState.Mode
  ) {
    var rig = Rig()
    rig.begin()
    rig.head(1, range, of: total, Validator(entityTag: tag), ignoresRange: ignoresRange)
    #expect(rig.state.mode == mode && rig.isKnown)
  }

  @Test func unknown_whenRefused_answersSoAndAsksNoMore() {
    var rig = Rig()
    rig.begin()
    rig.fetched(1, .failed(.refused(404, "w")))
    #expect(rig.failures == 1)
    rig.read(number: 2)
    #expect(rig.failures == 1 && rig.fetches.isEmpty)
    rig.send(.reopen)
    rig.read(number: 3)
    #expect(rig.failures == 0)
  }

  // MARK: - Checking

  @Test func checking_whenRead_asksWithConditions() {
    var rig = Rig()
    rig.open(checked: 10)
    rig.read()
    #expect(rig.fetches.map(\.revalidates) == [true] && rig.answers.isEmpty && rig.isChecking)
  }

  @Test(
    arguments: [
      .ended(.notModified(ResponseHead.Storing())), .failed(.unreachable("w")),
    ] as [FetchEvent])
  func checking_whenItIsTrueOrNobodyCanSay_answers(event: FetchEvent) {
    var rig = Rig()
    rig.open(checked: 10)
    rig.read()
    rig.fetched(1, event)
    rig.send(.tick)
    #expect(rig.isKnown && rig.answers == [0..<100])
  }

  @Test func checking_whenTheServerIsSlow_answersByWhatIsStored() {
    var rig = Rig()
    rig.open(checked: 10)
    rig.read()
    rig.send(.reread(Self.entry, Extents([0..<1_000_000]), number: 1), .tick)
    #expect(rig.isKnown && rig.answers == [0..<100])
  }

  @Test func checking_whenItIsFalse_beginsAnew() {
    var rig = Rig()
    rig.open(checked: 10)
    rig.read()
    rig.head(1, 0..<262_144, of: 1_000_000, Self.other)
    #expect(rig.isKnown && rig.state.held.isEmpty)
    #expect(
      rig.actions.contains(.supersede(Self.entry)) && rig.actions.contains(.close(Self.entry)))
  }

  @Test func checking_whenTheServerSaysThatItChanged_isUnknown() {
    var rig = Rig()
    rig.open(checked: 10)
    rig.read()
    rig.fetched(1, .failed(FetchError(kind: .changed, words: "w")))
    #expect(rig.state.phase == .unknown && rig.state.entry == nil)
  }

  // MARK: - Known

  @Test func joined_whenBytesComeAndAreWritten_movesThemFromMemoryToTheEntry() {
    var rig = Rig()
    rig.beginStoring()
    rig.fetched(1, .bytes(at: 0, [UInt8](repeating: 1, count: 262_144)))
    #expect(rig.actions.contains { if case .write(Self.entry, 0, _) = $0 { true } else { false } })
    #expect(rig.send(.tick).contains { if case .answer(_, 0..<100) = $0 { true } else { false } })
    rig.send(.written(Self.entry, 0..<262_144))
    #expect(rig.state.memory.byteCount == 0 && rig.state.held == Extents([0..<262_144]))
  }

  /// The cache may be at work for a former entry still.
  @Test func events_ofAFormerEntry_changeNothing() {
    var rig = Rig()
    rig.beginStoring()
    rig.fetched(1, .bytes(at: 0, [UInt8](repeating: 1, count: 262_144)))
    let former = EntryNumber(value: 7)
    rig.send(
      .written(former, 0..<262_144), .written(former, 500_000..<600_000), .refused(former),
      .flushed(former))
    #expect(rig.state.memory.byteCount == 262_144 && rig.state.held == Extents([0..<262_144]))
    #expect(rig.state.keepsBytes && rig.actions.isEmpty)
  }

  @Test func joined_whenAFetchEnds_letsGoOfItWhenTheIndexKnows() {
    var rig = Rig()
    rig.beginStoring()
    rig.fetched(1, .bytes(at: 0, [UInt8](repeating: 1, count: 262_144)))
    rig.fetched(1, .ended(.complete(total: 1_000_000)))
    #expect(rig.actions.contains(.flush(Self.entry)))
    #expect(rig.send(.flushed(Self.entry)) == [.release(Self.entry, 0..<262_144)])
  }

  @Test func whole_whenAPartCame_asksForAllAtOnce() {
    var rig = Rig()
    rig.begin()
    rig.head(1, 0..<262_144, of: 1_000_000, Self.weak)
    rig.send(.tick)
    #expect(rig.fetches.map(\.asWhole) == [true])
  }

  /// Nothing vouches for it but the bytes themselves.
  @Test func whole_thatComesAgainAfterBytesWereSeen_isComparedWithThem() throws {
    var rig = Rig()
    rig.begin()
    rig.head(1, 0..<1_000_000, of: 1_000_000, Self.weak, ignoresRange: true)
    rig.fetched(1, .bytes(at: 0, [UInt8](repeating: 1, count: 1000)))
    rig.send(.tick)
    let read = try #require(rig.answeredRead)
    rig.send(.answered(read, bytes: 100))
    rig.fetched(1, .failed(FetchError(kind: .cancelled, words: "")))
    rig.read(500_000, number: 2)
    #expect(rig.fetches.map(\.asWhole) == [true])
    #expect(rig.state.former?.held == Extents([0..<1000]))
    rig.head(2, 0..<1_000_000, of: 1_000_000, Self.weak)
    rig.send(.fetched(FlightNumber(value: 2), .bytes(at: 0, [2, 2]), agrees: false))
    #expect(rig.state.held == Extents([0..<1000]) && rig.failures == 1)
  }

  /// The answer brings what they are for.
  @Test func joined_whenTheServerIgnoresTheRange_releasesClaims() throws {
    var rig = Rig()
    rig.open(length: 4 << 20, stored: 0..<262_144)
    rig.read(262_144)
    rig.claim(262_144..<524_288, reread: 1)
    rig.read(2 << 20, number: 2)
    let range = try #require(rig.askedClaim)
    rig.send(.claimed(range, of: range))
    #expect(rig.state.claims.map(\.range) == [range])
    rig.head(1, 0..<4 << 20, of: 4 << 20, ignoresRange: true)
    #expect(rig.state.claims.isEmpty && rig.state.mode == .whole)
    #expect(rig.actions.contains(.release(Self.entry, range)))
  }

  @Test func whole_ofTwoAnswers_isNotStored() {
    var rig = Rig()
    rig.begin()
    rig.head(1, 0..<262_144, of: 1_000_000, Self.weak)
    rig.send(.tick)
    rig.head(2, 0..<1_000_000, of: 1_000_000, Self.weak)
    #expect(rig.state.storing == .asked(hasLateLength: false))
    rig.head(2, 500_000..<1_000_000, of: 1_000_000, Self.weak)
    #expect(!rig.state.keepsBytes && rig.isKnown)
  }

  @Test func loose_whileItPlays_isAlsoFetchedWholeForTheDisk() {
    var rig = Rig()
    rig.begin()
    rig.head(1, 0..<262_144, of: Self.long, Self.weak)
    #expect(rig.state.storing == .deferred && !rig.state.keepsBytes)
    rig.send(.tick)
    #expect(rig.state.storing == .asked(hasLateLength: false))
    rig.send(
      .created(
        CreatedEntry(
          entry: StoredEntry(number: Self.entry, extents: Extents()), isNew: true, held: [])))
    #expect(rig.fetches.map(\.asWhole) == [true] && rig.fetches.map(\.retries) == [0])
    rig.send(.refused(Self.entry))
    #expect(rig.actions.contains(.release(Self.entry, Blob.bytes)) && !rig.state.keepsBytes)
  }

  @Test func storing_whenTheServerForbidsIt_isOff() {
    var rig = Rig()
    rig.begin()
    rig.head(isForbidden: true)
    #expect(rig.state.storing == .off(nil) && rig.state.whyNotKept != nil)
  }

  @Test func change_afterBytesWereSeen_comparesAllOfItAndThenKeepsWhatWas() throws {
    var rig = Rig()
    rig.beginStoring()
    rig.fetched(1, .bytes(at: 0, [UInt8](repeating: 1, count: 262_144)))
    rig.send(.tick)
    let read = try #require(rig.answeredRead)
    rig.send(.answered(read, bytes: 100))
    rig.fetched(1, .failed(FetchError(kind: .changed, words: "w")))
    #expect(rig.state.former != nil && rig.state.mode == .whole && rig.state.held.isEmpty)
    rig.read(number: 2)
    #expect(rig.fetches.map(\.asWhole) == [true])
    rig.send(
      .fetched(
        FlightNumber(value: 2), .bytes(at: 0, [2, 2, 2]), agrees: false))
    #expect(rig.actions.contains(.outdate) && rig.state.former == nil)
    #expect(rig.state.held == Extents([0..<262_144]) && !rig.state.keepsBytes)
  }

  @Test func change_beforeAnythingWasSeen_beginsAnewThreeTimesAtMost() {
    var rig = Rig()
    rig.begin()
    for number in 1...4 {
      rig.fetched(rig.state.started, .failed(FetchError(kind: .changed, words: "w")))
      guard number < 4 else { break }
      #expect(rig.state.phase == .unknown && rig.failures == 0)
      #expect(rig.state.wantsWhole == (number >= 2))
      rig.send(.tick)
      if case .locking = rig.state.phase {
        rig.send(.lockedCreation(true), .opened(nil), .tick)
      }
    }
    #expect(rig.failures == 1)
  }

  // MARK: - Claims

  /// A range is claimed just after another process has stored it and let go of it. What the index said
  /// before that is no reason to fetch it.
  @Test func claim_isConfirmedByALaterRereadOfTheIndexAlone() throws {
    var rig = Rig()
    rig.open(length: 2 << 20, stored: 262_144..<524_288)
    rig.read()
    // Another process has it: the index is read again soon.
    rig.send(.claimed(nil, of: 0..<262_144))
    rig.send(.tick, .claimed(0..<262_144, of: 0..<262_144))
    #expect(rig.state.claims == [ContentState.Claim(range: 0..<262_144, reread: 2)])
    rig.send(.reread(Self.entry, Extents([262_144..<524_288]), number: 1))
    #expect(rig.state.flights.isEmpty && rig.state.claims.count == 1)
    rig.send(.reread(Self.entry, Extents([0..<524_288]), number: 2))
    #expect(rig.state.flights.isEmpty && rig.state.claims.isEmpty)
    #expect(rig.actions.contains(.release(Self.entry, 0..<262_144)))
    // What is still missing then is fetched.
    rig.read(600_000, number: 2)
    let range = try #require(rig.askedClaim)
    rig.send(
      .claimed(range, of: range), .reread(Self.entry, Extents([0..<524_288]), number: 3))
    #expect(rig.state.flights.values.map(\.range) == [range])
  }

  @Test func claim_whenOnlyItsFirstBlockIsFree_fetchesThat() {
    var rig = Rig()
    rig.open(length: 4 << 20, stored: 0..<262_144)
    rig.read()
    // A larger window from now on.
    rig.state.readAhead.fetched()
    rig.read(262_144, number: 2)
    let (range, first): (Range<UInt64>, Range<UInt64>) = (262_144..<1_310_720, 262_144..<524_288)
    #expect(rig.actions.contains(.claim(Self.entry, range, orElse: first)))
    rig.send(.claimed(first, of: range))
    #expect(rig.state.claims == [ContentState.Claim(range: first, reread: 1)])
  }

  @Test func claim_thatAnotherProcessHoldsForLong_isFetchedAllTheSame() {
    var rig = Rig()
    rig.open(length: 2 << 20, stored: 262_144..<524_288)
    rig.read()
    rig.send(.claimed(nil, of: 0..<262_144))
    #expect(rig.fetches.isEmpty && rig.actions.contains(.log(.waits(0..<262_144))))
    rig.now = rig.now + .seconds(5)
    rig.send(.tick, .claimed(nil, of: 0..<262_144))
    #expect(rig.fetches.map(\.start) == [0])
  }

  // MARK: - Readers

  /// One request brings both, however far apart they are: it is not broken off for the farther one.
  @Test func reads_inOneWindow_areAnsweredByOneFetch() {
    var rig = Rig()
    rig.open(length: 4 << 20, stored: 0..<262_144)
    rig.read()
    rig.state.readAhead.fetched()
    rig.read(262_144, number: 2)
    let range: Range<UInt64> = 262_144..<1_310_720
    rig.send(
      .claimed(range, of: range), .reread(Self.entry, Extents([0..<262_144]), number: 1), .tick)
    #expect(rig.state.flights.values.map(\.range) == [range])
    rig.read(1_000_000, number: 3)
    #expect(rig.state.flights.values.map(\.isLeft) == [false])
    // Whoever waits for that alone does not wait for what comes before.
    rig.send(.cancel(1))
    rig.read(1_000_000, number: 4)
    #expect(rig.state.flights.values.map(\.isLeft) == [true])
  }

  @Test func cancel_withdrawsReadsAndBreaksOffWhatOnlyTheyWaitedFor() {
    var rig = Rig()
    rig.beginStoring()
    rig.send(.cancel(1))
    #expect(rig.state.reads.isEmpty)
    #expect(rig.actions.contains(.cancel(FlightNumber(value: 1), unlessRemaining: 65_536)))
  }

  @Test func lastReader_whenAllHasLanded_leavesNothing() {
    var rig = Rig()
    rig.beginStoring()
    rig.send(.leave(1))
    #expect(!rig.actions.contains(.forget))
    rig.fetched(1, .failed(FetchError(kind: .cancelled, words: "")))
    rig.send(.tick)
    #expect(rig.actions.contains(.forget) && rig.actions.last == .close(Self.entry))
  }

  @Test func held_fetchesNothing() {
    var rig = Rig(hasCache: false)
    rig.send(.setUrgency(.held, 1))
    rig.read()
    #expect(rig.fetches.isEmpty)
    rig.send(.setUrgency(.ready, 1))
    #expect(rig.fetches.map(\.isUrgent) == [false])
  }

  /// The network closes: what arrives is still stored, but nothing is asked for.
  @Test func read_afterTheNetworkHasClosed_fetchesNothing() {
    var rig = Rig(hasCache: false)
    rig.send(.stopFetching)
    rig.read()
    #expect(rig.state.flights.isEmpty && rig.state.started == 0)
    #expect(
      !rig.actions.contains { if case .fetch = $0 { true } else { false } })
  }

  @Test func end_landsAndClosesAll() {
    var rig = Rig()
    rig.beginStoring()
    rig.fetched(1, .bytes(at: 0, [1, 2, 3]))
    rig.send(.end)
    #expect(rig.actions.contains(.write(Self.entry, at: 0, [1, 2, 3])))
    #expect(rig.actions.last == .close(Self.entry) && rig.answers.isEmpty && rig.failures == 0)
  }
}

extension WebAddress {
  /// An address that is never asked.
  static var example: WebAddress {
    guard let address = WebAddress("http://example.org/a") else {
      preconditionFailure("no address")
    }
    return address
  }
}
