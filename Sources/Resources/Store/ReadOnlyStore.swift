import System

// A cache that cannot be written: entries that are whole are read, and nothing is stored.
extension CacheStore {
  static let notWritable = CacheError.unusable("its directory cannot be written")

  /// Whether a directory has a cache that can be read but not changed.
  static func isReadOnly(_ directory: String, _ disk: any Disk) -> Bool {
    let index = directory + "/index.db"
    guard (try? disk.openReading(index)) != nil else { return false }
    return ![directory, directory + "/blobs", index].allSatisfy(disk.isWritable)
  }

  static func openReading(_ directory: String) throws(CacheError) -> CacheIndex {
    let found: CacheIndex?
    do {
      found = try CacheIndex(path: directory + "/index.db", isReadOnly: true)
    } catch {
      if error.isBusy { throw .busy }
      throw .unusable(error.reason)
    }
    guard let found else {
      throw .unusable("another version of this program made its index, which cannot be written")
    }
    return found
  }

  /// The content of a row if all of its bytes are stored; a part could not be completed.
  func wholeContent(of row: CacheIndex.Row) throws(DatabaseError) -> StoredContent? {
    let file: any DiskFile
    if let use = uses[row.entry] {
      file = use.blob.file
    } else if let opened = try? disk.openReading(path(ofBlob: row.blob)),
      (try? opened.hold(Blob.useByte, .shared)) == true
    {
      file = opened
    } else {
      return nil
    }
    let segments = try index.segments(of: row.entry, within: { file.size })
    guard let length = row.facts.length,
      Extents(undamaged(segments, of: row.entry).map(\.range)).contains(0..<length)
    else { return nil }
    let blob = Blob(name: row.blob, file: file)
    uses[row.entry, default: Use(blob: blob, references: 0, isNew: false)].references += 1
    return StoredContent(entry: row.entry, blob: blob, facts: row.facts, segments: segments)
  }
}
