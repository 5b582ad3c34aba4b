import System

/// Which stories were played, how often, and where runs stopped: a database in the state directory.
/// Used by one thread; other processes may use the same file.
final class HistoryStore {
  /// The most stories; beyond that the oldest ones without a view limit are deleted.
  static let mostStories = 200_000
  /// The most resume points.
  static let mostResumePoints = 1_000
  /// For more stories than this it is quicker to read all rows than to look up each.
  private static let mostByKey = 2_000
  /// The most characters of a title.
  private static let longestTitle = 200
  /// How long to wait for another process: at first, and later.
  private static let openingTimeoutMs: Int32 = 1_000
  private static let busyTimeoutMs = 300

  private let directory: String
  private var database: Database
  /// The key of the hashes by which stories and sources are stored.
  private var secret: [UInt8]
  /// Of the file that is open.
  private var identity: Identity?
  /// Whether this player found the file damaged; then it was set aside and a new one begun.
  private(set) var wasSetAside = false

  /// A message for the user.
  var notice: String? {
    wasSetAside ? "the history was damaged: it is set aside and begun anew" : nil
  }

  /// The identity of the file at a path. The file is replaced once its path leads to another one.
  private struct Identity: Equatable {
    var device: UInt64
    var inode: UInt64

    init?(of path: String) {
      guard let status = try? FileStatus(of: path) else { return nil }
      (device, inode) = (status.device, status.inode)
    }
  }

  /// Why the file cannot be used.
  private enum Failure: Error {
    case sqlite(DatabaseError)
    /// A newer program made the file.
    case tooNew
    /// The file at the path is not this user's own.
    case notOwn

    var isDamage: Bool { if case .sqlite(let error) = self { error.isDamage } else { false } }
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
    identity = HistoryStore.prepareFile(directory)
    do throws(Failure) {
      (database, secret) = try HistoryStore.open(directory)
    } catch {
      wasSetAside = try HistoryStore.setAsideIfDamaged(after: error, identity, directory)
      identity = HistoryStore.prepareFile(directory)
      do throws(Failure) {
        (database, secret) = try HistoryStore.open(directory)
      } catch { throw HistoryStore.history(error, directory) }
    }
  }

  /// Why a directory is not used, in words that follow "no history: ": other users may have put
  /// files or links in it.
  private static func objection(to directory: String) -> String? {
    Ownership.objection(toFolder: directory).map { "its directory \($0)" }
      ?? Ownership.objection(toDatabase: path(in: directory))
  }

  static func path(in directory: String) -> String { directory + "/history.db" }

  /// The names for damaged histories; the first one is used first, because it may hold the most.
  static func damagedPaths(in directory: String) -> [String] {
    ["", "-2", "-3"].map { "\(path(in: directory)).damaged\($0)" }
  }

  /// The first name that is free, else the last.
  private static func pathForDamaged(in directory: String) -> String {
    let paths = damagedPaths(in: directory)
    return paths.first { (try? FileStatus(of: $0)) == nil } ?? paths[paths.count - 1]
  }

  /// Makes the file if it is missing, and returns its identity. That is read before the file is
  /// opened, so that a file that replaces it in between is not mistaken for the open one.
  private static func prepareFile(_ directory: String) -> Identity? {
    let path = path(in: directory)
    // SQLite would make it readable for other users; its journal gets the same mode.
    _ = try? LockableFile(path, creating: true)
    return Identity(of: path)
  }

  private static func open(_ directory: String) throws(Failure) -> (Database, [UInt8]) {
    do throws(DatabaseError) {
      let database = try Database(path: path(in: directory), patience: openingTimeoutMs)
      if try database.migrate(HistorySchema.steps) { return (database, try prepare(database)) }
    } catch {
      throw .sqlite(error)
    }
    throw .tooNew
  }

  /// Gives the secret of an open database.
  private static func prepare(_ database: Database) throws(DatabaseError) -> [UInt8] {
    let stored = try database.run("SELECT value FROM meta WHERE name = 'secret'")
    guard let secret = stored.first?.first?.bytes, secret.count == Fingerprint.secretLength else {
      throw DatabaseError(step: "read the history", code: DatabaseError.damage)
    }
    try database.run("PRAGMA secure_delete = ON")
    try database.run("PRAGMA busy_timeout = \(busyTimeoutMs)")
    return secret
  }

