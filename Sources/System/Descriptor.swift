import CLinux
import Glibc

/// Owns one file descriptor and closes it exactly once.
public struct Descriptor: ~Copyable, Sendable {
  /// The number, valid while this value lives.
  public let number: Int32

  /// Adopts an open descriptor.
  public init(adopting number: Int32) { self.number = number }

  deinit { _ = close(number) }

  /// Gives up ownership: the caller must close the number.
  public consuming func release() -> Int32 {
    let number = number
    discard self
    return number
  }

  /// The outcome of a read or write that might block.
  public enum Transfer: Equatable, Sendable {
    /// So many bytes were transferred.
    case bytes(Int)
    case wouldBlock
    /// The other side is gone, or the file ends here.
    case end
  }

  /// Opens a file for reading, close-on-exec, and without waiting for a fifo's writer.
  public static func open(reading path: String) throws(SystemError) -> Descriptor {
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    let number = retrying { Glibc.open(FileName.forKernel(path), flags) }
    guard number >= 0 else { throw SystemError(step: "open", subject: path, code: errno) }
    return Descriptor(adopting: number)
  }

  /// Opens a file for appending; creates it with mode 0600 if it is missing. In a folder that
  /// others may write to, no link is followed, and the file must be this user's alone. A pipe is
  /// opened without waiting: without a reader that is an error, and bytes that it does not accept
  /// are not written.
  public static func open(appending path: String) throws(SystemError) -> Descriptor {
    let destination = try Destination(path)
    let flags =
      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | destination.linkFlag
    let number = retrying { Glibc.open(FileName.forKernel(destination.path), flags, 0o600) }
    guard number >= 0 else { throw SystemError(step: "open", subject: path, code: errno) }
    let file = Descriptor(adopting: number)
    try destination.check(file)
    return file
  }

  /// Makes reads and writes return instead of waiting.
  public func setNonBlocking() throws(SystemError) { try setFlags { $0 | O_NONBLOCK } }

  /// Makes reads and writes wait.
  func setBlocking() throws(SystemError) { try setFlags { $0 & ~O_NONBLOCK } }

  private func setFlags(_ changed: (Int32) -> Int32) throws(SystemError) {
    let flags = fcntl(number, F_GETFL)
    guard flags >= 0, fcntl(number, F_SETFL, changed(flags)) >= 0 else {
      throw SystemError(step: "set up a descriptor", code: errno)
    }
  }

  /// Reads the available bytes, at most `limit`, and appends them to `buffer`.
  public func read(upTo limit: Int, into buffer: inout [UInt8]) throws(SystemError) -> Transfer {
    try append(upTo: limit, to: &buffer) { Glibc.read(number, $0.baseAddress, $0.count) }
  }

  /// Reads from a socket as `read` does, but never waits, even if the socket would.
  public func take(upTo limit: Int, into buffer: inout [UInt8]) throws(SystemError) -> Transfer {
    try append(upTo: limit, to: &buffer) {
      recv(number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
    }
  }

  private func append(
    upTo limit: Int, to buffer: inout [UInt8], _ call: (UnsafeMutableRawBufferPointer) -> Int
  ) throws(SystemError) -> Transfer {
    var code: Int32 = 0
    var count = 0
    let chunk = [UInt8](unsafeUninitializedCapacity: limit) { target, filled in
      count = retrying { call(UnsafeMutableRawBufferPointer(target)) }
      code = errno
      filled = max(0, count)
    }
    buffer += chunk
    return try transfer(count, code, step: "read")
  }

  /// Reads at a position of a file; gives fewer bytes only at its end.
  public func read(at offset: UInt64, count: Int) throws(SystemError) -> [UInt8] {
    guard offset <= UInt64(Int64.max) else { return [] }
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let target = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
        let got = retrying {
          pread(number, target.baseAddress, target.count, off_t(offset) + off_t(filled))
        }
        if got < 0 { code = errno }
        guard got > 0 else { break }
        filled += got
      }
    }
    guard code == 0 else { throw SystemError(step: "read", code: code) }
    return bytes
  }

  /// Reads at a position of a file, but only if the kernel has all bytes in memory; nil where it
  /// would have to wait for some, and where the file system cannot tell.
  public func readCached(at offset: UInt64, count: Int) -> [UInt8]? {
    guard offset <= UInt64(Int64.max) else { return [] }
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let target = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
        let got = lx_read_cached(
          number, target.baseAddress, target.count, Int64(offset) + Int64(filled))
        if got < 0 { isWhole = false }
        guard got > 0 else { break }
        filled += got
      }
    }
    return isWhole ? bytes : nil
  }

  /// Writes as much as the other side accepts.
  public func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Transfer {
    var code: Int32 = 0
    let count = bytes.withUnsafeBytes { raw in
      let result = retrying { Glibc.write(number, raw.baseAddress, raw.count) }
      code = errno
      return result
    }
    return try transfer(count, code, step: "write")
  }

  /// Writes all bytes to a file or a blocking pipe.
  public func writeAll(_ bytes: [UInt8]) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      guard case .bytes(let count) = try write(bytes[done...]) else {
        throw SystemError(step: "write", code: EIO)
      }
      done += count
    }
  }

  /// Writes as much as a socket's other side accepts; no SIGPIPE comes if that side is gone.
  public func send(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Transfer {
    var code: Int32 = 0
    let count = bytes.withUnsafeBytes { raw in
      let result = retrying { Glibc.send(number, raw.baseAddress, raw.count, Int32(MSG_NOSIGNAL)) }
      code = errno
      return result
    }
    return try transfer(count, code, step: "write")
  }

  private func transfer(_ count: Int, _ code: Int32, step: String) throws(SystemError) -> Transfer {
    if count > 0 { return .bytes(count) }
    if count == 0 { return .end }
    switch code {
    case EAGAIN: return .wouldBlock
    case EPIPE, ECONNRESET, EIO: return .end
    default: throw SystemError(step: step, code: code)
    }
  }
}

/// Repeats a call while a signal interrupts it.
func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
