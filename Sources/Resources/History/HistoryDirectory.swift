import System

/// The history as its own commands use it. Players may use it at the same time.
public struct HistoryDirectory: Sendable {
  public let path: String

  public init(_ path: String) { self.path = path }

  /// All stories, the one played last first, and a message for the user if a damaged history was
  /// set aside.
  public func list() throws(HistoryError) -> (entries: [HistoryEntry], notice: String?) {
    try using(otherwise: ([], nil)) { store throws(HistoryError) in
      (try store.entries(), store.notice)
    }
  }

  /// What is known of `count` stories, by their ids.
  public func lookUp(count: Int, id: (Int) -> String) throws(HistoryError) -> HistoryFindings {
    try using(otherwise: HistoryFindings()) { store throws(HistoryError) in
      try store.lookUp(count: count, sources: nil, id: id)
    }
  }

  /// Deletes everything.
  public func clear() throws(HistoryError) {
    try using(otherwise: ()) { store throws(HistoryError) in try store.clear() }
  }

  private func using<Result>(
    otherwise nothing: Result, _ body: (HistoryStore) throws(HistoryError) -> Result
  ) throws(HistoryError) -> Result {
    // Showing the history must not make one.
    guard (try? FileStatus(of: HistoryStore.path(in: path))) != nil else { return nothing }
    return try body(HistoryStore(directory: path))
  }
}
