import CLinux
import Glibc

/// Monotonic time, which stops while the machine sleeps.
public typealias Instant = SuspendingClock.Instant

extension SuspendingClock.Instant {
  /// This moment.
  public static var now: Instant { SuspendingClock().now }

  public static func - (later: Instant, earlier: Instant) -> Duration {
    earlier.duration(to: later)
  }
  public static func + (instant: Instant, duration: Duration) -> Instant {
    instant.advanced(by: duration)
  }
}

/// What to wait for on a descriptor.
public struct Interest: Equatable, Sendable {
  public var descriptor: Int32
  public var reading: Bool
  public var writing: Bool

  public init(_ descriptor: Int32, reading: Bool = true, writing: Bool = false) {
    self.descriptor = descriptor
    self.reading = reading
    self.writing = writing
  }
}

/// What a descriptor is ready for. A closed or broken one counts as readable.
public struct Readiness: Equatable, Sendable {
  public var readable: Bool
  public var writable: Bool
}

/// Waits until a descriptor is ready, a signal came or the deadline has passed; the results are in
/// the order of the interests.
public func awaitReadiness(of interests: [Interest], until deadline: Instant?) throws(SystemError)
  -> [Readiness]
{
  var entries = interests.map {
    pollfd(
      fd: $0.descriptor,
      events: Int16(($0.reading ? POLLIN : 0) | ($0.writing ? POLLOUT : 0)), revents: 0)
  }
  let timeout = deadline.map { max(.zero, $0 - .now).nanoseconds } ?? -1
  let count = lx_wait(&entries, UInt(entries.count), timeout)
  if count < 0, errno != EINTR { throw SystemError(step: "wait", code: errno) }
  return entries.map {
    let happened = count > 0 ? Int32($0.revents) : 0
    return Readiness(
      readable: happened & (POLLIN | POLLHUP | POLLERR | POLLNVAL) != 0,
      writable: happened & (POLLOUT | POLLERR) != 0)
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return min(seconds, 1 << 32) * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
