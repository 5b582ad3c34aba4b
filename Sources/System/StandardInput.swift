import Glibc

/// Standard input.
public enum StandardInput {
  private static let mostBytes = 64 << 20
  private static let chunk = 64 << 10

  /// Reads its first bytes: so many, or fewer where it ends before.
  public static func head(_ count: Int) -> [UInt8] { read(upTo: count, after: []) }

  /// What was read of it, and all that follows, up to 64 MiB; the rest is left unread.
  public static func all(after head: [UInt8]) -> [UInt8] { read(upTo: mostBytes, after: head) }

  private static func read(upTo count: Int, after head: [UInt8]) -> [UInt8] {
    let input = Descriptor(adopting: dup(STDIN_FILENO))
    var bytes = head
    while bytes.count < count,
      case .bytes = try? input.read(upTo: min(chunk, count - bytes.count), into: &bytes)
    {}
    return bytes
  }

  /// Makes a file of it that can be read at any position: itself where it is one, else a copy of all of
  /// it, which is gone when this process ends.
  ///
  /// - Parameter head: what was read of it.
  /// - Returns: a path that this process alone can open.
  public static func file(after head: [UInt8]) throws(SystemError) -> String {
    var status = stat()
    let isFile = fstat(STDIN_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    let file = isFile ? Descriptor(adopting: dup(STDIN_FILENO)) : try namelessFile()
    if !isFile {
      try file.writeAll(head)
      let input = Descriptor(adopting: dup(STDIN_FILENO))
      var bytes: [UInt8] = []
      while case .bytes = try input.read(upTo: chunk, into: &bytes) {
        try file.writeAll(bytes)
        bytes.removeAll(keepingCapacity: true)
      }
    }
    // It stays open as long as the process lives.
    return "/dev/fd/\(file.release())"
  }

  private static func namelessFile() throws(SystemError) -> Descriptor {
    let folder = getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    let path = "\(folder ?? "/tmp")/storytty-\(getpid())-\(UInt64.random(in: .min ... .max))"
    let number = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard number >= 0 else { throw SystemError(step: "create", subject: path, code: errno) }
    unlink(path)
    return Descriptor(adopting: number)
  }
}
