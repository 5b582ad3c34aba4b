import Synchronization
import System

/// The number of a fetch, never used twice.
struct FetchNumber: Hashable, Sendable {
  let value: UInt64
}

/// What happens to a fetch.
enum FetchEvent: Sendable {
  /// A body is accepted; after a break, the body that goes on where the last one ended.
  case head(FetchHead)
  case bytes(at: UInt64, [UInt8])
  /// It has ended well.
  case ended(FetchEnding)
  case failed(FetchError)
}

/// Fetches bytes over HTTP on a thread of its own.
///
/// Used from one thread, which is woken when there are events to take.
final class HTTPLoader: Sendable {
  /// What the owner sends to the thread.
  enum Command: Sendable {
    case fetch(FetchNumber, FetchRequest, allowed: UInt64)
    case allow(FetchNumber, until: UInt64)
    case urge(FetchNumber, isUrgent: Bool, isAwaited: Bool)
    case cancel(FetchNumber, unlessRemaining: UInt64)
    case secret(command: String, String?)
    case stop
  }

  typealias Box = Mailbox<Command, (FetchNumber, FetchEvent)>

  /// What was sent and received so far.
  final class Traffic: Sendable {
    let requests = Atomic<UInt64>(0)
    let bytes = Atomic<UInt64>(0)
  }

  private let mailbox: Box
  private let counted = Traffic()
  private let thread: WorkerThread
  private let next = Atomic<UInt64>(1)

  /// - Parameter library: called on the loader's thread; nil if libcurl is not installed.
  init(
    options: NetworkOptions, waker: Waker,
    library: @escaping @Sendable () -> CurlLibrary? = { CurlLibrary.installed }
  ) throws(SystemError) {
    let mailbox = try Box(owner: waker)
    self.mailbox = mailbox
    let counted = counted
    thread = try WorkerThread {
      guard let multi = library().flatMap({ CurlMulti($0) }) else {
        return refuse(mailbox, "libcurl is not installed (Debian's package libcurl4)")
      }
      let loop = LoaderLoop(options: options, mailbox: mailbox, traffic: counted, multi: multi)
      loop.run()
    }
  }

  /// Requests sent and bytes of bodies received so far.
  var traffic: (requests: UInt64, bytes: UInt64) {
    (counted.requests.load(ordering: .relaxed), counted.bytes.load(ordering: .relaxed))
  }

  /// Begins a fetch. One that is not urgent may end as cancelled if an urgent one needs its place;
  /// it can be requested again at once, and is then queued.
  ///
  /// - Parameter allowed: bytes up to this position may be sent; `allow` moves it.
  func fetch(_ request: FetchRequest, allowed: UInt64) -> FetchNumber {
    let number = FetchNumber(value: next.add(1, ordering: .relaxed).oldValue)
    mailbox.send(.fetch(number, request, allowed: allowed))
    return number
  }

  /// Lets a fetch go on up to a position.
  func allow(_ number: FetchNumber, until position: UInt64) {
    mailbox.send(.allow(number, until: position))
  }

  /// Changes the priority of a fetch.
  func set(_ number: FetchNumber, _ priority: FetchPriority) {
    mailbox.send(
      .urge(number, isUrgent: priority.isUrgent, isAwaited: priority.isAwaited))
  }

  /// Ends a fetch as cancelled, unless it is nearly done.
  func cancel(_ number: FetchNumber, unlessRemaining bytes: UInt64 = 0) {
    mailbox.send(.cancel(number, unlessRemaining: bytes))
  }

  /// The events since the last call, in order.
  func take() -> [(FetchNumber, FetchEvent)] { mailbox.takeEvents() }

  /// Ends everything and waits for the thread. Called once.
  func close() {
    mailbox.send(.stop)
    thread.join()
  }
}

/// The loader's thread if nothing can be fetched: each request fails with these words.
private func refuse(_ mailbox: HTTPLoader.Box, _ words: String) {
  while true {
    for command in mailbox.takeCommands() {
      switch command {
      case .stop: return
      case .fetch(let number, _, _):
        mailbox.post((number, .failed(.unreachable(words))))
        mailbox.owner.wake()
      case .allow, .urge, .cancel, .secret: break
      }
    }
    mailbox.awaitCommands(until: nil)
  }
}
