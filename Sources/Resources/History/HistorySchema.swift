/// The tables of the history, as the steps from each version to the next.
enum HistorySchema {
  static let steps: [[String]] = [
    [
      "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
      // Stories are stored by a hash that nobody can predict, because their ids may hold secrets.
      "INSERT INTO meta VALUES ('secret', randomblob(192))",
      """
      CREATE TABLE story (
        key INTEGER PRIMARY KEY, source TEXT NOT NULL, title TEXT, isLimited INTEGER NOT NULL,
        views INTEGER NOT NULL, completions INTEGER NOT NULL, skips INTEGER NOT NULL,
        waits INTEGER NOT NULL, waitedMs INTEGER NOT NULL, last INTEGER NOT NULL)
      """,
      // Where the last run of some sources stopped.
      """
      CREATE TABLE place (
        sources INTEGER PRIMARY KEY, story INTEGER NOT NULL, positionMs INTEGER NOT NULL,
        last INTEGER NOT NULL)
      """,
    ]
  ]
}
