import Pictures
import Player
import Resources
import System

/// `storytty history`: what was seen on this machine; only its user can read it.
struct HistoryCommand {
  let invocation: Invocation

  private enum Verb: String, CaseIterable {
    case list, clear
  }

  func run() -> Int32 {
    guard let verb: Verb = invocation.subverb(of: "history", otherwise: .list) else {
      return Status.failure
    }
    guard invocation.sources.count <= 1 else {
      complain("history \(verb.rawValue) takes no source")
      return Status.failure
    }
    return withHistory { history throws(HistoryError) in
      switch verb {
      case .list: return list(try listed(history))
      case .clear:
        try history.clear()
        return Status.success
      }
    }
  }

  private func list(_ entries: [HistoryEntry]) -> Int32 {
    guard !invocation.json else { return Output.write(entries.map(HistoryCommand.json)) }
    let now = WallClock.seconds
    let lines = entries.map { entry in
      let title = entry.title.map { "  " + $0 } ?? ""
      return DisplayText.line(
        "\(Format.age(of: entry.last, now: now))  \(entry.counts.words)  \(entry.source)\(title)")
    }
    return Output.write(lines: lines)
  }

  private static func json(_ entry: HistoryEntry) -> JSON {
    .object([
      ("source", .text(entry.source)), ("title", .optional(entry.title)),
      ("views", .integer(entry.counts.views)), ("completions", .integer(entry.counts.completions)),
      ("last", .text(WallClock.text(secondsSince1970: entry.last))),
    ])
  }
}

/// `storytty stats`: how often stories were played, and how much traffic the cache has saved.
struct StatsCommand {
  let invocation: Invocation

  func run() -> Int32 {
    guard invocation.sources.isEmpty else {
      complain("stats takes no source")
      return Status.failure
    }
    return withHistory { history throws(HistoryError) in
      let entries = try listed(history)
      let total = entries.reduce(HistoryCounts()) { $0 + $1.counts }
      return invocation.json ? json(entries, total) : lines(entries, total)
    }
  }

  /// The traffic that the cache has saved; nil where there is no cache.
  private var saving: Saving? {
    guard let path = invocation.network.cacheDirectory,
      let status = try? CacheDirectory(path, limits: invocation.network.limits).status(),
      status.entries > 0 || !status.days.isEmpty
    else { return nil }
    return status.total
  }

  private func lines(_ entries: [HistoryEntry], _ total: HistoryCounts) -> Int32 {
    let stories = entries.map { entry in
      DisplayText.line("  \(entry.counts.fullWords)  \(entry.source)")
    }
    return Output.write(
      lines: [
        "stories    \(entries.count)", "in all     \(total.fullWords)",
        "cache      \(saving.map(CacheCommand.words) ?? "there is none")",
      ] + stories)
  }

  private func json(_ entries: [HistoryEntry], _ total: HistoryCounts) -> Int32 {
    let stories = entries.map { entry in
      JSON.object(
        [("source", .text(entry.source)), ("title", .optional(entry.title))]
          + entry.counts.members)
    }
    return Output.write(
      .object([
        ("stories", .array(stories)),
        ("total", .object([("stories", .integer(entries.count))] + total.members)),
        ("cache", saving.map { .object(CacheCommand.members($0)) } ?? .null),
      ]))
  }
}

/// Runs a command with the history; complains where it cannot be used.
private func withHistory(
  _ body: (HistoryDirectory) throws(HistoryError) -> Int32
) -> Int32 {
  guard let path = StateFolder.path else {
    complain("there is no history: neither XDG_STATE_HOME nor HOME is set")
    return Status.failure
  }
  do throws(HistoryError) {
    return try body(HistoryDirectory(path))
  } catch {
    complain("cannot use the history in \(path): \(error.reason)")
    return Status.failure
  }
}

/// All stories of a history; complains if they were lost because it was damaged.
private func listed(_ history: HistoryDirectory) throws(HistoryError) -> [HistoryEntry] {
  let found = try history.list()
  if let notice = found.notice { complain(notice) }
  return found.entries
}

extension HistoryCounts {
  /// "3 views, 2 to the end".
  fileprivate var words: String {
    "\(Format.count(views, "view")), \(completions) to the end"
  }

  /// "3 views, 2 to the end, 1 skip, 4 waits of 2.5 s".
  fileprivate var fullWords: String {
    let seconds = waits > 0 ? " of \(Format.fixed(waitedS, digits: 1)) s" : ""
    return "\(words), \(Format.count(skips, "skip")), \(Format.count(waits, "wait"))\(seconds)"
  }

  fileprivate var members: [(String, JSON)] {
    [
      ("views", .integer(views)), ("completions", .integer(completions)),
      ("skips", .integer(skips)), ("waits", .integer(waits)), ("waitedS", .number(waitedS)),
    ]
  }

  private var waitedS: Double { waited / .seconds(1) }
}

extension Output {
  fileprivate static func write(lines: [String]) -> Int32 {
    lines.isEmpty || write(lines.joined(separator: "\n") + "\n") ? Status.success : Status.failure
  }

  fileprivate static func write(_ json: JSON) -> Int32 {
    write(json.description + "\n") ? Status.success : Status.failure
  }

  fileprivate static func write(_ elements: [JSON]) -> Int32 { write(.array(elements)) }
}
