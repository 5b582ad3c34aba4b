import System

/// Locks for contents of which a process is making the entry, which the index does not have yet.
/// Other processes that want the same content wait until the first answer has made the entry, and
/// share it. Each lock is a byte in a file beside the index; it is released when its process dies.
///
/// They only prevent fetching twice: without a lock, each process fetches for itself.
final class CreationLocks {
  private let file: (any DiskFile)?

  /// - Parameter directory: the cache's.
  init(_ directory: String, disk: any Disk) {
    // Without a cache directory of this user's own, no entries are made either.
    guard CacheStore.objection(to: directory) == nil else {
      file = nil
      return
    }
    let path = directory + "/beginnings"
    file = (try? disk.open(path, creating: true)) ?? (try? disk.open(path, creating: false))
  }

  /// Locks a content; false if another process has locked it.
  func hold(_ key: String) -> Bool { (try? file?.hold(place(of: key), .exclusive)) ?? true }

  func release(_ key: String) { file?.release(place(of: key)) }

  /// One byte. Two keys with the same byte only wait for each other.
  private func place(of key: String) -> Range<UInt64> {
    let start = Fingerprint.of(Array(key.utf8), seed: 0) >> 2
    return start..<start + 1
  }
}
