import Glibc
import Synchronization

/// How a process ended, and the resources that it and the children it reaped have used.
public struct Ending: Equatable, Sendable {
  /// The exit status, nil when a signal ended it.
  public let status: Int32?
  /// The signal that ended it.
  public let signal: Int32?
  public let processorMilliseconds: Double
  /// The largest resident set of any one of the processes.
  public let peakKibibytes: Int

  /// The status as a shell reports it: the exit status, or 128 plus the signal.
  public var shellStatus: Int32 { status ?? 128 + (signal ?? 0) }
}

/// A failure of the test support itself.
public struct SupportError: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}

/// The processes that run for the tests. An interrupt from the keyboard reaches the tests alone;
/// this kills the processes too.
final class RunningProcesses: Sendable {
  private static let room = 512
  /// Unused entries are zero. Set under the lock, read by the signal handler.
  nonisolated(unsafe) private static let identifiers: UnsafeMutablePointer<pid_t> = {
    let identifiers = UnsafeMutablePointer<pid_t>.allocate(capacity: room)
    identifiers.initialize(repeating: 0, count: room)
    return identifiers
  }()
  private let lock = Mutex(())

  init() {
    _ = RunningProcesses.identifiers
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { number in
        for index in 0..<RunningProcesses.room where RunningProcesses.identifiers[index] > 0 {
          kill(RunningProcesses.identifiers[index], SIGKILL)
        }
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  func add(_ identifier: pid_t) { replace(0, by: identifier) }
  func remove(_ identifier: pid_t) { replace(identifier, by: 0) }

  private func replace(_ old: pid_t, by new: pid_t) {
    lock.withLock { _ in
      let slots = UnsafeMutableBufferPointer(
        start: RunningProcesses.identifiers, count: RunningProcesses.room)
      if let index = slots.firstIndex(of: old) { slots[index] = new }
    }
  }
}

/// A child process of the test, reaped once.
final class Spawned: Sendable {
  fileprivate static let running = RunningProcesses()
  let identifier: pid_t

  /// Starts a program with these descriptors as 0 to 2 and nothing else open. With a terminal's
  /// path it leads its own session on that terminal, which is also its 0 to 2.
  init(
    _ path: String, _ arguments: [String], environment: [String: String],
    directory: String? = nil, descriptors: [Int32] = [], terminal: String? = nil
  ) throws {
    var files = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&files)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&files)
      posix_spawnattr_destroy(&attributes)
    }
    if let terminal {
      // A session leader without a terminal gets the first one that it opens as its controlling
      // terminal.
      posix_spawn_file_actions_addopen(&files, 0, terminal, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&files, 0, 1)
      posix_spawn_file_actions_adddup2(&files, 0, 2)
    }
    for (index, descriptor) in descriptors.enumerated() {
      posix_spawn_file_actions_adddup2(&files, descriptor, Int32(index))
    }
    // Closing a descriptor that is not open is no error here.
    for descriptor in Int32(max(3, descriptors.count))..<256 {
      posix_spawn_file_actions_addclose(&files, descriptor)
    }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    let newSession: Int32 = 0x80
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | newSession))

    let command = directory.map { ["/usr/bin/env", "-C", $0, path] } ?? [path]
    let argv = (command + arguments).map { strdup($0) } + [nil]
    let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for copy in argv + envp { free(copy) } }
    var started: pid_t = 0
    let code = posix_spawn(&started, command[0], &files, &attributes, argv, envp)
    guard code == 0 else {
      throw SupportError("cannot start \(path): \(String(cString: strerror(code)))")
    }
    identifier = started
    Spawned.running.add(started)
  }

  /// Reaps the process if it has ended. Must not be called again after that.
  func reap() -> Ending? {
    var status: Int32 = 0
    var usage = rusage()
    guard wait4(identifier, &status, WNOHANG, &usage) == identifier else { return nil }
    Spawned.running.remove(identifier)
    let signal = status & 0x7F
    func milliseconds(_ time: timeval) -> Double {
      Double(time.tv_sec) * 1000 + Double(time.tv_usec) / 1000
    }
    return Ending(
      status: signal == 0 ? status >> 8 & 0xFF : nil, signal: signal == 0 ? nil : signal,
      processorMilliseconds: milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
      peakKibibytes: Int(usage.ru_maxrss))
  }
}
