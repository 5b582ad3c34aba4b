import Synchronization

/// What a thread has to tell the viewer.
final class Notices: Sendable {
  private let all = Mutex<[String]>([])

  /// The first of those that were not taken.
  var first: String? { all.withLock { $0.first } }

  func add(_ words: String) { all.withLock { $0.append(words) } }

  /// Those since the last call.
  func take() -> [String] {
    all.withLock { all in
      let taken = all
      all = []
      return taken
    }
  }
}
