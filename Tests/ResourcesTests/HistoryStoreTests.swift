import Glibc
import Support
import System
import Testing

@testable import Resources

@Suite struct HistoryStoreTests {
  private let folder: TemporaryDirectory
  private let path: String

  init() throws {
    folder = try TemporaryDirectory()
    path = folder.path("state/storytty")
  }

  private func open() throws -> HistoryStore { try HistoryStore(directory: path) }

  private func subject(_ id: String, isLimited: Bool = false) -> HistorySubject {
    HistorySubject(id: id, source: "/\(id)", title: "t \(id)", isLimited: isLimited)
  }

  private func findings(
    _ store: HistoryStore, _ ids: [String], sources: String? = nil
  ) throws -> HistoryFindings {
    try store.lookUp(count: ids.count, sources: sources) { ids[$0] }
  }

  @Test func open_makesPrivateFilesWithoutWAL() throws {
    let store = try open()
    try store.write([.add(HistoryCounts(views: 1), to: subject("a"))], now: 5)
    #expect(directoryEntries(path) == ["history.db", "history.db-journal"])
    for (name, mode) in [("", 0o700), ("/history.db", 0o600), ("/history.db-journal", 0o600)] {
      var information = stat()
      #expect(stat(path + name, &information) == 0)
      #expect(information.st_mode & 0o777 == mode_t(mode), "\(name)")
    }
    var parent = stat()
    #expect(stat(folder.path("state"), &parent) == 0)
    #expect(parent.st_mode & 0o777 == 0o700)
  }

