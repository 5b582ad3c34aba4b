import Support
import System
import Testing

@testable import Resources

/// What holds for every content, whatever its readers, its server, the cache and other processes do,
/// in whatever order: a million events where the build is optimised, else fewer; the same ones in
/// every run.
///
/// 1. A read is answered once, or withdrawn by its reader; in the end all are answered.
/// 2. An answer has bytes that were delivered or stored, all of one version. Unless it is given while
///    an answer of the server is compared with former ones, that is the version that its reader has
///    seen before.
/// 3. What is stored is of the version of its entry.
/// 4. No part is fetched that is held or under way.
/// 5. Each claim is let go of, and each entry is closed, once.
/// 6. Nothing is left when the last reader has gone and all has landed.
@Suite struct ContentPropertyTests {
  private static let count = _isDebugAssertConfiguration() ? 30_000 : 1_000_000
  private static let eventsPerContent = 200

  @Test func anyEvents_keepAContentConsistent() {
    var random = SeededRandom(seed: 17)
    var reached: Set<String> = []
    for number in 0..<ContentPropertyTests.count / ContentPropertyTests.eventsPerContent {
      var content = WatchedContent(using: &random)
      for event in 0..<ContentPropertyTests.eventsPerContent where content.breach == nil {
        content.act(using: &random)
        if let breach = content.breach {
          Issue.record("content \(number), event \(event), \(content.summary): \(breach)")
          return
        }
      }
      content.answerAll(using: &random)
      content.end(using: &random)
      if let breach = content.breach {
        Issue.record("content \(number), at its end, \(content.summary): \(breach)")
        return
      }
      reached.formUnion(content.reached)
    }
    // The random events go everywhere.
    let all: Set<String> = [
      "looking", "unknown", "checking", "joined", "whole", "loose", "undecided", "deferred",
      "asked",
      "on", "off", "comparing", "refused", "waiting", "kept",
    ]
    #expect(all.isSubset(of: reached), "\(all.subtracting(reached)) is never reached")
  }
}

/// A content with a server, a cache and other processes, and what its past says about what it may do.
private struct WatchedContent {
  enum Tags: CaseIterable { case strong, mirrored, weak, none }

  /// What the cache has of an entry.
  struct Entry {
    let version: UInt8
    var facts: ContentFacts
    var index = Extents()
    var uses = 0
    /// Held by this process.
    var locked = Extents()
  }

  struct Flight {
    let request: FetchRequest
    let version: UInt8
    var position: UInt64
    var end: UInt64
    var allowed: UInt64
    var hasHead = false
    var isCancelled = false
  }

  private(set) var state: ContentState
  private(set) var breach: String?
  private(set) var reached: Set<String> = []
  private var now = Instant.now
  private let tags: Tags
  private let length: UInt64?
  private let givesRanges: Bool
  private let hasCache: Bool
  private var isWell = true
  private var version: UInt8 = 1
  private var readers: [UInt64: UInt8?] = [:]
  /// Those that were given bytes of which was not known yet whether they are the same as before.
  private var trusting: Set<UInt64> = []
  private var nextReader: UInt64 = 1
  private var pending: Set<UInt64> = []
  private var nextRead: UInt64 = 1
  private var entries: [EntryNumber: Entry] = [:]
  private var live: EntryNumber?
  private var commands: [ContentAction] = []
  private var flights: [FlightNumber: Flight] = [:]
  private var delivered: [UInt8: Extents] = [:]
  private var othersHold = Extents()
  private var othersCreate = false
  private var holdsCreation = false
  private var isForgotten = false
  /// Stored bytes that were found damaged, of which the content has not heard yet.
  private var damaged = Extents()

  init(using random: inout SeededRandom) {
    tags = Tags.allCases[Int.random(in: 0..<4, using: &random)]
    let lengths: [UInt64?] = [0, 1000, 300_000, 1_200_000, 20_000_000, 20_000_000, nil]
    length = lengths[Int.random(in: 0..<lengths.count, using: &random)]
    givesRanges = Int.random(in: 0..<6, using: &random) > 0
    hasCache = Int.random(in: 0..<8, using: &random) > 0
    state = ContentState(
      ContentState.Setup(
        address: WebAddress.example, hasCache: hasCache, freshSeconds: 60,
        began: 900),
      at: ContentState.Moment(now: now, seconds: 1000, littleLeft: 65_536, muchLeft: 262_144))
    if hasCache {
      commands.append(.open(milliseconds: 0))
      if Int.random(in: 0..<2, using: &random) == 0 { storeBefore(using: &random) }
    }
    join(using: &random)
  }

