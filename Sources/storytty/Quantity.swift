/// Amounts as users write them.
enum Quantity {
  private static let units: [(name: String, factor: Double)] = [
    ("", 1), ("b", 1), ("k", 1e3), ("kb", 1e3), ("m", 1e6), ("mb", 1e6), ("g", 1e9), ("gb", 1e9),
    ("t", 1e12), ("tb", 1e12), ("kib", 1024), ("mib", 1_048_576), ("gib", 1_073_741_824),
    ("tib", 1_099_511_627_776),
  ]

  /// Bytes: "4 GB", "500M", "1.5 GiB", "0".
  static func bytes(_ word: String, option: String) throws(UsageError) -> UInt64 {
    let number = word.prefix { $0.isNumber || $0 == "." }
    let unit = word.dropFirst(number.count).trimmed.lowercased()
    guard let amount = Double(number), let factor = units.first(where: { $0.name == unit })?.factor,
      amount * factor < 1e18
    else { throw UsageError(words: "--\(option) takes a size, such as 4 GB, not '\(word)'") }
    return UInt64(amount * factor)
  }

  private static let times: [(name: String, seconds: Double)] = [
    ("s", 1), ("m", 60), ("min", 60), ("h", 3600), ("d", 86_400), ("w", 604_800),
    ("y", 31_536_000),
  ]

  /// The seconds of a number with a unit; nil for anything else.
  private static func inUnits(_ word: String) -> Double? {
    let number = word.prefix { $0.isNumber || $0 == "." }
    let unit = word.dropFirst(number.count).trimmed.lowercased()
    guard let amount = Double(number), let factor = times.first(where: { $0.name == unit })?.seconds
    else { return nil }
    return amount * factor
  }

  /// A long time in seconds, always with its unit: "36h", "7 d", "2w", "90 min".
  static func age(_ word: String, option: String) throws(UsageError) -> Int64 {
    guard let seconds = inUnits(word), seconds > 0, seconds < 1e11 else {
      throw UsageError(
        words: "--\(option) takes a time in s, min, h, d, w or y, such as 36h or 7d, not '\(word)'")
    }
    return Int64(seconds)
  }

  /// A time: seconds, minutes:seconds or hours:minutes:seconds, with a fraction; or with a unit.
  static func time(_ word: String, option: String) throws(UsageError) -> Duration {
    if let seconds = inUnits(word), seconds < 1e7 { return .seconds(seconds) }
    let bare = word.contains(":") && word.hasSuffix("s") ? String(word.dropLast()) : word
    let numbers = bare.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
    guard (1...3).contains(numbers.count),
      numbers.allSatisfy({ ($0 ?? -1) >= 0 && ($0 ?? 0) < 1e7 })
    else {
      throw UsageError(
        words: "--\(option) takes a time, such as 5, 1:05.5 or 2min, not '\(word)'")
    }
    return .seconds(numbers.compactMap(\.self).reduce(0) { $0 * 60 + $1 })
  }

  /// A whole number, 0 or more.
  static func count(_ word: String, option: String) throws(UsageError) -> Int {
    guard let count = Int(word), (0...1_000_000_000).contains(count) else {
      throw UsageError(words: "--\(option) takes a number, not '\(word)'")
    }
    return count
  }
}
