import CLinux
import Glibc

/// The signals that the program handles in its loop instead of being ended by them at once.
public final class Signals {
  /// A signal that came.
  public enum Signal: Int32, CaseIterable, Sendable {
    case interrupt = 2
    case terminate = 15
    case hangUp = 1
    case stop = 20
    case proceed = 18
    case windowChanged = 28
    case childEnded = 17

  }

  private let waker: Waker

  /// Watches all of them, ignores SIGPIPE and SIGXFSZ and installs the crash handler. Call it once
  /// a process, before ncurses starts, which otherwise installs its own handlers.
  ///
  /// - Parameter untouched: signals that are left as they are.
  public init(except untouched: [Signal] = []) throws(SystemError) {
    waker = try Waker()
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow is an ordinary error.
    signal(SIGXFSZ, SIG_IGN)
    lx_install_crash_handler()
    for watched in Signal.allCases where !untouched.contains(watched) {
      let code = lx_watch_signal(watched.rawValue, waker.number)
      guard code == 0 else { throw SystemError(step: "watch a signal", code: code) }
    }
  }

  /// Becomes readable when a signal came.
  public var descriptor: Int32 { waker.number }

  /// Signals that were already ignored when this process started, as HUP is by nohup (proc(5)).
  public static var ignored: [Signal] {
    guard let status = try? Descriptor.open(reading: "/proc/self/status"),
      let bytes = try? status.read(at: 0, count: 8192)
    else { return [] }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let digits = lines.first { $0.hasPrefix("SigIgn:") }?.split(separator: "\t").last
    let bits = digits.flatMap { UInt64($0, radix: 16) } ?? 0
    return Signal.allCases.filter { bits >> UInt64($0.rawValue - 1) & 1 == 1 }
  }

  /// The signals since the last call.
  public func take() -> [Signal] {
    waker.silence()
    let bits = lx_take_signals()
    return Signal.allCases.filter { bits >> UInt64($0.rawValue) & 1 == 1 }
  }

  /// Ends this process by the signal's default action; restore the terminal first.
  public static func die(of signal: Signal) -> Never {
    lx_reraise(signal.rawValue)
    exit(128 + signal.rawValue)
  }

  /// Stops this process as ^Z does, and returns when it is continued. It returns at once if nobody
  /// could continue it, as in a terminal window without a shell: there the kernel drops SIGTSTP,
  /// though not SIGSTOP.
  public static func stopSelf() {
    var plain = sigaction()
    var watched = sigaction()
    sigaction(SIGTSTP, &plain, &watched)
    raise(SIGTSTP)
    sigaction(SIGTSTP, &watched, nil)
  }
}

/// The size of a terminal.
public struct WindowSize: Equatable, Sendable {
  public var columns: Int
  public var rows: Int
  /// The size in pixels; nil where the terminal does not report it.
  public var pixels: (width: Int, height: Int)?

  /// The most cells that are used: a terminal may claim 65,535 by 65,535.
  public static let mostColumns = 2000
  public static let mostRows = 1000
  /// Whether the terminal claims more than that.
  public let isCut: Bool

  /// Gets the size from the kernel (TIOCGWINSZ); nil where the descriptor is no terminal. Never
  /// more than `mostColumns` by `mostRows`.
  public init?(descriptor: Int32) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
    rows = min(Self.mostRows, Int(size.ws_row))
    columns = min(Self.mostColumns, Int(size.ws_col))
    isCut = rows < Int(size.ws_row) || columns < Int(size.ws_col)
    if size.ws_xpixel > 0, size.ws_ypixel > 0 {
      pixels = (Int(size.ws_xpixel), Int(size.ws_ypixel))
    }
  }

  /// Width divided by height of a cell, from the pixels where they are plausible, otherwise 1:2.
  public var cellAspect: Double {
    guard let pixels, columns > 0, rows > 0 else { return 0.5 }
    let aspect = Double(pixels.width) / Double(columns) / (Double(pixels.height) / Double(rows))
    return (0.3...0.8).contains(aspect) ? aspect : 0.5
  }

  public static func == (a: WindowSize, b: WindowSize) -> Bool {
    a.columns == b.columns && a.rows == b.rows && a.pixels?.width == b.pixels?.width
      && a.pixels?.height == b.pixels?.height
  }
}

/// How many bytes written to a terminal it has not accepted yet; nil where it does not report that
/// (TIOCOUTQ).
public func outputQueued(_ descriptor: Int32) -> Int? {
  var queued: Int32 = 0
  return ioctl(descriptor, UInt(TIOCOUTQ), &queued) == 0 ? Int(queued) : nil
}

/// Limits that a process sets for itself.
public enum OwnLimits {
  /// Lets this process reap its children, also where its starter ignored their ends.
  public static func reapChildren() { signal(SIGCHLD, SIG_DFL) }
  /// Limits the address space, in bytes.
  public static func addressSpace(_ bytes: UInt64) throws(SystemError) { try set(RLIMIT_AS, bytes) }
  /// Forbids new descriptors, writing to files, and core dumps.
  public static func closeFiles() throws(SystemError) {
    try set(RLIMIT_NOFILE, 0)
    try set(RLIMIT_FSIZE, 0)
    try set(RLIMIT_CORE, 0)
  }
  /// Limits the processor time in seconds; a parent may raise that limit.
  public static func processorTime(seconds: UInt64) throws(SystemError) {
    let code = lx_limit_cpu(0, seconds)
    guard code == 0 else { throw SystemError(step: "set a limit", code: code) }
  }
  /// Makes the kernel end this process when its parent ends.
  public static func dieWithParent() throws(SystemError) {
    let code = lx_die_with_parent()
    guard code == 0 else { throw SystemError(step: "bind to the parent process", code: code) }
  }

  /// Raises the limit on open files to the hard limit.
  public static func raiseDescriptors() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// Sets the soft and the hard limit.
  private static func set(_ which: __rlimit_resource, _ value: UInt64) throws(SystemError) {
    var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
    guard setrlimit(__rlimit_resource_t(which.rawValue), &limit) == 0 else {
      throw SystemError(step: "set a limit", code: errno)
    }
  }
}
