import Glibc
import Support
import System
import Testing

@Suite struct DescriptorTests {
  /// Two connected sockets.
  private func pair() throws -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    let made = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
    try #require(made == 0)
    return (ends[0], ends[1])
  }

  @Test(
    arguments: [
      (0, 4, "abcd"), (3, 4, "defg"), (8, 2, "ij"), (8, 4, "ij"), (10, 1, ""), (11, 5, ""),
      (0, 0, ""), (UInt64.max, 1, ""), (1 << 40, 1, ""),
    ] as [(UInt64, Int, String)])
  func readAt_fileOfTen_givesWhatIsThere(offset: UInt64, count: Int, expected: String) throws {
    let directory = try TemporaryDirectory()
    let file = try Descriptor.open(reading: directory.write("abcdefghij", to: "f"))
    #expect(String(decoding: try file.read(at: offset, count: count), as: UTF8.self) == expected)
  }

  @Test func readAt_pipe_throws() throws {
    let (a, b) = try pair()
    let ours = Descriptor(adopting: a)
    let theirs = Descriptor(adopting: b)
    _ = theirs.number
    #expect(throws: SystemError(step: "read", code: ESPIPE)) {
      _ = try ours.read(at: 0, count: 1)
    }
  }

  @Test(arguments: [("missing", ENOENT), ("file/below", ENOTDIR)])
  func open_impossible_namesFileAndReason(name: String, code: Int32) throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "file")
    let path = directory.path(name)
    let expected = SystemError(step: "open", subject: path, code: code)
    #expect(throws: expected) { _ = try Descriptor.open(reading: path) }
    #expect(
      expected.description == "cannot open \(path): \(String(cString: strerror(code)))")
  }

  @Test func open_fifoWithoutWriter_returnsAtOnce() throws {
    let directory = try TemporaryDirectory()
    try #require(mkfifo(directory.path("fifo"), 0o600) == 0)
    let fifo = try Descriptor.open(reading: directory.path("fifo"))
    #expect(fcntl(fifo.number, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test func readUpTo_stream_appendsThenWaitsThenEnds() throws {
    let (a, b) = try pair()
    let ours = Descriptor(adopting: a)
    var bytes: [UInt8] = [1]
    do {
      let theirs = Descriptor(adopting: b)
      try ours.setNonBlocking()
      #expect(try ours.read(upTo: 10, into: &bytes) == .wouldBlock)
      #expect(bytes == [1])
      #expect(try theirs.write([2, 3, 4]) == .bytes(3))
      #expect(try ours.read(upTo: 2, into: &bytes) == .bytes(2))
      #expect(try ours.read(upTo: 10, into: &bytes) == .bytes(1))
      #expect(bytes == [1, 2, 3, 4])
    }
    // The other end was closed when its owner was destroyed.
    #expect(try ours.read(upTo: 10, into: &bytes) == .end)
    #expect(bytes == [1, 2, 3, 4])
  }

  @Test func write_fullSocket_wouldBlock() throws {
    let (a, b) = try pair()
    let ours = Descriptor(adopting: a)
    let theirs = Descriptor(adopting: b)
    try ours.setNonBlocking()
    let block = [UInt8](repeating: 7, count: 1 << 16)[...]
    var written = 0
    while case .bytes(let count) = try ours.write(block) { written += count }
    #expect(try ours.write(block) == .wouldBlock)
    var bytes: [UInt8] = []
    while bytes.count < written {
      guard case .bytes = try theirs.read(upTo: 1 << 16, into: &bytes) else { break }
    }
    #expect(bytes.count == written)
    #expect(bytes.allSatisfy { $0 == 7 })
  }

  @Test func write_closedSocket_isTheEnd() throws {
    signal(SIGPIPE, SIG_IGN)
    let (a, b) = try pair()
    let ours = Descriptor(adopting: a)
    close(b)
    #expect(try ours.write([1]) == .end)
  }

  @Test func write_badDescriptor_throws() throws {
    let directory = try TemporaryDirectory()
    let file = try Descriptor.open(reading: directory.write("abc", to: "f"))
    #expect(throws: SystemError(step: "write", code: EBADF)) { try file.write([1]) }
  }
}