  @Test func counts_add_andAreFoundByEveryNumberOfAStory() throws {
    let store = try open()
    let first = HistoryCounts(views: 1, completions: 1)
    let second = HistoryCounts(views: 1, skips: 1, waits: 2, waited: .milliseconds(1500))
    try store.write([.add(first, to: subject("a")), .add(second, to: subject("a"))], now: 5)
    try open().write([.add(first, to: subject("b"))], now: 6)
    let found = try findings(store, ["x", "a", "b", "a"])
    #expect(
      found.known == [
        .init(story: 1, views: 2, completions: 1), .init(story: 2, views: 1, completions: 1),
        .init(story: 3, views: 2, completions: 1),
      ])
    #expect(found.resumePoint == nil)
    #expect(try store.completions(of: "a") == 1)
    #expect(try store.completions(of: "x") == 0)
    #expect(
      try open().entries() == [
        HistoryEntry(source: "/b", title: "t b", counts: first, last: 6),
        HistoryEntry(source: "/a", title: "t a", counts: first + second, last: 5),
      ])
  }

  @Test func counts_takenBack_leaveNothing() throws {
    let store = try open()
    try store.write([.add(HistoryCounts(views: 1), to: subject("a"))], now: 1)
    try store.write([.add(HistoryCounts(views: 1, completions: 1), to: subject("b"))], now: 1)
    let back = HistoryCounts(views: -1)
    try store.write(
      [.add(back, to: subject("a")), .add(back, to: subject("b")), .add(back, to: subject("c"))],
      now: 2)
    #expect(
      try findings(store, ["a", "b", "c"]).known == [.init(story: 1, views: 0, completions: 1)])
    #expect(try store.entries().map(\.source) == ["/b"])
  }

  @Test func identity_isNotInTheFile() throws {
    let store = try open()
    let secret = HistorySubject(id: "https://h/f#SECRETITEM", source: "https://h/x.mp4")
    try store.write(
      [
        .add(HistoryCounts(views: 1), to: secret),
        .resumePoint(sources: "SECRETSOURCE", story: secret.id, position: .seconds(1)),
      ], now: 1)
    let bytes = String(decoding: try readFile(path + "/history.db"), as: UTF8.self)
    #expect(bytes.contains("https://h/x.mp4"))
    #expect(!bytes.contains("SECRET"))
  }

  @Test func place_isOfItsSources_andGoesWhenAllIsTold() throws {
    let store = try open()
    try store.write(
      [
        .resumePoint(sources: "s", story: "a", position: .seconds(9)),
        .resumePoint(sources: "s", story: "b", position: .milliseconds(2345)),
        .resumePoint(sources: "t", story: "a", position: .zero),
      ], now: 1)
    let ids = ["a", "b"]
    #expect(
      try findings(store, ids, sources: "s").resumePoint
        == ResumePoint(story: 1, position: .milliseconds(2345)))
    #expect(
      try findings(store, ids, sources: "t").resumePoint == ResumePoint(story: 0, position: .zero))
    #expect(try findings(store, ["a"], sources: "s").resumePoint == nil)
    #expect(try findings(store, ids, sources: "u").resumePoint == nil)
    try store.write([.noResumePoint(sources: "s")], now: 2)
    #expect(try findings(store, ids, sources: "s").resumePoint == nil)
  }

  /// Few are looked for one by one, many are found among all.
  @Test(arguments: [10, 2_000, 2_001, 100_000])
  func lookUp_ofAnyNumber_findsExactlyTheKnownOnes(count: Int) throws {
    let store = try open()
    let known = Array(stride(from: 0, to: 120_000, by: 50))
    try store.write(
      known.map {
        .add(HistoryCounts(views: $0 % 3, completions: $0 % 5 + 1), to: subject("\($0)"))
      }, now: 1)
    let found = try store.lookUp(count: count, sources: nil) { "\($0)" }
    #expect(
      found.known
        == known.filter { $0 < count }.map {
          .init(story: $0, views: $0 % 3, completions: $0 % 5 + 1)
        })
  }

  @Test func clear_forgetsAll_andKeepsTheFile() throws {
    let (store, other) = (try open(), try open())
    try store.write(
      [
        .add(HistoryCounts(views: 1), to: subject("UNIQUEWORD")),
        .resumePoint(sources: "s", story: "UNIQUEWORD", position: .zero),
      ], now: 1)
    try writeFile([1], to: path + "/history.db.damaged")
    try HistoryDirectory(path).clear()
    #expect(try findings(other, ["UNIQUEWORD"], sources: "s") == HistoryFindings())
    #expect(!fileExists(path + "/history.db.damaged"))
    let bytes = String(decoding: try readFile(path + "/history.db"), as: UTF8.self)
    #expect(!bytes.contains("UNIQUEWORD"))
    // A player that had it open goes on with it.
    try other.write([.add(HistoryCounts(views: 1), to: subject("a"))], now: 2)
    #expect(try open().entries().map(\.source) == ["/a"])
  }

  @Test func prune_forgetsTheOldestWithoutALimit() throws {
    let store = try open()
    for number in 0..<30 {
      try store.write(
        [
          .add(HistoryCounts(views: 1), to: subject("\(number)", isLimited: number < 5)),
          .resumePoint(sources: "\(number)", story: "0", position: .zero),
        ], now: Int64(number))
    }
    try store.prune(stories: 30, resumePoints: 30)
    #expect(try store.entries().count == 30)
    try store.prune(stories: 20, resumePoints: 3)
    // A tenth more than needed, so that it is not done again at once.
    let left = Set(try store.entries().map(\.source))
    #expect(left == Set((0..<5).map { "/\($0)" } + (17..<30).map { "/\($0)" }))
    #expect(try findings(store, ["0"], sources: "26").resumePoint == nil)
    #expect(try findings(store, ["0"], sources: "27").resumePoint != nil)
  }

  @Test func directory_withoutAHistory_isNotMade() throws {
    let directory = HistoryDirectory(path)
    let found = try directory.list()
    #expect(found.entries == [])
    #expect(found.notice == nil)
    #expect(try directory.lookUp(count: 1) { _ in "a" } == HistoryFindings())
    try directory.clear()
    #expect(directoryEntries(folder.path) == [])
  }

  @Test func path_withASymbolicLinkInIt_works() throws {
    mkdir(folder.path("real"), 0o700)
    #expect(symlink(folder.path("real"), folder.path("link")) == 0)
    let store = try HistoryStore(directory: folder.path("link/storytty"))
    try store.write([.add(HistoryCounts(views: 1), to: subject("a"))], now: 1)
    #expect(fileExists(folder.path("real/storytty/history.db")))
  }
}

