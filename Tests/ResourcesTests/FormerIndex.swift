import Glibc
import Support
import System

@testable import Resources

/// A cache as former versions of the program left it, word for word: what they wrote may not
/// change with today's code.
enum FormerIndex {
  static let key = "@http://example.org/k"
  static let bytes = Array("the bytes of a story of long ago\n".utf8)
  static let place: UInt64 = 4096
  private static let blob = "00112233445566778899aabbccddeeff"

  private static let version1 = [
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
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
    """
    INSERT INTO entry VALUES (
      1, x'9A88B8CC0554FF0CA856486B484DA688', 0, '\(blob)', 'http://example.org/k', 5000,
      'video/mp4', '"v1"', NULL, 0, 1700000000, 60, 1, 1700000000, -4716505804947797473)
    """,
    "INSERT INTO segment VALUES (1, 4096, 33, -8261170043077821769)",
    "PRAGMA user_version = 1",
  ]

  private static let version2 = [
    """
    CREATE TABLE saving (
      day TEXT PRIMARY KEY, requests INTEGER NOT NULL, hits INTEGER NOT NULL,
      misses INTEGER NOT NULL, served INTEGER NOT NULL, fetched INTEGER NOT NULL) WITHOUT ROWID
    """,
    "INSERT INTO saving VALUES ('2023-11-14', 1, 2, 3, 40, 5)",
    "PRAGMA user_version = 2",
  ]

  private static let version3 = [
    "ALTER TABLE entry ADD COLUMN isPrivate INTEGER NOT NULL DEFAULT 0",
    "PRAGMA user_version = 3",
  ]

  /// Makes a cache directory with one entry of 33 bytes.
  static func make(version: Int, in directory: String) throws {
    let folder = "\(directory)/blobs/\(blob.prefix(2))"
    for path in [directory, directory + "/blobs", folder] { mkdir(path, 0o700) }
    let database = try Database(path: directory + "/index.db", patience: 100)
    let steps = [version1, version2, version3][..<version]
    for statement in steps.joined() { try database.run(statement) }
    try database.run(
      "INSERT INTO meta VALUES ('secret', ?)", .bytes((0..<192).map { UInt8($0) }))
    let file = try RealDisk().open("\(folder)/\(blob)", creating: true)
    try file.write(bytes, at: place)
  }
}
