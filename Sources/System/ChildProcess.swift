import CLinux
import Glibc

/// A process that this one started and must reap.
public final class ChildProcess {
  /// The process's number; 0 once it was reaped.
  public private(set) var identifier: pid_t
  private var reapedPeak = 0
  /// Whether it shared a process with this one for a moment, before it ran its program.
  private var sharedWithStarter = true
  /// How it ended, and the processor time that it used, in milliseconds; nil until it is reaped.
  public private(set) var reaped: (ending: Ending, processorMilliseconds: Int)?

  /// How a process ended.
  public enum Ending: Equatable, Sendable {
    case exited(status: Int32)
    case killed(signal: Int32)
  }

  private init(identifier: pid_t) { self.identifier = identifier }

  /// Adopts a child of this process that another process has forked (`Fork.sibling`).
  public convenience init(adopting identifier: pid_t) {
    self.init(identifier: identifier)
    sharedWithStarter = false
  }

  /// A started process and this side's end of the socket that is its descriptor 3.
  public struct Started: ~Copyable {
    public let process: ChildProcess
    public let socket: Descriptor

    /// Gives up the process, which its owner must have kept, for the socket.
    public consuming func releaseSocket() -> Descriptor { socket }
  }

  /// Starts a program with a connected socket as descriptor 3, /dev/null as 0 to 2, and nothing
  /// else open.
  public static func start(
    _ path: String, arguments: [String], environment: [String]
  ) throws(SystemError) -> Started {
    let pair = try SocketPair()
    let process = try start(
      path, arguments: arguments, environment: environment, socket: pair.theirs)
    return Started(process: process, socket: pair.keepOurs())
  }

  /// Starts a program as above, with this socket as descriptor 3.
  public static func start(
    _ path: String, arguments: [String], environment: [String], socket: borrowing Descriptor
  ) throws(SystemError) -> ChildProcess {
    var identifier: pid_t = 0
    let number = socket.number
    let failure = withCStrings([path] + arguments) { argv in
      withCStrings(environment) { envp in lx_spawn(path, argv, envp, number, &identifier) }
    }
    guard failure == 0 else { throw SystemError(step: "start", subject: path, code: failure) }
    return ChildProcess(identifier: identifier)
  }

  /// Runs a program to its end; a program that writes 64 KiB or more is ended then. At a deadline,
  /// or when a waker wakes, it is ended with its whole process group.
  ///
  /// - Returns: what it wrote on standard output and error, and how it ended.
  public static func output(
    of path: String, arguments: [String], until deadline: Instant? = nil, orFor waker: Waker? = nil
  ) throws(SystemError) -> (text: String, ending: Ending?) {
    var identifier: pid_t = 0
    var number: Int32 = -1
    let failure = withCStrings([path] + arguments) {
      lx_spawn_reading(path, $0, &number, &identifier)
    }
    guard failure == 0 else { throw SystemError(step: "start", subject: path, code: failure) }
    let child = ChildProcess(identifier: identifier)
    let pipe = Descriptor(adopting: number)
    var bytes: [UInt8] = []
    let wakers = waker.map { [Interest($0.number)] } ?? []
    var isOver = false
    while bytes.count < 64 << 10 {
      // A program that has closed its output may run on.
      if isOver, let ending = child.poll() {
        return (String(decoding: bytes, as: UTF8.self), ending)
      }
      let turn = isOver ? Instant.now + .milliseconds(10) : deadline
      let ready = try awaitReadiness(
        of: wakers + (isOver ? [] : [Interest(pipe.number)]), until: turn)
      let isCalledOff = waker != nil && ready[0].readable
      if isCalledOff || deadline.map({ .now >= $0 }) ?? false {
        // It leads its own process group.
        _ = Glibc.kill(-identifier, SIGKILL)
        break
      }
      guard !isOver, ready[wakers.count].readable else { continue }
      if case .bytes = try pipe.read(upTo: 4096, into: &bytes) { continue }
      isOver = true
    }
    return (String(decoding: bytes, as: UTF8.self), child.kill())
  }

  /// Reaps the process if it has ended; gives how it ended, nil while it runs.
  public func poll() -> Ending? { wait(options: WNOHANG) }

  /// Kills it without waiting; `poll` reaps it later.
  public func sendKill() {
    if identifier > 0 { _ = Glibc.kill(identifier, SIGKILL) }
  }

  /// Kills and reaps it. If it was already ending, its own way of ending is reported.
  @discardableResult
  public func kill() -> Ending? {
    guard identifier > 0 else { return nil }
    _ = Glibc.kill(identifier, SIGKILL)
    return wait(options: 0)
  }

  /// Limits its total processor time; the kernel then ends it with SIGXCPU.
  public func limitProcessorTime(seconds: UInt64) {
    guard identifier > 0 else { return }
    _ = lx_limit_cpu(identifier, seconds)
  }

