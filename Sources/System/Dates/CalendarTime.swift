import Glibc

/// A moment in UTC in the Gregorian calendar. Each day has 86,400 seconds, as in POSIX.
///
/// All date formats are read and written with it: `HTTPDate`, `InternetDate`, `MailDate`.
public struct CalendarTime: Equatable, Sendable {
  public let year: Int64
  /// 1 to 12.
  public let month: Int
  /// 1 to 31.
  public let day: Int
  public let hour: Int
  public let minute: Int
  public let second: Int
  /// 0 for Sunday.
  public let weekday: Int

  /// The English names, of which all formats use the first three letters.
  static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  /// Nil where the year is too large for the C library.
  public init?(secondsSince1970: Int64) {
    var moment = time_t(secondsSince1970)
    var parts = tm()
    guard gmtime_r(&moment, &parts) != nil else { return nil }
    year = Int64(parts.tm_year) + 1900
    (month, day) = (Int(parts.tm_mon) + 1, Int(parts.tm_mday))
    (hour, minute, second) = (Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec))
    weekday = Int(parts.tm_wday)
  }

  /// The midnight at which a day begins, in seconds since 1970; nil where there is no such day, and
  /// for years that do not have one to four digits.
  public static func midnight(year: Int64, month: Int64, day: Int64) -> Int64? {
    guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else {
      return nil
    }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (
      Int32(year) - 1900, Int32(month) - 1, Int32(day)
    )
    let seconds = timegm(&parts)
    // timegm turns a day that its month does not have into one of the next month.
    return parts.tm_mday == Int32(day) ? Int64(seconds) : nil
  }

  /// Seconds since midnight; nil where there is no such time. A leap second counts as the second
  /// after it.
  public static func secondsOfDay(hour: Int64, minute: Int64, second: Int64) -> Int64? {
    guard (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second) else {
      return nil
    }
    return hour * 3600 + minute * 60 + second
  }

  /// `09:05:00`.
  var clock: String { "\(hour.padded(2)):\(minute.padded(2)):\(second.padded(2))" }
}
