import CLinux
import Glibc

/// The monotonic time that does not run while the machine sleeps.
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

/// What is waited for on one descriptor.
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

/// Waits until a descriptor is ready, a signal came or the deadline has passed; the answers stand
/// in the order of the interests.
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

/// A descriptor that becomes readable when another thread or a signal handler rings it.
public final class Bell: Sendable {
  private let descriptor: Descriptor

  public init() throws(SystemError) {
    let number = lx_eventfd()
    guard number >= 0 else { throw SystemError(step: "make an eventfd", code: errno) }
    descriptor = Descriptor(adopting: number)
  }

  /// What to wait on.
  public var number: Int32 { descriptor.number }

  /// Wakes whoever waits.
  public func ring() {
    var one: UInt64 = 1
    _ = Glibc.write(descriptor.number, &one, 8)
  }

  /// Makes it silent again.
  public func silence() {
    var count: UInt64 = 0
    _ = Glibc.read(descriptor.number, &count, 8)
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return min(seconds, 1 << 32) * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}

/// The time of day.
public enum WallClock {
  /// Seconds since 1970.
  public static var seconds: Int64 { Int64(time(nil)) }

  /// Milliseconds since 1970.
  public static var milliseconds: Int64 {
    var moment = timespec()
    clock_gettime(CLOCK_REALTIME, &moment)
    return Int64(moment.tv_sec) * 1000 + Int64(moment.tv_nsec) / 1_000_000
  }

  /// A time in UTC to the millisecond: "2026-12-05T00:00:00.250Z".
  public static func text(millisecondsSince1970 moment: Int64) -> String {
    let (seconds, rest) = moment.quotientAndRemainder(dividingBy: 1000)
    let digits = String(1000 + rest).dropFirst()
    return text(secondsSince1970: seconds).dropLast() + ".\(digits)Z"
  }

  /// A time in UTC as RFC 3339 writes it: "2026-12-05T00:00:00Z".
  public static func text(secondsSince1970: Int64) -> String {
    var moment = time_t(secondsSince1970)
    var parts = tm()
    guard gmtime_r(&moment, &parts) != nil else { return "?" }
    func padded(_ number: some BinaryInteger, _ width: Int = 2) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let date =
      "\(padded(Int64(parts.tm_year) + 1900, 4))-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
    return "\(date)T\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))Z"
  }
}