  /// A former run has stored a part or all.
  private mutating func storeBefore(using random: inout SeededRandom) {
    var facts = facts(of: version, using: &random)
    facts.checked = Bool.random(using: &random) ? 1000 : 100
    let number = EntryNumber(value: 1)
    entries[number] = Entry(version: version, facts: facts)
    if let length, length > 0 {
      let end = Bool.random(using: &random) ? length : min(length, 262_144)
      entries[number]?.index.insert(0..<end)
      delivered[version, default: Extents()].insert(0..<end)
    }
    live = number
    if Int.random(in: 0..<3, using: &random) == 0 { version = newVersion }
  }

  /// Without any validator nobody could know of another version.
  private var newVersion: UInt8 { tags == .none ? version : version + 1 }

  private func facts(of version: UInt8, using random: inout SeededRandom) -> ContentFacts {
    ContentFacts(
      length: length, validator: validator(of: version, using: &random), checked: 1000)
  }

  private func validator(of version: UInt8, using random: inout SeededRandom) -> Validator {
    switch tags {
    case .strong: Validator(entityTag: "\"\(version)\"")
    case .mirrored: Validator(entityTag: "\"\(version) \(Int.random(in: 0...1, using: &random))\"")
    case .weak: Validator(entityTag: "W/\"\(version)\"")
    case .none: Validator()
    }
  }

  var summary: String {
    """
    \(tags), length \(length ?? 0), \(state.phase), storing \(state.storing), held \
    \(state.held.ranges), flights \(state.flights), reads \(state.reads), claims \(state.claims), \
    server \(flights.mapValues { ($0.position, $0.end, $0.allowed, $0.isCancelled, $0.hasHead) }), \
    commands \(commands), refusal \(String(describing: state.refusal))
    """
  }

  // MARK: - What happens

  mutating func act(using random: inout SeededRandom) {
    now = now + .milliseconds(Int.random(in: 0...300, using: &random))
    switch Int.random(in: 0..<64, using: &random) {
    case 0...2: if readers.count < 3 { join(using: &random) }
    case 3: leave(using: &random)
    case 4...15: read(using: &random)
    case 16: cancel(using: &random)
    case 17...19: setUrgency(using: &random)
    case 20: give(.reopen, using: &random)
    case 21...34: workOfTheCache(using: &random)
    case 35...56: workOfTheServer(using: &random)
    case 57: if Int.random(in: 0..<4, using: &random) == 0 { version = newVersion }
    case 58: isWell = Int.random(in: 0..<3, using: &random) > 0
    case 59, 60: workOfOthers(using: &random)
    case 61: othersCreate = Int.random(in: 0..<3, using: &random) == 0
    case 62: now = now + .seconds(Int.random(in: 0...12, using: &random))
    default: break
    }
    give(.tick, using: &random)
  }

  private mutating func join(using random: inout SeededRandom) {
    guard !isForgotten else { return }
    readers[nextReader] = .some(nil)
    give(.join(nextReader), using: &random)
    nextReader += 1
  }

  private func anyReader(using random: inout SeededRandom) -> UInt64? {
    readers.keys.sorted().randomElement(using: &random)
  }

  private mutating func leave(using random: inout SeededRandom) {
    guard let reader = anyReader(using: &random) else { return }
    withdraw(reader)
    readers[reader] = nil
    give(.leave(reader), using: &random)
  }

  private mutating func cancel(using random: inout SeededRandom) {
    guard let reader = anyReader(using: &random) else { return }
    withdraw(reader)
    give(.cancel(reader), using: &random)
  }

  /// Read numbers say whose they are: a thousand for each reader.
  private mutating func withdraw(_ reader: UInt64) {
    pending = pending.filter { $0 % 1000 != reader }
  }