/// What may be wrong with the file, and what the store makes of it.
@Suite struct HistoryFaultTests {
  private let folder: TemporaryDirectory
  private var path: String { folder.path }
  private var file: String { path + "/history.db" }
  private let one = HistoryStore.Change.add(
    HistoryCounts(views: 1), to: HistorySubject(id: "a", source: "/a"))

  init() throws { folder = try TemporaryDirectory() }

  @Test func open_ofWhatIsNoDatabase_setsItAside() throws {
    try writeFile(Array("not a database, but long enough to be read as one".utf8), to: file)
    let store = try HistoryStore(directory: path)
    #expect(store.wasSetAside)
    #expect(try readText(file + ".damaged").hasPrefix("not a database"))
    try store.write([one], now: 1)
    #expect(try store.entries().count == 1)
    #expect(try !HistoryStore(directory: path).wasSetAside)
  }

  /// Every page of a database with some hundred stories is overwritten in turn, all but the first
  /// while it is open.
  @Test func damage_toAnyPage_neverCrashesAndIsSetAsideOnce() throws {
    let whole: [UInt8]
    do {
      let store = try HistoryStore(directory: path)
      try store.write(
        (0..<300).map {
          .add(HistoryCounts(views: 1), to: HistorySubject(id: "\($0)", source: "/\($0)"))
        }, now: 1)
      whole = try readFile(file)
    }
    #expect(whole.count >= 5 * 4096)
    for page in 1..<whole.count / 4096 {
      var damaged = whole
      for index in page * 4096..<(page + 1) * 4096 { damaged[index] = 0xA5 }
      try writeFile(damaged, to: file)
      guard let store = try? HistoryStore(directory: path) else {
        Issue.record("page \(page): not opened")
        continue
      }
      _ = try store.lookUp(count: 300, sources: "s") { "\($0)" }
      try store.write([one], now: 2)
      #expect(try store.completions(of: "a") == 0)
      #expect(try store.lookUp(count: 1, sources: nil) { _ in "a" }.known.count == 1, "\(page)")
    }
  }

  /// Two players have it open. The one that sees the damage later must not set aside what the other
  /// one has begun.
  @Test func damage_seenByTwo_isSetAsideOnceAndBothGoOnWithOneNewFile() throws {
    let (first, second) = (try HistoryStore(directory: path), try HistoryStore(directory: path))
    try second.write([one], now: 1)
    let count = try readFile(file).count
    let damaged: [UInt8] = Array(repeating: 0xA5, count: count)
    try writeFile(damaged, to: file)
    try first.write([one], now: 2)
    #expect(first.wasSetAside)
    #expect(try second.lookUp(count: 1, sources: nil) { _ in "a" }.known.map(\.views) == [1])
    try second.write([one], now: 3)
    #expect(!second.wasSetAside)
    #expect(try readFile(file + ".damaged") == damaged)
    #expect(try first.entries().map(\.counts.views) == [2])
  }

  /// What one player sees of the damage, another one may not have read.
  @Test func fileThatAnotherPlayerSetAside_isUsedNoMore() throws {
    let store = try HistoryStore(directory: path)
    try store.write([one, one], now: 1)
    #expect(rename(file, file + ".damaged") == 0)
    let other = try HistoryStore(directory: path)
    try other.write([one], now: 2)
    #expect(try store.lookUp(count: 1, sources: nil) { _ in "a" }.known.map(\.views) == [1])
    try store.write([one], now: 3)
    #expect(!store.wasSetAside)
    #expect(try other.entries().map(\.counts.views) == [2])
  }

