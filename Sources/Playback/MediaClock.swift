import System

/// A story's clock: media time that runs with the monotonic clock while it is allowed to.
public struct MediaClock: Equatable, Sendable {
  private var position: Duration = .zero
  /// When `position` was true; nil while the clock stands.
  private var since: Instant?

  public init() {}

  public var isRunning: Bool { since != nil }

  /// The media time at a moment.
  public func time(at now: Instant) -> Duration {
    guard let since else { return position }
    return position + max(.zero, now - since)
  }

  /// The moment at which the clock will show a media time; nil while it stands.
  public func moment(of time: Duration) -> Instant? {
    since.map { $0 + (time - position) }
  }

  /// Lets it run from now on; one that runs already is left as it is.
  public mutating func run(at now: Instant) {
    if since == nil { since = now }
  }

  /// Lets it stand at the media time that it shows.
  public mutating func stop(at now: Instant) {
    position = time(at: now)
    since = nil
  }

  /// Follows what another clock shows: small differences, which may be inexactness, bit by bit.
  public mutating func follow(_ time: Duration, at now: Instant) {
    let difference = time - self.time(at: now)
    let isFar = difference > .milliseconds(60) || difference < .milliseconds(-60)
    set(to: self.time(at: now) + (isFar ? difference : difference / 8), at: now)
  }

  /// Sets the media time; running or standing stays as it is.
  public mutating func set(to time: Duration, at now: Instant) {
    position = time
    if since != nil { since = now }
  }
}
