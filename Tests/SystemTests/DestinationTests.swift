import Glibc
import Support
import System
import Testing

/// Writing to names from the user, where others may have placed something before.
@Suite struct DestinationTests {
  private let directory: TemporaryDirectory
  private let shared: String
  private static let nobody: uid_t = 65_534

  init() throws {
    directory = try TemporaryDirectory()
    shared = directory.path("shared")
    #expect(mkdir(shared, 0o700) == 0 && chmod(shared, 0o1777) == 0)
  }

  /// Expects both ways of writing to a path to be refused: a report is replaced, a log appended to.
  private func expectRefusal(
    _ path: String, _ words: String, _ where: SourceLocation = #_sourceLocation
  ) {
    for write in [replace, append] {
      do {
        try write(path)
        Issue.record("it was written", sourceLocation: `where`)
      } catch let error as SystemError {
        #expect(error.reason == words, sourceLocation: `where`)
      } catch {
        Issue.record(error, sourceLocation: `where`)
      }
    }
  }

  private func replace(_ path: String) throws {
    try PrivateFile.replace(path, with: Array("new".utf8))
  }

  private func append(_ path: String) throws {
    try Descriptor.open(appending: path).writeAll(Array("new".utf8))
  }

  private func owner(of path: String) -> uid_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_uid : nil
  }

  @Test(arguments: [0o1777, 0o777, 0o703] as [mode_t])
  func link_inAFolderThatOthersMayWrite_isNotFollowed(mode: mode_t) throws {
    #expect(chmod(shared, mode) == 0)
    let mine = try directory.write("mine", to: "mine")
    let words = "it is a symbolic link in a folder that others may write"
    for target in [mine, directory.path("none"), "../mine"] {
      for isForeign in [true, false] {
        #expect(symlink(target, shared + "/report") == 0)
        if isForeign { lchown(shared + "/report", Self.nobody, Self.nobody) }
        expectRefusal(shared + "/report", words)
        // Another link to it does not help.
        symlink(shared + "/report", directory.path("link"))
        expectRefusal(directory.path("link"), words)
        unlink(directory.path("link"))
        unlink(shared + "/report")
      }
    }
    // Nor is a link to a folder followed on the way.
    #expect(symlink(directory.path, shared + "/folder") == 0)
    expectRefusal(shared + "/folder/mine", words)
    #expect(try readText(mine) == "mine")
    #expect(!fileExists(directory.path("none")))
    #expect(directoryEntries(shared) == ["folder"])
  }

  @Test func link_inAFolderOfAnotherUser_isNotFollowed() throws {
    let mine = try directory.write("mine", to: "mine")
    #expect(symlink(mine, shared + "/report") == 0)
    #expect(chmod(shared, 0o755) == 0 && chown(shared, Self.nobody, Self.nobody) == 0)
    expectRefusal(
      shared + "/report", "it is a symbolic link in a folder that others may write")
    #expect(try readText(mine) == "mine")
  }

  /// A group may have one member only: in its folders one's own links are followed.
  @Test func link_inAFolderOfAGroup_isFollowedWhereItIsOnesOwn() throws {
    #expect(chmod(shared, 0o775) == 0)
    let mine = try directory.write("mine", to: "mine")
    #expect(symlink(mine, shared + "/report") == 0)
    try replace(shared + "/report")
    #expect(try readText(mine) == "new")
    try append(shared + "/report")
    #expect(try readText(mine) == "newnew")
    lchown(shared + "/report", Self.nobody, Self.nobody)
    expectRefusal(
      shared + "/report", "it is a symbolic link in a folder that others may write")
  }

  @Test func fileOfAnotherUser_inASharedFolder_isNeitherWrittenNorReplaced() throws {
    let path = try directory.write("theirs", to: "shared/report")
    #expect(chmod(path, 0o666) == 0 && chown(path, Self.nobody, Self.nobody) == 0)
    expectRefusal(path, "it belongs to another user")
    #expect(try readText(path) == "theirs")
    unlink(path)
    #expect(mkfifo(path, 0o666) == 0 && chown(path, Self.nobody, Self.nobody) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    expectRefusal(path, "it belongs to another user")
    var byte: UInt8 = 0
    #expect(read(reader, &byte, 1) == 0)
  }

  /// A second name of one's own file elsewhere, which others may have made.
  @Test func fileWithAnotherName_inASharedFolder_isNotWritten() throws {
    let mine = try directory.write("mine", to: "mine")
    #expect(link(mine, shared + "/report") == 0)
    expectRefusal(
      shared + "/report", "it has another name too, in a folder that others may write")
    #expect(try readText(mine) == "mine")
  }

  @Test func ownFile_inASharedFolder_isWritten() throws {
    let path = shared + "/report"
    for _ in 0..<2 {
      try replace(path)
      #expect(try readText(path) == "new")
    }
    try append(path)
    #expect(try readText(path) == "newnew")
    try append(shared + "/log")
    #expect(directoryEntries(shared) == ["log", "report"])
    // A temporary name that others could guess is not used.
    try directory.write("theirs", to: "shared/report.\(getpid()).new")
    try replace(path)
    #expect(try readText(path) == "new")
  }

  /// A still picture gets another name.
  @Test func newFile_whereTheNameIsTaken_leavesThatFile() throws {
    let mine = try directory.write("mine", to: "mine")
    #expect(symlink(mine, shared + "/still.png") == 0)
    #expect(symlink(directory.path("none"), shared + "/still-2.png") == 0)
    #expect(mkfifo(shared + "/still-3.png", 0o666) == 0)
    let name = try NewFile.write([1], name: shared + "/still", suffix: ".png")
    #expect(name == shared + "/still-4.png")
    #expect(try readFile(name) == [1])
    #expect(try readText(mine) == "mine")
    #expect(!fileExists(directory.path("none")))
  }

  /// In one's own folders links are followed as usual.
  @Test func links_inFoldersOfOnesOwn_areFollowed() throws {
    mkdir(directory.path("a"), 0o755)
    let mine = try directory.write("mine", to: "a/mine")
    symlink("../a/mine", directory.path("a/one"))
    symlink(directory.path("a"), directory.path("b"))
    symlink("b/./../b/one", directory.path("two"))
    try replace(directory.path("two"))
    #expect(try readText(mine) == "new")
    try append(directory.path("b/one"))
    #expect(try readText(mine) == "newnew")
    // A link to a missing file, and a link in a circle.
    symlink("later", directory.path("a/early"))
    try replace(directory.path("a/early"))
    #expect(try readText(directory.path("a/later")) == "new")
    symlink("circle", directory.path("circle"))
    expectRefusal(directory.path("circle"), "Too many levels of symbolic links")
    #expect(owner(of: mine) == geteuid())
  }

  /// As with a shell's `--report >(jq .)` and with `/dev/stdout`.
  @Test func pipe_ofOnesOwn_isWrittenTo() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let reader = Descriptor(adopting: ends[0])
    let writer = Descriptor(adopting: ends[1])
    try replace("/dev/fd/\(writer.number)")
    try append("/proc/self/fd/\(writer.number)")
    var bytes: [UInt8] = []
    _ = try reader.read(upTo: 100, into: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "newnew")
  }

  /// A pipe without a reader is not waited for.
  @Test func pipe_withoutAReader_isAnError() throws {
    let path = directory.path("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    expectRefusal(path, "No such device or address")
  }
}