  private mutating func read(using random: inout SeededRandom) {
    guard let reader = anyReader(using: &random), pending.count < 6 else { return }
    let number = nextRead * 1000 + reader
    nextRead += 1
    let reach = max(1, length ?? 500_000)
    var read = PendingRead(
      number: ReadNumber(value: number), reader: reader,
      offset: Bool.random(using: &random)
        ? UInt64.random(in: 0...reach, using: &random)
        : UInt64.random(in: 0...min(reach, 300_000), using: &random),
      length: Int.random(in: 0...100_000, using: &random))
    if Int.random(in: 0..<6, using: &random) == 0 { read.isOnlyFetch = true }
    if Int.random(in: 0..<3, using: &random) == 0 { read.least = 8192 }
    pending.insert(number)
    give(.read(read), using: &random)
  }

  private mutating func setUrgency(using random: inout SeededRandom) {
    guard let reader = anyReader(using: &random) else { return }
    let all: [ResourceUrgency] = [.held, .ready, .playing, .playing]
    give(
      .setUrgency(all[Int.random(in: 0..<all.count, using: &random)], reader), using: &random)
  }

  // MARK: - Events and actions

  private mutating func give(_ event: ContentEvent, using random: inout SeededRandom) {
    // What comes for it then is thrown away.
    if isForgotten { return }
    var events = [event]
    while !events.isEmpty, breach == nil {
      let moment = ContentState.Moment(
        now: now, seconds: 1000, littleLeft: 65_536, muchLeft: 262_144)
      for action in state.handle(events.removeFirst(), at: moment) {
        if let answer = perform(action, using: &random) { events.append(answer) }
      }
    }
    damaged = Extents()
    noteReached()
  }

  private mutating func noteReached() {
    switch state.phase {
    case .looking: reached.insert("looking")
    case .locking: breach = "a lock is awaited after its answer"
    case .unknown: reached.insert("unknown")
    case .checking: reached.insert("checking")
    case .known(_, let mode): reached.insert("\(mode)")
    }
    switch state.storing {
    case .undecided: reached.insert("undecided")
    case .deferred: reached.insert("deferred")
    case .asked: reached.insert("asked")
    case .on: reached.insert("on")
    case .off: reached.insert("off")
    }
    if state.former != nil { reached.insert("comparing") }
    if state.refusal != nil { reached.insert("refused") }
    if state.waitsForOther != nil { reached.insert("waiting") }
    if state.flights.values.contains(where: \.isKept) { reached.insert("kept") }
  }

  private mutating func perform(
    _ action: ContentAction, using random: inout SeededRandom
  ) -> ContentEvent? {
    switch action {
    case .answer(let read, let range): return answer(read, range, using: &random)
    case .fail(let read, _): settle(read)
    case .open, .create, .write, .flush, .reread, .revise, .supersede, .close:
      if !hasCache { breach = "\(action) without a cache" }
      commands.append(action)
    case .lockCreation:
      if holdsCreation { breach = "locked twice" }
      holdsCreation = !othersCreate
      return .lockedCreation(holdsCreation)
    case .unlockCreation:
      if !holdsCreation { breach = "unlocked without a lock" }
      holdsCreation = false
    case .claim(let entry, let range, let first): return claim(entry, range, first)
    case .release(let entry, let range): entries[entry]?.locked.remove(range)
    case .fetch(let number, let request, let allowed, _): fetch(number, request, allowed)
    case .allow(let number, let until): flights[number]?.allowed = until
    case .urge: break
    case .cancel(let number, let remaining):
      if let flight = flights[number], flight.end - flight.position > remaining {
        flights[number]?.isCancelled = true
      }
    case .forget:
      if !readers.isEmpty { breach = "forgotten while it is read" }
      if isForgotten { breach = "forgotten twice" }
      isForgotten = true
    case .count, .noteOrigin, .sayOnce, .outdate, .log: break
    }
    return nil
  }

  private mutating func settle(_ read: PendingRead) {
    if pending.remove(read.number.value) == nil { breach = "\(read) is answered and not awaited" }
  }

