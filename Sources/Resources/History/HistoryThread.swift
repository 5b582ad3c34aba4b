import System

/// An answer of the history.
public enum HistoryEvent: Equatable, Sendable {
  /// What is known of the stories that were looked up.
  case found(HistoryFindings)
  /// How often a story was played to its end, in all players; nil if that is unknown.
  case counted(story: Int, completions: Int?)
}

/// The history on a thread of its own, which alone waits for SQLite and the disk. Questions are
/// answered in order; changes are written a moment later.
public final class HistoryThread: Sendable {
  enum Command: Sendable {
    case lookUp(count: Int, sources: String?, id: @Sendable (Int) -> String)
    case check(story: Int, id: String)
    case change(HistoryStore.Change)
    case stop
  }

  typealias Box = Mailbox<Command, HistoryEvent>

  private let mailbox: Box
  private let notices = Notices()
  private let thread: WorkerThread

  /// Starts the thread, which opens the history in that directory at once.
  public init(directory: String) throws(SystemError) {
    let mailbox = try Box(owner: try Waker())
    self.mailbox = mailbox
    let notices = notices
    thread = try WorkerThread { HistoryLoop(mailbox, notices).run(directory) }
  }

  /// Readable when there are events to take.
  public var descriptor: Int32 { mailbox.owner.number }

  /// Asks what is known of `count` stories; the answer is `found`.
  ///
  /// - Parameters:
  ///   - sources: the sources whose place is wanted too; nil for none.
  ///   - id: the id of a story by its number, called on the history's thread.
  public func lookUp(count: Int, sources: String?, id: @escaping @Sendable (Int) -> String) {
    send(.lookUp(count: count, sources: sources, id: id))
  }

  /// Asks how often a story was played to its end; the answer is `counted`.
  public func check(story: Int, id: String) { send(.check(story: story, id: id)) }

  public func add(_ counts: HistoryCounts, to subject: HistorySubject) {
    send(.change(.add(counts, to: subject)))
  }

  /// Remembers where a run of some sources is.
  public func setResumePoint(of sources: String, story: String, position: Duration) {
    send(.change(.resumePoint(sources: sources, story: story, position: position)))
  }

  /// Forgets where the last run of some sources was.
  public func clearResumePoint(of sources: String) {
    send(.change(.noResumePoint(sources: sources)))
  }

  /// The events since the last call, in order.
  public func take() -> [HistoryEvent] {
    mailbox.owner.silence()
    return mailbox.takeEvents()
  }

  /// Messages for the viewer: why there is no history, or that a damaged one was set aside.
  public var notice: String? { notices.first }

  /// Writes pending changes and waits for the thread. Called once.
  public func close() {
    send(.stop)
    thread.join()
  }

  private func send(_ command: Command) { mailbox.send(command) }
}

/// The loop of the history's thread.
private final class HistoryLoop {
  /// How long changes wait, so that questions of the same moment are not delayed by the disk.
  private static let commitTime = Duration.milliseconds(20)
  /// How long they wait if another process holds the file, and how often that is tried again.
  private static let retryTime = Duration.seconds(1)
  private static let lastTries = 5

  private let mailbox: HistoryThread.Box
  private let notices: Notices
  private var store: HistoryStore?
  private var pending: [HistoryStore.Change] = []
  private var commitDue: Instant?
  private var hasPruned = false

  init(_ mailbox: HistoryThread.Box, _ notices: Notices) {
    self.mailbox = mailbox
    self.notices = notices
  }

  func run(_ directory: String) {
    do {
      store = try HistoryStore(directory: directory)
      sayDamage()
    } catch {
      say("no history: \(error.reason)")
    }
    while true {
      for command in mailbox.takeCommands() {
        if case .stop = command { return finish() }
        take(command)
      }
      if let due = commitDue, .now >= due { commit() }
      mailbox.awaitCommands(until: commitDue)
    }
  }

  private func take(_ command: HistoryThread.Command) {
    switch command {
    case .lookUp(let count, let sources, let id):
      if !pending.isEmpty { commit() }
      let found = attempt { store throws(HistoryError) in
        try store.lookUp(count: count, sources: sources, id: id)
      }
      emit(.found(found ?? HistoryFindings()))
    case .check(let story, let id):
      if pending.contains(where: { $0.counts(of: id) }) { commit() }
      let count = attempt { store throws(HistoryError) in try store.completions(of: id) }
      emit(.counted(story: story, completions: count))
    case .change(let change):
      guard store != nil else { return }
      pending.append(change)
      commitDue = commitDue ?? .now + HistoryLoop.commitTime
    case .stop: break
    }
  }

  private func emit(_ event: HistoryEvent) {
    mailbox.post(event)
    mailbox.owner.wake()
  }

  private func say(_ words: String) { notices.add(words) }

  private func sayDamage() {
    if let notice = store?.notice { say(notice) }
  }

  /// Uses the store; nil if that is impossible now.
  private func attempt<Result>(_ body: (HistoryStore) throws(HistoryError) -> Result) -> Result? {
    guard let store else { return nil }
    defer { sayDamage() }
    do {
      return try body(store)
    } catch {
      // Another process may only be slow; other errors do not go away.
      if error != .busy { abandon(error) }
      return nil
    }
  }

  private func abandon(_ error: HistoryError) {
    say("no history: \(error.reason)")
    store = nil
    pending = []
    commitDue = nil
  }

  private func commit() {
    commitDue = nil
    guard let store, !pending.isEmpty else { return }
    defer { sayDamage() }
    do {
      try store.write(pending, now: WallClock.seconds)
      pending = []
      if !hasPruned {
        hasPruned = true
        try store.prune()
      }
    } catch {
      if error == .busy { commitDue = .now + HistoryLoop.retryTime } else { abandon(error) }
    }
  }

  private func finish() {
    for _ in 0..<HistoryLoop.lastTries where !pending.isEmpty { commit() }
    if !pending.isEmpty { say("the history is held by another process: this run is not in it") }
    store = nil
  }
}

extension HistoryStore.Change {
  /// Whether it changes the counts of a story.
  fileprivate func counts(of id: String) -> Bool {
    if case .add(_, let subject) = self { subject.id == id } else { false }
  }
}
