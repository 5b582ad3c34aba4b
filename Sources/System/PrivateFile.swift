import Glibc

/// Files that only their owner may read.
public enum PrivateFile {
  /// Writes a file of mode 0600 in one step: it holds the old or the new bytes, never a part.
  /// Where a link leads to it, the link stays; a device or a pipe is written to as it is.
  public static func replace(_ name: String, with bytes: [UInt8]) throws(SystemError) {
    let path = Paths.canonical(name) ?? name
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      let number = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
      guard number >= 0 else { throw SystemError(step: "open", subject: path, code: errno) }
      return try Descriptor(adopting: number).writeAll(bytes)
    }
    let temporary = "\(path).\(getpid()).new"
    let number = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard number >= 0 else { throw SystemError(step: "create", subject: temporary, code: errno) }
    let file = Descriptor(adopting: number)
    do throws(SystemError) {
      try file.writeAll(bytes)
      guard rename(temporary, path) == 0 else {
        throw SystemError(step: "replace", subject: path, code: errno)
      }
    } catch {
      unlink(temporary)
      throw error
    }
  }
}

/// What the user pipes in.
public enum StandardInput {
  /// All of it, at most 64 MiB.
  public static func readAll() -> [UInt8] {
    let input = Descriptor(adopting: dup(STDIN_FILENO))
    var bytes: [UInt8] = []
    while bytes.count < 64 << 20, case .bytes = try? input.read(upTo: 64 << 10, into: &bytes) {}
    return bytes
  }
}

/// Files that never replace another.
public enum NewFile {
  /// Writes a new file in the working directory; where the name is taken, `-2`, `-3` ... are tried.
  ///
  /// - Returns: the name that it got.
  public static func write(_ bytes: [UInt8], name: String, ending: String) throws(SystemError)
    -> String
  {
    for attempt in 1...999 {
      let path = attempt == 1 ? name + ending : "\(name)-\(attempt)\(ending)"
      let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
      if number < 0, errno == EEXIST { continue }
      guard number >= 0 else { throw SystemError(step: "create", subject: path, code: errno) }
      let file = Descriptor(adopting: number)
      do {
        try file.writeAll(bytes)
      } catch {
        unlink(path)
        throw SystemError(step: "write", subject: path, code: error.code)
      }
      return path
    }
    throw SystemError(step: "create", subject: name + ending, code: EEXIST)
  }
}

extension Descriptor {
  /// Writes all bytes to a file or a pipe that blocks.
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
