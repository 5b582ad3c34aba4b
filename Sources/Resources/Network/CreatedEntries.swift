/// The cache's entries that were made for what one playlist names, by their keys. No others may be
/// deleted for it: what was stored before is of use to somebody else.
final class CreatedEntries {
  private var kept: Set<String> = []
  /// Entries that are of no use once they are made.
  private var unwanted: Set<String> = []

  /// An entry was made; whether it is wanted.
  func created(_ key: String) -> Bool {
    guard !unwanted.contains(key) else { return false }
    kept.insert(key)
    return true
  }

  /// An entry is wanted (again).
  func want(_ key: String) { unwanted.remove(key) }

  /// An entry is not wanted any more; whether it is to be deleted.
  func forget(_ key: String) -> Bool {
    guard kept.remove(key) == nil else { return true }
    unwanted.insert(key)
    return false
  }
}
