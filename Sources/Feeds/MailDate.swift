/// Dates as RSS writes them: RFC 822 with the years of RFC 5322, and what is often made of that.
package enum MailDate {
  /// The seconds since 1970 of `Sat, 28 Nov 2026 09:00:00 GMT`; nil if it is no such date.
  package static func secondsSince1970(_ text: String) -> Int64? {
    var words = text.split { " ,\t".contains($0) }[...]
    // The name of the day says nothing new.
    if words.first?.first?.isNumber == false { words = words.dropFirst() }
    guard words.count >= 3, let day = number(words.removeFirst(), 1...2),
      let month = months.firstIndex(of: words.removeFirst().lowercased().prefix(3)),
      let year = year(words.removeFirst())
    else { return nil }
    var time = "00:00:00"
    if let word = words.popFirst() {
      let parts = word.split(separator: ":", omittingEmptySubsequences: false)
      guard (2...3).contains(parts.count), parts.allSatisfy({ number($0, 1...2) != nil }) else {
        return nil
      }
      time = parts.map(twoDigits).joined(separator: ":")
    }
    guard let zone = zone(words.popFirst().map(String.init) ?? "GMT") else { return nil }
    let date = "\(year)-\(twoDigits("\(month + 1)"))-\(twoDigits("\(day)"))"
    return InternetDate.secondsSince1970("\(date)T\(time)\(zone)")
  }

  private static let months: [Substring] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  private static func number(_ word: Substring, _ digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(word.utf8.count), word.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(word)
  }

  /// Two digits are a year of 1950 to 2049 (RFC 5322, section 4.3).
  private static func year(_ word: Substring) -> Int? {
    if let short = number(word, 2...2) { return short < 50 ? 2000 + short : 1900 + short }
    return number(word, 4...4)
  }

  private static func twoDigits(_ word: some StringProtocol) -> String {
    word.utf8.count < 2 ? "0\(word)" : String(word)
  }

  /// As RFC 3339 writes it; what is not known counts as UTC.
  private static func zone(_ word: String) -> String? {
    if word.hasPrefix("+") || word.hasPrefix("-") {
      let digits = word.dropFirst().filter { $0 != ":" }
      guard number(digits[...], 4...4) != nil else { return nil }
      return "\(word.prefix(1))\(digits.prefix(2)):\(digits.suffix(2))"
    }
    return names[word.uppercased()] ?? "Z"
  }

  private static let names = [
    "EST": "-05:00", "EDT": "-04:00", "CST": "-06:00", "CDT": "-05:00", "MST": "-07:00",
    "MDT": "-06:00", "PST": "-08:00", "PDT": "-07:00",
  ]
}
