import System

/// When a story stood still for want of bytes.
struct Waits {
  /// Since when it stands; nil while it goes on.
  private(set) var since: Instant?
  private(set) var count = 0
  /// Those among them that came while it played by itself.
  private(set) var stops = 0
  private var total = Duration.zero
  /// When the viewer went to another place, until the picture there is shown.
  private(set) var soughtAt: Instant?
  /// Whether bytes of what was sought are missing.
  private(set) var soughtInVain = false

  /// A seek that takes longer, for want of bytes, counts as a wait.
  private static let quickSeek = Duration.milliseconds(250)
  private static let hands = [Duration.seconds(1), .seconds(2), .seconds(4)]

  /// What it has in hand before it goes on, and for how long it stands still at most once the next
  /// picture is here: a second, and twice as long each time that this was not enough.
  var hand: Duration { Waits.hands[max(0, min(stops, Waits.hands.count) - 1)] }

  mutating func begin(at now: Instant) {
    guard since == nil else { return }
    since = now
    count += 1
    stops += 1
  }

  mutating func end(at now: Instant) {
    if let since { total += now - since }
    since = nil
  }

  /// Another picture than the next one is wanted; one that was wanted before has been waited for.
  mutating func beginSeek(at now: Instant) {
    endSeek(at: now)
    soughtAt = now
  }

  /// The bytes of what is sought are missing.
  mutating func noteMissing() { soughtInVain = soughtAt != nil }

  /// What was sought is here, or nothing lies there.
  mutating func endSeek(at now: Instant) {
    if let soughtAt, soughtInVain, now - soughtAt > Waits.quickSeek {
      count += 1
      total += now - soughtAt
    }
    soughtAt = nil
    soughtInVain = false
  }

  /// All of them together.
  func length(at now: Instant) -> Duration { total + (since.map { now - $0 } ?? .zero) }
}
