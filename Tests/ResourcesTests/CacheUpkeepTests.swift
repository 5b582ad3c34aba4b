import Glibc
import Support
import System
import Testing

@testable import Resources

@Suite struct EvictionTests {
  private func candidate(
    _ number: Int64, used: Int64, usedAt: Int64 = 1000, superseded: Bool = false
  ) -> Eviction.Candidate {
    Eviction.Candidate(
      entry: EntryNumber(value: number), bytes: 10, used: used, usedAt: usedAt,
      isSuperseded: superseded)
  }

  @Test func order_isByUseAndNotByClock() {
    let order = Eviction.order(
      [
        candidate(1, used: 3, usedAt: 1), candidate(2, used: 1, usedAt: 9999),
        candidate(3, used: 2),
      ],
      days: 30, now: 2000)
    #expect(order.always == [])
    #expect(order.whileNeeded.map(\.entry.value) == [2, 3, 1])
  }

  @Test func order_putsOldAndSupersededFirst() {
    let now: Int64 = 40 * 86_400
    let order = Eviction.order(
      [
        candidate(1, used: 5, usedAt: 86_400), candidate(2, used: 4, usedAt: 10 * 86_400),
        candidate(3, used: 6, usedAt: now, superseded: true),
      ], days: 30, now: now)
    #expect(order.always.map(\.entry.value) == [1, 3])
    #expect(order.whileNeeded.map(\.entry.value) == [2])
  }

  @Test(
    arguments: [
      (100, 0, 1, 1000, 0, 0), (100, 95, 10, 1000, 0, 5), (100, 0, 10, 15, 10, 5),
      (100, 95, 10, 15, 10, 5), (100, 200, 0, 1000, 0, 100),
    ] as [(UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)])
  func need_isTheGreaterOfQuotaAndVolume(
    limit: UInt64, held: UInt64, adding: UInt64, free: UInt64, kept: UInt64, expected: UInt64
  ) {
    let need = Eviction.need(
      limits: CacheLimits(bytes: limit), held: held, entries: 0, adding: adding, free: (free, kept))
    #expect(need == Eviction.Need(bytes: expected))
  }

  @Test(arguments: [(100 << 30, 1 << 30), (1 << 30, (1 << 30) / 20)] as [(UInt64, UInt64)])
  func reserve_isAShareOfSmallVolumes(total: UInt64, expected: UInt64) {
    #expect(CacheLimits().reserve(ofVolume: total) == expected)
    #expect(CacheLimits(reserve: 7).reserve(ofVolume: total) == 7)
  }
}

@Suite struct CacheUpkeepTests {
  private let bench: StoreBench

  init() throws { bench = try StoreBench() }

  private func sources(_ store: CacheStore) throws -> [String] {
    try store.list().map { String($0.source.dropFirst("http://example.org/".count)) }
  }

  @Test func write_overTheQuota_evictsTheLeastRecentlyUsed() throws {
    let store = try bench.open(CacheLimits(bytes: 16 << 20, reserve: 0))
    for number in 0..<16 { try bench.fill(store, "\(number)", bytes: 1 << 20) }
    #expect(try store.list().count == 16)
    let used = try #require(try store.find("0"))
    try store.commit()
    try bench.fill(store, "new", bytes: 1 << 20)
    let left = try sources(store)
    #expect(left.contains("0") && left.contains("new") && !left.contains("1"))
    store.close(used.entry)
    #expect(bench.blobs.count == left.count)
  }

