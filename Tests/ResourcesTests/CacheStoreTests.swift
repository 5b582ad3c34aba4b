import Glibc
import Support
import System
import Testing

@testable import Resources

@Suite struct CacheStoreTests {
  private let bench: StoreBench

  init() throws { bench = try StoreBench() }

  @Test func find_afterRestart_givesFactsAndBytes() throws {
    let first = try bench.open()
    let made = try first.create("k", source: "http://example.org/a", facts: bench.facts())
    let segment = try first.write(sampleBytes(4096..<8192), at: 4096, of: made.entry)
    #expect(segment.range == 4096..<8192)
    try first.commit()
    first.close(made.entry)

    let second = try bench.open()
    let found = try #require(try second.find("k"))
    #expect(found.facts == bench.facts())
    #expect(found.segments == [segment])
    #expect(try found.checkedBytes() == [4096: sampleBytes(4096..<8192)])
    #expect(try second.find("other") == nil)
  }

  @Test func write_withoutCommit_isNotThereAfterACrash() throws {
    let first = try bench.open()
    let made = try first.create("k", source: "s", facts: bench.facts())
    _ = try first.write(sampleBytes(0..<4096), at: 0, of: made.entry)
    let second = try bench.open()
    #expect(try second.find("k")?.segments == [])
  }

  @Test func close_ofPendingBytes_commitsThem() throws {
    let first = try bench.open()
    let made = try first.create("k", source: "s", facts: bench.facts())
    _ = try first.write(sampleBytes(0..<10), at: 0, of: made.entry)
    first.close(made.entry)
    #expect(try bench.open().find("k")?.segments.map(\.range) == [0..<10])
  }

  @Test func create_again_supersedesAndKeepsTheOldForItsReaders() throws {
    let store = try bench.open()
    let old = try store.create("k", source: "s", facts: bench.facts(tag: "\"a\""))
    let kept = try store.write(sampleBytes(0..<100), at: 0, of: old.entry)
    let new = try store.create("k", source: "s", facts: bench.facts(tag: "\"b\""))
    #expect(old.entry != new.entry)
    try store.commit()
    try store.sweep()
    #expect(try old.blob.file.read(at: 0, count: 100) == sampleBytes(0..<100))
    #expect(try store.segments(of: old.entry) == [kept])
    #expect(try store.find("k")?.facts.validator.entityTag == "\"b\"")
    store.close(old.entry)
    try store.sweep()
    #expect(bench.blobs.count == 1)
  }

  @Test func create_ofTheSameBytesByAnotherProcess_sharesTheEntry() throws {
    let (one, two) = (try bench.open(), try bench.open())
    let first = try one.create("k", source: "s", facts: bench.facts())
    let second = try two.create("k", source: "s", facts: bench.facts())
    #expect(first.entry == second.entry)
    _ = try one.write(sampleBytes(0..<10), at: 0, of: first.entry)
    try one.commit()
    #expect(try two.segments(of: second.entry).map(\.range) == [0..<10])
    // Ranges being fetched exclude each other across processes.
    #expect(try first.blob.file.hold(0..<100, .exclusive))
    #expect(try !second.blob.file.hold(50..<60, .exclusive))
    first.blob.file.release(0..<100)
    #expect(try second.blob.file.hold(50..<60, .exclusive))
  }

  /// Nobody but its maker knows what has come already.
  @Test func create_ofANewEntry_holdsItsBytesUntilItsMakerLetsGo() throws {
    let (one, two) = (try bench.open(), try bench.open())
    let made = try one.create("k", source: "s", facts: bench.facts())
    let found = try #require(try two.find("k"))
    #expect(made.isNew && !found.isNew)
    for range in [0..<1, 1 << 40..<1 << 41] as [Range<UInt64>] {
      #expect(try !found.blob.file.hold(range, .exclusive))
    }
    made.blob.file.release(Blob.bytes)
    #expect(try found.blob.file.hold(0..<1, .exclusive))
    // It is in use still.
    one.close(made.entry)
    two.close(found.entry)
    #expect(try two.find("k") != nil)
  }

  /// What another process stores and tells while the index is read is not taken for damage.
  @Test(arguments: [false, true])
  func segments_whileAnotherProcessStoresMore_stay(isFound: Bool) throws {
    let store = try bench.open()
    let made = try store.create("k", source: "s", facts: bench.facts())
    _ = try store.write(sampleBytes(0..<4096), at: 0, of: made.entry)
    try store.commit()
    if isFound { store.close(made.entry) }
    let path = bench.path
    bench.disk.set { faults in
      faults.afterStatus = {
        guard let other = try? CacheStore(directory: path), let found = try? other.find("k") else {
          return
        }
        _ = try? other.write(sampleBytes(4096..<8192), at: 4096, of: found.entry)
        other.close(found.entry)
      }
    }
    _ = try isFound ? store.find("k")?.segments : store.segments(of: made.entry)
    bench.disk.set { $0.afterStatus = nil }
    #expect(try store.segments(of: made.entry).map(\.range) == [0..<4096, 4096..<8192])
  }

