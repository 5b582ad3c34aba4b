import Glibc
import Support
import System
import Testing

@testable import Resources

/// A cache whose directory somebody has put his hands in.
@Suite struct CacheOwnershipTests {
  private let bench: StoreBench

  init() throws {
    bench = try StoreBench()
    try bench.fill(bench.open(), "k")
  }

  private var blobFolder: String { bench.path + "/blobs" }

  /// Removes the folder of the blobs with all that is in it.
  private func removeBlobs() {
    for path in bench.blobs { #expect(unlink(path) == 0) }
    for name in directoryEntries(blobFolder) { #expect(rmdir("\(blobFolder)/\(name)") == 0) }
    #expect(rmdir(blobFolder) == 0)
  }

  private func expectRefusal(_ words: String, _ where: SourceLocation = #_sourceLocation) {
    #expect(throws: CacheError.unusable(words), sourceLocation: `where`) { try bench.open() }
    #expect(throws: ResourceError(words), sourceLocation: `where`) {
      try CacheDirectory(bench.path).verify()
    }
  }

  // MARK: What is missing is made anew

  @Test func blobsThatWereRemoved_areMadeAnew() throws {
    removeBlobs()
    let store = try bench.open()
    #expect(!store.isReadOnly)
    #expect(try store.find("k") == nil)
    try bench.fill(store, "k")
    let found = try #require(try store.find("k"))
    #expect(try found.checkedBytes() == [0: sampleBytes(0..<4096)])
    #expect(try store.verify().bytes == 4096)
  }

  /// Also while it is open, and while an entry is in use.
  @Test func blobsThatAreRemovedMeanwhile_areMadeAnew() throws {
    let (store, other) = (try bench.open(), try bench.open())
    let used = try #require(try store.find("k"))
    removeBlobs()
    _ = try store.write(sampleBytes(4096..<8192), at: 4096, of: used.entry)
    try store.commit()
    try bench.fill(other, "new")
    try other.sweep()
    try other.forgetMissing()
    _ = try store.write(sampleBytes(8192..<9000), at: 8192, of: used.entry)
    try store.commit()
    store.close(used.entry)
    #expect(try store.find("k") == nil)
    // No rows of it are left that would count.
    #expect(try other.index.totalBytes() == 4096)
    #expect(try store.find("new") != nil)
  }

  @Test func status_ofBlobsThatWereRemoved_tellsWhatIsThere() throws {
    try bench.fill(bench.open(), "other", bytes: 5000)
    #expect(try CacheDirectory(bench.path).status().bytes == 9096)
    #expect(unlink(bench.blobs[0]) == 0)
    let left = UInt64(try readFile(bench.blobs[0]).count)
    #expect(try CacheDirectory(bench.path).status().bytes == left)
    removeBlobs()
    #expect(try CacheDirectory(bench.path).list() == [])
    #expect(try CacheDirectory(bench.path).status().entries == 0)
  }

  /// What is lost is said once.
  @Test func verify_ofBlobsThatWereRemoved_dropsTheirSegments() throws {
    removeBlobs()
    #expect(try CacheDirectory(bench.path).verify().wrongSegments == 1)
    #expect(try CacheDirectory(bench.path).verify() == CacheCheck())
  }

  @Test func garbageIndex_withoutBlobs_isBegunAnew() throws {
    removeBlobs()
    try writeFile(Array("no database at all, but long enough for one".utf8), to: index)
    let store = try bench.open()
    #expect(store.isRenewed)
    try bench.fill(store, "k")
    #expect(try bench.open().find("k") != nil)
  }

  // MARK: What others own or can write is not used

  private var index: String { bench.path + "/index.db" }

  @Test func directory_ofAnotherUser_isRefused() throws {
    for path in [bench.path, blobFolder, index] {
      #expect(chown(path, 65_534, 65_534) == 0)
      expectRefusal(
        path == bench.path
          ? "its directory belongs to another user"
          : "\(path.dropFirst(bench.path.count + 1)) in its directory belongs to another user")
      #expect(chown(path, 0, 0) == 0)
    }
    #expect(try bench.open().find("k") != nil)
  }

  @Test(arguments: [0o770, 0o707, 0o777, 0o1777, 0o720] as [mode_t])
  func directory_thatOthersMayWrite_isRefused(mode: mode_t) throws {
    let words = "may be written by others (chmod go-w ends that)"
    #expect(chmod(bench.path, mode) == 0)
    expectRefusal("its directory \(words)")
    #expect(chmod(bench.path, 0o755) == 0)
    #expect(try bench.open().find("k") != nil)
    #expect(chmod(blobFolder, mode) == 0)
    expectRefusal("blobs in its directory \(words)")
  }

  /// A link of one's own to the directory is a way to move a cache, one of others is not.
  @Test func link_toTheDirectory_isFollowedWhereItIsOnesOwn() throws {
    let link = bench.folder.path("link")
    #expect(symlink(bench.path, link) == 0)
    #expect(try CacheStore(directory: link, disk: bench.disk).find("k") != nil)
    #expect(lchown(link, 65_534, 65_534) == 0)
    #expect(throws: CacheError.unusable("its directory is a symbolic link of another user")) {
      try CacheStore(directory: link, disk: bench.disk)
    }
  }

