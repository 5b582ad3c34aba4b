import Glibc

/// Writes files without replacing existing ones.
public enum NewFile {
  /// Writes a new file in the working directory; if the name is taken, `-2`, `-3` ... are tried.
  ///
  /// - Parameter suffix: what follows the number, as `.png`.
  /// - Returns: the name of the new file.
  public static func write(_ bytes: [UInt8], name: String, suffix: String) throws(SystemError)
    -> String
  {
    for attempt in 1...999 {
      let path = attempt == 1 ? name + suffix : "\(name)-\(attempt)\(suffix)"
      let number = open(
        FileName.forKernel(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
      if number < 0, errno == EEXIST { continue }
      guard number >= 0 else { throw SystemError(step: "create", subject: path, code: errno) }
      let file = Descriptor(adopting: number)
      do {
        try file.writeAll(bytes)
      } catch {
        unlink(FileName.forKernel(path))
        throw SystemError(step: "write", subject: path, code: error.code)
      }
      return path
    }
    throw SystemError(step: "create", subject: name + suffix, code: EEXIST)
  }
}
