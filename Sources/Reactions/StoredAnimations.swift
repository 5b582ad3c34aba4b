import Feeds
import Resources
import Synchronization
import System

/// Finds what the cache has kept of an endpoint since earlier runs: its list may have withdrawn some
/// of that meanwhile. On a thread of its own, since the cache's index is a file.
final class StoredAnimations: Sendable {
  private let found = Mutex<[CacheListing]?>(nil)

  /// Begins to look into the cache in this directory.
  init(directory: String) throws(SystemError) {
    _ = try WorkerThread { [self] in
      let listings = (try? CacheDirectory(directory).list()) ?? []
      found.withLock { $0 = listings }
    }
  }

  /// Addresses below an endpoint where an animation may lie, but for those of what it offers; nil
  /// until that is known.
  func withdrawn(below base: String, offered: AnimationCatalogue) -> [String]? {
    guard let listings = found.withLock({ $0 }) else { return nil }
    guard let visible = WebAddress(base + "/")?.visible else { return [] }
    let kept = Set(
      offered.entries.flatMap { AnimationID.addresses(of: $0.id, below: base) }
        .compactMap { WebAddress($0)?.visible })
    return listings.map(\.source).filter { $0.hasPrefix(visible) && !kept.contains($0) }
      .map { String($0.dropFirst(visible.count)) }
      .filter(StoredAnimations.mayBeAnimation).map { "\(base)/\($0)" }
  }

  /// Lists and feeds may lie beside them.
  private static func mayBeAnimation(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2, parts[0] == "animation" { return true }
    return parts.count == 1 && path.hasSuffix(".json")
      && !["animations.json", "feed.json"].contains(path)
  }
}
