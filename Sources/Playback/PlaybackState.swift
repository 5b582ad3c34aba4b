import System

/// What one story does at a moment. It is in one of these states and no other.
///
/// It goes from `ready` to `opening`, plays (`starting`, `playing`, and what interrupts that), and
/// ends in `resting` or `failed`.
public enum PlaybackState: Equatable, Sendable {
  /// It is kept ready: its first picture may be here, but its turn has not come.
  case ready
  /// Its first picture is awaited; the clock stands where it is to begin.
  case opening(from: Duration, isPaused: Bool)
  /// A picture that was awaited is on its way to the screen: clock and sound start with the next
  /// tick.
  case starting
  /// The clock runs, or waits for the sound to begin.
  case playing
  /// The picture is awaited in another size. The clock runs on with the sound.
  case reshaping(since: Instant)
  /// The picture at another position, or in another size, is awaited. The clock stands.
  case seeking(since: Instant, isPaused: Bool)
  /// It waits for bytes. The clock stands.
  case stalled(since: Instant)
  /// The viewer has stopped it. The clock stands.
  case paused
  /// It has played to its end, and its last picture stays; since `reshapedAt` that picture is awaited
  /// in another size.
  case resting(reshapedAt: Instant?)
  /// It cannot be played (further): the reason in words that follow "cannot play NAME: ".
  case failed(reason: String)

  /// Whether its turn has come and it has not ended.
  public var isBegun: Bool {
    switch self {
    case .ready, .resting, .failed: false
    case .opening, .starting, .playing, .reshaping, .seeking, .stalled, .paused: true
    }
  }

  /// Whether it stands still until the viewer wants it to go on.
  public var isPaused: Bool {
    switch self {
    case .opening(_, let isPaused), .seeking(_, let isPaused): isPaused
    case .paused, .resting: true
    case .ready, .starting, .playing, .reshaping, .stalled, .failed: false
    }
  }

  var isFailed: Bool { if case .failed = self { true } else { false } }

  /// Whether the clock runs, or waits for the sound to begin.
  var isGoing: Bool {
    switch self {
    case .playing, .reshaping: true
    default: false
    }
  }

  /// Whether the next picture is wanted whatever its time is.
  var awaitsPicture: Bool {
    switch self {
    case .ready, .opening, .reshaping, .seeking: true
    case .resting(let reshapedAt): reshapedAt != nil
    case .starting, .playing, .stalled, .paused, .failed: false
    }
  }

  /// Since when another picture than the next one is awaited.
  var soughtAt: Instant? {
    switch self {
    case .reshaping(let since), .seeking(let since, _): since
    case .resting(let reshapedAt): reshapedAt
    default: nil
    }
  }

  /// Since when it waits for bytes.
  var stalledSince: Instant? { if case .stalled(let since) = self { since } else { nil } }
}
