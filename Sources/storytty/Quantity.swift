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
    ("", 1), ("s", 1), ("m", 60), ("min", 60), ("h", 3600), ("d", 86_400), ("w", 604_800),
    ("y", 31_536_000),
  ]

  /// A long time in seconds: "36h", "7 d", "2w", "90 min", "3600".
  static func age(_ word: String, option: String) throws(UsageError) -> Int64 {
    let number = word.prefix { $0.isNumber || $0 == "." }
    let unit = word.dropFirst(number.count).trimmed.lowercased()
    guard let amount = Double(number),
      let factor = times.first(where: { $0.name == unit })?.seconds,
      amount > 0, amount * factor < 1e11
    else { throw UsageError(words: "--\(option) takes a time, such as 36h or 7d, not '\(word)'") }
    return Int64(amount * factor)
  }

  /// A whole number from 0 on.
  static func count(_ word: String, option: String) throws(UsageError) -> Int {
    guard let count = Int(word), (0...1_000_000_000).contains(count) else {
      throw UsageError(words: "--\(option) takes a number, not '\(word)'")
    }
    return count
  }
}
