import System

/// The number of a content on the player's loop, never used twice.
struct ContentNumber: Hashable, Sendable {
  let value: UInt64
}

/// The results of the cache's work.
enum CacheEvent: Sendable {
  /// The stored entry; nil for none.
  case opened(StoredContent?)
  /// The entry to store in; nil if nothing can be stored.
  case created(StoredContent?)
  case written(EntryNumber, Segment)
  /// Bytes could not be stored.
  case refused(EntryNumber)
  /// The last bytes may not be on the disk.
  case unsure(EntryNumber)
  /// The segments in the index, read after this reread was asked for; nil if it could not be read.
  case segments(EntryNumber, [Segment]?, reread: UInt64)
  /// Everything written to the entry so far is in the index.
  case flushed(EntryNumber)
}

/// The cache on a thread of its own, which alone waits for fdatasync and SQLite.
///
/// Used from one thread, which is woken when there are events to take.
final class CacheThread: Sendable {
  enum Command: Sendable {
    /// Looks up an entry, after a delay if another process is at work.
    case open(ContentNumber, key: String, milliseconds: Int)
    case create(ContentNumber, key: String, source: String, ContentFacts)
    case write(ContentNumber, EntryNumber, at: UInt64, [UInt8])
    /// Reads the index again, after a delay if another process is at work.
    case reread(ContentNumber, EntryNumber, number: UInt64, milliseconds: Int)
    case flush(ContentNumber, EntryNumber)
    case revise(EntryNumber, ContentFacts)
    case supersede(EntryNumber)
    /// Nobody shall find the entry of this key any more.
    case discard(key: String)
    case drop(EntryNumber, Segment)
    case close(EntryNumber)
    case count(Saving)
    case stop
  }

  typealias Box = Mailbox<Command, (ContentNumber, CacheEvent)>

  private let mailbox: Box
  private let notices = Notices()
  private let thread: WorkerThread

  init(
    waker: Waker, open: @escaping @Sendable () throws(CacheError) -> CacheStore
  ) throws(SystemError) {
    let mailbox = try Box(owner: waker)
    self.mailbox = mailbox
    let notices = notices
    thread = try WorkerThread {
      let loop = CacheLoop(mailbox: mailbox, notices: notices, open: open)
      loop.run()
    }
  }

  func send(_ command: Command) { mailbox.send(command) }

  /// The events since the last call, in order.
  func take() -> [(ContentNumber, CacheEvent)] { mailbox.takeEvents() }

  /// Messages for the viewer; each is given once.
  func takeNotices() -> [String] { notices.take() }

  /// Commits pending work and waits for the thread. Called once.
  func close() {
    send(.stop)
    thread.join()
  }
}

/// The loop of the cache's thread.
private final class CacheLoop {
  /// A crash costs this many bytes, those that are on their way here
  /// (`ContentState.mostUnwritten`), and those in sockets.
  static let commitBytes: UInt64 = 2 << 20
  static let commitTime = Duration.seconds(1)

  private let mailbox: CacheThread.Box
  private let notices: Notices
  private let open: () throws(CacheError) -> CacheStore
  private var store: CacheStore?
  private var entries: [EntryNumber: Set<ContentNumber>] = [:]
  private var later: [(due: Instant, command: CacheThread.Command)] = []
  private var busyCreates: [ContentNumber: Int] = [:]
  private var commitDue: Instant?
  private var sweepDue: Instant?
  private var said: Set<String> = []
  private var failedCommits = 0
  /// Whether the last commit failed because another process held the index.
  private var isHeldUp = false
  private var hasEvents = false

  init(
    mailbox: CacheThread.Box, notices: Notices,
    open: @escaping () throws(CacheError) -> CacheStore
  ) {
    self.mailbox = mailbox
    self.notices = notices
    self.open = open
  }

  func run() {
    do {
      store = try open()
      sweepDue = .now + .seconds(3)
    } catch {
      say(error)
    }
    while true {
      let commands = mailbox.takeCommands()
      // These are waited for, or they decide which entries other processes find; the rest can come
      // later.
      for command in commands where command.isPrompt { take(command) }
      for command in commands where !command.isPrompt {
        if case .stop = command { return finish() }
        take(command)
      }
      takeWhatIsDue(now: .now)
      announceEvents()
      let dues = later.map(\.due) + [commitDue, sweepDue].compactMap { $0 }
      mailbox.awaitCommands(until: dues.min())
    }
  }

  private func announceEvents() {
    guard hasEvents else { return }
    hasEvents = false
    mailbox.owner.wake()
  }

  private func finish() {
    _ = try? store?.commit()
    store = nil
  }

  private func emit(_ number: ContentNumber, _ event: CacheEvent) {
    mailbox.post((number, event))
    hasEvents = true
  }

  private func say(_ error: CacheError) {
    let words: String
    switch error {
    case .noRoom: words = "no room to cache: what is fetched is not kept"
    case .busy: words = "no cache: another process holds its index"
    case .gone: words = "the cache's index was damaged and is begun anew"
    case .unusable(let reason): words = "no cache: \(reason)"
    }
    guard said.insert(words).inserted else { return }
    notices.add(words)
    mailbox.owner.wake()
  }

