import CLinux
import Glibc

/// A process that this one started and must reap.
public final class ChildProcess {
  /// The kernel's number for it; 0 once it was reaped.
  public private(set) var identifier: pid_t

  /// How a process ended.
  public enum Ending: Equatable, Sendable {
    case exited(status: Int32)
    case killed(signal: Int32)
  }

  private init(identifier: pid_t) { self.identifier = identifier }

  /// A started process and this side's end of the socket that is its descriptor 3.
  public struct Started: ~Copyable {
    public let process: ChildProcess
    public let socket: Descriptor
  }

  /// Starts a program with a connected socket as descriptor 3, /dev/null as 0 to 2, and nothing
  /// else open.
  public static func start(
    _ path: String, arguments: [String], environment: [String]
  ) throws(SystemError) -> Started {
    var pair: [Int32] = [-1, -1]
    let code = lx_socketpair(&pair)
    guard code == 0 else { throw SystemError(step: "make a socket pair", code: code) }
    let ours = Descriptor(adopting: pair[0])
    let theirs = Descriptor(adopting: pair[1])
    var identifier: pid_t = 0
    let failure = withCStrings([path] + arguments) { argv in
      withCStrings(environment) { envp in
        lx_spawn(path, argv, envp, theirs.number, &identifier)
      }
    }
    guard failure == 0 else { throw SystemError(step: "start", subject: path, code: failure) }
    return Started(process: ChildProcess(identifier: identifier), socket: ours)
  }

  /// Runs a program to its end, at most 64 KiB of its output.
  ///
  /// - Returns: what it wrote on standard output and error, and how it ended.
  public static func output(of path: String, arguments: [String]) throws(SystemError) -> (
    text: String, ending: Ending?
  ) {
    var identifier: pid_t = 0
    var number: Int32 = -1
    let failure = withCStrings([path] + arguments) {
      lx_spawn_reading(path, $0, &number, &identifier)
    }
    guard failure == 0 else { throw SystemError(step: "start", subject: path, code: failure) }
    let child = ChildProcess(identifier: identifier)
    let pipe = Descriptor(adopting: number)
    var bytes: [UInt8] = []
    while bytes.count < 64 << 10, case .bytes = try pipe.read(upTo: 4096, into: &bytes) {}
    return (String(decoding: bytes, as: UTF8.self), child.wait(options: 0))
  }

  /// How it ended, nil while it runs. Reaps it.
  public func poll() -> Ending? { wait(options: WNOHANG) }

  /// Ends it without waiting; `poll` reaps it later.
  public func sendKill() {
    if identifier > 0 { _ = Glibc.kill(identifier, SIGKILL) }
  }

  /// Ends it for sure and reaps it. A process that was ending already keeps its own ending.
  @discardableResult
  public func kill() -> Ending? {
    guard identifier > 0 else { return nil }
    _ = Glibc.kill(identifier, SIGKILL)
    return wait(options: 0)
  }

  /// Lets it use the processor for so many seconds in all before the kernel ends it (SIGXCPU).
  public func limitProcessorTime(seconds: UInt64) {
    guard identifier > 0 else { return }
    _ = lx_limit_cpu(identifier, seconds)
  }

  private func wait(options: Int32) -> Ending? {
    guard identifier > 0 else { return nil }
    var status: Int32 = 0
    let result = retrying { waitpid(identifier, &status, options) }
    guard result == identifier else { return nil }
    identifier = 0
    let signal = status & 0x7f
    return signal == 0 ? .exited(status: (status >> 8) & 0xff) : .killed(signal: signal)
  }

  deinit { kill() }
}

/// Programs that were started for the viewer and live on by themselves.
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

  /// Lets the kernel forget those that have ended.
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

  /// What this process used so far.
  public static var own: ResourceUsage { ResourceUsage(ofChildren: false) }
  /// What the children that were reaped used.
  public static var reapedChildren: ResourceUsage { ResourceUsage(ofChildren: true) }

  private init(ofChildren: Bool) {
    var out: [Int64] = [0, 0]
    lx_usage(ofChildren ? 1 : 0, &out)
    processorMilliseconds = Int(out[0])
    let peak = ofChildren ? nil : ResourceUsage.ownPeakKibibytes()
    peakKibibytes = peak ?? Int(out[1])
  }

  /// The largest resident set of this program itself (proc(5), VmHWM). What getrusage says counts
  /// the memory of whoever started it, which shared its process for a moment before exec.
  private static func ownPeakKibibytes() -> Int? {
    guard let status = try? Descriptor.open(reading: "/proc/self/status"),
      let bytes = try? status.read(at: 0, count: 8192)
    else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let words = lines.first { $0.hasPrefix("VmHWM:") }?.split { $0 == " " || $0 == "\t" }
    return words.flatMap { $0.count > 1 ? Int($0[1]) : nil }
  }
}

/// Lends strings as the NULL-terminated array that exec wants.
private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  var array = copies + [nil]
  return array.withUnsafeMutableBufferPointer { buffer in
    guard let base = buffer.baseAddress else { preconditionFailure("the array holds the NULL") }
    return body(base)
  }
}
