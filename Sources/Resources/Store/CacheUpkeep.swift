import System

/// The result of a check of the whole cache.
public struct CacheCheck: Equatable, Sendable {
  public var entries = 0
  public var segments = 0
  public var bytes: UInt64 = 0
  /// Damaged segments, which have been removed.
  public var wrongSegments = 0
  /// Files without an entry, which have been removed.
  public var orphans = 0
}

/// An entry as `cache list` shows it.
public struct CacheListing: Equatable, Sendable {
  /// The URL without userinfo and query.
  public var source: String
  public var length: UInt64?
  public var type: String?
  public var bytes: UInt64
  /// Seconds since 1970.
  public var usedAt: Int64
}

// Space, order and correctness: what keeps the cache small and whole.
extension CacheStore {
  /// Makes space for some more bytes by deleting entries that are not in use.
  func makeRoom(for bytes: UInt64) throws(CacheError) {
    guard let space = try? disk.space(at: directory) else { throw .unusable("its volume is gone") }
    let kept = limits.reserve(ofVolume: space.total)
    let held = try heldBytes() + pendingBytes
    var need = Eviction.need(
      limits: limits, held: held, entries: 0, adding: bytes, free: (space.free, kept))
    guard !need.isMet || bytes == 0 else { return }
    do throws(CacheError) {
      need.entries = try entriesOverLimit(adding: bytes == 0 ? 1 : 0)
      guard !need.isMet else { return }
      try meet(need)
    } catch {
      // On a slow disk other processes may hold the index for long. If the volume has space, the
      // quota is enforced at the next write.
      guard error == .busy, space.free >= kept + bytes else { throw error }
    }
  }

  /// Whether some more bytes would fit after deleting what may be deleted; nothing is deleted yet.
  func hasRoom(for bytes: UInt64) throws(CacheError) -> Bool {
    guard bytes <= limits.bytes, let space = try? disk.space(at: directory) else { return false }
    let need = Eviction.need(
      limits: limits, held: try heldBytes() + pendingBytes, entries: 0, adding: bytes,
      free: (space.free, limits.reserve(ofVolume: space.total)))
    guard need.bytes > 0 else { return true }
    let rows = try indexed { () throws(DatabaseError) in try index.all().rows }
    return need.bytes <= rows.reduce(0) { $0 + (uses[$1.row.entry] == nil ? $1.bytes : 0) }
  }

  private func meet(_ need: Eviction.Need) throws(CacheError) {
    // More than necessary is deleted at once, so that not every write has to delete something.
    let slack = min(limits.bytes / 16, 16 << 20)
    if need.bytes > 0, try evict(need.plus(slack)).bytes <= slack { return }
    // Choosing one entry too many is harmless: entries in use are never deleted.
    guard try evict(need).bytes == 0 else { throw .noRoom }
  }

  /// The total at the last commit: other processes add little in between.
  private func heldBytes() throws(CacheError) -> UInt64 {
    if let heldAtCommit { return heldAtCommit }
    do throws(CacheError) {
      heldLast = try indexed { () throws(DatabaseError) in try index.totalBytes() }
      heldAtCommit = heldLast
    } catch {
      guard error == .busy else { throw error }
    }
    return heldLast
  }

  private func entriesOverLimit(adding: Int) throws(CacheError) -> Int {
    let count = try indexed { () throws(DatabaseError) in try index.blobs().count }
    return max(0, count + adding - limits.entries)
  }

  /// Deletes what is too old or superseded, then as much as necessary, least recently used first.
  ///
  /// - Returns: the space that is still missing.
  @discardableResult
  func evict(_ need: Eviction.Need) throws(CacheError) -> Eviction.Need {
    let all = try indexed { () throws(DatabaseError) in try index.all() }
    let names = Dictionary(
      all.rows.map { ($0.row.entry, $0.row.blob) }, uniquingKeysWith: { first, _ in first })
    let candidates = all.rows.map { row, bytes in
      Eviction.Candidate(
        entry: row.entry, bytes: bytes, used: row.used, usedAt: row.usedAt,
        isSuperseded: row.state != .live)
    }
    let order = Eviction.order(candidates, days: limits.days, now: clock())
    var missing = need
    // If deleting everything would not suffice, no good entry is deleted.
    let most = candidates.reduce(0) { $0 + (uses[$1.entry] == nil ? $1.bytes : 0) }
    let helps = need.bytes == .max || need.bytes <= most
    var victims: [(entry: EntryNumber, blob: String, hold: (any DiskFile)?)] = []
    for (index, candidate) in (order.always + order.whileNeeded).enumerated() {
      if index >= order.always.count, missing.isMet || !helps { break }
      guard uses[candidate.entry] == nil, let name = names[candidate.entry] else { continue }
      let file = try? disk.open(path(ofBlob: name), creating: false)
      // Another process is playing it.
      if let file, (try? file.hold(Blob.useByte, .exclusive)) != true { continue }
      victims.append((candidate.entry, name, file))
      missing.meet(by: candidate)
    }
    try delete(victims, damaged: all.damaged)
    return missing
  }

