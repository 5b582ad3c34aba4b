import System

/// The file system as the cache uses it; a test's disk may refuse.
protocol Disk: Sendable {
  func makeFolder(_ path: String) throws(SystemError)
  func open(_ path: String, creating: Bool) throws(SystemError) -> any DiskFile
  /// Opens a file for reading only.
  func openReading(_ path: String) throws(SystemError) -> any DiskFile
  /// Whether a file, or the entries of a folder, can be changed.
  func isWritable(_ path: String) -> Bool
  func synchronizeFolder(_ path: String) throws(SystemError)
  /// Removes a file's name; false if there is none.
  func remove(_ path: String) throws(SystemError) -> Bool
  func rename(_ path: String, to other: String) throws(SystemError)
  func names(in path: String) throws(SystemError) -> [String]
  func space(at path: String) throws(SystemError) -> (free: UInt64, total: UInt64)
}

/// A blob: bytes at positions, shared by threads, with ranges that other processes respect.
protocol DiskFile: AnyObject, Sendable {
  func read(at offset: UInt64, count: Int) throws(SystemError) -> [UInt8]
  func fill(_ buffer: inout [UInt8], at offset: UInt64) throws(SystemError) -> Bool
  func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError)
  func synchronize() throws(SystemError)
  func status() throws(SystemError) -> (size: UInt64, hasName: Bool)
  func hold(_ range: Range<UInt64>, _ how: LockableFile.Hold) throws(SystemError) -> Bool
  func release(_ range: Range<UInt64>)
}

extension LockableFile: DiskFile {}

extension DiskFile {
  /// In bytes; the greatest number if it is unknown, because then no position is known to be past
  /// the end.
  var size: UInt64 { (try? status().size) ?? .max }
}

/// The real file system.
struct RealDisk: Disk {
  func makeFolder(_ path: String) throws(SystemError) { try PrivateFolder.makeAll(path) }

  func open(_ path: String, creating: Bool) throws(SystemError) -> any DiskFile {
    try LockableFile(path, creating: creating)
  }

  func openReading(_ path: String) throws(SystemError) -> any DiskFile {
    try LockableFile(reading: path)
  }

  func isWritable(_ path: String) -> Bool { FileSystem.isWritable(path) }

  func synchronizeFolder(_ path: String) throws(SystemError) {
    try FileSystem.synchronizeFolder(path)
  }

  func remove(_ path: String) throws(SystemError) -> Bool { try FileSystem.remove(path) }

  func rename(_ path: String, to other: String) throws(SystemError) {
    try FileSystem.rename(path, to: other)
  }

  func names(in path: String) throws(SystemError) -> [String] {
    try DirectoryEntry.all(in: path, limit: 100_000).map(\.name)
  }

  func space(at path: String) throws(SystemError) -> (free: UInt64, total: UInt64) {
    try FileSystem.space(at: path)
  }
}
