import System

/// Which contents processes are beginning, of which the index cannot tell yet: who wants the same
/// one waits until the first answer to it has made an entry, and shares that. A lock for each in a
/// file beside the index, which a process that dies lets go of.
///
/// Only against fetching twice: where it cannot be had, each fetches for itself.
final class CreationLocks {
  private let file: (any DiskFile)?

  /// - Parameter directory: the cache's.
  init(_ directory: String, disk: any Disk) {
    // Where there is no cache of this user's own, nothing is made either.
    guard CacheStore.objection(to: directory) == nil else {
      file = nil
      return
    }
    let path = directory + "/beginnings"
    file = (try? disk.open(path, creating: true)) ?? (try? disk.open(path, creating: false))
  }

  /// Takes hold of a content; false where another process has it.
  func hold(_ key: String) -> Bool { (try? file?.hold(place(of: key), .exclusive)) ?? true }

  func release(_ key: String) { file?.release(place(of: key)) }

  /// One byte. Two keys that meet there wait for each other, no more.
  private func place(of key: String) -> Range<UInt64> {
    let start = Fingerprint.of(Array(key.utf8), seed: 0) >> 2
    return start..<start + 1
  }
}
