import System

// A cache that cannot be written: entries that are whole are read, and nothing is stored.
extension CacheStore {
  /// In words that follow "no cache: ".
  static let notWritable = CacheError.unusable("its directory cannot be written")

  /// Whether a directory has a cache that can be read but not changed.
  static func holdsUnwritableCache(in directory: String, _ disk: any Disk) -> Bool {
    let index = directory + "/index.db"
    guard (try? disk.openReading(index)) != nil else { return false }
    return ![directory, directory + "/blobs", index].allSatisfy(disk.isWritable)
  }

  static func openIndexReadOnly(in directory: String) throws(CacheError) -> CacheIndex {
    let found: CacheIndex?
    do {
      found = try CacheIndex(path: directory + "/index.db", isReadOnly: true)
    } catch {
      if error.isBusy { throw .busy }
      throw .unusable(error.reason)
    }
    // Only writing brings an index of another version up to date.
    guard let found else {
      throw .unusable("another version of this program made its index, which cannot be written")
    }
    return found
  }

  /// Opens the content of a row until `close`; nil where a byte of it is missing, which could not be
  /// fetched into this cache.
  func wholeContent(of row: CacheIndex.Row) throws(DatabaseError) -> StoredContent? {
    let blob: Blob
    if let use = uses[row.entry] {
      blob = use.blob
    } else if let file = try? disk.openReading(path(ofBlob: row.blob)),
      // Keeps out a user who may write here and deletes entries that nobody uses.
      (try? file.hold(Blob.useByte, .shared)) == true
    {
      blob = Blob(name: row.blob, file: file)
    } else {
      return nil
    }
    let stored = try index.segments(of: row.entry, within: { blob.file.size })
    let segments = undamaged(stored, of: row.entry)
    guard let length = row.facts.length, Extents(segments.map(\.range)).contains(0..<length)
    else { return nil }
    uses[row.entry, default: Use(blob: blob, references: 0, isNew: false)].references += 1
    return StoredContent(entry: row.entry, blob: blob, facts: row.facts, segments: segments)
  }
}