  private func attempt<Result>(_ body: (CacheStore) throws(CacheError) -> Result) -> Result? {
    guard let store else { return nil }
    do {
      return try body(store)
    } catch {
      say(error)
      return nil
    }
  }

  private func take(_ command: CacheThread.Command) {
    switch command {
    case .open(let number, let key, let milliseconds):
      guard milliseconds == 0 else {
        let command = CacheThread.Command.open(number, key: key, milliseconds: 0)
        return later.append((.now + .milliseconds(milliseconds), command))
      }
      let found = attempt { store throws(CacheError) in try store.find(key) } ?? nil
      if let found { entries[found.entry, default: []].insert(number) }
      if found != nil { commitLater() }
      emit(number, .opened(found))
    case .create(let number, let key, let source, let facts):
      var isBusy = false
      let made =
        attempt { store throws(CacheError) -> StoredContent? in
          do throws(CacheError) {
            return try store.create(key, source: source, facts: facts)
          } catch {
            isBusy = error == .busy && busyCreates[number, default: 0] < 2
            if isBusy { return nil }
            throw error
          }
        } ?? nil
      if isBusy {
        // Without an entry, nothing of it would be stored in this run.
        busyCreates[number, default: 0] += 1
        return later.append((.now + .milliseconds(100), command))
      }
      busyCreates[number] = nil
      if let made { entries[made.entry, default: []].insert(number) }
      emit(number, .created(made))
    case .write(let number, let entry, let offset, let bytes):
      let segment = attempt { store throws(CacheError) in
        try store.write(bytes, at: offset, of: entry)
      }
      emit(number, segment.map { .written(entry, $0) } ?? .refused(entry))
      commitLater()
      if let store, store.pendingBytes >= CacheLoop.commitBytes {
        announceEvents()
        commit()
      }
    case .reread(let number, let entry, let reread, let milliseconds):
      guard milliseconds == 0 else {
        let command = CacheThread.Command.reread(number, entry, number: reread, milliseconds: 0)
        return later.append((.now + .milliseconds(milliseconds), command))
      }
      emit(number, .segments(entry, segments(of: entry), reread: reread))
    case .flush(let number, let entry):
      commit()
      if isHeldUp {
        // A process that waits for these bytes would not find them in the index yet.
        later.append((.now + .milliseconds(200), .flush(number, entry)))
      } else {
        emit(number, .flushed(entry))
      }
    case .revise(let entry, let facts):
      _ = attempt { store throws(CacheError) in try store.revise(entry, facts) }
    case .supersede(let entry):
      _ = attempt { store throws(CacheError) in try store.supersede(entry) }
    case .discard(let key):
      _ = attempt { store throws(CacheError) in
        guard let found = try store.find(key) else { return }
        try store.supersede(found.entry)
        store.close(found.entry)
        // The parts of a live story come by the hundred. One that is still being read is deleted
        // with a later one.
        if !store.isReadOnly { try store.evict(Eviction.Need()) }
      }
    case .drop(let entry, let segment):
      store?.drop(segment, of: entry)
      commitLater()
    case .close(let entry):
      store?.close(entry)
      if store?.uses[entry] == nil { entries[entry] = nil }
    case .count(let saving):
      store?.count(saving)
      commitLater()
    case .stop: break
    }
  }

  /// The segments of an entry; none if it is gone, nil if another process holds the index.
  private func segments(of entry: EntryNumber) -> [Segment]? {
    do {
      return try store?.segments(of: entry) ?? []
    } catch {
      if error == .busy { return nil }
      // Its reader may have closed it meanwhile.
      if error != .gone { say(error) }
      return []
    }
  }

  private func commitLater() { commitDue = commitDue ?? .now + CacheLoop.commitTime }

  private func takeWhatIsDue(now: Instant) {
    let due = later.filter { $0.due <= now }
    later.removeAll { $0.due <= now }
    for (_, command) in due { take(command) }
    if let commitDue, now >= commitDue { commit() }
    if let sweepDue, now >= sweepDue {
      self.sweepDue = nil
      _ = attempt { store throws(CacheError) in
        try store.sweep()
        try store.forgetMissing()
      }
    }
  }

  private func commit() {
    commitDue = nil
    guard let store else { return }
    do {
      for entry in try store.commit() {
        for number in entries[entry] ?? [] { emit(number, .unsure(entry)) }
      }
      failedCommits = 0
      isHeldUp = false
    } catch {
      failedCommits += 1
      isHeldUp = error == .busy && failedCommits < 30
      // Pending work is kept: another process may only have been slow.
      if error != .busy || failedCommits >= 3 { say(error) }
      if failedCommits < 100 { commitLater() }
    }
  }
}

extension CacheThread.Command {
  fileprivate var isPrompt: Bool {
    switch self {
    case .open, .create, .supersede, .discard, .revise: true
    case .write, .reread, .flush, .drop, .close, .count, .stop: false
    }
  }
}
