import Synchronization

/// A mailbox between a thread and its owner: commands go to the thread, events come back, each in
/// the order in which they were sent.
public final class Mailbox<Command: Sendable, Event: Sendable>: Sendable {
  private let commands = Mutex<[Command]>([])
  private let events = Mutex<[Event]>([])
  /// Woken when there are commands.
  public let thread: Waker
  /// Woken by the thread when there are events; one wake may stand for many events.
  public let owner: Waker

  /// - Parameter owner: the waker that the owner waits on, perhaps for other threads too.
  public init(owner: Waker) throws(SystemError) {
    self.owner = owner
    thread = try Waker()
  }

  // MARK: - The owner's side

  /// Sends the thread a command, and wakes it.
  public func send(_ command: Command) {
    commands.withLock { $0.append(command) }
    thread.wake()
  }

  /// The events since the last call.
  public func takeEvents() -> [Event] {
    events.withLock { events in
      let taken = events
      events = []
      return taken
    }
  }

  // MARK: - The thread's side

  /// Sends the owner an event, without waking it yet.
  public func post(_ event: Event) { events.withLock { $0.append(event) } }

  /// The commands since the last call.
  public func takeCommands() -> [Command] {
    commands.withLock { commands in
      let taken = commands
      commands = []
      return taken
    }
  }

  /// Waits until there are commands, or until a moment; nil is no limit.
  public func awaitCommands(until moment: Instant?) {
    _ = try? awaitReadiness(of: [Interest(thread.number)], until: moment)
    thread.silence()
  }
}
