// An index that is locked, damaged or too new.
extension CacheStore {
  /// Uses the index. A damaged one is opened again, because another process may already have begun
  /// a new one; if it is still damaged, it is set aside. The entries in use are lost then.
  func indexed<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(CacheError) -> Result {
    do throws(DatabaseError) {
      return try body()
    } catch {
      if error.isBusy { throw .busy }
      if error.isFull { throw .noRoom }
      guard error.isDamage, damages < 2, !isReadOnly else { throw .unusable(error.reason) }
      damages += 1
      // A check of the whole file does not find every kind of damage.
      if damages > 1 { CacheStore.setAside(directory, disk) }
      uses = [:]
      heldAtCommit = nil
      touched = []
      dropped = []
      index = try CacheStore.openIndex(directory, disk).index
      throw .gone
    }
  }

  /// Opens the index, or a new one if it is damaged.
  static func openIndex(
    _ directory: String, _ disk: any Disk
  ) throws(CacheError) -> (index: CacheIndex, isRenewed: Bool) {
    let path = directory + "/index.db"
    for attempt in 0..<2 {
      // SQLite would make it readable for other users; its journal gets the same mode.
      if let made = try? disk.open(path, creating: true) { _ = made }
      let found: CacheIndex?
      do {
        found = try CacheIndex(path: path)
      } catch {
        if error.isBusy { throw .busy }
        guard error.isDamage, attempt == 0 else { throw .unusable(error.reason) }
        setAside(directory, disk)
        continue
      }
      guard let found else { throw .unusable("a newer version of this program made its index") }
      return (found, attempt > 0)
    }
    throw .unusable("its index cannot be made")
  }

  private static func setAside(_ directory: String, _ disk: any Disk) {
    let path = directory + "/index.db"
    // The journal belongs to the damaged file; rolled back into a new one, it would damage that
    // too.
    _ = try? disk.remove(path + "-journal")
    try? disk.rename(path, to: path + ".damaged")
  }
}
