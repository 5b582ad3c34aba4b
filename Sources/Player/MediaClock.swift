import System

/// A story's clock: media time that runs with the monotonic clock while it is allowed to.
package struct MediaClock: Equatable {
  private var position: Duration = .zero
  /// When `position` was true; nil while the clock stands.
  private var since: Instant?

  package init() {}

  package var isRunning: Bool { since != nil }

  /// The media time at a moment.
  package func time(at now: Instant) -> Duration {
    guard let since else { return position }
    return position + max(.zero, now - since)
  }

  /// The moment at which the clock will show a media time; nil while it stands.
  package func moment(of time: Duration) -> Instant? {
    since.map { $0 + (time - position) }
  }

  package mutating func run(at now: Instant) {
    if since == nil { since = now }
  }

  package mutating func stop(at now: Instant) {
    position = time(at: now)
    since = nil
  }

  /// Follows what another clock shows: small differences, which may be inexactness, bit by bit.
  package mutating func follow(_ time: Duration, at now: Instant) {
    let difference = time - self.time(at: now)
    let isFar = difference > .milliseconds(60) || difference < .milliseconds(-60)
    set(to: self.time(at: now) + (isFar ? difference : difference / 8), at: now)
  }

  /// Sets the media time; running or standing stays as it is.
  package mutating func set(to time: Duration, at now: Instant) {
    position = time
    if since != nil { since = now }
  }
}
