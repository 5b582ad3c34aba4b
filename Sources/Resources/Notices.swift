import Synchronization

/// Messages of a thread for the viewer.
final class Notices: Sendable {
  private let all = Mutex<[String]>([])

  /// The first message that was not taken.
  var first: String? { all.withLock { $0.first } }

  func add(_ words: String) { all.withLock { $0.append(words) } }

  /// The messages since the last call.
  func take() -> [String] {
    all.withLock { all in
      let taken = all
      all = []
      return taken
    }
  }
}
