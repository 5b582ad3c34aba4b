import Glibc
import Support
import System
import Testing

@testable import Resources

/// A history whose directory somebody has put his hands in, and what damage leaves behind.
@Suite struct HistoryOwnershipTests {
  private let folder: TemporaryDirectory
  private var path: String { folder.path + "/state" }
  private var file: String { path + "/history.db" }

  init() throws {
    folder = try TemporaryDirectory()
    _ = try HistoryStore(directory: path)
  }

  private func expectRefusal(_ words: String, _ where: SourceLocation = #_sourceLocation) throws {
    #expect(throws: HistoryError.unusable(words), sourceLocation: `where`) {
      try HistoryStore(directory: path)
    }
    #expect(throws: HistoryError.unusable(words), sourceLocation: `where`) {
      try HistoryDirectory(path).list()
    }
    let thread = try HistoryThread(directory: path)
    thread.close()
    #expect(thread.notice == "no history: \(words)", sourceLocation: `where`)
  }

  @Test func directoryOrFile_ofAnotherUser_isRefused() throws {
    #expect(chown(path, 65_534, 65_534) == 0)
    try expectRefusal("its directory belongs to another user")
    #expect(chown(path, 0, 0) == 0)
    #expect(chown(file, 65_534, 65_534) == 0)
    try expectRefusal("history.db in its directory belongs to another user")
    #expect(chown(file, 0, 0) == 0)
    #expect(chmod(path, 0o777) == 0)
    try expectRefusal("its directory may be written by others (chmod go-w ends that)")
  }

  /// Whoever opened a pipe would wait for its other end.
  @Test(arguments: ["history.db", "history.db-journal", "history.db-wal", "history.db-shm"])
  func file_thatIsNone_isRefused(name: String) throws {
    let place = "\(path)/\(name)"
    unlink(place)
    #expect(mkfifo(place, 0o600) == 0)
    if name == "history.db" {
      try expectRefusal("\(name) in its directory is no regular file")
    } else {
      #expect(throws: HistoryError.unusable("\(name) in its directory is no regular file")) {
        try HistoryStore(directory: path)
      }
    }
    unlink(place)
    let mine = try folder.write("mine", to: "mine")
    #expect(symlink(mine, place) == 0)
    #expect(throws: HistoryError.unusable("\(name) in its directory is a symbolic link")) {
      try HistoryStore(directory: path)
    }
    #expect(try readText(mine) == "mine")
  }

  /// A pipe that takes the file's place while it is used holds nobody up.
  @Test func file_thatBecomesAPipe_isLeft() throws {
    let store = try HistoryStore(directory: path)
    unlink(file)
    #expect(mkfifo(file, 0o600) == 0)
    #expect(throws: HistoryError.unusable("history.db in its directory is no regular file")) {
      try store.entries()
    }
  }

  /// The first may hold the most, so it is never overwritten; the last of all is.
  @Test func damagedHistories_areKeptAside_theFirstOnesForGood() throws {
    for number in 1...5 {
      try writeFile(
        Array("not a database, number \(number), but long enough for one".utf8), to: file)
      #expect(try HistoryStore(directory: path).wasSetAside)
    }
    let names = directoryEntries(path).filter { $0.contains("damaged") }
    #expect(names == ["history.db.damaged", "history.db.damaged-2", "history.db.damaged-3"])
    for (name, number) in zip(names, [1, 2, 5]) {
      #expect(try readText("\(path)/\(name)").contains("number \(number),"))
    }
    try HistoryDirectory(path).clear()
    #expect(directoryEntries(path).filter { $0.contains("damaged") } == [])
  }
}
