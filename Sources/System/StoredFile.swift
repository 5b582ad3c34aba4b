import CLinux
import Glibc

/// A file that any thread may read and write at positions, and whose ranges can be locked against
/// other processes. The locks end with the last reference.
public final class StoredFile: Sendable {
  private let descriptor: Descriptor

  /// How a range is locked.
  public enum Hold: Sendable { case shared, exclusive }

  /// Opens a regular file; with `creating`, makes a new one of mode 0600 and fails if the name is
  /// taken. A link is not followed (ELOOP), a pipe not waited for (ENXIO).
  public init(_ path: String, creating: Bool) throws(SystemError) {
    let flags = O_RDWR | (creating ? O_CREAT | O_EXCL : 0)
    descriptor = try StoredFile.open(path, flags, step: creating ? "create" : "open")
  }

  /// Opens a file for reading alone; its ranges can only be locked as shared.
  public init(reading path: String) throws(SystemError) {
    descriptor = try StoredFile.open(path, O_RDONLY, step: "open")
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
  public func status() throws(SystemError) -> (size: UInt64, isLinked: Bool) {
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

  private func setLock(_ type: Int32, _ range: Range<UInt64>) -> Int32 {
    var lock = flock(
      l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: off_t(clamping: range.lowerBound),
      l_len: off_t(clamping: range.upperBound - range.lowerBound), l_pid: 0)
    return fcntl(descriptor.number, lx_set_description_lock, &lock) == 0 ? 0 : errno
  }
}

/// Directories that only their owner may read.
public enum PrivateFolder {
  /// Creates a directory with mode 0700; an existing one stays as it is.
  public static func make(_ path: String) throws(SystemError) {
    guard mkdir(FileName.forKernel(path), 0o700) == 0 || errno == EEXIST else {
      throw SystemError(step: "create", subject: path, code: errno)
    }
  }

  /// Creates a directory and its missing parents, each with mode 0700. None is created directly
  /// below the root: what is missing there is a home or a mounted volume.
  public static func makeAll(_ path: String) throws(SystemError) {
    do {
      try make(path)
    } catch {
      let parent = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
      guard error.code == ENOENT, parent.dropFirst().contains("/") else { throw error }
      try makeAll(String(parent))
      try make(path)
    }
  }

  /// Whether this user may change a file, or the names in a folder, on a writable volume. A missing
  /// one counts as writable: it can be created if its own folder is writable.
  public static func isWritable(_ path: String) -> Bool {
    access(FileName.forKernel(path), W_OK) == 0 || errno == ENOENT
  }

  /// Waits until the names in a directory are on the disk.
  public static func synchronize(_ path: String) throws(SystemError) {
    let folder = try Descriptor.open(reading: path)
    guard retrying({ fsync(folder.number) }) == 0 else {
      throw SystemError(step: "sync", subject: path, code: errno)
    }
  }

  /// How many bytes this user may still write on the volume, and the size of the volume.
  public static func space(at path: String) throws(SystemError) -> (free: UInt64, total: UInt64) {
    var status = statvfs()
    guard statvfs(FileName.forKernel(path), &status) == 0 else {
      throw SystemError(step: "examine", subject: path, code: errno)
    }
    let unit = UInt64(status.f_frsize)
    // Some volumes claim an unlimited size.
    return (
      UInt64(status.f_bavail).multipliedClamped(by: unit),
      UInt64(status.f_blocks).multipliedClamped(by: unit)
    )
  }

  /// Does something short with a directory's names while no other process does the same; waits for
  /// another one. Where the volume has no locks for folders, it is done without a lock.
  public static func alone<Result>(in path: String, _ body: () -> Result) -> Result {
    guard let folder = try? Descriptor.open(reading: path) else { return body() }
    _ = retrying { flock(folder.number, LOCK_EX) }
    defer { _ = flock(folder.number, LOCK_UN) }
    return body()
  }

  /// Removes a file; false where there is none.
  public static func remove(_ path: String) throws(SystemError) -> Bool {
    if unlink(FileName.forKernel(path)) == 0 { return true }
    guard errno == ENOENT else { throw SystemError(step: "remove", subject: path, code: errno) }
    return false
  }

  /// Renames a file, replacing an existing one.
  public static func rename(_ path: String, to other: String) throws(SystemError) {
    guard Glibc.rename(FileName.forKernel(path), FileName.forKernel(other)) == 0 else {
      throw SystemError(step: "rename", subject: path, code: errno)
    }
  }
}