  private mutating func answer(
    _ read: PendingRead, _ range: Range<UInt64>, using random: inout SeededRandom
  ) -> ContentEvent? {
    var version: UInt8?
    var position = range.lowerBound
    while position < range.upperBound {
      let found: UInt8
      if let part = state.inMemory(from: position, upTo: range.upperBound) {
        found = part.slice[part.range.lowerBound]
        if part.slice.contains(where: { $0 != found }) { breach = "a piece of two versions" }
        position += UInt64(part.count)
      } else if let entry = state.entry, let kept = entries[entry.number],
        entry.extents.end(from: position) > position, kept.index.end(from: position) > position
      {
        if Int.random(in: 0..<200, using: &random) == 0 { return damage(read, entry, position) }
        found = kept.version
        position = kept.index.end(from: position)
      } else if let entry = state.entry, damaged.end(from: position) > position {
        return damage(read, entry, position)
      } else {
        breach = "\(read) gets what is neither stored nor in memory, from \(position) on"
        return nil
      }
      if version != nil, version != found { breach = "\(read) gets bytes of two versions" }
      version = found
    }
    settle(read)
    guard let version, !read.isOnlyFetch else { return .answered(read, bytes: 0) }
    if !delivered[version, default: Extents()].contains(range) {
      breach = "\(read) gets bytes that were never delivered"
    }
    if state.former != nil {
      trusting.insert(read.reader)
    } else if let seen = readers[read.reader] ?? nil, seen != version,
      !trusting.contains(read.reader)
    {
      breach = "\(read) gets version \(version) after \(seen)"
    }
    readers[read.reader] = version
    return .answered(read, bytes: Int(range.upperBound - range.lowerBound))
  }

  private mutating func damage(
    _ read: PendingRead, _ entry: StoredEntry, _ position: UInt64
  ) -> ContentEvent {
    let lost = position..<min(position + 65_536, entry.extents.end(from: position))
    entries[entry.number]?.index.remove(lost)
    damaged.insert(lost)
    var left = entry.extents
    for range in damaged.ranges { left.remove(range) }
    return .unreadable(read, left: left)
  }

  private mutating func claim(
    _ number: EntryNumber, _ range: Range<UInt64>, _ first: Range<UInt64>
  ) -> ContentEvent {
    let part = [range, first].first { othersHold.holes(in: $0) == [$0] }
    if let part { entries[number]?.locked.insert(part) }
    return .claimed(part, of: range)
  }

  private mutating func fetch(
    _ number: FlightNumber, _ request: FetchRequest, _ allowed: UInt64
  ) {
    let end = min(request.end ?? .max, length ?? .max)
    flights[number] = Flight(
      request: request, version: version, position: min(request.start, end), end: end,
      allowed: allowed)
    guard let flight = state.flights[number], flight.purpose == .part else { return }
    if state.held.holes(in: flight.range) != [flight.range] { breach = "fetches what is held" }
    for (other, flying) in state.flights
    where other != number && state.reach(of: flying).overlaps(flight.range) {
      breach = "fetches \(flight.range), which \(flying) brings"
    }
  }

  // MARK: - The cache

  private func isPrompt(_ command: ContentAction) -> Bool {
    switch command {
    case .open, .create, .revise, .supersede: true
    default: false
    }
  }

  private mutating func workOfTheCache(using random: inout SeededRandom) {
    guard !commands.isEmpty else { return }
    let prompt = commands.firstIndex(where: isPrompt)
    let index = Bool.random(using: &random) ? prompt ?? 0 : 0
    switch commands.remove(at: index) {
    case .open: give(.opened(find()), using: &random)
    case .create(let facts): give(.created(create(facts, using: &random)), using: &random)
    case .write(let number, let start, let bytes):
      write(bytes, at: start, number, using: &random)
    case .flush(let number): give(.flushed(number), using: &random)
    case .reread(let number, let reread, _):
      let isBusy = Int.random(in: 0..<8, using: &random) == 0
      let index = entries[number]?.index ?? Extents()
      give(.reread(number, isBusy ? nil : index, number: reread), using: &random)
    case .supersede(let number): if live == number { live = nil }
    case .close(let number):
      entries[number]?.uses -= 1
      if entries[number]?.uses == 0 { entries[number]?.locked = Extents() }
      if (entries[number]?.uses ?? -1) < 0 { breach = "\(number) is closed too often" }
    case .revise(let number, let facts): entries[number]?.facts = facts
    default: break
    }
  }

