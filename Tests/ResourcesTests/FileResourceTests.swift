import Glibc
import Support
import Synchronization
import System
import Testing

@testable import Resources

@Suite struct FileResourceTests {
  private let directory: TemporaryDirectory
  private let bench: NetworkBench

  init() throws {
    directory = try TemporaryDirectory()
    bench = try NetworkBench(nil)
  }

  @Test(
    arguments: [
      (0, 4, [0, 1, 2, 3]), (6, 4, [6, 7, 8, 9]), (8, 4, [8, 9]), (10, 4, []), (99, 4, []),
      (0, 0, []), (0, 99, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), (UInt64.max, 4, []),
    ] as [(UInt64, Int, [UInt8])])
  func read_ofAnyRange_givesTheBytesThatAreThere(
    offset: UInt64, length: Int, expected: [UInt8]
  ) throws {
    let resource = try bench.network.open(file: directory.write([UInt8](0..<10), to: "file"))
    #expect(try bench.bytes(resource, offset, length).get() == expected)
    #expect(resource.info == ContentInfo(length: 10))
  }

  @Test func open_ofWhatIsNoRegularFile_saysWhat() throws {
    mkfifo(directory.path + "/fifo", 0o600)
    let cases = [
      (directory.path + "/missing", "no such file"), (directory.path, "is a directory"),
      (directory.path + "/fifo", "not a regular file"), ("/dev/null", "not a regular file"),
    ]
    for (path, reason) in cases {
      let resource = try bench.network.open(file: path)
      #expect(try bench.opened(resource) == ResourceError(reason))
      #expect(try bench.bytes(resource, 0, 10) == .failure(ResourceError(reason)))
      #expect(resource.info == nil)
    }
  }

  /// A file on a mount that does not answer keeps nobody waiting but its own readers.
  @Test func file_thatHangs_keepsOthersFromNothing() throws {
    let isReleased = Flag()
    let path = try directory.write([1, 2, 3], to: "a.bin")
    var hanging: FileResource? = try FileResource(path: path, reads: bench.network.files) {
      () throws(ResourceError) in
      while !isReleased.isSet { usleep(1_000) }
      return try OpenFile(path: path)
    }
    var answers: [Result<[UInt8], ResourceError>] = []
    hanging?.read(offset: 1, length: 9) { answers.append($0) }
    hanging?.read(offset: 0, length: 1) { answers.append($0) }
    let other = try bench.network.open(file: path)
    #expect(try bench.bytes(other, 0, 9).get() == [1, 2, 3])
    #expect(answers.isEmpty && hanging?.info == nil)
    isReleased.isSet = true
    try bench.wait { answers.count == 2 }
    #expect(answers == [.success([2, 3]), .success([1])])
    hanging = nil
  }

  /// Who lets go of one that hangs gets no answer, and is not kept from going on.
  @Test func file_thatHangs_canBeLetGo() throws {
    let isReleased = Flag()
    let path = try directory.write([1, 2, 3], to: "a.bin")
    var answers = 0
    do {
      let hanging = try FileResource(path: path, reads: bench.network.files) {
        () throws(ResourceError) in
        while !isReleased.isSet { usleep(1_000) }
        return try OpenFile(path: path)
      }
      hanging.read(offset: 0, length: 1) { _ in answers += 1 }
      hanging.whenOpened { _ in answers += 1 }
    }
    isReleased.isSet = true
    let other = try bench.network.open(file: path)
    #expect(try bench.bytes(other, 0, 9).get() == [1, 2, 3])
    usleep(50_000)
    bench.network.deliver()
    #expect(answers == 0)
  }

  @Test func thread_endsWithItsFile() throws {
    let path = try directory.write([1, 2, 3], to: "a.bin")
    var resource: FileResource? = try bench.network.open(file: path)
    #expect(try bench.bytes(try #require(resource), 0, 9).get() == [1, 2, 3])
    weak let thread = resource?.thread
    #expect(thread != nil)
    resource = nil
    try eventually("the thread has ended") { thread == nil }
  }
}

@Suite struct LocalOpenerTests {
  private let directory: TemporaryDirectory
  private let bench: NetworkBench

  init() throws {
    directory = try TemporaryDirectory()
    bench = try NetworkBench(nil)
    mkdir(directory.path + "/show", 0o700)
    mkdir(directory.path + "/show/parts", 0o700)
    try directory.write([1], to: "show/list.m3u8")
    try directory.write([2], to: "show/parts/a b.ts")
    try directory.write([3], to: "secret.ts")
    symlink("../secret.ts", directory.path + "/show/link.ts")
  }

  private var opener: LocalOpener {
    LocalOpener(bench.network, playlist: directory.path + "/show/list.m3u8")
  }

  /// Why it is not opened; nil where it is.
  private func refusal(_ reference: String) throws -> ResourceError? {
    do throws(ResourceError) {
      let resource = try opener.open(reference)
      return try? bench.opened(resource)
    } catch {
      return error
    }
  }

  @Test(arguments: ["parts/a b.ts", "./parts/../parts/a b.ts"])
  func open_ofAFileBesideThePlaylist_opens(reference: String) throws {
    let resource = try opener.open(reference)
    #expect(try bench.opened(resource) == nil)
    #expect(resource.info == ContentInfo(length: 1))
  }

  @Test func open_ofItsFileURL_opens() throws {
    let resource = try opener.open("file://\(directory.path)/show/parts/a%20b.ts")
    #expect(try bench.opened(resource) == nil)
    #expect(resource.info == ContentInfo(length: 1))
  }

  @Test(arguments: [
    ("../secret.ts", "a playlist may only name files beside it"),
    ("link.ts", "a playlist may only name files beside it"),
    ("/etc/passwd", "a playlist may only name files beside it"),
    ("file:///etc/passwd", "a playlist may only name files beside it"),
    ("file:/etc/passwd", "a playlist may only name files beside it"),
    ("parts/../../secret.ts", "a playlist may only name files beside it"),
    ("http://127.0.0.1:9/a.ts", "a playlist may only name files beside it"),
    ("concat:parts/a b.ts", "a playlist may only name files beside it"),
    ("", "a playlist may only name files beside it"),
    ("file:///etc/passwd%00.ts", "a playlist may only name files beside it"),
    ("data:text/plain,x", "a playlist may only name files beside it"),
    ("crypto:parts/a b.ts", "a playlist may only name files beside it"),
    ("parts", "is a directory"), ("parts/missing.ts", "a part of it is missing"),
  ])
  func open_ofAnythingElse_isRefused(reference: String, reason: String) throws {
    #expect(try refusal(reference) == ResourceError(reason))
  }
}