  /// Sets the file aside after an error, if it is damaged; throws where another attempt cannot
  /// help.
  ///
  /// - Returns: false where another player has already replaced the file.
  private static func setAsideIfDamaged(
    after error: Failure, _ identity: Identity?, _ directory: String
  ) throws(HistoryError) -> Bool {
    let path = path(in: directory)
    // SQLite reports many errors if a file is replaced while it is used.
    guard Identity(of: path) == identity else { return false }
    guard error.isDamage else { throw history(error, directory) }
    return FileSystem.withFolderLocked(directory) {
      guard Identity(of: path) == identity else { return false }
      // The damaged file's journal, rolled back into a new one, would damage that too.
      _ = try? FileSystem.remove(path + "-journal")
      try? FileSystem.rename(path, to: pathForDamaged(in: directory))
      return true
    }
  }

  private static func history(_ failure: Failure, _ directory: String) -> HistoryError {
    switch failure {
    case .sqlite(let error) where error.isBusy: .busy
    case .sqlite(let error): .unusable("\(path(in: directory)): \(error.reason)")
    case .tooNew: .unusable("a newer version of this program made it")
    case .notOwn:
      .unusable(objection(to: directory) ?? "its file was replaced by one that is not yours")
    }
  }

  /// Uses the database. If it turns out to be damaged, it is set aside and a new one begun, once.
  /// If another player has begun a new one, that is used from then on.
  private func using<Result>(
    _ body: (Database) throws(DatabaseError) -> Result
  ) throws(HistoryError) -> Result {
    do throws(Failure) {
      if isReplaced { try reopen() }
      return try attempt(body)
    } catch {
      guard !wasSetAside || isReplaced else { throw HistoryStore.history(error, directory) }
      if try HistoryStore.setAsideIfDamaged(after: error, identity, directory) {
        wasSetAside = true
      }
    }
    do throws(Failure) {
      try reopen()
      return try attempt(body)
    } catch {
      throw HistoryStore.history(error, directory)
    }
  }

  private func attempt<Result>(
    _ body: (Database) throws(DatabaseError) -> Result
  ) throws(Failure) -> Result {
    do throws(DatabaseError) { return try body(database) } catch { throw .sqlite(error) }
  }

  /// Whether the open file was replaced: nobody would find what is written to it.
  private var isReplaced: Bool { Identity(of: HistoryStore.path(in: directory)) != identity }

  private func reopen() throws(Failure) {
    guard HistoryStore.objection(to: directory) == nil else { throw .notOwn }
    identity = HistoryStore.prepareFile(directory)
    (database, secret) = try HistoryStore.open(directory)
  }

  /// What stands for a story's id or for sources in the tables.
  private func hash(of text: String) -> Int64 {
    Fingerprint.number(of: text, secret: secret)
  }

  // MARK: - Looking up

  /// What is known of stories by their ids, and where the last run of these sources stopped. It is
  /// one query for any number of stories.
  ///
  /// - Parameters:
  ///   - count: the number of stories.
  ///   - sources: whose resume point is wanted too; nil for none.
  ///   - id: the id of a story by its number.
  func lookUp(
    count: Int, sources: String?, id: (Int) -> String
  ) throws(HistoryError) -> HistoryFindings {
    try using { database throws(DatabaseError) in
      let keys = (0..<count).map { hash(of: id($0)) }
      let rows = try rows(for: keys, database)
      var findings = HistoryFindings()
      for (number, key) in keys.enumerated() {
        guard let counts = rows[key] else { continue }
        findings.known.append(
          .init(story: number, views: counts.views, completions: counts.completions))
      }
      guard let sources else { return findings }
      let stored = try database.run(
        "SELECT story, positionMs FROM place WHERE sources = ?", .number(hash(of: sources)))
      if let row = stored.first, let key = row[0].number, let story = keys.firstIndex(of: key) {
        findings.resumePoint = ResumePoint(
          story: story, position: HistoryStore.time(milliseconds: row[1].number ?? 0))
      }
      return findings
    }
  }

  /// The counts of these keys, without those that are unknown. For very many keys the whole table is
  /// read, so that the result may hold others too.
  private func rows(
    for keys: [Int64], _ database: Database
  ) throws(DatabaseError) -> [Int64: (views: Int, completions: Int)] {
    var rows: [Int64: (views: Int, completions: Int)] = [:]
    func take(_ row: [Int64]) { rows[row[0]] = (Int(row[1]), Int(row[2])) }
    if keys.count > HistoryStore.mostByKey {
      try database.numbers("SELECT key, views, completions FROM story", row: take)
    } else {
      let list = "[" + keys.map { String($0) }.joined(separator: ",") + "]"
      try database.numbers(
        """
        SELECT key, views, completions FROM story WHERE key IN (SELECT value FROM json_each(?))
        """, .text(list), row: take)
    }
    return rows
  }

