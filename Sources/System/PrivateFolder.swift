import Glibc

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
}
