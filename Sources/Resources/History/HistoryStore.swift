import System

/// What was seen, how often, and where runs stopped: a database in the state directory. For one
/// thread; other processes may use the same file.
final class HistoryStore {
  /// Stories that are remembered; beyond that the oldest without a view limit are forgotten.
  static let mostStories = 200_000
  /// Places that are remembered.
  static let mostPlaces = 1_000
  /// Beyond that many stories it is quicker to read all rows than to look for each.
  private static let mostByKey = 2_000
  /// Titles are kept to this length.
  private static let longestTitle = 200
  /// How long to wait for another process, in milliseconds: to begin with, and later.
  private static let openingPatience: Int32 = 1_000
  private static let patience = 300

  private let directory: String
  private var database: Database
  private var secret: [UInt8]
  private var identity: Identity?
  /// Whether this player found the file damaged: it is set aside and a new one begun.
  private(set) var wasSetAside = false

  /// What its user should know of it.
  var notice: String? {
    wasSetAside ? "the history was damaged: it is set aside and begun anew" : nil
  }

  /// Which file a path names.
  private struct Identity: Equatable {
    var device: UInt64
    var inode: UInt64

    init?(of path: String) {
      guard let status = try? FileStatus(of: path) else { return nil }
      (device, inode) = (status.device, status.inode)
    }
  }

  /// Opens the history in a directory; both are made where they are missing.
  init(directory: String) throws(HistoryError) {
    do {
      try PrivateFolder.makeAll(directory)
    } catch {
      throw .unusable(error.description)
    }
    if let objection = HistoryStore.objection(to: directory) { throw .unusable(objection) }
    self.directory = directory
    identity = HistoryStore.makeFile(directory)
    do throws(DatabaseError) {
      (database, secret) = try HistoryStore.open(directory)
    } catch {
      wasSetAside = try HistoryStore.makeWay(after: error, identity, directory)
      identity = HistoryStore.makeFile(directory)
      do throws(DatabaseError) {
        (database, secret) = try HistoryStore.open(directory)
      } catch { throw HistoryStore.failure(error, directory) }
    }
  }

  /// Why a directory is not used: others may have laid files or links of theirs in it.
  private static func objection(to directory: String) -> String? {
    Ownership.objection(toFolder: directory).map { "its directory \($0)" }
      ?? Ownership.objection(toDatabase: path(in: directory))
  }

  static func path(in directory: String) -> String { directory + "/history.db" }

  /// What damaged histories are set aside as, the first that was damaged first: it may hold the most.
  static func damagedPaths(in directory: String) -> [String] {
    ["", "-2", "-3"].map { "\(path(in: directory)).damaged\($0)" }
  }

  /// The first of those that is free, else the last.
  private static func pathForDamaged(in directory: String) -> String {
    let paths = damagedPaths(in: directory)
    return paths.first { (try? FileStatus(of: $0)) == nil } ?? paths[paths.count - 1]
  }

  /// Makes the file where it is missing, and tells which one it is: asked before it is opened, so
  /// that one which takes its place in between is never held for the one that is open.
  private static func makeFile(_ directory: String) -> Identity? {
    let path = path(in: directory)
    // SQLite would make it readable for others; its journal takes after it.
    _ = try? LockableFile(path, creating: true)
    return Identity(of: path)
  }

  private static func open(_ directory: String) throws(DatabaseError) -> (Database, [UInt8]) {
    let database = try Database(path: path(in: directory), patience: openingPatience)
    guard try database.migrate(HistorySchema.steps) else { throw DatabaseError.tooNew }
    let stored = try database.run("SELECT value FROM meta WHERE name = 'secret'")
    guard let secret = stored.first?.first?.bytes, secret.count == Fingerprint.secretLength else {
      throw DatabaseError(step: "read the history", code: DatabaseError.damage)
    }
    try database.run("PRAGMA secure_delete = ON")
    try database.run("PRAGMA busy_timeout = \(patience)")
    return (database, secret)
  }

  /// Makes another try possible after an error: a damaged file is set aside, unless another player
  /// has done that and what has its name is a new one.
  ///
  /// - Returns: whether the file was damaged and had its name still.
  private static func makeWay(
    after error: DatabaseError, _ identity: Identity?, _ directory: String
  ) throws(HistoryError) -> Bool {
    let path = path(in: directory)
    // SQLite names many errors where a file loses its name while it is used.
    guard Identity(of: path) == identity else { return false }
    guard error.isDamage else { throw failure(error, directory) }
    FileSystem.withFolderLocked(directory) {
      guard Identity(of: path) == identity else { return }
      // The damaged file's journal, rolled back into a new one, would damage that too.
      _ = try? FileSystem.remove(path + "-journal")
      try? FileSystem.rename(path, to: pathForDamaged(in: directory))
    }
    return true
  }

