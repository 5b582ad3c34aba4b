import Glibc

/// Files that only their owner may read.
public enum PrivateFile {
  /// Writes a file of mode 0600 atomically: it holds the old or the new bytes, never a mix. A link
  /// to the file stays in place; a device or a pipe is written to directly. In a folder that others
  /// may write to, no link is followed, and no file of another user is written or replaced.
  public static func replace(_ name: String, with bytes: [UInt8]) throws(SystemError) {
    let place = try Destination(name)
    let path = place.path
    var status = stat()
    let isThere =
      (place.isKernelLink
        ? stat(FileName.forKernel(path), &status) : lstat(FileName.forKernel(path), &status)) == 0
    if isThere, place.isKernelLink || status.st_mode & S_IFMT != S_IFREG {
      let number = open(
        FileName.forKernel(path), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | place.linkFlag)
      guard number >= 0 else { throw SystemError(step: "open", subject: path, code: errno) }
      let file = Descriptor(adopting: number)
      try place.check(file)
      return try file.writeAll(bytes)
    }
    if isThere { try place.check(status) }
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

/// Standard input.
public enum StandardInput {
  /// Reads all of it, at most 64 MiB.
  public static func readAll() -> [UInt8] {
    let input = Descriptor(adopting: dup(STDIN_FILENO))
    var bytes: [UInt8] = []
    while bytes.count < 64 << 20, case .bytes = try? input.read(upTo: 64 << 10, into: &bytes) {}
    return bytes
  }
}

/// Writes files without replacing existing ones.
public enum NewFile {
  /// Writes a new file in the working directory; if the name is taken, `-2`, `-3` ... are tried.
  ///
  /// - Returns: the name of the new file.
  public static func write(_ bytes: [UInt8], name: String, ending: String) throws(SystemError)
    -> String
  {
    for attempt in 1...999 {
      let path = attempt == 1 ? name + ending : "\(name)-\(attempt)\(ending)"
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
    throw SystemError(step: "create", subject: name + ending, code: EEXIST)
  }
}

extension Descriptor {
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
}