  private func delete(
    _ victims: [(entry: EntryNumber, blob: String, hold: (any DiskFile)?)], damaged: [EntryNumber]
  ) throws(CacheError) {
    guard !victims.isEmpty || !damaged.isEmpty else { return }
    heldAtCommit = nil
    // It is marked first: after a crash in between, rows of deleted blobs are known to be dead.
    try indexed { () throws(DatabaseError) in
      try index.transaction { () throws(DatabaseError) in
        for victim in victims { try index.setState(victim.entry, .dying) }
      }
    }
    for victim in victims { _ = try? disk.remove(path(ofBlob: victim.blob)) }
    try indexed { () throws(DatabaseError) in
      try index.transaction { () throws(DatabaseError) in
        for victim in victims { try index.delete(victim.entry) }
        for entry in damaged { try index.delete(entry) }
      }
    }
  }

  /// Deletes everything that is not in use.
  func clear() throws(CacheError) {
    try evict(Eviction.Need(bytes: .max, entries: .max))
    try sweep()
    _ = try? disk.remove(directory + "/index.db.damaged")
  }

  /// Makes files and index agree: deletes what a crash has left behind, and what is too old.
  ///
  /// - Returns: how many files had no entry.
  @discardableResult
  func sweep() throws(CacheError) -> Int {
    guard !isReadOnly else { return 0 }
    try evict(Eviction.Need(entries: try entriesOverLimit(adding: 0)))
    var known = try indexed { () throws(DatabaseError) in try index.blobs() }
    var orphans = 0
    for folder in (try? disk.names(in: directory + "/blobs")) ?? [] {
      let folderPath = "\(directory)/blobs/\(folder)"
      guard Ownership.objection(toFolder: folderPath, followsLink: false) == nil else { continue }
      // Files that this program did not make are not deleted.
      for name in (try? disk.names(in: folderPath)) ?? []
      where Blob.isName(name) && name.prefix(2) == folder && !known.contains(name) {
        let path = "\(folderPath)/\(name)"
        guard let file = try? disk.open(path, creating: false),
          (try? file.hold(Blob.useByte, .exclusive)) == true
        else { continue }
        // Its maker may have added the row and closed it since.
        known = try indexed { () throws(DatabaseError) in try index.blobs() }
        guard !known.contains(name) else { continue }
        if (try? disk.remove(path)) == true { orphans += 1 }
      }
    }
    return orphans
  }

  /// Deletes entries whose files are gone, for example because somebody has removed them.
  func forgetMissing() throws(CacheError) {
    guard !isReadOnly else { return }
    let rows = try indexed { () throws(DatabaseError) in try index.all().rows }
    let missing = rows.map(\.row).filter { uses[$0.entry] == nil && isMissing($0.blob) }
    guard !missing.isEmpty else { return }
    heldAtCommit = nil
    try indexed { () throws(DatabaseError) in
      try index.transaction { () throws(DatabaseError) in
        for row in missing { try index.delete(row.entry) }
      }
    }
  }

  private func isMissing(_ blob: String) -> Bool {
    do throws(SystemError) {
      _ = try disk.open(path(ofBlob: blob), creating: false)
      return false
    } catch {
      return error.meansNoFile
    }
  }

  /// Reads and checks every stored byte; damaged segments are removed.
  func verify() throws(CacheError) -> CacheCheck {
    var check = CacheCheck()
    check.orphans = try sweep()
    let rows = try indexed { () throws(DatabaseError) in try index.all().rows }
    for (row, _) in rows where row.state == .live {
      check.entries += 1
      let file = try? disk.open(path(ofBlob: row.blob), creating: false)
      if let file, (try? file.hold(Blob.useByte, .shared)) != true { continue }
      let segments = try indexed { () throws(DatabaseError) in
        try index.segments(of: row.entry, within: { .max })
      }
      for segment in segments {
        check.segments += 1
        check.bytes += UInt64(segment.length)
        let bytes = (try? file?.read(at: segment.start, count: segment.length)) ?? []
        let blob = file.map { Blob(name: row.blob, file: $0) }
        if bytes.count == segment.length, blob?.hash(bytes, at: segment.start) == segment.hash {
          continue
        }
        check.wrongSegments += 1
        drop(segment, of: row.entry)
      }
    }
    try commit()
    try forgetMissing()
    return check
  }

  /// The live entries, the least recently used first.
  func list() throws(CacheError) -> [CacheListing] {
    try indexed { () throws(DatabaseError) in
      try index.all().rows.filter { $0.row.state == .live }.map { row, bytes in
        CacheListing(
          source: row.source, length: row.facts.length, type: row.facts.type, bytes: bytes,
          usedAt: min(row.usedAt, clock()))
      }
    }
  }

  /// The savings of each day.
  func savings() throws(CacheError) -> [(day: String, saving: Saving)] {
    try indexed { () throws(DatabaseError) in try index.savings() }
  }
}
