/// The tables of the cache's index, as the steps that made each version from the one before.
enum IndexSchema {
  /// What `user_version` says of a file that this program made.
  static var version: Int64 { Int64(steps.count) }

  static let steps: [[String]] = [
    [
      "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
      // Numbers of entries are never used again: an old reference finds nothing.
      """
      CREATE TABLE entry (
        id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL, state INTEGER NOT NULL,
        blob TEXT NOT NULL UNIQUE, source TEXT NOT NULL, length INTEGER, type TEXT, tag TEXT,
        modified TEXT, dateIsStrong INTEGER NOT NULL, checked INTEGER NOT NULL, freshFor INTEGER,
        used INTEGER NOT NULL, usedAt INTEGER NOT NULL, seal INTEGER NOT NULL)
      """,
      "CREATE UNIQUE INDEX live ON entry (key) WHERE state = 0",
      """
      CREATE TABLE segment (
        entry INTEGER NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL,
        hash INTEGER NOT NULL, PRIMARY KEY (entry, start, length)) WITHOUT ROWID
      """,
      "INSERT INTO meta VALUES ('secret', randomblob(192))",
    ],
    [
      """
      CREATE TABLE saving (
        day TEXT PRIMARY KEY, requests INTEGER NOT NULL, hits INTEGER NOT NULL,
        misses INTEGER NOT NULL, served INTEGER NOT NULL, fetched INTEGER NOT NULL) WITHOUT ROWID
      """
    ],
  ]

  /// Makes the newest version of whatever version the file has.
  ///
  /// - Returns: false where a newer program made it.
  static func migrate(_ database: Database) throws(DatabaseError) -> Bool {
    try database.run("PRAGMA journal_mode = TRUNCATE")
    try database.run("PRAGMA synchronous = FULL")
    try database.run("PRAGMA trusted_schema = OFF")
    try database.run("PRAGMA cell_size_check = ON")
    if try currentVersion(database) == version { return true }
    return try database.transaction { () throws(DatabaseError) in
      // Read again: another process may have done it meanwhile.
      let found = try currentVersion(database)
      guard (0...version).contains(found) else { return false }
      for step in steps[Int(found)...] {
        for statement in step { try database.run(statement) }
      }
      try database.run("PRAGMA user_version = \(version)")
      return true
    }
  }

  private static func currentVersion(_ database: Database) throws(DatabaseError) -> Int64 {
    try database.run("PRAGMA user_version").first?.first?.number ?? 0
  }
}
