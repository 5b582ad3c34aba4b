/// Dates of HTTP (RFC 9110, section 5.6.7), in whole seconds since 1970.
enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// "Sun, 06 Nov 1994 08:49:37 GMT".
  static func text(_ seconds: Int64) -> String {
    let day = floorDivide(seconds, 86_400)
    let (year, month, date) = civil(day)
    let clock = seconds - day * 86_400
    let weekday = days[Int(day - floorDivide(day, 7) * 7)]
    return "\(weekday), \(padded(date)) \(months[month - 1]) \(padded(year, 4)) "
      + "\(padded(Int(clock / 3600))):\(padded(Int(clock / 60 % 60))):\(padded(Int(clock % 60))) GMT"
  }

  /// The day and time of the common log format: "06/Nov/1994:08:49:37 +0000".
  static func logText(_ seconds: Int64) -> String {
    let day = floorDivide(seconds, 86_400)
    let (year, month, date) = civil(day)
    let clock = seconds - day * 86_400
    return "\(padded(date))/\(months[month - 1])/\(padded(year, 4)):\(padded(Int(clock / 3600))):"
      + "\(padded(Int(clock / 60 % 60))):\(padded(Int(clock % 60))) +0000"
  }

  /// Reads the one form that is sent today and the two obsolete ones; nil for anything else.
  static func seconds(_ text: String) -> Int64? {
    let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
    switch words.count {
    case 6 where words[5] == "GMT":
      // IMF-fixdate, or RFC 850 with its two digits for the year.
      guard let year = number(words[3], digits: [2, 4]) else { return nil }
      let whole = words[3].count == 4 ? year : year + (year < 70 ? 2000 : 1900)
      return seconds(year: whole, month: words[2], day: words[1], clock: words[4])
    case 5:
      // asctime.
      guard let year = number(words[4], digits: [4]) else { return nil }
      return seconds(year: year, month: words[1], day: words[2], clock: words[3])
    default: return nil
    }
  }

  private static func seconds(
    year: Int, month name: String, day: String, clock: String
  ) -> Int64? {
    guard let month = months.firstIndex(of: name), let date = number(day, digits: [1, 2]),
      (1...31).contains(date)
    else { return nil }
    let parts = clock.split(separator: ":").compactMap { number(String($0), digits: [2]) }
    guard parts.count == 3, parts[0] < 24, parts[1] < 60, parts[2] <= 60 else { return nil }
    let days = serial(year: year, month: month + 1, day: date)
    guard civil(days) == (year, month + 1, date) else { return nil }
    return days * 86_400 + Int64(parts[0] * 3600 + parts[1] * 60 + parts[2])
  }

  private static func number(_ text: String, digits: [Int]) -> Int? {
    guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(text)
  }

  private static func padded(_ number: Int, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    value >= 0 ? value / divisor : (value - divisor + 1) / divisor
  }

  /// The days from 1970-01-01 to a date; years begin in March here, so that a leap day is a last.
  private static func serial(year: Int, month: Int, day: Int) -> Int64 {
    let shifted = Int64(month > 2 ? year : year - 1)
    let dayOfYear = Int64((153 * ((month + 9) % 12) + 2) / 5 + day - 1)
    return shifted * 365 + floorDivide(shifted, 4) - floorDivide(shifted, 100)
      + floorDivide(shifted, 400) + dayOfYear - 719_468
  }

  private static func civil(_ serial: Int64) -> (year: Int, month: Int, day: Int) {
    // Periods of 400 years have 146,097 days; the first estimate of the year is one too high at most.
    let days = serial + 719_468
    var year = floorDivide(days * 400, 146_097)
    while start(year) > days { year -= 1 }
    while start(year + 1) <= days { year += 1 }
    let dayOfYear = Int(days - start(year))
    let fromMarch = (5 * dayOfYear + 2) / 153
    let month = (fromMarch + 2) % 12 + 1
    return (Int(year) + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * fromMarch + 2) / 5 + 1)
  }

  private static func start(_ year: Int64) -> Int64 {
    year * 365 + floorDivide(year, 4) - floorDivide(year, 100) + floorDivide(year, 400)
  }
}
