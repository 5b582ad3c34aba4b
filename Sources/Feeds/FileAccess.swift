import Glibc
import System

/// How `FeedReader` accesses files.
public protocol FileAccess {
  /// The absolute directory that relative sources start from.
  var workingDirectory: String { get }
  /// The path without links, `.` and `..`; nil where there is no such file.
  func canonical(_ path: String) -> String?
  func status(of path: String) throws(SystemError) -> FileStatus
  /// The names in a directory, in any order, at most `limit`.
  func entries(in directory: String, limit: Int) throws(SystemError) -> [DirectoryEntry]
  /// Bytes of a regular file from an offset on: fewer than `count` only at its end.
  func bytes(of path: String, at offset: Int, count: Int) throws(SystemError) -> [UInt8]
}

/// The files of this machine.
public struct LocalFiles: FileAccess {
  public let workingDirectory: String

  public init() { workingDirectory = Paths.workingDirectory }

  public func canonical(_ path: String) -> String? { Paths.canonical(path) }

  public func status(of path: String) throws(SystemError) -> FileStatus {
    try FileStatus(of: path)
  }

  public func entries(in directory: String, limit: Int) throws(SystemError) -> [DirectoryEntry] {
    try DirectoryEntry.all(in: directory, limit: limit)
  }

  public func bytes(of path: String, at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    try Descriptor.open(reading: path).read(at: UInt64(offset), count: count)
  }
}

extension SystemError {
  /// The kernel's reason in a user's words.
  var inWords: String {
    switch code {
    case ENOENT, ENOTDIR: "no such file"
    case EACCES, EPERM: "permission denied"
    case ELOOP: "its symbolic links go round in a circle"
    case ENAMETOOLONG: "its name is too long"
    case EXDEV: "it leads out of the directory"
    case EMFILE, ENFILE: "too many files are open"
    default: reason.prefix(1).lowercased() + reason.dropFirst()
    }
  }
}