  private static func failure(_ error: DatabaseError, _ directory: String) -> HistoryError {
    if error.isBusy { return .busy }
    if error == .notOwn { return .unusable(objection(to: directory) ?? "another file was its own") }
    if error == .tooNew { return .unusable("a newer version of this program made it") }
    return .unusable("\(path(in: directory)): \(error.reason)")
  }

  /// Uses the database. One that turns out to be damaged is set aside and a new one begun, once;
  /// where another player has begun a new one, that is used from then on.
  private func using<Result>(
    _ body: (Database) throws(DatabaseError) -> Result
  ) throws(HistoryError) -> Result {
    do throws(DatabaseError) {
      if isReplaced { try reopen() }
      return try body(database)
    } catch {
      guard !wasSetAside || isReplaced else { throw HistoryStore.failure(error, directory) }
      if try HistoryStore.makeWay(after: error, identity, directory) { wasSetAside = true }
    }
    do throws(DatabaseError) {
      try reopen()
      return try body(database)
    } catch {
      throw HistoryStore.failure(error, directory)
    }
  }

  /// Whether the file that is open has lost its name: what is written to it, nobody would find.
  private var isReplaced: Bool { Identity(of: HistoryStore.path(in: directory)) != identity }

  private func reopen() throws(DatabaseError) {
    guard HistoryStore.objection(to: directory) == nil else { throw DatabaseError.notOwn }
    identity = HistoryStore.makeFile(directory)
    (database, secret) = try HistoryStore.open(directory)
  }

  private func key(of text: String) -> Int64 {
    Fingerprint.number(of: text, secret: secret)
  }

  // MARK: - Looking up

  /// What is known of stories by their ids, and where the last run of these sources stopped. One
  /// query, however many they are.
  func lookUp(
    count: Int, sources: String?, id: (Int) -> String
  ) throws(HistoryError) -> HistoryFindings {
    try using { database throws(DatabaseError) in
      let keys = (0..<count).map { key(of: id($0)) }
      let known = try known(keys, database)
      var findings = HistoryFindings()
      for (number, key) in keys.enumerated() {
        guard let counts = known[key] else { continue }
        findings.known.append(
          .init(story: number, views: counts.views, completions: counts.completions))
      }
      guard let sources else { return findings }
      let place = try database.run(
        "SELECT story, positionMs FROM place WHERE sources = ?", .number(self.key(of: sources)))
      if let row = place.first, let key = row[0].number, let story = keys.firstIndex(of: key) {
        findings.place = HistoryPlace(
          story: story, position: HistoryStore.time(milliseconds: row[1].number ?? 0))
      }
      return findings
    }
  }

  /// Those of so many keys that are known; of very many, all that are known.
  private func known(
    _ keys: [Int64], _ database: Database
  ) throws(DatabaseError) -> [Int64: (views: Int, completions: Int)] {
    var known: [Int64: (views: Int, completions: Int)] = [:]
    func take(_ row: [Int64]) { known[row[0]] = (Int(row[1]), Int(row[2])) }
    if keys.count > HistoryStore.mostByKey {
      try database.numbers("SELECT key, views, completions FROM story", row: take)
    } else {
      let list = "[" + keys.map { String($0) }.joined(separator: ",") + "]"
      try database.numbers(
        """
        SELECT key, views, completions FROM story WHERE key IN (SELECT value FROM json_each(?))
        """, .text(list), row: take)
    }
    return known
  }

  /// How often a story was played to its end.
  func completions(of id: String) throws(HistoryError) -> Int {
    try using { database throws(DatabaseError) in
      let rows = try database.run(
        "SELECT completions FROM story WHERE key = ?", .number(key(of: id)))
      return Int(clamping: max(0, rows.first?.first?.number ?? 0))
    }
  }

  // MARK: - Writing

  /// What is to be written.
  enum Change: Sendable {
    /// Adds to a story's counts; negative ones take back.
    case add(HistoryCounts, to: HistorySubject)
    /// Where a run of these sources is.
    case place(sources: String, story: String, position: Duration)
    /// It told all there was.
    case noPlace(sources: String)
  }

  /// Writes changes in one step.
  func write(_ changes: [Change], now: Int64) throws(HistoryError) {
    try using { database throws(DatabaseError) in
      try database.transaction { () throws(DatabaseError) in
        for change in changes { try write(change, database, now) }
      }
    }
  }

  private func write(_ change: Change, _ database: Database, _ now: Int64) throws(DatabaseError) {
    switch change {
    case .add(let counts, let subject): try add(counts, to: subject, database, now)
    case .place(let sources, let story, let position):
      try database.run(
        "INSERT OR REPLACE INTO place (sources, story, positionMs, last) VALUES (?, ?, ?, ?)",
        .number(key(of: sources)), .number(key(of: story)),
        .number(position.wholeMilliseconds), .number(now))
    case .noPlace(let sources):
      try database.run("DELETE FROM place WHERE sources = ?", .number(key(of: sources)))
    }
  }