  /// Players that are started at the same moment find the damage at the same moment.
  @Test func damage_seenByTwoAtOnce_losesNothingOfTheNewFile() throws {
    for round in 0..<50 {
      try writeFile(Array(repeating: 0xA5, count: 8192), to: file)
      let threads = try (0..<2).map { _ in
        try WorkerThread { [path, one] in
          _ = try? HistoryStore(directory: path).write([one], now: 1)
        }
      }
      for thread in threads { thread.join() }
      #expect(try HistoryStore(directory: path).entries().map(\.counts.views) == [2], "\(round)")
    }
  }

  @Test func open_ofANewerVersion_isRefusedAndLeftAlone() throws {
    _ = try HistoryStore(directory: path)
    try Database(path: file, patience: 100).run("PRAGMA user_version = 99")
    #expect(throws: HistoryError.unusable("a newer version of this program made it")) {
      try HistoryStore(directory: path)
    }
    #expect(directoryEntries(path).filter { $0.hasSuffix("damaged") } == [])
  }

  @Test func open_whileAnotherHoldsIt_isBusy() throws {
    _ = try HistoryStore(directory: path)
    let other = try Database(path: file, patience: 100)
    try other.run("BEGIN EXCLUSIVE")
    #expect(throws: HistoryError.busy) { try HistoryStore(directory: path) }
    try other.run("COMMIT")
    #expect(try HistoryStore(directory: path).entries() == [])
  }

  @Test func write_whileAnotherHoldsIt_isBusyAndWorksLater() throws {
    let store = try HistoryStore(directory: path)
    let other = try Database(path: file, patience: 100)
    try other.run("BEGIN IMMEDIATE")
    #expect(throws: HistoryError.busy) { try store.write([one], now: 1) }
    // Reading goes on meanwhile.
    #expect(try store.completions(of: "a") == 0)
    try other.run("COMMIT")
    try store.write([one], now: 1)
    #expect(try store.entries().count == 1)
  }

  @Test func open_whereNoFolderCanBe_saysWhy() throws {
    try writeFile([], to: folder.path("file"))
    #expect(
      throws: HistoryError.unusable("cannot create \(folder.path)/file/x: Not a directory")
    ) { try HistoryStore(directory: folder.path("file/x")) }
  }
}

