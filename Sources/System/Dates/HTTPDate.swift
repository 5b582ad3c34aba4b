/// Dates of HTTP (RFC 9110, section 5.6.7), in seconds since 1970.
public enum HTTPDate {
  /// `Sun, 06 Nov 1994 08:49:37 GMT`.
  public static func text(_ seconds: Int64) -> String {
    guard let time = CalendarTime(secondsSince1970: seconds) else { return "?" }
    let month = CalendarTime.months[time.month - 1]
    return "\(CalendarTime.weekdays[time.weekday]), \(time.day.padded(2)) \(month) "
      + "\(time.year.padded(4)) \(time.clock) GMT"
  }

  /// The common log format of web servers: `06/Nov/1994:08:49:37 +0000`.
  public static func logText(_ seconds: Int64) -> String {
    guard let time = CalendarTime(secondsSince1970: seconds) else { return "?" }
    let month = CalendarTime.months[time.month - 1]
    return "\(time.day.padded(2))/\(month)/\(time.year.padded(4)):\(time.clock) +0000"
  }

  /// Reads the current form and the two obsolete ones, as a server should; nil for anything else.
  public static func seconds(_ text: String) -> Int64? {
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

  /// Reads other forms that servers send too, as a client should: other zones, no seconds, no name
  /// of the day; nil for what is no date.
  public static func secondsLeniently(_ text: String) -> Int64? {
    seconds(text) ?? MailDate.secondsSince1970(text)
      ?? MailDate.secondsSince1970(withSpaces(text))
  }

  /// Replaces the hyphens of "06-Nov-94" by spaces, but not the sign of a zone.
  private static func withSpaces(_ text: String) -> String {
    text.split(separator: " ").map { word in
      word.count { $0 == "-" } == 2 ? String(word.replacing("-", with: " ")) : String(word)
    }.joined(separator: " ")
  }

  private static func seconds(
    year: Int64, month name: String, day: String, clock: String
  ) -> Int64? {
    guard let month = CalendarTime.months.firstIndex(of: name),
      let date = number(day, digits: [1, 2]),
      let midnight = CalendarTime.midnight(year: year, month: Int64(month + 1), day: date)
    else { return nil }
    let parts = clock.split(separator: ":").compactMap { number(String($0), digits: [2]) }
    guard parts.count == 3 else { return nil }
    return CalendarTime.secondsOfDay(hour: parts[0], minute: parts[1], second: parts[2])
      .map { midnight + $0 }
  }

  private static func number(_ text: String, digits: [Int]) -> Int64? {
    guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int64(text)
  }
}
