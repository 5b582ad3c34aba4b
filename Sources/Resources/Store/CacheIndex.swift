/// The index of the cache: its entries, and the segments in their blobs. Rows are not trusted: a
/// damaged one counts as missing.
final class CacheIndex {
  enum State: Int64 { case live = 0, superseded = 1, dying = 2 }

  /// The row of an entry.
  struct Row: Equatable {
    var entry: EntryNumber
    var state: State
    var blob: String
    var source: String
    var facts: ContentFacts
    var used: Int64
    var usedAt: Int64
  }

  private let database: Database
  private let secret: [UInt8]

  /// Opens an index, or makes it if it is missing; nil if a newer program made it.
  ///
  /// - Parameter isReadOnly: it cannot be written; nil if any other version made it.
  init?(path: String, patience: Int32 = 2_000, isReadOnly: Bool = false) throws(DatabaseError) {
    database = try Database(path: path, patience: patience, isReadOnly: isReadOnly)
    guard
      try isReadOnly
        ? database.version() == Int64(IndexSchema.steps.count)
        : database.migrate(IndexSchema.steps)
    else { return nil }
    let stored = try database.run("SELECT value FROM meta WHERE name = 'secret'")
    guard let secret = stored.first?.first?.bytes, secret.count == Fingerprint.secretLength else {
      throw DatabaseError(step: "read the index", code: DatabaseError.damage)
    }
    self.secret = secret
    let check = try database.run("PRAGMA quick_check(1)")
    guard check == [[.text("ok")]] else {
      throw DatabaseError(step: "check the index", code: DatabaseError.damage)
    }
    // SQLite has no number after the greatest one, so no entry could ever be added again.
    let numbers = try database.run(
      "SELECT (SELECT max(id) FROM entry), max(seq) FROM sqlite_sequence WHERE name = 'entry'")
    guard numbers.first?.allSatisfy({ ($0.number ?? 0) <= 3 << 61 }) ?? true else {
      throw DatabaseError(step: "check the index", code: DatabaseError.damage)
    }
  }

  /// The stored form of a key, which may hold secrets itself.
  func hash(of key: String) -> [UInt8] { Fingerprint.wide(Array(key.utf8), secret: secret) }

  func transaction<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result { try database.transaction(body) }

  /// Limits its size, for tests.
  func limitPages(_ count: Int) throws(DatabaseError) {
    try database.run("PRAGMA max_page_count = \(count)")
  }

  /// More uses than are possible: higher numbers are damage, and counting does not go on from them.
  private static let uses: ClosedRange<Int64> = 0...(1 << 62)

  private static let nextUse =
    "SELECT coalesce(max(used), 0) + 1 FROM entry"
    + " WHERE used >= \(uses.lowerBound) AND used < \(uses.upperBound)"

  // MARK: - Entries

  private static let columns =
    "id, state, blob, source, length, type, tag, modified, dateIsStrong, checked, freshFor, used,"
    + " usedAt, seal, key, isPrivate, address, charset"

  /// The live entry of a key; a damaged one is deleted.
  func live(_ key: [UInt8]) throws(DatabaseError) -> Row? {
    let rows = try database.run(
      "SELECT \(CacheIndex.columns) FROM entry WHERE key = ? AND state = 0", .bytes(key))
    guard let first = rows.first else { return nil }
    if let row = row(first) { return row }
    if let number = first.first?.number { try setState(EntryNumber(value: number), .dying) }
    return nil
  }

  /// All entries with the bytes of their segments; damaged ones are left out and named.
  func all() throws(DatabaseError) -> (rows: [(row: Row, bytes: UInt64)], damaged: [EntryNumber]) {
    var good: [(row: Row, bytes: UInt64)] = []
    var damaged: [EntryNumber] = []
    let sums = try database.run(
      "SELECT entry, sum(length) FROM segment WHERE \(CacheIndex.isPossible) GROUP BY entry")
    let bytes = Dictionary(
      sums.map { ($0[0].number ?? 0, UInt64(max(0, $0[1].number ?? 0))) },
      uniquingKeysWith: { first, _ in first })
    for values in try database.run("SELECT \(CacheIndex.columns) FROM entry ORDER BY used") {
      if let row = row(values) {
        good.append((row, bytes[row.entry.value] ?? 0))
      } else if let number = values.first?.number {
        damaged.append(EntryNumber(value: number))
      }
    }
    return (good, damaged)
  }

