import Glibc

/// The time of day.
public enum WallClock {
  /// Seconds since 1970.
  public static var seconds: Int64 { Int64(time(nil)) }

  /// A time in UTC as RFC 3339 writes it: "2026-12-05T00:00:00Z".
  public static func text(secondsSince1970: Int64) -> String {
    guard let time = CalendarTime(secondsSince1970: secondsSince1970) else { return "?" }
    let date = "\(time.year.padded(4))-\(time.month.padded(2))-\(time.day.padded(2))"
    return "\(date)T\(time.clock)Z"
  }
}