@Suite(.serialized, .timeLimit(.minutes(4))) struct HistoryCrashTests {
  /// A player that counts one completion after another is killed at a random moment, again and
  /// again: what it was told to be written is there, and nothing else.
  @Test func killedWhileCounting_losesNothingThatWasWritten() async throws {
    let folder = try TemporaryDirectory()
    let (path, log) = (folder.path("state"), folder.path("log"))
    var random = SeededRandom(seed: 3)
    for _ in 0..<6 {
      let microseconds = UInt32.random(in: 5_000...150_000, using: &random)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, log = log as String, microseconds = microseconds as UInt32] in
        let store = try HistoryStore(directory: path)
        let written = open(log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        _ = try WorkerThread {
          usleep(microseconds)
          kill(getpid(), SIGKILL)
        }
        let subject = HistorySubject(id: "a", source: "/a", isLimited: true)
        while true {
          try store.write([.add(HistoryCounts(views: 1, completions: 1), to: subject)], now: 1)
          write(written, "x", 1)
        }
      }
      let acknowledged = fileExists(log) ? try readFile(log).count : 0
      let store = try HistoryStore(directory: path)
      #expect(!store.wasSetAside)
      let counted = try store.completions(of: "a")
      // Each kill may fall between a commit and its acknowledgement.
      #expect(counted >= acknowledged && counted <= acknowledged + 6)
      #expect(try store.entries().allSatisfy { $0.counts.views == counted })
    }
    #expect(try readFile(log).count > 0)
  }

  /// Two processes that count at the same time lose nothing.
  @Test func twoAtOnce_countEverything() async throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("state")
    // Each has a connection of its own, as two processes have, and tries again where the other one
    // was in the way for too long.
    let threads = try (0..<2).map { _ in
      try WorkerThread {
        var store: HistoryStore?
        while store == nil { store = try? HistoryStore(directory: path) }
        let subject = HistorySubject(id: "a", source: "/a")
        var done = 0
        while done < 100 {
          let change = HistoryStore.Change.add(HistoryCounts(views: 1), to: subject)
          if (try? store?.write([change], now: 1)) != nil { done += 1 }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(try HistoryStore(directory: path).entries().map(\.counts.views) == [200])
  }
}

@Suite struct HistoryThreadTests {
  private let folder: TemporaryDirectory
  private let subject = HistorySubject(id: "a", source: "/a", isLimited: true)

  init() throws { folder = try TemporaryDirectory() }

  /// The next events, waited for.
  private func events(_ thread: HistoryThread) throws -> [HistoryEvent] {
    _ = try awaitReadiness(of: [Interest(thread.descriptor)], until: .now + .seconds(20))
    return thread.take()
  }

  @Test func questions_areAnsweredWithWhatWasJustCounted() throws {
    let thread = try HistoryThread(directory: folder.path("state"))
    thread.add(HistoryCounts(views: 1, completions: 1), to: subject)
    thread.check(story: 4, id: "a")
    #expect(try events(thread) == [.counted(story: 4, completions: 1)])
    thread.add(HistoryCounts(views: 1), to: subject)
    thread.setResumePoint(of: "s", story: "a", position: .seconds(3))
    thread.lookUp(count: 2, sources: "s") { ["b", "a"][$0] }
    var found = HistoryFindings()
    found.known = [.init(story: 1, views: 2, completions: 1)]
    found.resumePoint = ResumePoint(story: 1, position: .seconds(3))
    #expect(try events(thread) == [.found(found)])
    thread.clearResumePoint(of: "s")
    thread.close()
    #expect(thread.notice == nil)
    let store = try HistoryStore(directory: folder.path("state"))
    #expect(try store.lookUp(count: 1, sources: "s") { _ in "a" }.resumePoint == nil)
  }

  @Test func close_writesWhatIsPending() throws {
    let thread = try HistoryThread(directory: folder.path("state"))
    thread.add(HistoryCounts(views: 1), to: subject)
    thread.close()
    #expect(try HistoryDirectory(folder.path("state")).list().entries.count == 1)
  }

  @Test func unusable_answersNothingKnown_andSaysSoOnce() throws {
    try writeFile([], to: folder.path("file"))
    let thread = try HistoryThread(directory: folder.path("file/state"))
    thread.add(HistoryCounts(views: 1), to: subject)
    thread.check(story: 0, id: "a")
    thread.lookUp(count: 1, sources: "s") { _ in "a" }
    var received: [HistoryEvent] = []
    while received.count < 2 { received += try events(thread) }
    #expect(received == [.counted(story: 0, completions: nil), .found(HistoryFindings())])
    thread.close()
    #expect(thread.notice == "no history: cannot create \(folder.path)/file/state: Not a directory")
  }

  @Test func fileThatDoesNotOpen_isNamed() throws {
    try folder.write("", to: "history.db/x")
    #expect(throws: HistoryError.unusable("history.db in its directory is no regular file")) {
      _ = try HistoryStore(directory: folder.path)
    }
  }

  @Test func damaged_isSaid() throws {
    try writeFile(Array(repeating: 7, count: 5000), to: folder.path("history.db"))
    let thread = try HistoryThread(directory: folder.path)
    thread.check(story: 0, id: "a")
    #expect(try events(thread) == [.counted(story: 0, completions: 0)])
    thread.close()
    #expect(thread.notice == "the history was damaged: it is set aside and begun anew")
  }

  @Test func held_byAnother_isRunWithout() throws {
    _ = try HistoryStore(directory: folder.path)
    let other = try Database(path: folder.path("history.db"), patience: 100)
    try other.run("BEGIN EXCLUSIVE")
    let thread = try HistoryThread(directory: folder.path)
    thread.check(story: 0, id: "a")
    #expect(try events(thread) == [.counted(story: 0, completions: nil)])
    thread.close()
    #expect(thread.notice == "no history: another process holds it")
    try other.run("COMMIT")
  }
}
