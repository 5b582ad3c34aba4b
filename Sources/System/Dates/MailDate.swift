/// A date as in RSS: RFC 822 with the years of RFC 5322, and common variants of that, such as the
/// order of asctime(3).
public struct MailDate: Equatable {
  public let secondsSince1970: Int64
  /// The name of its zone if that is unknown; it then counts as UTC.
  public let unknownZone: String?

  /// The seconds since 1970 of `Sat, 28 Nov 2026 09:00:00 GMT`; nil if it is no such date. The name
  /// of the day is ignored, and an unknown zone counts as UTC.
  public static func secondsSince1970(_ text: String) -> Int64? {
    MailDate(text)?.secondsSince1970
  }

  /// Nil if it is no such date. The name of the day is ignored.
  public init?(_ text: String) {
    var words = Words(text)
    words.skipLetters()
    let zone: Words.Zone?
    let date: Int64
    var timeOfDay: Int64 = 0
    if words.isAtLetter {
      guard let month = words.month(), let day = words.number(1...2), let time = words.time() else {
        return nil
      }
      timeOfDay = time
      zone = words.isAtLetter ? words.zone() : Words.Zone(seconds: 0)
      guard let year = words.year(),
        let found = CalendarTime.midnight(year: year, month: month, day: day.value)
      else { return nil }
      date = found
    } else {
      guard let day = words.number(1...2), let month = words.month(), let year = words.year(),
        let found = CalendarTime.midnight(year: year, month: month, day: day.value)
      else { return nil }
      date = found
      if words.isAtEnd {
        zone = Words.Zone(seconds: 0)
      } else {
        guard let time = words.time() else { return nil }
        timeOfDay = time
        zone = words.zone()
      }
    }
    guard let zone else { return nil }
    secondsSince1970 = date + timeOfDay - zone.seconds
    unknownZone = zone.unknownName
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

    var isAtLetter: Bool {
      mutating get {
        skipSpace()
        return rest.first.map { (0x61...0x7A).contains($0 | 0x20) } ?? false
      }
    }

    /// Reads a time such as `9:00` or `09:00:00`; gives the seconds since midnight.
    mutating func time() -> Int64? {
      guard let hour = number(1...2)?.value, take(":"), let minute = number(1...2)?.value else {
        return nil
      }
      var second: Int64 = 0
      if take(":") {
        guard let value = number(1...2)?.value else { return nil }
        second = value
      }
      return CalendarTime.secondsOfDay(hour: hour, minute: minute, second: second)
    }

    mutating func take(_ mark: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: mark) else { return false }
      rest = rest.dropFirst()
      return true
    }

    /// Reads a number of so many digits.
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

    /// Up to four letters of the next word, in lower case, as one number; the rest of the word is
    /// skipped.
    private mutating func letters() -> UInt32 {
      skipSpace()
      var packed: UInt32 = 0
      while let byte = rest.first, byte >= 0x80 || (0x61...0x7A).contains(byte | 0x20) {
        if packed < 1 << 24 { packed = packed << 8 | UInt32(byte | 0x20) }
        rest = rest.dropFirst()
      }
      return packed
    }

    /// Reads the name of a month; gives 1 to 12.
    mutating func month() -> Int64? {
      var name = letters()
      while name >= 1 << 24 { name >>= 8 }
      return Words.months.firstIndex(of: name).map { Int64($0 + 1) }
    }

    /// Reads a year. Two digits are a year from 1950 to 2049 (RFC 5322, section 4.3).
    mutating func year() -> Int64? {
      guard let (value, digits) = number(2...4), digits != 3 else { return nil }
      if digits == 4 { return value }
      return value < 50 ? 2000 + value : 1900 + value
    }

    struct Zone {
      /// East of Greenwich.
      var seconds: Int64
      var unknownName: String?
    }

    /// Reads `+0100`, `+01:00`, `GMT`, `GMT+01:00` or another name; a missing zone is UTC.
    mutating func zone() -> Zone? {
      guard isAtLetter else { return offset() }
      let start = rest
      let name = letters()
      if Words.universal.contains(name) {
        let sign = rest.first
        return sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") ? offset() : Zone(seconds: 0)
      }
      if let hours = Words.zoneHours[name] { return Zone(seconds: hours * 3600) }
      let word = Substring(start.prefix { (0x61...0x7A).contains($0 | 0x20) })
      return Zone(seconds: 0, unknownName: String(word.prefix(16)))
    }

    private mutating func offset() -> Zone? {
      skipSpace()
      let isWest = take("-")
      guard isWest || take("+") else { return Zone(seconds: 0) }
      guard let (value, digits) = number(2...4), digits != 3 else { return nil }
      var (hours, minutes) = (value / 100, value % 100)
      if digits == 2 {
        guard take(":"), let rest = number(2...2)?.value else { return nil }
        (hours, minutes) = (value, rest)
      }
      return Zone(seconds: (hours * 3600 + minutes * 60) * (isWest ? -1 : 1))
    }

    private static func packed(_ text: String) -> UInt32 {
      text.utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static let months = CalendarTime.months.map { packed($0.lowercased()) }

    private static let universal = Set(["gmt", "utc", "ut", "z", "wet"].map(packed))

    /// Names of RFC 822, and other names that are unambiguous.
    private static let zoneHours: [UInt32: Int64] = [
      packed("est"): -5, packed("edt"): -4, packed("cst"): -6, packed("cdt"): -5,
      packed("mst"): -7, packed("mdt"): -6, packed("pst"): -8, packed("pdt"): -7,
      packed("akst"): -9, packed("akdt"): -8, packed("hst"): -10,
      packed("west"): 1, packed("bst"): 1, packed("cet"): 1, packed("met"): 1, packed("mez"): 1,
      packed("cest"): 2, packed("mest"): 2, packed("eet"): 2, packed("eest"): 3, packed("msk"): 3,
      packed("jst"): 9, packed("kst"): 9, packed("aest"): 10, packed("aedt"): 11,
      packed("nzst"): 12, packed("nzdt"): 13,
    ]
  }
}
