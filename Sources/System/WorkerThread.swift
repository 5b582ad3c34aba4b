import Glibc
import Synchronization

/// A thread for calls that block, outside Swift's cooperative pool.
public final class WorkerThread: Sendable {
  private let identifier: pthread_t
  private let isJoined = Atomic<Bool>(false)

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts the thread. Signals that the program handles go to other threads; crashes do not.
  public init(_ run: @escaping @Sendable () -> Void) throws(SystemError) {
    var blocked = sigset_t()
    var before = sigset_t()
    sigfillset(&blocked)
    for fatal in [SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP] { sigdelset(&blocked, fatal) }
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var started = pthread_t()
    // The thread consumes the one reference passed to it.
    let body = Unmanaged.passRetained(Body(run))
    let code = pthread_create(
      &started, nil,
      { raw in
        guard let raw else { return nil }
        Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run()
        return nil
      }, body.toOpaque())
    guard code == 0 else {
      body.release()
      throw SystemError(step: "start a thread", code: code)
    }
    identifier = started
  }

  /// Waits for the thread's end. Call it at most once; without it the thread continues detached.
  public func join() {
    isJoined.store(true, ordering: .relaxed)
    pthread_join(identifier, nil)
  }

  deinit {
    if !isJoined.load(ordering: .relaxed) { pthread_detach(identifier) }
  }
}
