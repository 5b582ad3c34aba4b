import Glibc

/// Files that only their owner may read.
public enum PrivateFile {
  /// Writes a file of mode 0600. A regular file is replaced atomically: it holds the old or the new
  /// bytes, never a mix; a link to it stays in place. A device or a pipe is written to directly. In
  /// a folder that others may write to, no link is followed, and no file of another user is written
  /// or replaced.
  public static func replace(_ name: String, with bytes: [UInt8]) throws(SystemError) {
    let destination = try Destination(name)
    let path = FileName.forKernel(destination.path)
    // What the kernel's link leads to has no path at which it could be replaced.
    if destination.isKernelLink { return try writeInPlace(destination, bytes) }
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else { return try writeInPlace(destination, bytes) }
      try destination.check(status)
    }
    try replaceByRename(destination.path, bytes)
  }

  private static func writeInPlace(
    _ destination: Destination, _ bytes: [UInt8]
  ) throws(SystemError) {
    let path = destination.path
    // O_NONBLOCK makes a pipe without a reader an error; nobody waits for one.
    let number = open(
      FileName.forKernel(path), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | destination.linkFlag)
    guard number >= 0 else { throw SystemError(step: "open", subject: path, code: errno) }
    let file = Descriptor(adopting: number)
    try destination.check(file)
    // A reader may be slower than the writing.
    try file.setBlocking()
    try file.writeAll(bytes)
  }

  private static func replaceByRename(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
    // Others cannot have taken this name, because they cannot guess it.
    let temporary = "\(path).\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).new"
    let number = open(
      FileName.forKernel(temporary), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard number >= 0 else { throw SystemError(step: "create", subject: temporary, code: errno) }
    let file = Descriptor(adopting: number)
    do throws(SystemError) {
      try file.writeAll(bytes)
      guard rename(FileName.forKernel(temporary), FileName.forKernel(path)) == 0 else {
        throw SystemError(step: "replace", subject: path, code: errno)
      }
    } catch {
      unlink(FileName.forKernel(temporary))
      throw error
    }
  }
}
