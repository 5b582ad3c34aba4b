import System

/// The history as its own commands see it. Players may use it meanwhile.
public struct HistoryDirectory: Sendable {
  public let path: String

  public init(_ path: String) { self.path = path }

  /// All stories, the last told first, and what the user should know: that a damaged history was
  /// set aside.
  public func list() throws(HistoryError) -> (entries: [HistoryEntry], notice: String?) {
    try using(otherwise: ([], nil)) { store throws(HistoryError) in
      (try store.entries(), store.notice)
    }
  }

  /// What is known of `count` stories by their ids.
  public func lookUp(count: Int, id: (Int) -> String) throws(HistoryError) -> HistoryFindings {
    try using(otherwise: HistoryFindings()) { store throws(HistoryError) in
      try store.lookUp(count: count, sources: nil, id: id)
    }
  }

  /// Forgets everything.
  public func clear() throws(HistoryError) {
    try using(otherwise: ()) { store throws(HistoryError) in try store.clear() }
  }

  private func using<Result>(
    otherwise nothing: Result, _ body: (HistoryStore) throws(HistoryError) -> Result
  ) throws(HistoryError) -> Result {
    // Looking must not make a history.
    guard (try? FileStatus(of: HistoryStore.path(in: path))) != nil else { return nothing }
    return try body(HistoryStore(directory: path))
  }
}
