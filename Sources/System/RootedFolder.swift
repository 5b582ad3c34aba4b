import CLinux
import Glibc

/// A directory outside of which nothing is ever opened, whatever symbolic links and `..` say and
/// whoever changes them in the meantime: each opening is one openat2 with RESOLVE_BENEATH.
public final class RootedFolder: Sendable {
  /// The absolute path by which it was opened, without symbolic links.
  public let path: String
  private let descriptor: Descriptor

  /// Opens a directory.
  public init(_ path: String) throws(SystemError) {
    guard let real = Paths.canonical(path) else {
      throw SystemError(step: "read", subject: path, code: errno)
    }
    self.path = real
    do throws(SystemError) {
      descriptor = try Descriptor.open(reading: real)
      guard try FileStatus(of: descriptor).kind == .directory else {
        throw SystemError(step: "read", code: ENOTDIR)
      }
      // If the kernel lacks the call, that must be found out here, not at the first request.
      _ = try RootedFolder.open(".", in: descriptor, onlyLooking: true)
    } catch {
      throw SystemError(step: "read", subject: path, code: error.code)
    }
  }

  /// The status of a file below it; the file itself is not touched.
  public func status(of relative: String) throws(SystemError) -> FileStatus {
    try FileStatus(of: look(at: relative))
  }

  /// Opens a regular file for reading. A directory, fifo, socket or device is not opened and gives
  /// EACCES.
  public func open(_ relative: String) throws(SystemError) -> Descriptor {
    guard try status(of: relative).kind == .regular else {
      throw SystemError(step: "open", subject: relative, code: EACCES)
    }
    let file = try RootedFolder.open(relative, in: descriptor, onlyLooking: false)
    // It may have been replaced in the meantime; opening a fifo does not block here.
    guard try FileStatus(of: file).kind == .regular else {
      throw SystemError(step: "open", subject: relative, code: EACCES)
    }
    return file
  }

  /// The entries of a directory below it, in no particular order; at most `limit`.
  public func entries(in relative: String, limit: Int) throws(SystemError) -> [DirectoryEntry] {
    guard try status(of: relative).kind == .directory else {
      throw SystemError(step: "read", subject: relative, code: ENOTDIR)
    }
    return try DirectoryEntry.all(
      in: RootedFolder.open(relative, in: descriptor, onlyLooking: false), limit: limit)
  }

  /// Opens something below it only to get its status.
  func look(at relative: String) throws(SystemError) -> Descriptor {
    try RootedFolder.open(relative, in: descriptor, onlyLooking: true)
  }

  private static func open(
    _ relative: String, in folder: borrowing Descriptor, onlyLooking: Bool
  ) throws(SystemError) -> Descriptor {
    // EAGAIN means that the tree changed during the call; if it keeps changing, opening fails.
    for _ in 0..<16 {
      let path = relative.isEmpty ? "." : relative
      let number = retrying { lx_open_beneath(folder.number, path, onlyLooking ? 1 : 0) }
      if number >= 0 { return Descriptor(adopting: number) }
      guard errno == EAGAIN else { break }
    }
    throw SystemError(step: "open", subject: relative, code: errno)
  }
}
