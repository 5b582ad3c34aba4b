import System

/// How many bytes per second arrived over the last two seconds.
struct RateMeter {
  private static let span = Duration.seconds(2)
  private var samples: [(at: Instant, total: UInt64)] = []
  /// The highest rate so far, measured only where enough bytes arrived at once.
  private(set) var best: UInt64?
  private static let significant: (bytes: UInt64, time: Duration) = (256 << 10, .milliseconds(100))

  /// Notes how many bytes have arrived in total.
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
    noteBest()
  }

  private mutating func noteBest() {
    guard let last = samples.last,
      let first = samples.first(where: { last.at - $0.at <= RateMeter.span }),
      last.total - min(first.total, last.total) >= RateMeter.significant.bytes,
      last.at - first.at >= RateMeter.significant.time
    else { return }
    let (seconds, attoseconds) = (last.at - first.at).components
    let rate = Double(last.total - first.total) / (Double(seconds) + Double(attoseconds) / 1e18)
    best = max(best ?? 0, UInt64(rate))
  }

  /// Nil if nothing has arrived lately.
  func rate(at now: Instant) -> UInt64? {
    guard let first = samples.first, let last = samples.last, now - last.at < RateMeter.span,
      last.total > first.total
    else { return nil }
    let (seconds, attoseconds) = max(now - first.at, .milliseconds(50)).components
    return UInt64(Double(last.total - first.total) / (Double(seconds) + Double(attoseconds) / 1e18))
  }
}