  @Test(arguments: ["index.db", "index.db-journal", "index.db-wal", "index.db-shm"])
  func index_thatIsNoFileOfOnesOwn_isRefused(name: String) throws {
    let path = "\(bench.path)/\(name)"
    unlink(path)
    #expect(mkfifo(path, 0o600) == 0)
    // Whoever opened it would wait for its other end.
    expectRefusal("\(name) in its directory is no regular file")
    unlink(path)
    #expect(mkdir(path, 0o700) == 0)
    expectRefusal("\(name) in its directory is no regular file")
    rmdir(path)
    try bench.folder.write("mine", to: "mine")
    #expect(symlink(bench.folder.path("mine"), path) == 0)
    expectRefusal("\(name) in its directory is a symbolic link")
    #expect(try readText(bench.folder.path("mine")) == "mine")
  }

  @Test func linkForBlobs_isRefused_andNothingThroughItDeleted() throws {
    removeBlobs()
    let name = Blob.newName()
    let foreign = try bench.folder.write("mine", to: "foreign/\(name.prefix(2))/\(name)")
    #expect(symlink(bench.folder.path("foreign"), blobFolder) == 0)
    expectRefusal("blobs in its directory is a symbolic link")
    #expect(try readText(foreign) == "mine")
  }

  /// One of the folders in it leads elsewhere: nothing is written there.
  @Test func linksInBlobs_areNotFollowed() throws {
    removeBlobs()
    #expect(mkdir(blobFolder, 0o700) == 0)
    #expect(mkdir(bench.folder.path("foreign"), 0o700) == 0)
    for number in 0..<256 {
      let name = (number < 16 ? "0" : "") + String(number, radix: 16)
      #expect(symlink(bench.folder.path("foreign"), "\(blobFolder)/\(name)") == 0)
    }
    let store = try bench.open()
    #expect(throws: CacheError.self) {
      try store.create("n", source: "s", facts: bench.facts())
    }
    #expect(directoryEntries(bench.folder.path("foreign")) == [])
  }

  @Test func sweep_deletesNothingThatIsNotTheCaches() throws {
    let (name, other) = (Blob.newName(), Blob.newName())
    let shard = "\(blobFolder)/\(name.prefix(2))"
    mkdir(shard, 0o700)
    var kept = try ["notes.txt", "\(name).txt", String(name.dropLast())].map {
      try bench.folder.write("mine", to: "cache/blobs/\(name.prefix(2))/\($0)")
    }
    kept.append(try bench.folder.write("mine", to: "cache/blobs/notes.txt"))
    kept.append(try bench.folder.write("mine", to: "cache/blobs/mine/\(name)"))
    // The name of a blob, in a folder where none of that name belongs, and behind a link.
    let wrong = name.prefix(2) == "00" ? "11" : "00"
    kept.append(try bench.folder.write("mine", to: "cache/blobs/\(wrong)/\(name)"))
    kept.append(try bench.folder.write("mine", to: "foreign/\(other)"))
    if !fileExists("\(blobFolder)/\(other.prefix(2))") {
      #expect(
        symlink(bench.folder.path("foreign"), "\(blobFolder)/\(other.prefix(2))") == 0)
    }
    let store = try bench.open()
    #expect(try store.sweep() == 0)
    for path in kept { #expect(try readText(path) == "mine", "\(path)") }
    // One of its own still goes.
    try writeFile([1], to: "\(shard)/\(name)")
    #expect(try store.sweep() == 1)
    #expect(try store.verify().wrongSegments == 0)
    for path in kept { #expect(try readText(path) == "mine", "\(path)") }
  }

  /// An entry whose file became something else is stored anew.
  @Test(arguments: [0, 1, 2])
  func blob_thatIsNoFile_isStoredAnew(kind: Int) throws {
    let path = bench.blobs[0]
    unlink(path)
    let foreign = try bench.folder.write("mine", to: "foreign")
    switch kind {
    case 0: #expect(mkfifo(path, 0o600) == 0)
    case 1: #expect(mkdir(path, 0o700) == 0)
    default: #expect(symlink(foreign, path) == 0)
    }
    let store = try bench.open()
    #expect(try store.find("k") == nil)
    try bench.fill(store, "k")
    #expect(try store.find("k")?.checkedBytes() == [0: sampleBytes(0..<4096)])
    #expect(try store.verify().wrongSegments == 0)
    #expect(try readText(foreign) == "mine")
  }

  // MARK: Stories play without it

  @Test(.timeLimit(.minutes(1))) func story_withACacheOfAnotherUser_playsAndThatIsSaidOnce() throws
  {
    #expect(chown(bench.path, 65_534, 65_534) == 0)
    let before = directoryEntries(bench.path)
    let file = ServedFile(sampleBytes(0..<300_000))
    let server = try FaultServer { file.reply(to: $0) }
    defer { server.close() }
    let network = try NetworkBench(bench.path)
    for name in ["a", "b"] {
      let bytes = try network.readAll(network.network.open("\(server.url)/\(name)"))
      #expect(isSample(bytes, 0..<300_000))
    }
    #expect(
      network.network.takeNotices() == ["no cache: its directory belongs to another user"])
    network.network.close()
    #expect(directoryEntries(bench.path) == before)
  }
}
