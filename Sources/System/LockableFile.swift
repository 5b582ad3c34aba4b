import CLinux
import Glibc

/// A file that any thread may read and write at positions, and whose ranges can be locked against
/// other processes. The locks are released when this object is freed.
public final class LockableFile: Sendable {
  private let descriptor: Descriptor

  /// How a range is locked.
  public enum Hold: Sendable { case shared, exclusive }

  /// Opens a regular file; with `creating`, makes a new one of mode 0600 and fails if the name is
  /// taken. A link is not followed (ELOOP), a pipe not waited for (ENXIO).
  public init(_ path: String, creating: Bool) throws(SystemError) {
    let flags = O_RDWR | (creating ? O_CREAT | O_EXCL : 0)
    descriptor = try LockableFile.open(path, flags, step: creating ? "create" : "open")
  }

  /// Opens a file for reading alone; its ranges can only be locked as shared.
  public init(reading path: String) throws(SystemError) {
    descriptor = try LockableFile.open(path, O_RDONLY, step: "open")
  }

  private static func open(
    _ path: String, _ flags: Int32, step: String
  ) throws(SystemError) -> Descriptor {
    let all = flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    let number = retrying { Glibc.open(FileName.forKernel(path), all, 0o600) }
    guard number >= 0 else { throw SystemError(step: step, subject: path, code: errno) }
    let file = Descriptor(adopting: number)
    guard try FileStatus(of: file).kind == .regular else {
      throw SystemError(step: step, subject: path, code: ENXIO)
    }
    return file
  }

  /// Reads bytes at a position; fewer than `count` only where the file ends.
  public func read(at offset: UInt64, count: Int) throws(SystemError) -> [UInt8] {
    try descriptor.read(at: offset, count: count)
  }

  /// Fills a buffer with the bytes at a position, without allocating; false where the file ends
  /// before that.
  public func fill(_ buffer: inout [UInt8], at offset: UInt64) throws(SystemError) -> Bool {
    var done = 0
    while done < buffer.count {
      let count = buffer.withUnsafeMutableBytes { raw in
        retrying {
          pread(
            descriptor.number, raw.baseAddress.map { $0 + done }, raw.count - done,
            off_t(offset) + off_t(done))
        }
      }
      guard count >= 0 else { throw SystemError(step: "read", code: errno) }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  /// Writes all bytes at a position.
  public func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { raw in
        retrying {
          pwrite(
            descriptor.number, raw.baseAddress.map { $0 + done }, raw.count - done,
            off_t(offset) + off_t(done))
        }
      }
      guard count > 0 else { throw SystemError(step: "write", code: count < 0 ? errno : EIO) }
      done += count
    }
  }

  /// Waits until the written bytes are on the disk (fdatasync).
  public func synchronize() throws(SystemError) {
    guard retrying({ fdatasync(descriptor.number) }) == 0 else {
      throw SystemError(step: "sync", code: errno)
    }
  }

  /// The size in bytes, and whether a directory still names the file.
  public func status() throws(SystemError) -> (size: UInt64, hasName: Bool) {
    var status = stat()
    guard fstat(descriptor.number, &status) == 0 else {
      throw SystemError(step: "examine", code: errno)
    }
    return (UInt64(max(0, status.st_size)), status.st_nlink > 0)
  }

  /// Locks a range without waiting; false where another process has locked it.
  public func hold(_ range: Range<UInt64>, _ how: Hold) throws(SystemError) -> Bool {
    let code = setLock(Int32(how == .shared ? F_RDLCK : F_WRLCK), range)
    guard code == 0 || code == EAGAIN || code == EACCES else {
      throw SystemError(step: "lock", code: code)
    }
    return code == 0
  }

  /// Unlocks a range.
  public func release(_ range: Range<UInt64>) {
    _ = setLock(Int32(F_UNLCK), range)
  }

  /// Uses F_OFD_SETLK: such a lock belongs to the open file description, so it stays when another
  /// descriptor of the same file is closed (fcntl(2)).
  private func setLock(_ type: Int32, _ range: Range<UInt64>) -> Int32 {
    var lock = flock(
      l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: off_t(clamping: range.lowerBound),
      l_len: off_t(clamping: range.upperBound - range.lowerBound), l_pid: 0)
    return fcntl(descriptor.number, lx_set_description_lock, &lock) == 0 ? 0 : errno
  }
}
