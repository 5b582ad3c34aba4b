import Glibc
import Resources
import Support
import Testing

@Suite struct FileResourceTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func resource(_ bytes: [UInt8]) throws -> FileResource {
    try FileResource(path: directory.write(bytes, to: "file"))
  }

  private func read(_ resource: FileResource, _ offset: UInt64, _ length: Int) throws -> [UInt8] {
    var answers: [Result<[UInt8], ResourceError>] = []
    resource.read(offset: offset, length: length) { answers.append($0) }
    #expect(answers.count == 1)
    return try answers[0].get()
  }

  @Test(
    arguments: [
      (0, 4, [0, 1, 2, 3]), (6, 4, [6, 7, 8, 9]), (8, 4, [8, 9]), (10, 4, []), (99, 4, []),
      (0, 0, []), (0, 99, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), (UInt64.max, 4, []),
    ] as [(UInt64, Int, [UInt8])])
  func read_ofAnyRange_givesTheBytesThatAreThere(
    offset: UInt64, length: Int, expected: [UInt8]
  ) throws {
    let resource = try resource(Array(0..<10))
    #expect(resource.info == ContentInfo(length: 10))
    #expect(try read(resource, offset, length) == expected)
  }

  @Test func init_ofWhatIsNoRegularFile_saysWhat() throws {
    mkfifo(directory.path + "/fifo", 0o600)
    let cases = [
      (directory.path + "/missing", "no such file"), (directory.path, "is a directory"),
      (directory.path + "/fifo", "not a regular file"), ("/dev/null", "not a regular file"),
    ]
    for (path, reason) in cases {
      #expect(throws: ResourceError(reason)) { try FileResource(path: path) }
    }
  }
}

@Suite struct LocalOpenerTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    mkdir(directory.path + "/show", 0o700)
    mkdir(directory.path + "/show/parts", 0o700)
    try directory.write([1], to: "show/list.m3u8")
    try directory.write([2], to: "show/parts/a b.ts")
    try directory.write([3], to: "secret.ts")
    symlink("../secret.ts", directory.path + "/show/link.ts")
  }

  private var opener: LocalOpener { LocalOpener(playlist: directory.path + "/show/list.m3u8") }

  @Test(arguments: ["parts/a b.ts", "./parts/../parts/a b.ts"])
  func open_ofAFileBesideThePlaylist_opens(reference: String) throws {
    #expect(try opener.open(reference).info == ContentInfo(length: 1))
  }

  @Test func open_ofItsFileURL_opens() throws {
    let url = "file://\(directory.path)/show/parts/a%20b.ts"
    #expect(try opener.open(url).info == ContentInfo(length: 1))
  }

  @Test(arguments: [
    "../secret.ts", "link.ts", "/etc/passwd", "file:///etc/passwd", "file:/etc/passwd",
    "parts/../../secret.ts", "http://127.0.0.1:9/a.ts", "concat:parts/a b.ts", "",
    "file:///etc/passwd%00.ts", "data:text/plain,x", "crypto:parts/a b.ts", "parts",
  ])
  func open_ofAnythingElse_refuses(reference: String) {
    #expect(throws: ResourceError.self) { try opener.open(reference) }
  }
}
