import Glibc
import System

/// Why the cache did not do something.
enum CacheError: Error, Equatable {
  /// Too little disk space or quota is left.
  case noRoom
  /// Another process holds the index for too long; a later attempt may succeed.
  case busy
  /// The entry is not stored any more.
  case gone
  /// There is no cache, in words that follow "no cache: ".
  case unusable(String)
}

/// The disk cache: blobs with an index. Used by one thread at a time; other processes may use the
/// same directory.
///
/// A crash must not change the order of writes: the bytes, their sync, then the rows for them. So
/// after a crash some bytes are fetched again, but none is wrong.
final class CacheStore {
  let directory: String
  let limits: CacheLimits
  let disk: any Disk
  let clock: () -> Int64
  var index: CacheIndex
  /// Entries that this process reads or writes.
  var uses: [EntryNumber: Use] = [:]
  /// Bytes of all segments, while that is up to date.
  var heldAtCommit: UInt64?
  /// The last known number of bytes.
  var heldLast: UInt64 = 0
  var touched: Set<EntryNumber> = []
  var dropped: [(entry: EntryNumber, segment: Segment)] = []
  private var saving = Saving()
  /// How often the index was found damaged.
  var damages = 0
  /// Whether it was damaged when it was opened.
  let isRenewed: Bool
  /// Whether it only gives entries that are stored whole, because it cannot be written: it may be
  /// root's, or on a read-only volume.
  let isReadOnly: Bool

  /// An entry in use.
  struct Use {
    var blob: Blob
    var references = 1
    /// Written, but not in the index yet.
    var pending: [Segment] = []
    var isNew: Bool
    /// The file must not end before this position: it was written up to there, or was as long when
    /// it was opened.
    var reach: UInt64 = 0
  }

  /// Opens the cache in a directory, which is made if it is missing.
  init(
    directory: String, limits: CacheLimits = CacheLimits(), disk: any Disk = RealDisk(),
    clock: @escaping () -> Int64 = { WallClock.seconds }
  ) throws(CacheError) {
    self.directory = directory
    self.limits = limits
    self.disk = disk
    self.clock = clock
    if let objection = CacheStore.objection(to: directory) { throw .unusable(objection) }
    isReadOnly = CacheStore.holdsUnwritableCache(in: directory, disk)
    if isReadOnly {
      (index, isRenewed) = (try CacheStore.openIndexReadOnly(in: directory), false)
      return
    }
    do {
      try disk.makeFolder(directory)
      try disk.makeFolder(directory + "/blobs")
    } catch {
      throw .unusable(error.description)
    }
    (index, isRenewed) = try CacheStore.openIndex(directory, disk)
  }

  /// Why a directory is not used as a cache: other users may have put files or links in it.
  static func objection(to directory: String) -> String? {
    if let objection = Ownership.objection(toFolder: directory) {
      return "its directory \(objection)"
    }
    if let objection = Ownership.objection(toFolder: directory + "/blobs", followsLink: false) {
      return "blobs in its directory \(objection)"
    }
    return Ownership.objection(toDatabase: directory + "/index.db")
  }

  // MARK: - Finding and making entries

  /// The live entry of a key, protected from deletion until `close`.
  func find(_ key: String) throws(CacheError) -> StoredContent? {
    try indexed { () throws(DatabaseError) in
      guard let row = try index.live(index.hash(of: key)) else { return nil }
      if let content = try content(of: row) {
        touched.insert(row.entry)
        return content
      }
      return nil
    }
  }

  private func content(of row: CacheIndex.Row) throws(DatabaseError) -> StoredContent? {
    if isReadOnly { return try wholeContent(of: row) }
    if let use = uses[row.entry] {
      let segments = try index.segments(of: row.entry, within: { .max })
      uses[row.entry]?.references += 1
      return StoredContent(
        entry: row.entry, blob: use.blob, facts: row.facts,
        segments: undamaged(segments, of: row.entry) + use.pending)
    }
    let file: any DiskFile
    do throws(SystemError) {
      file = try disk.open(path(ofBlob: row.blob), creating: false)
    } catch {
      // If it only cannot be opened now, for example for lack of descriptors, it is kept.
      if error.meansNoFile { try index.delete(row.entry) }
      return nil
    }
    // A process that deletes it holds this byte exclusively, and may have marked the entry since
    // the row was read.
    guard (try? file.hold(Blob.useByte, .shared)) == true,
      try index.state(row.entry) == .live, (try? file.status().hasName) == true
    else { return nil }
    let segments = try index.segments(of: row.entry, within: { file.size })
    let blob = Blob(name: row.blob, file: file)
    let reach = segments.map(\.range.upperBound).max() ?? 0
    uses[row.entry] = Use(blob: blob, isNew: false, reach: reach)
    return StoredContent(entry: row.entry, blob: blob, facts: row.facts, segments: segments)
  }

