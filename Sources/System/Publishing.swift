import Glibc

/// Placing files where others may read them.
public enum PublicFolder {
  /// Makes a directory that all may read; one that is there stays as it is.
  public static func make(_ path: String) throws(SystemError) {
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
      throw SystemError(step: "create", subject: path, code: errno)
    }
  }

  /// Removes a directory if nothing is in it.
  public static func removeIfEmpty(_ path: String) { rmdir(path) }

  /// Writes a file of mode 0644 in one step: it holds the old or the new bytes, never a part.
  public static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    try place(path) { temporary throws(SystemError) in
      try create(temporary).writeAll(bytes)
    }
  }

  /// Gives an open file a name here too: by a hard link where all may read it and the volume is the
  /// same, else as a copy of mode 0644 with the same date. Replaces what had the name.
  ///
  /// - Returns: whether its bytes had to be copied.
  public static func place(
    _ file: borrowing Descriptor, as path: String
  ) throws(SystemError) -> Bool {
    let status = try FileStatus(of: file)
    if let there = try? FileStatus(of: path) {
      let isSame = there.device == status.device && there.inode == status.inode
      let isCopy =
        there.sizeBytes == status.sizeBytes
        && there.modifiedNanoseconds == status.modifiedNanoseconds
        && there.permissions & 0o004 != 0
      if isSame || isCopy { return false }
    }
    let number = file.number
    var isCopied = false
    try place(path) { temporary throws(SystemError) in
      let name = "/proc/self/fd/\(number)"
      let mayLink = status.permissions & 0o004 != 0
      if mayLink, linkat(AT_FDCWD, name, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) == 0 { return }
      isCopied = true
      try copy(number, to: temporary, status)
    }
    return isCopied
  }

  private static func place(
    _ path: String, _ make: (String) throws(SystemError) -> Void
  ) throws(SystemError) {
    let temporary = "\(path).\(getpid()).new"
    unlink(temporary)
    do throws(SystemError) {
      try make(temporary)
      // Two names of one file are left as they are by rename; then the temporary one goes.
      guard rename(temporary, path) == 0 else {
        throw SystemError(step: "replace", subject: path, code: errno)
      }
      unlink(temporary)
    } catch {
      unlink(temporary)
      throw error
    }
  }

  private static func create(_ path: String) throws(SystemError) -> Descriptor {
    let number = retrying {
      open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
    }
    guard number >= 0 else { throw SystemError(step: "create", subject: path, code: errno) }
    return Descriptor(adopting: number)
  }

  private static func copy(
    _ source: Int32, to path: String, _ status: FileStatus
  ) throws(SystemError) {
    let target = try create(path)
    var offset: off_t = 0
    while true {
      let count = retrying { sendfile(target.number, source, &offset, 1 << 30) }
      guard count >= 0 else { throw SystemError(step: "copy to", subject: path, code: errno) }
      if count == 0 { break }
    }
    fchmod(target.number, 0o644)
    let moment = timespec(
      tv_sec: Int(status.modifiedNanoseconds / 1_000_000_000),
      tv_nsec: Int(status.modifiedNanoseconds % 1_000_000_000))
    var times = [moment, moment]
    futimens(target.number, &times)
  }
}