  /// Adds a live entry; the former live entry of the key is superseded.
  func add(
    key: [UInt8], blob: String, source: String, facts: ContentFacts, now: Int64
  ) throws(DatabaseError) -> EntryNumber {
    try database.run("UPDATE entry SET state = 1 WHERE key = ? AND state = 0", .bytes(key))
    try database.run(
      """
      INSERT INTO entry (key, state, blob, source, length, type, tag, modified, dateIsStrong,
        checked, freshFor, used, usedAt, seal, isPrivate, address, charset)
      VALUES (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, (\(CacheIndex.nextUse)), ?, ?, ?, ?, ?)
      """,
      .bytes(key), .text(blob), .text(source), DatabaseValue(facts.storedLength),
      DatabaseValue(facts.type), DatabaseValue(facts.validator.entityTag),
      DatabaseValue(facts.validator.lastModified),
      .number(facts.validator.dateIsStrong ? 1 : 0), .number(facts.checked),
      DatabaseValue(facts.freshFor), .number(now),
      DatabaseValue(bits: seal(key: key, blob: blob, source: source, facts)),
      .number(facts.isPrivate ? 1 : 0), DatabaseValue(facts.address),
      DatabaseValue(facts.charset))
    return EntryNumber(value: database.lastInserted)
  }

  /// Writes changed facts of an entry.
  func revise(_ entry: EntryNumber, _ facts: ContentFacts) throws(DatabaseError) {
    let found = try database.run(
      "SELECT key, blob, source FROM entry WHERE id = ?", .number(entry.value))
    guard let row = found.first, let key = row[0].bytes, let blob = row[1].text,
      let source = row[2].text
    else { return }
    try database.run(
      """
      UPDATE entry SET length = ?, type = ?, tag = ?, modified = ?, dateIsStrong = ?, checked = ?,
        freshFor = ?, seal = ?, isPrivate = ?, address = ?, charset = ? WHERE id = ?
      """,
      DatabaseValue(facts.storedLength), DatabaseValue(facts.type),
      DatabaseValue(facts.validator.entityTag), DatabaseValue(facts.validator.lastModified),
      .number(facts.validator.dateIsStrong ? 1 : 0), .number(facts.checked),
      DatabaseValue(facts.freshFor),
      DatabaseValue(bits: seal(key: key, blob: blob, source: source, facts)),
      .number(facts.isPrivate ? 1 : 0), DatabaseValue(facts.address),
      DatabaseValue(facts.charset), .number(entry.value))
  }

  /// Counts a use: the entry used last is deleted last.
  func touch(_ entry: EntryNumber, now: Int64) throws(DatabaseError) {
    try database.run(
      """
      UPDATE entry SET used = (\(CacheIndex.nextUse)), usedAt = ? WHERE id = ?
      """, .number(now), .number(entry.value))
  }

  func setState(_ entry: EntryNumber, _ state: State) throws(DatabaseError) {
    try database.run(
      "UPDATE entry SET state = ? WHERE id = ?", .number(state.rawValue), .number(entry.value))
  }

  func state(_ entry: EntryNumber) throws(DatabaseError) -> State? {
    try database.run("SELECT state FROM entry WHERE id = ?", .number(entry.value))
      .first?.first?.number.flatMap(State.init)
  }

  func delete(_ entry: EntryNumber) throws(DatabaseError) {
    try database.run("DELETE FROM segment WHERE entry = ?", .number(entry.value))
    try database.run("DELETE FROM entry WHERE id = ?", .number(entry.value))
  }

  /// The names of all blobs that entries refer to, damaged ones included.
  func blobs() throws(DatabaseError) -> Set<String> {
    Set(try database.run("SELECT blob FROM entry").compactMap { $0.first?.text })
  }

  // MARK: - Segments

  /// Adds segments of an entry; does nothing if another process has deleted the entry.
  func add(_ segments: [Segment], to entry: EntryNumber) throws(DatabaseError) {
    for segment in segments {
      try database.run(
        """
        INSERT OR REPLACE INTO segment (entry, start, length, hash)
        SELECT id, ?, ?, ? FROM entry WHERE id = ?
        """,
        DatabaseValue(bits: segment.start), .number(Int64(segment.length)),
        DatabaseValue(bits: segment.hash), .number(entry.value))
    }
  }

  func drop(_ segments: [Segment], of entry: EntryNumber) throws(DatabaseError) {
    for segment in segments {
      try database.run(
        "DELETE FROM segment WHERE entry = ? AND start = ? AND length = ? AND hash = ?",
        .number(entry.value), DatabaseValue(bits: segment.start), .number(Int64(segment.length)),
        DatabaseValue(bits: segment.hash))
    }
  }