  /// Makes an entry for new bytes of a key; the former live entry is superseded. If another process
  /// has just made one for the same bytes, that one is shared.
  ///
  /// All bytes of a new entry are locked before other processes can find it, because only its maker
  /// knows which ones have come already. The maker releases the rest.
  func create(
    _ key: String, source: String, facts: ContentFacts
  ) throws(CacheError) -> StoredContent {
    guard !isReadOnly else { throw CacheStore.notWritable }
    try makeRoom(for: 0)
    // A part of an entry that can only be kept whole would be useless.
    if !facts.validator.joinsParts, let length = facts.length, try !hasRoom(for: length) {
      throw .noRoom
    }
    let hash = index.hash(of: key)
    let blob = try newBlob()
    _ = try? blob.file.hold(Blob.bytes, .exclusive)
    // Looked up and added in one step, so that two processes that begin at the same moment get the
    // same entry.
    let (entry, shared) = try indexed { () throws(DatabaseError) in
      try index.transaction { () throws(DatabaseError) -> (EntryNumber?, StoredContent?) in
        if let row = try index.live(hash), row.facts.validator.joins(facts.validator),
          row.facts.length == facts.length, let content = try content(of: row)
        {
          return (nil, content)
        }
        return (
          try index.add(key: hash, blob: blob.name, source: source, facts: facts, now: clock()),
          nil
        )
      }
    }
    if let shared {
      _ = try? disk.remove(path(ofBlob: blob.name))
      return shared
    }
    guard let entry else { throw .gone }
    // A sweep may have removed the file because its row was not there yet.
    guard (try? blob.file.status().hasName) == true else { throw .gone }
    uses[entry] = Use(blob: blob, isNew: true)
    return StoredContent(entry: entry, blob: blob, facts: facts, segments: [], isNew: true)
  }

  private func newBlob() throws(CacheError) -> Blob {
    let name = Blob.newName()
    do throws(SystemError) {
      let folder = folder(ofBlob: name)
      try disk.makeFolder(folder)
      if let objection = Ownership.objection(toFolder: folder, followsLink: false) {
        throw SystemError(step: "use", subject: folder, code: ELOOP, words: "it \(objection)")
      }
      let file = try disk.open(path(ofBlob: name), creating: true)
      _ = try file.hold(Blob.useByte, .shared)
      return Blob(name: name, file: file)
    } catch {
      throw CacheError(error)
    }
  }

  /// The present segments of an entry in the index, with those that other processes added.
  func segments(of entry: EntryNumber) throws(CacheError) -> [Segment] {
    guard let use = uses[entry] else { throw .gone }
    let known = try indexed { () throws(DatabaseError) in
      try index.segments(of: entry, within: { use.blob.file.size })
    }
    return undamaged(known, of: entry) + use.pending
  }

  /// The segments without damaged ones that are still in the index.
  func undamaged(_ segments: [Segment], of entry: EntryNumber) -> [Segment] {
    let damaged = dropped.filter { $0.entry == entry }.map(\.segment)
    return damaged.isEmpty ? segments : segments.filter { !damaged.contains($0) }
  }

  /// Closes an entry, once for each `find` or `create`.
  func close(_ entry: EntryNumber) {
    guard let use = uses[entry] else { return }
    if use.references > 1 {
      uses[entry]?.references -= 1
      return
    }
    if !use.pending.isEmpty { _ = try? commit() }
    use.blob.file.release(Blob.useByte)
    uses[entry] = nil
  }

  // MARK: - Changing entries