  /// The peak of its resident memory so far, in KiB; 0 where it is unknown, as for a process that
  /// has just ended and was not reaped.
  public var peakKibibytes: Int {
    identifier > 0 ? ResourceUsage.peakKibibytes(of: "\(identifier)") ?? 0 : reapedPeak
  }

  /// How many threads it has; 0 where that is unknown.
  public var threads: Int {
    identifier > 0 ? ResourceUsage.status("Threads:", of: "\(identifier)") ?? 0 : 0
  }

  /// The number of processors of this machine.
  public static var processors: Int { max(1, Int(clamping: sysconf(Int32(_SC_NPROCESSORS_CONF)))) }

  private func wait(options: Int32) -> Ending? {
    guard identifier > 0 else { return nil }
    var status: Int32 = 0
    var usage = rusage()
    let result = retrying { wait4(identifier, &status, options, &usage) }
    if result < 0, errno == ECHILD {
      // Where SIGCHLD is ignored, the kernel reaps by itself; the number may be another's soon.
      identifier = 0
      return nil
    }
    guard result == identifier else { return nil }
    identifier = 0
    // The value of a child that was started is never below this process's peak at that time: only a
    // larger one is the child's own.
    if !sharedWithStarter || usage.ru_maxrss > ResourceUsage.own.peakKibibytes {
      reapedPeak = usage.ru_maxrss
    }
    let signal = status & 0x7f
    let ending: Ending =
      signal == 0 ? .exited(status: (status >> 8) & 0xff) : .killed(signal: signal)
    reaped = (ending, usage.processorMilliseconds)
    return ending
  }

  deinit { kill() }
}

/// Programs that were started for the viewer and continue on their own.
public struct DetachedPrograms {
  private var running: [pid_t] = []

  public init() {}

  /// Starts a program found in PATH, with /dev/null as descriptors 0 to 2 and nothing else open.
  public mutating func start(_ name: String, arguments: [String]) throws(SystemError) {
    var identifier: pid_t = 0
    let failure = withCStrings([name] + arguments) { lx_spawn_detached(name, $0, &identifier) }
    guard failure == 0 else { throw SystemError(step: "start", subject: name, code: failure) }
    running.append(identifier)
  }

  /// Reaps those that have ended.
  public mutating func reap() {
    running.removeAll { identifier in
      var status: Int32 = 0
      return waitpid(identifier, &status, WNOHANG) != 0
    }
  }
}

/// Processor time and peak memory.
public struct ResourceUsage: Equatable, Sendable {
  public let processorMilliseconds: Int
  /// The largest resident set of any one process, in KiB.
  public let peakKibibytes: Int

  /// The usage of this process so far.
  public static var own: ResourceUsage { ResourceUsage(ofChildren: false) }
  /// The usage of the children that were reaped.
  public static var reapedChildren: ResourceUsage { ResourceUsage(ofChildren: true) }

  private init(ofChildren: Bool) {
    var usage = rusage()
    getrusage((ofChildren ? RUSAGE_CHILDREN : RUSAGE_SELF).rawValue, &usage)
    processorMilliseconds = usage.processorMilliseconds
    let peak = ofChildren ? nil : ResourceUsage.peakKibibytes(of: "self")
    peakKibibytes = peak ?? usage.ru_maxrss
  }

  /// The largest resident set of a program itself (proc(5), VmHWM). The value of getrusage includes
  /// the memory of its parent, with which it shared a process for a moment before exec.
  fileprivate static func peakKibibytes(of process: String) -> Int? {
    status("VmHWM:", of: process)
  }

  /// A number in a process's status (proc(5)).
  static func status(_ name: String, of process: String) -> Int? {
    guard let status = try? Descriptor.open(reading: "/proc/\(process)/status"),
      let bytes = try? status.read(at: 0, count: 8192)
    else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let words = lines.first { $0.hasPrefix(name) }?.split { $0 == " " || $0 == "\t" }
    return words.flatMap { $0.count > 1 ? Int($0[1]) : nil }
  }
}

extension rusage {
  /// User and system time together.
  fileprivate var processorMilliseconds: Int {
    (ru_utime.tv_sec + ru_stime.tv_sec) * 1000 + Int(ru_utime.tv_usec + ru_stime.tv_usec) / 1000
  }
}

/// Passes strings as the NULL-terminated array that exec needs.
private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  let copies = strings.map { strdup(FileName.forKernel($0)) }
  defer { for copy in copies { free(copy) } }
  var array = copies + [nil]
  return array.withUnsafeMutableBufferPointer { buffer in
    guard let base = buffer.baseAddress else { preconditionFailure("the array holds the NULL") }
    return body(base)
  }
}
