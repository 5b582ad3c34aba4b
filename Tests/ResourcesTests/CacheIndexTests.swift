import Glibc
import Support
import System
import Testing

@testable import Resources

@Suite struct CacheIndexTests {
  private let bench: StoreBench

  init() throws { bench = try StoreBench() }

  private var indexPath: String { bench.path + "/index.db" }

  @Test(arguments: [1, 2, 3])
  func open_ofAFormerVersion_migratesAndKeepsWhatItHolds(version: Int) throws {
    try FormerIndex.make(version: version, in: bench.path)
    bench.now = 1_700_000_030
    let store = try bench.open()
    let found = try #require(try store.find(FormerIndex.key))
    #expect(try found.checkedBytes() == [FormerIndex.place: FormerIndex.bytes])
    #expect(found.facts.validator == Validator(entityTag: "\"v1\""))
    #expect(found.facts.isFresh(now: bench.now, otherwise: 0))
    #expect(found.facts.length == 5000 && !found.facts.isPrivate)
    #expect(found.facts.address == nil && found.facts.charset == nil)
    #expect(
      try store.savings().map(\.saving)
        == (version == 1
          ? [] : [Saving(requests: 1, hits: 2, misses: 3, served: 40, fetched: 5)]))
    // What is changed from now on is of this version.
    var facts = found.facts
    facts.isPrivate = true
    facts.address = "http://example.org/moved/k"
    facts.charset = "koi8-r"
    try store.revise(found.entry, facts)
    #expect(try bench.open().find(FormerIndex.key)?.facts == facts)
    let database = try Database(path: indexPath, patience: 100)
    #expect(try database.run("PRAGMA user_version") == [[.number(4)]])
  }

  @Test func open_ofAFormerVersionByTwo_migratesOnce() throws {
    try FormerIndex.make(version: 1, in: bench.path)
    let (one, two) = (
      try Database(path: indexPath, patience: 100), try Database(path: indexPath, patience: 100)
    )
    #expect(try one.run("PRAGMA user_version") == two.run("PRAGMA user_version"))
    #expect(try one.migrate(IndexSchema.steps) && two.migrate(IndexSchema.steps))
    #expect(try bench.open().find(FormerIndex.key) != nil)
  }

  @Test func open_ofANewerVersion_isRefusedAndLeftAlone() throws {
    try bench.fill(bench.open(), "k")
    let database = try Database(path: indexPath, patience: 100)
    try database.run("PRAGMA user_version = 99")
    try database.run("PRAGMA journal_mode = WAL")
    let before = (try readFile(indexPath), try readFile(bench.blobs[0]))
    #expect(throws: CacheError.unusable("a newer version of this program made its index")) {
      try bench.open()
    }
    #expect(throws: ResourceError.self) { try CacheDirectory(bench.path).clear() }
    #expect(try readFile(indexPath) == before.0 && readFile(bench.blobs[0]) == before.1)
    #expect(try database.run("PRAGMA journal_mode") == [[.text("wal")]])
    let names = directoryEntries(bench.path)
    #expect(names.contains("index.db") && names.allSatisfy { !$0.contains("damaged") })
  }

  @Test func open_belowASymbolicLink_works() throws {
    let folder = try TemporaryDirectory()
    mkdir(folder.path("real"), 0o700)
    #expect(symlink("real", folder.path("link")) == 0)
    let database = try Database(path: folder.path("link/index.db"), patience: 100)
    #expect(try database.migrate(IndexSchema.steps))
    #expect(fileExists(folder.path("real/index.db")))
    // A link in the file's own place is not followed.
    #expect(symlink("index.db", folder.path("real/other.db")) == 0)
    #expect(throws: DatabaseError.self) {
      try Database(path: folder.path("real/other.db"), patience: 100)
    }
  }

  @Test func open_keepsTheJournalOutOfWAL() throws {
    try bench.fill(bench.open(), "k")
    #expect(!fileExists(indexPath + "-wal"))
    #expect(directoryEntries(bench.path) == ["blobs", "index.db", "index.db-journal"])
  }

  @Test func open_ofARowThatWasChanged_forgetsTheEntry() throws {
    try bench.fill(bench.open(), "k")
    for change in [
      "length = 5", "tag = '\"z\"'", "freshFor = 99999", "blob = '../x'", "isPrivate = 1",
      "address = 'http://example.org/'", "charset = 'utf-8'",
    ] {
      let database = try Database(path: indexPath, patience: 100)
      try database.run("UPDATE entry SET \(change) WHERE state = 0")
      #expect(try bench.open().find("k") == nil)
      try bench.fill(bench.open(), "k")
    }
  }

  @Test func open_ofImpossibleSegments_dropsThem() throws {
    try bench.fill(bench.open(), "k")
    let database = try Database(path: indexPath, patience: 100)
    for values in ["-5, 5, 1", "0, -1, 1", "0, 99999999, 1", "9223372036854775807, 9, 1"] {
      try database.run("INSERT INTO segment SELECT id, \(values) FROM entry")
    }
    #expect(try bench.open().find("k")?.segments.map(\.range) == [0..<4096])
    #expect(try database.run("SELECT count(*) FROM segment") == [[.number(1)]])
  }

  @Test(arguments: 0..<UInt64(Scale.rounds(40, long: 200)))
  func open_ofADamagedIndex_isUsableWithoutWrongBytes(seed: UInt64) throws {
    let store = try bench.open()
    for number in 0..<12 { try bench.fill(store, "\(number)", bytes: 3000) }
    var random = SeededRandom(seed: seed)
    var bytes = try readFile(indexPath)
    let place = Int.random(in: 0..<bytes.count, using: &random)
    if seed % 2 == 0 {
      bytes.removeLast(bytes.count - place)
    } else {
      for index in place..<min(place + 64, bytes.count) {
        bytes[index] = UInt8.random(in: 0...255, using: &random)
      }
    }
    try writeFile(bytes, to: indexPath)
    let start = Instant.now
    let again = try bench.open()
    for number in 0..<12 {
      for attempt in 0..<3 {
        do {
          if let found = try again.find("\(number)") {
            for (start, bytes) in try found.checkedBytes() {
              #expect(bytes == sampleBytes(start..<start + UInt64(bytes.count)))
              #expect(found.facts.length == 3000)
            }
          }
          break
        } catch {
          // Opened anew, then set aside; what is new works.
          #expect(error as? CacheError == .gone && attempt < 2)
        }
      }
    }
    try bench.fill(again, "new")
    #expect(try bench.open().find("new") != nil)
    #expect(Instant.now - start < .seconds(Scale.isLong ? 1 : 5))
  }

  @Test func open_ofAnIndexThatIsNone_setsItAsideAndSweepsItsBlobs() throws {
    try bench.fill(bench.open(), "k")
    try writeFile(Array(repeating: 7, count: 10_000), to: indexPath)
    let store = try bench.open()
    #expect(try store.find("k") == nil)
    #expect(fileExists(indexPath + ".damaged"))
    #expect(try store.sweep() == 1)
    #expect(bench.blobs == [])
  }

  /// Two processes see the damage; the second one must not set aside what the first has begun.
  @Test func damage_thatAnotherProcessHasMended_isNotMendedAgain() throws {
    let (one, two) = (try bench.open(), try bench.open())
    try bench.fill(one, "k")
    let bytes = try readFile(indexPath)
    try writeFile(Array(repeating: 7, count: bytes.count), to: indexPath)
    #expect(throws: CacheError.gone) { try one.find("k") }
    try bench.fill(one, "new")
    #expect(throws: CacheError.gone) { try two.find("k") }
    #expect(try two.find("new") != nil)
    #expect(try one.find("new") != nil)
    #expect(fileExists(indexPath + ".damaged"))
    try one.clear()
    #expect(!fileExists(indexPath + ".damaged"))
  }

  @Test func list_withImpossibleNumbers_staysSane() throws {
    try bench.fill(bench.open(), "k")
    let database = try Database(path: indexPath, patience: 100)
    try database.run("INSERT INTO segment SELECT id, 4096, 9223372036854775807, 1 FROM entry")
    try database.run("INSERT INTO segment SELECT id, 4097, 9223372036854775807, 1 FROM entry")
    try database.run("UPDATE entry SET usedAt = \(Int64.min)")
    let store = try bench.open(CacheLimits(bytes: 1 << 20, reserve: 0))
    #expect(try store.list().map(\.bytes) == [4096])
    try bench.fill(store, "other")
    #expect(try store.list().count == 2)
    try store.sweep()
    #expect(try store.list().map(\.source) == ["http://example.org/other"])
  }

  @Test func write_withAFullIndex_findsNoRoom() throws {
    let store = try bench.open()
    let pages = try Database(path: indexPath, patience: 100).run("PRAGMA page_count")
    try store.index.limitPages(Int(try #require(pages[0][0].number)))
    #expect(throws: CacheError.noRoom) {
      for number in 0..<500 {
        _ = try store.create(
          "\(number)", source: String(repeating: "s", count: 500), facts: bench.facts())
      }
    }
  }

  /// Another process that commits to a slow disk must not end the storing of this one.
  @Test func write_whileAnotherProcessHoldsTheIndex_isDoneAndToldLater() throws {
    let store = try bench.open(CacheLimits(bytes: 8 << 20, reserve: 0))
    let made = try store.create("k", source: "s", facts: bench.facts())
    _ = try store.write(sampleBytes(0..<4096), at: 0, of: made.entry)
    try store.commit()
    let holder = try Database(path: indexPath, patience: 100)
    try holder.run("BEGIN EXCLUSIVE")
    _ = try store.write(sampleBytes(4096..<8192), at: 4096, of: made.entry)
    #expect(throws: CacheError.busy) { try store.commit() }
    try holder.run("ROLLBACK")
    try store.commit()
    #expect(try store.segments(of: made.entry).map(\.range) == [0..<4096, 4096..<8192])
  }

  @Test func open_whileAnotherProcessHoldsIt_isBusy() throws {
    try bench.fill(bench.open(), "k")
    let holder = try Database(path: indexPath, patience: 100)
    try holder.run("BEGIN EXCLUSIVE")
    #expect(throws: DatabaseError.self) { _ = try CacheIndex(path: indexPath, patience: 50) }
    try holder.run("ROLLBACK")
    #expect(try bench.open().find("k") != nil)
  }
}
