import Resources
import Stories
import System

/// Durations, ages and sizes in words, as the screen shows them.
public enum Format {
  /// How long ago a moment was; both in seconds since 1970.
  public static func age(of moment: Int64, now: Int64) -> String {
    age(seconds: now.subtractingClamped(moment))
  }

  /// "just now", "5 min ago", "2 h ago", "3 d ago", "5 wk ago", "2 y ago"; a time to come is "just
  /// now" too (clocks differ).
  public static func age(seconds: Int64) -> String {
    switch seconds {
    case ..<60: "just now"
    case ..<3600: "\(seconds / 60) min ago"
    case ..<86_400: "\(seconds / 3600) h ago"
    case ..<(86_400 * 14): "\(seconds / 86_400) d ago"
    case ..<(86_400 * 365): "\(seconds / (86_400 * 7)) wk ago"
    default: "\(seconds / (86_400 * 365)) y ago"
    }
  }

  /// "12 s", "1:05", "1:00:00".
  public static func length(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    if seconds < 60 { return "\(seconds) s" }
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    let tail = padded(seconds % 60)
    return hours > 0 ? "\(hours):\(padded(minutes)):\(tail)" : "\(minutes):\(tail)"
  }

  /// Decimal units: "999 B", "12.3 kB", "4.4 MB".
  public static func bytes(_ count: some BinaryInteger) -> String {
    guard count >= 1000 else { return "\(count) B" }
    var (value, unit) = (Double(count) / 1000, "kB")
    // What would be rounded to 1000.0 has the next unit.
    for larger in ["MB", "GB"] where value >= 999.95 {
      (value, unit) = (value / 1000, larger)
    }
    return "\(fixed(value, digits: 1)) \(unit)"
  }

  /// "1 file", "2 files".
  public static func count(
    _ number: some BinaryInteger, _ one: String, _ many: String? = nil
  ) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
  }

  /// "beach.mp4 from example.org 1.2 of 4.4 MB".
  public static func waiting(for name: String, _ progress: ResourceProgress) -> String {
    let host = progress.host.isEmpty ? "" : " from \(progress.host)"
    guard let length = progress.length else {
      return progress.heldBytes == 0
        ? name + host : "\(name)\(host) \(bytes(progress.heldBytes))"
    }
    let whole = bytes(length)
    let unit = whole.split(separator: " ").last ?? ""
    var held = bytes(progress.heldBytes)
    // The unit is not said twice.
    if held.hasSuffix(" \(unit)") { held = String(held.dropLast(unit.count + 1)) }
    return "\(name)\(host) \(held) of \(whole)"
  }

  /// A number with that many digits after the point.
  public static func fixed(_ value: Double, digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    guard value.isFinite, abs(value * scale) < 1e15 else { return "?" }
    let scaled = Int((abs(value) * scale).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % Int(scale))
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return "\(sign)\(scaled / Int(scale)).\(zeros)\(fraction)"
  }

  private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// A story in one line of words.
extension Format {
  /// "story 3 of 7, anna, 2 h ago, video 12 s: Low tide".
  public static func line(
    for story: Story, number: Int, of count: Int, reel: String, now: Int64
  ) -> String {
    var parts = ["story \(number) of \(count)"]
    let author = reel.isEmpty ? story.author ?? "" : reel
    if !author.isEmpty { parts.append(author) }
    if let published = story.published { parts.append(Format.age(of: published, now: now)) }
    let kind = story.kind?.rawValue ?? "story"
    parts.append(story.durationS.map { "\(kind) \(Format.length(.seconds($0)))" } ?? kind)
    return parts.joined(separator: ", ") + ": " + (story.caption ?? story.shortName)
  }
}