  private mutating func find() -> FoundEntry? {
    guard let live, let entry = entries[live] else { return nil }
    entries[live]?.uses += 1
    return FoundEntry(
      entry: StoredEntry(number: live, extents: entry.index), facts: entry.facts)
  }

  private mutating func create(
    _ facts: ContentFacts, using random: inout SeededRandom
  ) -> CreatedEntry? {
    guard Int.random(in: 0..<12, using: &random) > 0 else { return nil }
    var isNew = true
    var number = EntryNumber(value: Int64(entries.count + 1))
    if let live, let entry = entries[live], entry.facts.validator.joins(facts.validator) {
      (isNew, number) = (false, live)
    } else {
      let version = state.flights.keys.compactMap { flights[$0]?.version }.max() ?? version
      entries[number] = Entry(
        version: facts.validator.entityTag.flatMap(version(of:)) ?? version, facts: facts)
      entries[number]?.locked.insert(Blob.bytes)
      live = number
    }
    entries[number]?.uses += 1
    let held = state.claimable.filter { othersHold.holes(in: $0) == [$0] }
    for range in held { entries[number]?.locked.insert(range) }
    return CreatedEntry(
      entry: StoredEntry(number: number, extents: entries[number]?.index ?? Extents()),
      isNew: isNew, held: held)
  }

  private func version(of tag: String) -> UInt8? {
    UInt8(tag.drop { !$0.isNumber }.prefix { $0.isNumber })
  }

  private mutating func write(
    _ bytes: [UInt8], at start: UInt64, _ number: EntryNumber, using random: inout SeededRandom
  ) {
    guard let entry = entries[number] else { return breach = "\(number) is no entry" }
    if entry.uses == 0 { breach = "writes to an entry that is closed" }
    if bytes.contains(where: { $0 != entry.version }) {
      breach = "stores version \(bytes.first ?? 0) in an entry of version \(entry.version)"
    }
    let range = start..<start + UInt64(bytes.count)
    guard Int.random(in: 0..<60, using: &random) > 0 else {
      return give(.refused(number), using: &random)
    }
    entries[number]?.index.insert(range)
    give(.written(number, range), using: &random)
  }

  /// Another process claims, stores and lets go.
  private mutating func workOfOthers(using random: inout SeededRandom) {
    guard let live, let entry = entries[live], let length, length > 0 else { return }
    if !othersHold.isEmpty {
      if Bool.random(using: &random) {
        for range in othersHold.ranges {
          entries[live]?.index.insert(range)
          delivered[entry.version, default: Extents()].insert(range)
        }
      }
      othersHold = Extents()
      return
    }
    let start = UInt64.random(in: 0..<length, using: &random) / 262_144 * 262_144
    let range = start..<min(length, start + 524_288)
    if entry.locked.holes(in: range) == [range], entry.facts.validator.joinsParts {
      othersHold.insert(range)
    }
  }

  // MARK: - The server

  private mutating func workOfTheServer(using random: inout SeededRandom) {
    guard
      let number = flights.keys.sorted(by: { $0.value < $1.value }).randomElement(using: &random),
      let flight = flights[number]
    else { return }
    if flight.isCancelled { return fail(number, .cancelled, using: &random) }
    if !isWell, Bool.random(using: &random) { return fail(number, .unreachable, using: &random) }
    if !flight.hasHead { return head(number, flight, using: &random) }
    if Int.random(in: 0..<300, using: &random) == 0 {
      return fail(number, .refused(status: 404), using: &random)
    }
    let most = min(flight.end, flight.allowed, length ?? 700_000)
    if flight.position < most {
      let count = min(most - flight.position, UInt64.random(in: 1...65_536, using: &random))
      let offset = flight.position
      let range = offset..<offset + count
      flights[number]?.position = offset + count
      delivered[flight.version, default: Extents()].insert(range)
      let bytes = [UInt8](repeating: flight.version, count: Int(count))
      let agrees = agrees(flight.version, range)
      return give(
        .fetched(number, .bytes(at: offset, bytes), agrees: agrees), using: &random)
    }
    guard flight.position >= min(flight.end, length ?? 700_000) else { return }
    flights[number] = nil
    let total = length ?? (Bool.random(using: &random) ? 700_000 : nil)
    give(.fetched(number, .ended(.complete(total: total)), agrees: true), using: &random)
  }