  /// Sums that stay whole numbers from 0 on, whatever was there: SQLite makes fractions of larger
  /// ones.
  private static let sums = ["views", "completions", "skips", "waits", "waitedMs"].map {
    "\($0) = min(max(0, \($0) + excluded.\($0)), \(Int64.max))"
  }.joined(separator: ", ")

  /// At most 34 years: as many as may be told can be added up.
  fileprivate static func time(milliseconds: Int64) -> Duration {
    .milliseconds(max(0, min(milliseconds, 1 << 40)))
  }

  private func add(
    _ counts: HistoryCounts, to subject: HistorySubject, _ database: Database, _ now: Int64
  ) throws(DatabaseError) {
    let key = DatabaseValue.number(key(of: subject.id))
    try database.run(
      """
      INSERT INTO story (key, source, title, isLimited, views, completions, skips, waits, waitedMs,
        last)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (key) DO UPDATE SET source = excluded.source, title = excluded.title,
        isLimited = excluded.isLimited, \(HistoryStore.sums), last = excluded.last
      """,
      key, .text(subject.source),
      DatabaseValue(subject.title.map { String($0.prefix(HistoryStore.longestTitle)) }),
      .number(subject.isLimited ? 1 : 0), .number(Int64(counts.views)),
      .number(Int64(counts.completions)), .number(Int64(counts.skips)),
      .number(Int64(counts.waits)), .number(counts.waited.wholeMilliseconds), .number(now))
    guard counts.views < 0 else { return }
    // What was taken back leaves nothing behind.
    try database.run(
      "DELETE FROM story WHERE key = ? AND views <= 0 AND completions = 0 AND waits = 0", key)
  }

  /// Forgets what is beyond the limits, the oldest first.
  func prune(
    stories: Int = HistoryStore.mostStories, places: Int = HistoryStore.mostPlaces
  ) throws(HistoryError) {
    try using { database throws(DatabaseError) in
      let held = try database.run("SELECT (SELECT count(*) FROM story), count(*) FROM place")
      guard let row = held.first, let storyCount = row[0].number, let placeCount = row[1].number
      else { return }
      if storyCount > stories {
        try database.run(
          """
          DELETE FROM story WHERE key IN
            (SELECT key FROM story WHERE isLimited = 0 ORDER BY last LIMIT ?)
          """, .number(storyCount - Int64(stories) + Int64(stories / 10)))
      }
      if placeCount > places {
        try database.run(
          "DELETE FROM place WHERE sources IN (SELECT sources FROM place ORDER BY last LIMIT ?)",
          .number(placeCount - Int64(places)))
      }
    }
  }

  // MARK: - For the history's own commands

  /// All stories, the last told first.
  func entries() throws(HistoryError) -> [HistoryEntry] {
    try using { database throws(DatabaseError) in
      let rows = try database.run(
        """
        SELECT views, completions, skips, waits, waitedMs, source, title, last FROM story
        ORDER BY last DESC, source, key
        """)
      return rows.map { row in
        HistoryEntry(
          source: row[5].text ?? "", title: row[6].text, counts: HistoryCounts(row[...4]),
          last: row[7].number ?? 0)
      }
    }
  }

  /// Forgets everything. The file stays: another player may have it open.
  func clear() throws(HistoryError) {
    try using { database throws(DatabaseError) in
      try database.transaction { () throws(DatabaseError) in
        try database.run("DELETE FROM story")
        try database.run("DELETE FROM place")
      }
      try database.run("VACUUM")
    }
    for path in HistoryStore.damagedPaths(in: directory) { _ = try? FileSystem.remove(path) }
  }
}

extension HistoryCounts {
  /// From views, completions, skips, waits and milliseconds waited.
  fileprivate init(_ values: ArraySlice<DatabaseValue>) {
    let numbers = values.map { Int(clamping: max(0, $0.number ?? 0)) }
    self.init(
      views: numbers[0], completions: numbers[1], skips: numbers[2], waits: numbers[3],
      waited: HistoryStore.time(milliseconds: Int64(numbers[4])))
  }
}

extension Duration {
  fileprivate var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds &* 1000 &+ attoseconds / 1_000_000_000_000_000
  }
}

extension DatabaseError {
  /// A newer program made the file.
  fileprivate static let tooNew = DatabaseError(step: "read the history", code: -1)
  /// What has the file's name now is not this user's own.
  fileprivate static let notOwn = DatabaseError(step: "open the history", code: -2)
}
