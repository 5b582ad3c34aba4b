import Glibc
import Support
import Synchronization
import System

@testable import Resources

/// The real disk, but refusing what a test says.
final class FaultyDisk: Disk {
  private let real = RealDisk()
  private let faults: Mutex<Faults>

  struct Faults: Sendable {
    /// Writes that still succeed; nil for all.
    var writesLeft: Int?
    var syncsFail = false
    /// How long a sync takes.
    var syncMilliseconds: UInt32 = 0
    /// Why no file can be opened.
    var openCode: Int32?
    /// Whether all of it may be read alone.
    var isReadOnly = false
    var free: UInt64?
    /// What happens just after a file was examined.
    var afterStatus: (@Sendable () -> Void)?
  }

  init(_ faults: Faults = Faults()) { self.faults = Mutex(faults) }

  func set(_ change: @Sendable (inout Faults) -> Void) { faults.withLock { change(&$0) } }

  func allowsWrite() -> Bool {
    faults.withLock { faults in
      guard let left = faults.writesLeft else { return true }
      faults.writesLeft = max(0, left - 1)
      return left > 0
    }
  }

  var syncsFail: Bool {
    let (fail, milliseconds) = faults.withLock { ($0.syncsFail, $0.syncMilliseconds) }
    if milliseconds > 0 { usleep(milliseconds * 1000) }
    return fail
  }

  func wasExamined() { faults.withLock { $0.afterStatus }?() }

  func makeFolder(_ path: String) throws(SystemError) { try real.makeFolder(path) }
  func open(_ path: String, creating: Bool) throws(SystemError) -> any DiskFile {
    if let code = faults.withLock({ $0.openCode }) {
      throw SystemError(step: "open", subject: path, code: code)
    }
    return FaultyFile(try real.open(path, creating: creating), self)
  }
  func openReading(_ path: String) throws(SystemError) -> any DiskFile {
    FaultyFile(try real.openReading(path), self)
  }
  func isWritable(_ path: String) -> Bool {
    !faults.withLock { $0.isReadOnly } && real.isWritable(path)
  }
  func synchronizeFolder(_ path: String) throws(SystemError) {
    try real.synchronizeFolder(path)
  }
  func remove(_ path: String) throws(SystemError) -> Bool { try real.remove(path) }
  func rename(_ path: String, to other: String) throws(SystemError) {
    try real.rename(path, to: other)
  }
  func names(in path: String) throws(SystemError) -> [String] { try real.names(in: path) }
  func space(at path: String) throws(SystemError) -> (free: UInt64, total: UInt64) {
    let free = faults.withLock { $0.free }
    return (free ?? 1 << 40, 1 << 41)
  }
}

final class FaultyFile: DiskFile {
  private let real: any DiskFile
  private let disk: FaultyDisk

  init(_ real: any DiskFile, _ disk: FaultyDisk) {
    self.real = real
    self.disk = disk
  }

  func read(at offset: UInt64, count: Int) throws(SystemError) -> [UInt8] {
    try real.read(at: offset, count: count)
  }
  func fill(_ buffer: inout [UInt8], at offset: UInt64) throws(SystemError) -> Bool {
    try real.fill(&buffer, at: offset)
  }
  func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
    guard disk.allowsWrite() else {
      // A full disk may take a part.
      try real.write(Array(bytes.prefix(bytes.count / 2)), at: offset)
      throw SystemError(step: "write", code: ENOSPC)
    }
    try real.write(bytes, at: offset)
  }
  func synchronize() throws(SystemError) {
    if disk.syncsFail { throw SystemError(step: "sync", code: EIO) }
    try real.synchronize()
  }
  func status() throws(SystemError) -> (size: UInt64, hasName: Bool) {
    defer { disk.wasExamined() }
    return try real.status()
  }
  func hold(_ range: Range<UInt64>, _ how: LockableFile.Hold) throws(SystemError) -> Bool {
    try real.hold(range, how)
  }
  func release(_ range: Range<UInt64>) { real.release(range) }
}

/// Bytes that differ from place to place and by seed.
func sampleBytes(_ range: Range<UInt64>, seed: UInt64 = 0) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(range.count)
  var position = range.lowerBound
  while position < range.upperBound {
    let place = Int((position + seed * 7919) % UInt64(sampleTable.count))
    let count = min(sampleTable.count - place, Int(range.upperBound - position))
    bytes += sampleTable[place..<place + count]
    position += UInt64(count)
  }
  return bytes
}

/// Whether these are the bytes of that place; a failure shows no pages of numbers.
func isSample(_ bytes: [UInt8], _ range: Range<UInt64>, seed: UInt64 = 0) -> Bool {
  bytes == sampleBytes(range, seed: seed)
}

/// Waits for what other threads bring about.
func waitUntil(_ condition: () -> Bool) throws {
  try eventually("another thread's work", condition)
}

/// A prime number of random bytes: no aligned pieces look alike.
private let sampleTable: [UInt8] = {
  var random = SeededRandom(seed: 1)
  return (0..<65_521).map { _ in UInt8.random(in: 0...255, using: &random) }
}()

/// A cache directory that is opened again and again.
final class StoreBench {
  let folder: TemporaryDirectory
  let disk = FaultyDisk()
  var now: Int64 = 1_800_000_000

  init() throws { folder = try TemporaryDirectory() }

  var path: String { folder.path + "/cache" }

  func open(_ limits: CacheLimits = CacheLimits()) throws -> CacheStore {
    try CacheStore(directory: path, limits: limits, disk: disk, clock: { [self] in now })
  }

  func facts(length: UInt64 = 1 << 20, tag: String = "\"a\"") -> ContentFacts {
    ContentFacts(
      length: length, type: "video/mp4", validator: Validator(entityTag: tag), checked: now)
  }

  /// Stores an entry with its first bytes and lets go of it.
  func fill(_ store: CacheStore, _ key: String, bytes: UInt64 = 4096, tag: String = "\"a\"") throws
  {
    let content = try store.create(
      key, source: "http://example.org/\(key)", facts: facts(length: bytes, tag: tag))
    for start in stride(from: 0, to: bytes, by: 1 << 20) {
      _ = try store.write(
        sampleBytes(start..<min(bytes, start + 1 << 20)), at: start, of: content.entry)
    }
    try store.commit()
    store.close(content.entry)
  }

  var blobs: [String] {
    directoryEntries(path + "/blobs").flatMap { directory in
      directoryEntries("\(path)/blobs/\(directory)").map { "\(path)/blobs/\(directory)/\($0)" }
    }
  }
}

extension StoredContent {
  /// The bytes of all segments that are whole.
  func checkedBytes() throws -> [UInt64: [UInt8]] {
    var found: [UInt64: [UInt8]] = [:]
    for segment in segments {
      let bytes = try blob.file.read(at: segment.start, count: segment.length)
      if bytes.count == segment.length, blob.hash(bytes, at: segment.start) == segment.hash {
        found[segment.start] = bytes
      }
    }
    return found
  }
}