  /// The segments of an entry in order of their starts; impossible ones are deleted.
  ///
  /// - Parameter size: the blob's size, read after the rows: an earlier size may be smaller than
  ///   what another process has stored and committed since.
  func segments(
    of entry: EntryNumber, within size: () -> UInt64
  ) throws(DatabaseError) -> [Segment] {
    var segments: [Segment] = []
    let rows = try database.run(
      "SELECT start, length, hash FROM segment WHERE entry = ? ORDER BY start",
      .number(entry.value))
    let size = rows.isEmpty ? 0 : size()
    for row in rows {
      guard let start = row[0].number, let length = row[1].number, let hash = row[2].number,
        (0...Int64(Verdict.mostLength)).contains(start),
        (1...Int64(Segment.most)).contains(length), UInt64(start) + UInt64(length) <= size
      else {
        // Only these are deleted: there may be more rows by now.
        try database.run(
          "DELETE FROM segment WHERE entry = ? AND start IS ? AND length IS ? AND hash IS ?",
          .number(entry.value), row[0], row[1], row[2])
        continue
      }
      segments.append(
        Segment(start: UInt64(start), length: Int(length), hash: UInt64(bitPattern: hash)))
    }
    return segments
  }

  /// A damaged length does not make the cache look full.
  private static let isPossible = "length BETWEEN 1 AND \(Segment.most)"

  func totalBytes() throws(DatabaseError) -> UInt64 {
    let sums = try database.run("SELECT sum(length) FROM segment WHERE \(CacheIndex.isPossible)")
    return UInt64(max(0, sums.first?.first?.number ?? 0))
  }

  // MARK: - Savings

  func count(_ saving: Saving, on day: String) throws(DatabaseError) {
    try database.run(
      """
      INSERT INTO saving (day, requests, hits, misses, served, fetched) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (day) DO UPDATE SET
        requests = min(requests + excluded.requests, \(Int64.max)),
        hits = min(hits + excluded.hits, \(Int64.max)),
        misses = min(misses + excluded.misses, \(Int64.max)),
        served = min(served + excluded.served, \(Int64.max)),
        fetched = min(fetched + excluded.fetched, \(Int64.max))
      """,
      .text(day), .number(Int64(clamping: saving.requests)), .number(Int64(clamping: saving.hits)),
      .number(Int64(clamping: saving.misses)), .number(Int64(clamping: saving.served)),
      .number(Int64(clamping: saving.fetched)))
  }

  func savings() throws(DatabaseError) -> [(day: String, saving: Saving)] {
    let rows = try database.run(
      "SELECT day, requests, hits, misses, served, fetched FROM saving ORDER BY day")
    return rows.map { row in
      let numbers = row.dropFirst().map { UInt64(max(0, $0.number ?? 0)) }
      return (
        row[0].text ?? "",
        Saving(
          requests: numbers[0], hits: numbers[1], misses: numbers[2], served: numbers[3],
          fetched: numbers[4])
      )
    }
  }

  private func row(_ values: DatabaseRow) -> Row? {
    guard let number = values[0].number, let state = values[1].number.flatMap(State.init),
      let blob = values[2].text, Blob.isName(blob), let source = values[3].text,
      let checked = values[9].number, let used = values[11].number, CacheIndex.uses.contains(used),
      let usedAt = values[12].number, let sealed = values[13].number, let key = values[14].bytes
    else { return nil }
    let facts = ContentFacts(
      length: values[4].number.map { UInt64(bitPattern: $0) }, type: values[5].text,
      validator: Validator(
        entityTag: values[6].text, lastModified: values[7].text,
        dateIsStrong: values[8].number == 1),
      checked: checked, freshFor: values[10].number, isPrivate: values[15].number == 1,
      address: values[16].text, charset: values[17].text)
    guard facts.length ?? 0 <= Verdict.mostLength,
      UInt64(bitPattern: sealed) == seal(key: key, blob: blob, source: source, facts)
    else {
      return nil
    }
    return Row(
      entry: EntryNumber(value: number), state: state, blob: blob, source: source, facts: facts,
      used: used, usedAt: usedAt)
  }

  /// Without it, a damaged row could pass for another length or freshness.
  private func seal(key: [UInt8], blob: String, source: String, _ facts: ContentFacts) -> UInt64 {
    let parts: [String?] =
      [
        blob, source, facts.length.map { String($0) }, facts.type, facts.validator.entityTag,
        facts.validator.lastModified, String(facts.validator.dateIsStrong), String(facts.checked),
        facts.freshFor.map { String($0) },
        // Empty values are left out, so that rows of former versions keep their seal.
      ] + (facts.isPrivate ? ["private"] : []) + (facts.address.map { ["address", $0] } ?? [])
      + (facts.charset.map { ["charset", $0] } ?? [])
    var bytes = key
    for part in parts {
      bytes.append(part == nil ? 0 : 1)
      bytes += Array((part ?? "").utf8) + [0]
    }
    return Fingerprint.of(bytes, seed: 0)
  }
}

extension DatabaseError {
  /// SQLITE_CORRUPT, for damage that SQLite itself does not detect.
  static let damage: Int32 = 11
}

extension ContentFacts {
  fileprivate var storedLength: Int64? { length.map { Int64(bitPattern: $0) } }
}
