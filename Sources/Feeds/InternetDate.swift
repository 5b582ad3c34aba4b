/// Dates as feeds write them: RFC 3339, the profile of ISO 8601 for the Internet.
package enum InternetDate {
  /// The seconds since 1970 of `2026-11-28T09:00:00Z`; fractions are cut, a leap second counts as
  /// the second after it. A date without time is its midnight in UTC, a month its first day, and there
  /// may be a space before the zone. Nil if it is no such date.
  package static func secondsSince1970(_ text: String) -> Int64? {
    var digits = Scanner(text)
    guard let year = digits.number(4), digits.take("-"), let month = digits.number(2) else {
      return nil
    }
    if digits.isAtEnd { return secondsSince1970(year: year, month: month, day: 1) }
    guard digits.take("-"), let day = digits.number(2),
      let date = secondsSince1970(year: year, month: month, day: day)
    else { return nil }
    if digits.isAtEnd { return date }
    guard digits.take("T") || digits.take("t") || digits.take(" "), let hour = digits.number(2),
      digits.take(":"), let minute = digits.number(2), hour < 24, minute < 60
    else { return nil }
    var second: Int64 = 0
    if digits.take(":") {
      guard let value = digits.number(2), value <= 60 else { return nil }
      second = value
      if digits.take(".") || digits.take(",") {
        guard digits.skipDigits() > 0 else { return nil }
      }
    }
    if digits.take(" "), digits.isAtEnd { return nil }
    guard let offset = digits.zoneSeconds(), digits.isAtEnd else { return nil }
    return date + hour * 3600 + minute * 60 + second - offset
  }

  /// The midnight that a day of the Gregorian calendar begins with, in UTC; nil where there is no
  /// such day.
  static func secondsSince1970(year: Int64, month: Int64, day: Int64) -> Int64? {
    guard year >= 1, (1...12).contains(month), day >= 1, day <= days(in: month, of: year) else {
      return nil
    }
    return daysSince1970(year: year, month: month, day: day) * 86_400
  }

  private static func days(in month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// Days between 1970-01-01 and a date of the Gregorian calendar; years begin in March here, so
  /// that the leap day is the last.
  private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
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

    /// Exactly so many digits.
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

    /// `Z` or `±hh:mm`; nothing counts as UTC.
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