  @Test func write_withAllInUse_findsNoRoom() throws {
    let store = try bench.open(CacheLimits(bytes: 1 << 20, reserve: 0))
    let made = try store.create("k", source: "s", facts: bench.facts())
    _ = try store.write(sampleBytes(0..<1 << 20), at: 0, of: made.entry)
    #expect(throws: CacheError.noRoom) {
      _ = try store.write(sampleBytes(0..<1), at: 1 << 20, of: made.entry)
    }
  }

  @Test func write_belowTheReserve_evictsWhereThatHelps() throws {
    let store = try bench.open(CacheLimits(reserve: 1 << 20))
    try bench.fill(store, "old")
    let made = try store.create("k", source: "s", facts: bench.facts())
    bench.disk.set { $0.free = (1 << 20) + 5 }
    _ = try store.write(sampleBytes(0..<5), at: 0, of: made.entry)
    #expect(throws: CacheError.noRoom) {
      _ = try store.write(sampleBytes(0..<9000), at: 5, of: made.entry)
    }
    #expect(try store.list().count == 2)
    _ = try store.write(sampleBytes(0..<4000), at: 5, of: made.entry)
    #expect(try store.list().count == 1)
  }

  @Test func create_overTheCount_evictsOne() throws {
    let store = try bench.open(CacheLimits(entries: 3))
    for number in 0..<5 { try bench.fill(store, "\(number)") }
    #expect(try sources(store) == ["2", "3", "4"])
  }

  @Test func evict_leavesWhatAnotherProcessUses() throws {
    let (one, two) = (try bench.open(CacheLimits(entries: 1)), try bench.open())
    try bench.fill(one, "a")
    let held = try #require(try two.find("a"))
    try bench.fill(one, "b")
    #expect(try sources(one) == ["a", "b"])
    #expect(try held.checkedBytes() == [0: sampleBytes(0..<4096)])
    two.close(held.entry)
    try one.sweep()
    #expect(try sources(one) == ["b"])
  }

  @Test func sweep_deletesWhatIsUnusedForLong() throws {
    try bench.fill(bench.open(), "old")
    bench.now += 20 * 86_400
    try bench.fill(bench.open(), "young")
    bench.now += 15 * 86_400
    let store = try bench.open()
    try store.sweep()
    #expect(try sources(store) == ["young"])
    #expect(bench.blobs.count == 1)
  }

  @Test func sweep_withAClockThatWasAhead_keepsAll() throws {
    bench.now += 10 * 365 * 86_400
    try bench.fill(bench.open(), "k")
    bench.now -= 10 * 365 * 86_400
    let store = try bench.open()
    try store.sweep()
    #expect(try sources(store) == ["k"])
    #expect(try store.find("k")?.facts.isFresh(now: bench.now, otherwise: 604_800) == false)
  }

  /// Ahead by ten years all seems unused for long; what is in use stays, and nothing is wrong.
  @Test func sweep_withAClockThatIsAhead_keepsWhatIsInUse() throws {
    for key in ["used", "unused"] { try bench.fill(bench.open(), key) }
    bench.now += 10 * 365 * 86_400
    let store = try bench.open()
    let found = try #require(try store.find("used"))
    #expect(!found.facts.isFresh(now: bench.now, otherwise: 604_800))
    try store.sweep()
    #expect(try sources(store) == ["used"])
    #expect(try found.checkedBytes() == [0: sampleBytes(0..<4096)])
    store.close(found.entry)
    // Back at the right time, it counts as used just now.
    bench.now -= 10 * 365 * 86_400
    let again = try bench.open()
    try again.sweep()
    #expect(try sources(again) == ["used"])
  }

  @Test(
    arguments: [
      (100, nil, 150, true), (100, nil, 200, false), (100, 10, 105, true), (100, 10, 111, false),
      (100, 0, 100, false), (100, nil, 99, false), (0, nil, 50, false),
      (100 + 315_360_000, nil, 150, false), (100, nil, 100 + 315_360_000, false),
    ] as [(Int64, Int64?, Int64, Bool)])
  func freshness_isByAClockThatMayBeWrong(
    checked: Int64, freshFor: Int64?, now: Int64, expected: Bool
  ) {
    let facts = ContentFacts(checked: checked, freshFor: freshFor)
    #expect(facts.isFresh(now: now, otherwise: 100) == expected)
  }

  @Test func sweep_deletesOrphansButNotOnesThatAreHeld() throws {
    let store = try bench.open()
    try bench.fill(store, "k")
    let names = [Blob.newName(), Blob.newName()]
    for name in names {
      mkdir(bench.path + "/blobs/\(name.prefix(2))", 0o700)
      try writeFile([1], to: bench.path + "/blobs/\(name.prefix(2))/\(name)")
    }
    let held = try RealDisk().open(
      bench.path + "/blobs/\(names[0].prefix(2))/\(names[0])", creating: false)
    #expect(try held.hold(Blob.useByte, .shared))
    #expect(try store.sweep() == 1)
    #expect(bench.blobs.count == 2)
  }

  @Test func verify_dropsEveryDamagedSegment() throws {
    let store = try bench.open()
    try bench.fill(store, "k", bytes: 4 << 20)
    var bytes = try readFile(bench.blobs[0])
    bytes[5] ^= 1
    bytes.replaceSubrange(2 << 20..<(2 << 20) + 4096, with: repeatElement(0, count: 4096))
    try writeFile(bytes, to: bench.blobs[0])
    let check = try bench.open().verify()
    #expect(check.segments == 4 && check.wrongSegments == 2 && check.bytes == 4 << 20)
    let again = try bench.open().verify()
    #expect(again.segments == 2 && again.wrongSegments == 0)
  }

  @Test(arguments: 0..<40)
  func find_afterAnyBitFlip_givesNoWrongByte(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    try bench.fill(bench.open(), "k", bytes: 2 << 20)
    var bytes = try readFile(bench.blobs[0])
    let place = Int.random(in: 0..<bytes.count, using: &random)
    bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    try writeFile(bytes, to: bench.blobs[0])
    let found = try #require(try bench.open().find("k")).checkedBytes()
    #expect(found.count == 1)
    for (start, bytes) in found {
      #expect(bytes == sampleBytes(start..<start + UInt64(bytes.count)))
    }
  }

  @Test func hash_bindsBytesToTheirPlace() throws {
    let file = try RealDisk().open(bench.folder.path("f"), creating: true)
    let (one, two) = (
      Blob(name: Blob.newName(), file: file), Blob(name: Blob.newName(), file: file)
    )
    #expect(one.hash([1, 2], at: 0) != one.hash([1, 2], at: 2))
    #expect(one.hash([1, 2], at: 0) != two.hash([1, 2], at: 0))
  }

  @Test func clear_deletesAllThatIsNotInUse() throws {
    let store = try bench.open()
    for number in 0..<4 { try bench.fill(store, "\(number)") }
    let held = try #require(try store.find("2"))
    try store.clear()
    #expect(try sources(store) == ["2"])
    store.close(held.entry)
    try store.clear()
    #expect(bench.blobs == [])
  }

  @Test(.timeLimit(.minutes(Scale.isLong ? 30 : 2)))
  func evictionWhileReading_neverFailsARead() throws {
    let limits = CacheLimits(bytes: 1 << 20, entries: 8, reserve: 0)
    let (reader, writer) = (try bench.open(limits), try bench.open(limits))
    var reads = 0
    let rounds = Scale.rounds(60, long: 10_000)
    var mostHeld: UInt64 = 0
    for round in 0..<rounds {
      try bench.fill(writer, "\(round)", bytes: 200_000)
      for key in [round, max(0, round - 3)] {
        guard let content = try reader.find("\(key)") else { continue }
        try bench.fill(writer, "x\(round)", bytes: 200_000)
        #expect(try content.checkedBytes()[0] == sampleBytes(0..<200_000))
        reader.close(content.entry)
        reads += 1
      }
      mostHeld = max(mostHeld, try writer.list().reduce(0) { $0 + $1.bytes })
    }
    #expect(reads > rounds)
    #expect(mostHeld <= limits.bytes + 16 << 20)
    Scale.report("\(rounds) rounds of eviction: \(reads) reads, none failed; held \(mostHeld)")
  }
}