  /// How often a story was played to its end.
  func completions(of id: String) throws(HistoryError) -> Int {
    try using { database throws(DatabaseError) in
      let rows = try database.run(
        "SELECT completions FROM story WHERE key = ?", .number(hash(of: id)))
      return Int(clamping: max(0, rows.first?.first?.number ?? 0))
    }
  }

  // MARK: - Writing

  /// A change to write.
  enum Change: Sendable {
    /// Adds to a story's counts; negative numbers take back.
    case add(HistoryCounts, to: HistorySubject)
    /// A run of these sources has come so far.
    case resumePoint(sources: String, story: String, position: Duration)
    /// The run has played everything: there is nothing to resume.
    case noResumePoint(sources: String)
  }

  /// Writes changes in one transaction.
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
    case .resumePoint(let sources, let story, let position):
      try database.run(
        "INSERT OR REPLACE INTO place (sources, story, positionMs, last) VALUES (?, ?, ?, ?)",
        .number(hash(of: sources)), .number(hash(of: story)),
        .number(position.wholeMilliseconds), .number(now))
    case .noResumePoint(let sources):
      try database.run("DELETE FROM place WHERE sources = ?", .number(hash(of: sources)))
    }
  }

  /// SET clauses that add without leaving 0 to Int64.max: SQLite turns an overflow into a floating
  /// number.
  private static let clampedSums = HistoryCounts.columns.map {
    "\($0) = min(max(0, \($0) + excluded.\($0)), \(Int64.max))"
  }.joined(separator: ", ")

  /// At most 34 years, so that the times of `mostStories` stories can be added without overflow.
  fileprivate static func time(milliseconds: Int64) -> Duration {
    .milliseconds(max(0, min(milliseconds, 1 << 40)))
  }

  private func add(
    _ counts: HistoryCounts, to subject: HistorySubject, _ database: Database, _ now: Int64
  ) throws(DatabaseError) {
    let key = DatabaseValue.number(hash(of: subject.id))
    try database.run(
      """
      INSERT INTO story (key, source, title, isLimited, views, completions, skips, waits, waitedMs,
        last)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (key) DO UPDATE SET source = excluded.source, title = excluded.title,
        isLimited = excluded.isLimited, \(HistoryStore.clampedSums), last = excluded.last
      """,
      key, .text(subject.source),
      DatabaseValue(subject.title.map { String($0.prefix(HistoryStore.longestTitle)) }),
      .number(subject.isLimited ? 1 : 0), .number(Int64(counts.views)),
      .number(Int64(counts.completions)), .number(Int64(counts.skips)),
      .number(Int64(counts.waits)), .number(counts.waited.wholeMilliseconds), .number(now))
    guard counts.views < 0 else { return }
    // Counts that were taken back leave no row. Only a story that failed takes any back, and it was
    // not skipped.
    try database.run(
      "DELETE FROM story WHERE key = ? AND views <= 0 AND completions = 0 AND waits = 0", key)
  }

  /// Deletes what is beyond the limits, the oldest first, and a tenth more of the stories, so that
  /// this is seldom. Stories whose views are limited stay.
  func prune(
    stories: Int = HistoryStore.mostStories, resumePoints: Int = HistoryStore.mostResumePoints
  ) throws(HistoryError) {
    try using { database throws(DatabaseError) in
      let held = try database.run("SELECT (SELECT count(*) FROM story), count(*) FROM place")
      guard let row = held.first, let storyCount = row[0].number, let pointCount = row[1].number
      else { return }
      if storyCount > stories {
        try database.run(
          """
          DELETE FROM story WHERE key IN
            (SELECT key FROM story WHERE isLimited = 0 ORDER BY last LIMIT ?)
          """, .number(storyCount - Int64(stories) + Int64(stories / 10)))
      }
      if pointCount > resumePoints {
        try database.run(
          "DELETE FROM place WHERE sources IN (SELECT sources FROM place ORDER BY last LIMIT ?)",
          .number(pointCount - Int64(resumePoints)))
      }
    }
  }

  // MARK: - For the history's own commands

  /// All stories, the one played last first.
  func entries() throws(HistoryError) -> [HistoryEntry] {
    try using { database throws(DatabaseError) in
      let rows = try database.run(
        """
        SELECT \(HistoryCounts.columns.joined(separator: ", ")), source, title, last FROM story
        ORDER BY last DESC, source, key
        """)
      return rows.map { row in
        HistoryEntry(
          source: row[5].text ?? "", title: row[6].text, counts: HistoryCounts(row.prefix(5)),
          last: row[7].number ?? 0)
      }
    }
  }

  /// Deletes everything, also the damaged histories that were set aside. The file stays, because
  /// another player may have it open.
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
  fileprivate static let columns = ["views", "completions", "skips", "waits", "waitedMs"]

  /// From the values of `columns`, in their order.
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
