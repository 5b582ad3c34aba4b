/// Dates of RFC 3339, the profile of ISO 8601 for the Internet, which JSON Feed and Atom use.
/// `WallClock.text` writes them.
public enum InternetDate {
  /// The seconds since 1970 of `2026-11-28T09:00:00Z`. Fractions are cut, and a leap second counts
  /// as the second after it. A date without a time is its midnight in UTC, a month its first day,
  /// and there may be a space before the zone. Nil if it is no such date.
  public static func secondsSince1970(_ text: String) -> Int64? {
    var digits = Scanner(text)
    guard let year = digits.number(4), digits.take("-"), let month = digits.number(2) else {
      return nil
    }
    if digits.isAtEnd { return CalendarTime.midnight(year: year, month: month, day: 1) }
    guard digits.take("-"), let day = digits.number(2),
      let date = CalendarTime.midnight(year: year, month: month, day: day)
    else { return nil }
    if digits.isAtEnd { return date }
    guard digits.take("T") || digits.take("t") || digits.take(" "), let hour = digits.number(2),
      digits.take(":"), let minute = digits.number(2)
    else { return nil }
    var second: Int64 = 0
    if digits.take(":") {
      guard let value = digits.number(2) else { return nil }
      second = value
      if digits.take(".") || digits.take(",") {
        guard digits.skipDigits() > 0 else { return nil }
      }
    }
    guard let time = CalendarTime.secondsOfDay(hour: hour, minute: minute, second: second) else {
      return nil
    }
    if digits.take(" "), digits.isAtEnd { return nil }
    guard let offset = digits.zoneSeconds(), digits.isAtEnd else { return nil }
    return date + time - offset
  }

  private struct Scanner {
    private var rest: String.UTF8View.Iterator
    private var next: UInt8?

    init(_ text: String) {
      rest = text.utf8.makeIterator()
      next = rest.next()
    }

    var isAtEnd: Bool { next == nil }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard let next, UInt32(next) == character.value else { return false }
      self.next = rest.next()
      return true
    }

    /// Reads exactly so many digits.
    mutating func number(_ count: Int) -> Int64? {
      var value: Int64 = 0
      for _ in 0..<count {
        guard let next, next &- UInt8(ascii: "0") < 10 else { return nil }
        value = value * 10 + Int64(next - UInt8(ascii: "0"))
        self.next = rest.next()
      }
      return value
    }

    mutating func skipDigits() -> Int {
      var count = 0
      while number(1) != nil { count += 1 }
      return count
    }

    /// Reads `Z` or `±hh:mm`; a missing zone is UTC.
    mutating func zoneSeconds() -> Int64? {
      if isAtEnd || take("Z") || take("z") { return 0 }
      let isWest = take("-")
      guard isWest || take("+"), let hours = number(2), hours < 24 else { return nil }
      _ = take(":")
      guard let minutes = number(2), minutes < 60 else { return nil }
      return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }
  }
}
