/// Dates as RSS writes them: RFC 822 with the years of RFC 5322, and what is often made of that.
package enum MailDate {
  /// The seconds since 1970 of `Sat, 28 Nov 2026 09:00:00 GMT`; nil if it is no such date. The name
  /// of the day is not read, a zone that is not known counts as UTC.
  package static func secondsSince1970(_ text: String) -> Int64? {
    var words = Words(text)
    words.skipLetters()
    guard let day = words.number(1...2), let month = words.month(), let year = words.year(),
      let date = InternetDate.secondsSince1970(year: year, month: month, day: day.value)
    else { return nil }
    if words.isAtEnd { return date }
    guard let hour = words.number(1...2)?.value, hour < 24, words.take(":"),
      let minute = words.number(1...2)?.value, minute < 60
    else { return nil }
    var second: Int64 = 0
    if words.take(":") {
      guard let value = words.number(1...2)?.value, value <= 60 else { return nil }
      second = value
    }
    guard let offset = words.zoneSeconds() else { return nil }
    return date + hour * 3600 + minute * 60 + second - offset
  }

  private struct Words {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool {
      mutating get {
        skipSpace()
        return rest.isEmpty
      }
    }

    private mutating func skipSpace() {
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
    }

    mutating func skipLetters() { _ = letters() }

    mutating func take(_ mark: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: mark) else { return false }
      rest = rest.dropFirst()
      return true
    }

    /// A number of so many digits.
    mutating func number(_ digits: ClosedRange<Int>) -> (value: Int64, digits: Int)? {
      skipSpace()
      var value: Int64 = 0
      var count = 0
      while let byte = rest.first, byte &- UInt8(ascii: "0") < 10 {
        count += 1
        guard count <= digits.upperBound else { return nil }
        value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        rest = rest.dropFirst()
      }
      return digits.contains(count) ? (value, count) : nil
    }

    /// Up to four letters of the next word as one number, in small letters; the rest of it is
    /// passed over.
    private mutating func letters() -> UInt32 {
      skipSpace()
      var packed: UInt32 = 0
      while let byte = rest.first, byte >= 0x80 || (0x61...0x7A).contains(byte | 0x20) {
        if packed < 1 << 24 { packed = packed << 8 | UInt32(byte | 0x20) }
        rest = rest.dropFirst()
      }
      return packed
    }

    /// 1 to 12.
    mutating func month() -> Int64? {
      var name = letters()
      while name >= 1 << 24 { name >>= 8 }
      return Words.months.firstIndex(of: name).map { Int64($0 + 1) }
    }

    /// Two digits are a year of 1950 to 2049 (RFC 5322, section 4.3).
    mutating func year() -> Int64? {
      guard let (value, digits) = number(2...4), digits != 3 else { return nil }
      if digits == 4 { return value }
      return value < 50 ? 2000 + value : 1900 + value
    }

    mutating func zoneSeconds() -> Int64? {
      skipSpace()
      let isWest = take("-")
      guard isWest || take("+") else { return Words.zoneHours[letters()].map { $0 * 3600 } ?? 0 }
      guard let (value, digits) = number(2...4), digits != 3 else { return nil }
      var (hours, minutes) = (value / 100, value % 100)
      if digits == 2 {
        guard take(":"), let rest = number(2...2)?.value else { return nil }
        (hours, minutes) = (value, rest)
      }
      return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }

    private static func packed(_ text: String) -> UInt32 {
      text.utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static let months = [
      "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ].map(packed)

    private static let zoneHours: [UInt32: Int64] = [
      packed("est"): -5, packed("edt"): -4, packed("cst"): -6, packed("cdt"): -5,
      packed("mst"): -7, packed("mdt"): -6, packed("pst"): -8, packed("pdt"): -7,
    ]
  }
}
