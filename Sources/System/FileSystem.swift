import Glibc

/// What can be done with files and folders by their paths.
public enum FileSystem {
  /// Whether this user may change a file, or the names in a folder, on a writable volume. True for
  /// what is missing: whether it can be created depends on its folder, which is not asked.
  public static func isWritable(_ path: String) -> Bool {
    access(FileName.forKernel(path), W_OK) == 0 || errno == ENOENT
  }

  /// Waits until the names in a directory are on the disk.
  public static func synchronizeFolder(_ path: String) throws(SystemError) {
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
    // Some file systems report sizes near 2^64 bytes, and the product would overflow.
    return (
      UInt64(status.f_bavail).multipliedClamped(by: unit),
      UInt64(status.f_blocks).multipliedClamped(by: unit)
    )
  }

  /// Does something short with a directory's names while no other process does the same; waits for
  /// another one. Where the volume has no locks for folders, it is done without a lock.
  public static func withFolderLocked<Result>(_ path: String, _ body: () -> Result) -> Result {
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