  @Test func files_areForTheirOwnerOnly() throws {
    let store = try bench.open()
    try bench.fill(store, "k")
    func mode(_ path: String) -> mode_t {
      var status = stat()
      stat(path, &status)
      return status.st_mode & 0o777
    }
    #expect(mode(bench.path) == 0o700)
    #expect(mode(bench.path + "/blobs") == 0o700)
    #expect(mode(bench.path + "/index.db") == 0o600)
    #expect(bench.blobs.map(mode) == [0o600])
  }

  @Test func find_ofAnEntryWithoutFile_forgetsIt() throws {
    try bench.fill(bench.open(), "k")
    unlink(bench.blobs[0])
    let store = try bench.open()
    #expect(try store.find("k") == nil)
    #expect(try store.list() == [])
  }

  @Test(arguments: [EMFILE, EACCES, EIO])
  func find_ofAFileThatCannotBeOpenedNow_keepsTheEntry(code: Int32) throws {
    try bench.fill(bench.open(), "k")
    let store = try bench.open()
    bench.disk.set { $0.openCode = code }
    #expect(try store.find("k") == nil)
    bench.disk.set { $0.openCode = nil }
    #expect(try store.find("k")?.segments.map(\.range) == [0..<4096])
  }

  @Test func find_ofATruncatedBlob_dropsWhatIsPastItsEnd() throws {
    try bench.fill(bench.open(), "k", bytes: 3 << 20)
    truncate(bench.blobs[0], (2 << 20) - 1)
    #expect(try bench.open().find("k")?.segments.map(\.range) == [0..<1 << 20])
  }

  @Test func revise_isThereAfterRestart() throws {
    let store = try bench.open()
    let made = try store.create("k", source: "s", facts: bench.facts())
    var facts = bench.facts()
    facts.freshFor = 0
    facts.checked += 100
    try store.revise(made.entry, facts)
    #expect(try bench.open().find("k")?.facts == facts)
  }

  @Test func commit_whoseSyncFails_tellsAndKeepsNothing() throws {
    let store = try bench.open()
    let made = try store.create("k", source: "s", facts: bench.facts())
    _ = try store.write(sampleBytes(0..<10), at: 0, of: made.entry)
    bench.disk.set { $0.syncsFail = true }
    #expect(try store.commit() == [made.entry])
    bench.disk.set { $0.syncsFail = false }
    #expect(try store.commit() == [])
    #expect(try store.segments(of: made.entry) == [])
  }

  @Test(arguments: 0..<6)
  func write_onAFullDisk_saysSoAndStoresNothingWrong(writes: Int) throws {
    let store = try bench.open()
    let made = try store.create("k", source: "s", facts: bench.facts())
    bench.disk.set { $0.writesLeft = writes }
    var stored = 0
    for start in stride(from: UInt64(0), to: 4096 * 6, by: 4096) {
      do {
        _ = try store.write(sampleBytes(start..<start + 4096), at: start, of: made.entry)
        stored += 1
      } catch {
        #expect(error == .noRoom)
      }
    }
    #expect(stored == writes)
    try store.commit()
    #expect(try bench.open().verify().wrongSegments == 0)
    #expect(try bench.open().find("k")?.checkedBytes().count == writes)
  }

  @Test func count_addsUpPerDay() throws {
    let store = try bench.open()
    store.count(Saving(requests: 1, hits: 2, misses: 3, served: 40, fetched: 5))
    try store.commit()
    bench.now += 86_400
    store.count(Saving(requests: 1, served: 2))
    store.count(Saving(hits: 1))
    try store.commit()
    store.count(Saving(served: 9))
    try store.commit()
    let savings = try bench.open().savings()
    #expect(savings.map(\.day) == ["2027-01-15", "2027-01-16"])
    #expect(
      savings.map(\.saving) == [
        Saving(requests: 1, hits: 2, misses: 3, served: 40, fetched: 5),
        Saving(requests: 1, hits: 1, served: 11),
      ])
    #expect(savings.map(\.saving.saved) == [35, 11])
  }
}

@Suite struct CacheKeyTests {
  @Test func index_holdsNoKey() throws {
    let bench = try StoreBench()
    try bench.fill(bench.open(), "https://example.org/?token=CANARY")
    let text = String(decoding: try readFile(bench.path + "/index.db"), as: UTF8.self)
    // The source is what the caller cut the secrets from; here it was not cut.
    #expect(text.components(of: "CANARY") == 1)
  }
}

extension String {
  fileprivate func components(of word: String) -> Int {
    var count = 0
    var rest = self[...]
    while let found = rest.firstRange(of: word) {
      count += 1
      rest = rest[found.upperBound...]
    }
    return count
  }
}
