import System

/// How many bytes a second come, over the last two seconds.
struct RateMeter {
  private static let span = Duration.seconds(2)
  private var samples: [(at: Instant, total: UInt64)] = []

  /// Notes how many bytes have come in all.
  mutating func note(total: UInt64, at now: Instant) {
    // A sample every 50 ms is enough.
    if samples.count > 1, let last = samples.last,
      now - samples[samples.count - 2].at < .milliseconds(50)
    {
      samples[samples.count - 1] = (max(last.at, now), total)
    } else {
      samples.append((now, total))
    }
    while samples.count > 1, now - samples[1].at > RateMeter.span { samples.removeFirst() }
  }

  /// Nil where nothing has come lately.
  func rate(at now: Instant) -> UInt64? {
    guard let first = samples.first, let last = samples.last, now - last.at < RateMeter.span,
      last.total > first.total
    else { return nil }
    let (seconds, attoseconds) = max(now - first.at, .milliseconds(50)).components
    return UInt64(Double(last.total - first.total) / (Double(seconds) + Double(attoseconds) / 1e18))
  }
}