  /// Writes bytes of a resource, at most one segment; they are in the index after the next commit.
  func write(
    _ bytes: [UInt8], at start: UInt64, of entry: EntryNumber
  ) throws(CacheError) -> Segment {
    precondition(!bytes.isEmpty && bytes.count <= Segment.most)
    guard !isReadOnly else { throw CacheStore.notWritable }
    guard let use = uses[entry] else { throw .gone }
    try makeRoom(for: UInt64(bytes.count))
    // Behind a cut it would leave a hole, whose zeros would pass for the former bytes.
    guard use.blob.file.size >= use.reach else { throw .unusable("a file of it was cut") }
    do {
      try use.blob.file.write(bytes, at: start)
    } catch {
      throw CacheError(error)
    }
    let segment = Segment(
      start: start, length: bytes.count, hash: use.blob.hash(bytes, at: start))
    uses[entry]?.pending.append(segment)
    uses[entry]?.reach = max(use.reach, segment.range.upperBound)
    return segment
  }

  /// Bytes that are not in the index yet.
  var pendingBytes: UInt64 {
    uses.values.reduce(0) { $0 + $1.pending.reduce(0) { $0 + UInt64($1.length) } }
  }

  /// Syncs the written bytes and adds them to the index. Segments that could not be synced are
  /// removed.
  ///
  /// - Returns: entries whose last bytes may not be on the disk.
  @discardableResult
  func commit() throws(CacheError) -> [EntryNumber] {
    guard !isReadOnly else { return [] }
    var lost: [EntryNumber] = []
    for (entry, use) in uses where !use.pending.isEmpty {
      do {
        try use.blob.file.synchronize()
        if use.isNew { try disk.synchronizeFolder(folder(ofBlob: use.blob.name)) }
        uses[entry]?.isNew = false
      } catch {
        uses[entry]?.pending = []
        lost.append(entry)
      }
    }
    let news = uses.filter { !$0.value.pending.isEmpty }
    guard !news.isEmpty || !touched.isEmpty || !dropped.isEmpty || saving != Saving() else {
      return lost
    }
    try indexed { () throws(DatabaseError) in
      try index.transaction { () throws(DatabaseError) in
        // A segment fetched in place of a damaged one has the same row, so it is added after the
        // deletion.
        for (entry, segment) in dropped { try index.drop([segment], of: entry) }
        for (entry, use) in news { try index.add(use.pending, to: entry) }
        for entry in touched { try index.touch(entry, now: clock()) }
        if saving != Saving() { try index.count(saving, on: day) }
      }
    }
    for entry in news.keys { uses[entry]?.pending = [] }
    heldAtCommit = nil
    touched = []
    dropped = []
    saving = Saving()
    return lost
  }

  /// Writes changed facts of an entry.
  func revise(_ entry: EntryNumber, _ facts: ContentFacts) throws(CacheError) {
    guard !isReadOnly else { return }
    try indexed { () throws(DatabaseError) in try index.revise(entry, facts) }
  }

  /// Nobody shall find an entry any more: the server has other bytes now, or it cannot be used.
  func supersede(_ entry: EntryNumber) throws(CacheError) {
    guard !isReadOnly else { return }
    try indexed { () throws(DatabaseError) in try index.setState(entry, .superseded) }
  }

  /// Removes a damaged segment; it is gone from the index after the next commit.
  func drop(_ segment: Segment, of entry: EntryNumber) {
    uses[entry]?.pending.removeAll { $0 == segment }
    dropped.append((entry, segment))
  }

  /// Adds to the savings of this day; they are in the index after the next commit.
  func count(_ more: Saving) { saving = saving + more }

  var day: String { String(WallClock.text(secondsSince1970: clock()).prefix(10)) }

  func folder(ofBlob name: String) -> String { "\(directory)/blobs/\(name.prefix(2))" }
  func path(ofBlob name: String) -> String { "\(folder(ofBlob: name))/\(name)" }
}

extension SystemError {
  /// Whether no file with this name can be the cache's; then there never will be one.
  var meansNoFile: Bool { [ENOENT, ELOOP, ENXIO, EISDIR].contains(code) }
}

extension CacheError {
  init(_ error: SystemError) {
    switch error.code {
    case ENOSPC, EDQUOT, EFBIG: self = .noRoom
    default: self = .unusable(error.description)
    }
  }
}
