/// The tables of the cache's index, as the steps from each version to the next.
enum IndexSchema {
  static let steps: [[String]] = [
    [
      "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
      // Numbers of entries are never used again, so an old reference finds nothing.
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
    // Entries of former versions count as public: that allows them to name less, not more.
    ["ALTER TABLE entry ADD COLUMN isPrivate INTEGER NOT NULL DEFAULT 0"],
    // Entries of former versions are relative to the requested address, until their server is
    // asked.
    ["ALTER TABLE entry ADD COLUMN address TEXT", "ALTER TABLE entry ADD COLUMN charset TEXT"],
  ]
}
