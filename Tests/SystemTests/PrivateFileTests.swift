import Glibc
import Support
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

  @Test func replace_inAMissingFolder_namesIt() {
    #expect(throws: SystemError.self) {
      try PrivateFile.replace(directory.path("none/report"), with: [])
    }
  }

  @Test func newFile_takenName_isNumbered() throws {
    let folder = directory.path
    let first = try NewFile.write([1], name: folder + "/still", ending: ".png")
    let second = try NewFile.write([2], name: folder + "/still", ending: ".png")
    #expect([first, second] == [folder + "/still.png", folder + "/still-2.png"])
    #expect(try readFile(first) == [1])
    #expect(try readFile(second) == [2])
  }
}
