import Glibc
import Support
import Synchronization
import System
import Testing

@Suite struct PrivateFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func mode(of path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode : 0
  }

  @Test func replace_ofAFileOrNone_leavesOnlyTheNewBytesForTheOwner() throws {
    let path = try directory.write("old and longer", to: "report")
    chmod(path, 0o644)
    try PrivateFile.replace(path, with: Array("new".utf8))
    try PrivateFile.replace(directory.path("other"), with: Array("first".utf8))
    #expect(try readText(path) == "new")
    #expect(try readText(directory.path("other")) == "first")
    #expect(mode(of: path) == S_IFREG | 0o600)
  }

  @Test func replace_throughALink_replacesItsTarget() throws {
    let path = try directory.write("old", to: "report")
    symlink("report", directory.path("link"))
    try PrivateFile.replace(directory.path("link"), with: Array("new".utf8))
    #expect(try readText(path) == "new")
    #expect(mode(of: directory.path("link")) & S_IFMT == S_IFLNK)
  }

  @Test func replace_ofADevice_writesToIt() throws {
    let before = mode(of: "/dev/null")
    try PrivateFile.replace("/dev/null", with: Array("new".utf8))
    #expect(mode(of: "/dev/null") == before && before & S_IFMT == S_IFCHR)
  }

  /// A report that does not fit into a pipe waits for its reader, by whatever name it is reached.
  @Test(arguments: [false, true])
  func replace_ofAPipeThatIsReadSlowly_writesAll(isKernelLink: Bool) throws {
    let pipe = directory.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let reader = try Descriptor.open(reading: pipe)
    let writer = Descriptor(adopting: open(pipe, O_WRONLY | O_CLOEXEC | O_NONBLOCK))
    let path = isKernelLink ? "/proc/self/fd/\(writer.number)" : pipe
    let bytes = [UInt8](repeating: 7, count: 1 << 20)
    let count = Atomic<Int>(0)
    let thread = try WorkerThread {
      var read: [UInt8] = []
      while read.count < bytes.count {
        _ = try? awaitReadiness(of: [Interest(reader.number)], until: nil)
        guard case .bytes = try? reader.read(upTo: 4096, into: &read) else { break }
      }
      count.store(read.count, ordering: .relaxed)
    }
    try PrivateFile.replace(path, with: bytes)
    _ = consume writer
    thread.join()
    #expect(count.load(ordering: .relaxed) == bytes.count)
  }

  @Test func replace_inAMissingFolder_namesIt() {
    #expect(throws: SystemError.self) {
      try PrivateFile.replace(directory.path("none/report"), with: [])
    }
  }

  @Test func newFile_takenName_isNumbered() throws {
    let folder = directory.path
    let first = try NewFile.write([1], name: folder + "/still", suffix: ".png")
    let second = try NewFile.write([2], name: folder + "/still", suffix: ".png")
    #expect([first, second] == [folder + "/still.png", folder + "/still-2.png"])
    #expect(try readFile(first) == [1])
    #expect(try readFile(second) == [2])
  }
}