  private mutating func fail(
    _ number: FlightNumber, _ kind: FetchError.Kind, using random: inout SeededRandom
  ) {
    flights[number] = nil
    give(
      .fetched(number, .failed(FetchError(kind: kind, words: "w")), agrees: true), using: &random)
  }

  private mutating func head(
    _ number: FlightNumber, _ flight: Flight, using random: inout SeededRandom
  ) {
    let validator = validator(of: flight.version, using: &random)
    if let known = flight.request.known {
      let isSame =
        known.loosely ? known.validator == validator : known.validator.joins(validator)
      if flight.request.revalidates, isSame || known.validator == validator {
        flights[number] = nil
        return give(
          .fetched(number, .ended(.notModified(ResponseHead.Storing())), agrees: true),
          using: &random)
      }
      if !flight.request.revalidates, !isSame { return fail(number, .changed, using: &random) }
    }
    flights[number]?.hasHead = true
    let isPart = givesRanges && !flight.request.asWhole
    let whole = length ?? .max
    if !isPart {
      flights[number]?.position = 0
      flights[number]?.end = whole
    }
    let end = isPart ? min(flight.end, length ?? 700_000) : length
    let accepted = AcceptedBody(
      start: isPart ? flight.position : 0, end: end, total: length,
      ignoresRange: !givesRanges && !flight.request.asWhole)
    var storing = ResponseHead.Storing()
    storing.isForbidden = Int.random(in: 0..<30, using: &random) == 0
    give(
      .fetched(
        number,
        .head(
          FetchHead(accepted: accepted, type: nil, validator: validator, storing: storing)),
        agrees: true), using: &random)
  }

  private mutating func agrees(_ version: UInt8, _ range: Range<UInt64>) -> Bool {
    guard let former = state.former else { return true }
    for known in former.held.ranges where known.overlaps(range) {
      let position = known.clamped(to: range).lowerBound
      let part = state.former?.inMemory(from: position, upTo: position + 1)
      let before = part?.slice.first ?? former.entry.flatMap { entries[$0.number]?.version }
      if before != version { return false }
    }
    return true
  }

  // MARK: - The end

  /// All is well from now on: whoever waits is answered.
  mutating func answerAll(using random: inout SeededRandom) {
    (isWell, othersCreate, othersHold) = (true, false, Extents())
    for reader in readers.keys.sorted() { give(.setUrgency(.playing, reader), using: &random) }
    for _ in 0..<20_000 where breach == nil && !pending.isEmpty {
      now = now + .milliseconds(300)
      workOfTheCache(using: &random)
      workOfTheServer(using: &random)
      give(.tick, using: &random)
    }
    if breach == nil, !pending.isEmpty { breach = "\(pending) are never answered" }
  }

  mutating func end(using random: inout SeededRandom) {
    for reader in readers.keys.sorted() where breach == nil {
      withdraw(reader)
      readers[reader] = nil
      give(.leave(reader), using: &random)
    }
    for _ in 0..<20_000 where breach == nil && !(flights.isEmpty && commands.isEmpty) {
      now = now + .milliseconds(300)
      workOfTheCache(using: &random)
      workOfTheServer(using: &random)
      give(.tick, using: &random)
    }
    guard breach == nil else { return }
    if !isForgotten { breach = "it is not forgotten" }
    if !state.claims.isEmpty || !state.flights.isEmpty { breach = "something is under way" }
    if holdsCreation { breach = "the right to make an entry is held" }
    if let open = entries.first(where: { $0.value.uses != 0 || !$0.value.locked.isEmpty }) {
      breach = "\(open.key) is used or locked"
    }
  }
}
