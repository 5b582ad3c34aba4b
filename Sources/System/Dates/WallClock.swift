import Glibc

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
    guard let time = CalendarTime(secondsSince1970: secondsSince1970) else { return "?" }
    let date = "\(time.year.padded(4))-\(time.month.padded(2))-\(time.day.padded(2))"
    return "\(date)T\(time.clock)Z"
  }
}
