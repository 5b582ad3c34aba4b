import System

/// The history as its own commands see it. Players may use it meanwhile.
public struct HistoryDirectory: Sendable {
  public let path: String

  public init(_ path: String) { self.path = path }

  /// `$XDG_STATE_HOME/storytty`, or in `.local/state` of the home directory (XDG base directories);
  /// nil where there is neither.
  public static var standardPath: String? {
    if let base = EnvironmentVariable.value(of: "XDG_STATE_HOME"), base.hasPrefix("/") {
      return base + "/storytty"
    }
    return EnvironmentVariable.value(of: "HOME").flatMap {
      $0.hasPrefix("/") ? $0 + "/.local/state/storytty" : nil
    }
  }

  /// All stories, the last told first.
  public func entries() throws(HistoryError) -> [HistoryEntry] {
    try using(otherwise: []) { store throws(HistoryError) in try store.entries() }
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
