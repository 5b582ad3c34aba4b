import Glibc
import Support
import System
import Testing

@testable import Resources

/// Numbers that a damaged or a made-up database may hold anywhere.
private let hostile: [DatabaseValue] =
  [
    .min, .min + 1, -(1 << 53), -1, 0, 1, 1 << 31, 1 << 50, (1 << 50) + 1, 1 << 62, .max - 1, .max,
    // The last second that a date has a number for in C, and more.
    67_768_036_191_676_799, 67_768_036_191_676_800, 67_768_100_567_755_200,
  ].map(DatabaseValue.number) + [.text("\u{1B}[2J9"), .bytes([0xFF, 0]), .text("1e999")]

/// Rows that no program of ours has written: they may cost what they tell, never the program.
@Suite(.serialized, .timeLimit(.minutes(4))) struct HostileRowTests {
  private let bench: StoreBench

  init() throws { bench = try StoreBench() }

  /// Whether the row took the value: some break a rule of the table.
  @discardableResult
  private func change(_ sql: String, _ value: DatabaseValue) throws -> Bool {
    let database = try Database(path: bench.path + "/index.db", patience: 2_000)
    return (try? database.run(sql, value)) != nil
  }

  /// Everything that can be done with a cache.
  private func useAll(_ key: String) throws {
    let store = try bench.open()
    _ = try store.list()
    _ = try store.savings().reduce(Saving()) { $0 + $1.saving }.saved
    store.count(Saving(requests: 1, hits: 2, misses: 3, served: 4, fetched: 5))
    if let found = try store.find("k") {
      for segment in found.segments {
        _ = try found.blob.file.read(at: segment.start, count: segment.length)
      }
      #expect(found.facts.length ?? 0 <= Verdict.mostLength)
      _ = Extents(found.segments.map(\.range)).count
      _ = found.facts.isFresh(now: bench.now, otherwise: 1)
      store.close(found.entry)
    }
    try bench.fill(store, key)
    try store.commit()
    // What is stored now is found, whatever the rows beside it are.
    let mine = try #require(try store.find(key))
    #expect(try mine.checkedBytes()[0] == sampleBytes(0..<4096))
    store.close(mine.entry)
    _ = try store.verify()
    try store.sweep()
    try store.evict(Eviction.Need(bytes: 1, entries: 1))
    _ = try CacheDirectory(bench.path).status().total.saved
  }

  @Test(arguments: ["used", "usedAt", "checked", "freshFor", "length", "state", "id", "seal"])
  func entry_withAnyNumber_costsItselfAtMost(column: String) throws {
    var changes = 0
    for (number, value) in hostile.enumerated() {
      try bench.fill(bench.open(), "k")
      if try change("UPDATE entry SET \(column) = ?", value) { changes += 1 }
      try useAll("\(column) \(number)")
    }
    #expect(changes > 0)
  }

  @Test func sequence_withAnyNumber_isNoEndOfTheCache() throws {
    for (number, value) in hostile.enumerated() {
      try bench.fill(bench.open(), "k")
      #expect(try change("UPDATE sqlite_sequence SET seq = ? WHERE name = 'entry'", value))
      try useAll("sequence \(number)")
    }
  }

  /// With facts whose seal is right, as who writes the file can make them.
  @Test func facts_withAnyNumber_costTheirEntryAtMost() throws {
    let numbers = hostile.compactMap(\.number)
    for (number, value) in numbers.enumerated() {
      let store = try bench.open()
      try bench.fill(store, "k")
      let found = try #require(try store.find("k"))
      var facts = found.facts
      (facts.length, facts.checked, facts.freshFor) = (UInt64(bitPattern: value), value, value)
      try store.revise(found.entry, facts)
      store.close(found.entry)
      try useAll("facts \(number)")
    }
  }

  @Test(arguments: ["start", "length", "hash", "entry"])
  func segment_withAnyNumber_costsItselfAtMost(column: String) throws {
    var changes = 0
    for (number, value) in hostile.enumerated() {
      try bench.fill(bench.open(), "k")
      if try change("UPDATE segment SET \(column) = ?", value) { changes += 1 }
      try useAll("\(column) \(number)")
    }
    #expect(changes > 0)
  }

  @Test func savings_withAnyNumber_areAddedUpToTheMost() throws {
    let store = try bench.open()
    for column in ["requests", "hits", "misses", "served", "fetched"] {
      for (number, value) in hostile.enumerated() {
        store.count(Saving(requests: 1))
        try store.commit()
        try change("UPDATE saving SET \(column) = ?", value)
        try useAll("\(column) \(number)")
      }
    }
    let most = String(Int64.max)
    for day in ["2001-01-01", "2001-01-02", "2001-01-03"] {
      try change(
        "INSERT INTO saving VALUES (?, \(most), \(most), \(most), \(most), \(most))", .text(day))
    }
    let total = try CacheDirectory(bench.path).status().total
    #expect(total.served == .max && total.fetched == .max && total.saved == 0)
    // A day that is full stays so.
    try change("UPDATE saving SET hits = \(most) WHERE day <> ?", .text(""))
    store.count(Saving(hits: 7))
    try store.commit()
    #expect(try store.savings().last?.saving.hits == UInt64(Int64.max))
  }

  /// Many uses are not the end of counting them.
  @Test func use_afterTheMost_isStillInOrder() throws {
    let store = try bench.open()
    for key in ["a", "b"] { try bench.fill(store, key) }
    try change("UPDATE entry SET used = ? WHERE source LIKE '%a'", .number(.max))
    for key in ["c", "d"] { try bench.fill(store, key) }
    let order = try store.list().map { $0.source.suffix(1) }
    #expect(order == ["b", "c", "d"])
  }

  // MARK: The history

  @Test func history_withAnyNumber_isRead_andAddedTo() throws {
    let path = bench.folder.path("state")
    let subject = HistorySubject(id: "a", source: "/a")
    for column in ["views", "completions", "skips", "waits", "waitedMs", "last", "isLimited"] {
      var changes = 0
      for value in hostile {
        let store = try HistoryStore(directory: path)
        try store.write(
          [
            .add(HistoryCounts(views: 1), to: subject),
            .add(HistoryCounts(views: 1), to: HistorySubject(id: "b", source: "/b")),
            .resumePoint(sources: "s", story: "a", position: .zero),
          ], now: 1)
        let database = try Database(path: path + "/history.db", patience: 2_000)
        if (try? database.run("UPDATE story SET \(column) = ?", value)) != nil { changes += 1 }
        if (try? database.run("UPDATE place SET positionMs = ?, last = ?", value, value)) != nil {
          changes += 1
        }
        let entries = try store.entries()
        let total = entries.reduce(HistoryCounts()) { $0 + $1.counts }
        #expect(total.views >= 0 && total.waited >= .zero && total.waited < .seconds(1 << 40))
        let found = try store.lookUp(count: 1, sources: "s") { _ in "a" }
        #expect((.zero ... .seconds(1 << 31)).contains(found.resumePoint?.position ?? .zero))
        _ = try store.completions(of: "a")
        let more = HistoryCounts(
          views: 1, completions: 1, skips: 1, waits: 1, waited: .milliseconds(1))
        try store.write(
          [.add(more, to: subject), .add(HistoryCounts(views: -1), to: subject)], now: 2)
        try store.prune(stories: 1, resumePoints: 1)
        try store.clear()
      }
      #expect(changes >= hostile.count, "\(column)")
    }
  }

  @Test func history_thatIsFull_staysSo() throws {
    let path = bench.folder.path("state")
    let store = try HistoryStore(directory: path)
    let subject = HistorySubject(id: "a", source: "/a")
    try store.write([.add(HistoryCounts(views: 1), to: subject)], now: 1)
    let database = try Database(path: path + "/history.db", patience: 2_000)
    try database.run("UPDATE story SET views = ?, waitedMs = ?", .number(.max), .number(.max))
    let more = HistoryCounts(views: 1, waited: .milliseconds(5))
    try store.write([.add(more, to: subject)], now: 2)
    #expect(try store.entries().map(\.counts.views) == [Int.max])
    #expect(try store.lookUp(count: 1, sources: nil) { _ in "a" }.known.map(\.views) == [.max])
    #expect(try store.entries().map(\.counts.waited) == [.milliseconds(1 << 40)])
  }

  // MARK: What the commands say of it

  @Test func commands_withAnyNumber_sayIt() throws {
    let environment = plainEnvironment.merging(
      ["HOME": bench.folder.path, "XDG_STATE_HOME": bench.folder.path("state")]
    ) { _, new in new }
    let state = bench.folder.path("state/storytty")
    let store = try bench.open()
    store.count(Saving(requests: 1))
    try bench.fill(store, "k")
    let history = try HistoryStore(directory: state)
    let database = try Database(path: state + "/history.db", patience: 2_000)
    let numbers = hostile.compactMap(\.number)
    for (number, value) in numbers.enumerated() {
      try history.write(
        [.add(HistoryCounts(views: 1), to: HistorySubject(id: "\(number)", source: "/s\(number)"))],
        now: 1)
      try database.run(
        "UPDATE story SET views = ?, waits = ?, waitedMs = ?, last = ? WHERE source = ?",
        .number(value), .number(value), .number(value), .number(value), .text("/s\(number)"))
      try change("UPDATE entry SET usedAt = ?", .number(value))
      try change("UPDATE saving SET served = ?", .number(value))
      for words in [["list"], ["list", "--json"], ["status"], ["status", "--json"]] {
        let result = try run(
          Programs.player, ["cache"] + words + ["--cache-dir", bench.path],
          environment: environment)
        #expect(result.status == 0, "\(words) \(value): \(result.errorText)")
      }
    }
    for words in [["history"], ["history", "--json"], ["stats"], ["stats", "--json"]] {
      let cache = words[0] == "stats" ? ["--cache-dir", bench.path] : []
      let result = try run(Programs.player, words + cache, environment: environment)
      #expect(result.status == 0, "\(words): \(result.errorText)")
      #expect(result.outputText.contains("/s\(numbers.count - 1)"))
    }
  }
}
