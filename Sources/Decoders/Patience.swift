import System

/// How long a decoder may take for its next picture or sound. Only the time counts in which it has all
/// that it asked for: what a network takes is not its own.
struct Patience {
  /// Without a word it hangs.
  var silence = Duration.seconds(10)
  /// However busily it reads, it comes to no end.
  var effort = Duration.seconds(30)
  /// For each MiB that it reads for the first time it may take so much longer: a waveform needs all of
  /// a sound, and a place may have to be looked for.
  var perMebibyte = Duration.seconds(10)
  /// But no longer than this.
  var most = Duration.seconds(300)

  private var lastSign = Instant.now
  /// Since when it has been at work; nil while it owes nothing, or waits.
  private var since: Instant?
  /// Its own time since the last progress, up to `since`.
  private var spent = Duration.zero
  /// How far each resource was read since then.
  private var reach: [UInt32: UInt64] = [:]
  private var fresh: UInt64 = 0

  /// It said something.
  mutating func noteSign(at now: Instant) { lastSign = now }

  /// It brought the story further.
  mutating func noteProgress(at now: Instant) {
    lastSign = now
    spent = .zero
    since = since.map { _ in now }
    reach = [:]
    fresh = 0
  }

  /// It asks for bytes of a resource.
  mutating func noteRead(of resource: UInt32, to offset: UInt64, _ length: UInt32, at now: Instant)
  {
    lastSign = now
    let (end, overflow) = offset.addingReportingOverflow(UInt64(length))
    let former = reach[resource] ?? offset
    guard !overflow, end > former, reach[resource] != nil || reach.count < 64 else { return }
    // What is jumped over was not read.
    fresh += end - max(former, offset)
    reach[resource] = end
  }

  /// From now on it is at work, or not.
  mutating func watch(_ isAtWork: Bool, at now: Instant) {
    if isAtWork {
      guard since == nil else { return }
      since = now
      lastSign = max(lastSign, now)
    } else if let begin = since {
      spent += max(.zero, now - begin)
      since = nil
    }
  }

  /// The player itself stood still: the time did not run for the decoder either.
  mutating func forgive(at now: Instant) {
    lastSign = now
    since = since.map { _ in now }
  }

  private var allowance: Duration {
    min(most, effort + perMebibyte * (Double(min(fresh, 1 << 40)) / Double(1 << 20)))
  }

  /// When it is given up unless something comes; nil while it is not at work.
  var deadline: Instant? {
    since.map { min(lastSign + silence, $0 + (allowance - spent)) }
  }

  /// Why it is given up, in words; nil while it is not.
  func verdict(at now: Instant) -> String? {
    guard let deadline, now >= deadline else { return nil }
    return now >= lastSign + silence ? "the decoder hangs" : "decoding it comes to no end"
  }
}
