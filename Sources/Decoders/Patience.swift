import System

/// How long a decoder may take for its next picture or sound. Time in which it waits for requested
/// bytes does not count, since that is the network's.
struct Patience {
  /// A decoder that sends nothing for so long hangs.
  var silence = Duration.seconds(10)
  /// A decoder that makes no progress for so long is endless, even if it keeps reading.
  var effort = Duration.seconds(30)
  /// Added to `effort` for each MiB that it reads for the first time: a waveform needs the whole sound,
  /// and a seek may have to search.
  var perMebibyte = Duration.seconds(10)
  /// The most that `effort` can become.
  var most = Duration.seconds(300)

  private var lastSign = Instant.now
  /// Since when it has been working; nil while nothing is expected from it or it waits for bytes.
  private var since: Instant?
  /// The time it worked since the last progress, up to `since`.
  private var spent = Duration.zero
  /// How far each resource was read since the last progress.
  private var reach: [UInt32: UInt64] = [:]
  private var fresh: UInt64 = 0

  /// It sent a message.
  mutating func noteSign(at now: Instant) { lastSign = now }

  /// It sent a picture, sound or an end.
  mutating func noteProgress(at now: Instant) {
    lastSign = now
    spent = .zero
    since = since.map { _ in now }
    reach = [:]
    fresh = 0
  }

  /// It requests bytes of a resource.
  mutating func noteRead(of resource: UInt32, to offset: UInt64, _ length: UInt32, at now: Instant)
  {
    lastSign = now
    let (end, overflow) = offset.addingReportingOverflow(UInt64(length))
    let former = reach[resource] ?? offset
    guard !overflow, end > former, reach[resource] != nil || reach.count < 64 else { return }
    // Skipped bytes do not count as read.
    fresh += end - max(former, offset)
    reach[resource] = end
  }

  /// It works from now on, or it does not.
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

  /// Restarts the time that the decoder has: the player itself was stopped meanwhile.
  mutating func forgive(at now: Instant) {
    lastSign = now
    since = since.map { _ in now }
  }

  private var allowance: Duration {
    min(most, effort + perMebibyte * (Double(min(fresh, 1 << 40)) / Double(1 << 20)))
  }

  /// When it will be given up; nil while it does not work.
  var deadline: Instant? {
    since.map { min(lastSign + silence, $0 + (allowance - spent)) }
  }

  /// Why it is given up, in words; nil if it is not.
  func verdict(at now: Instant) -> String? {
    guard let deadline, now >= deadline else { return nil }
    return now >= lastSign + silence ? "the decoder hangs" : "decoding does not end"
  }
}
