import System

/// How long it takes from the end of a story until the first picture of the next one is on the
/// screen, where that picture is ready: the next story must begin earlier by that much.
public struct TransitionLatency: Equatable, Sendable {
  /// What takes longer than this was held up by something else.
  private static let longest = Duration.milliseconds(25)

  /// Estimated from the transitions so far; before the first one, from how long a first picture took
  /// to get to the screen.
  public private(set) var expected = Duration.zero
  private var began: Instant?
  private var isTransition = false
  private var hasSeenTransition = false

  public init() {}

  /// A story has ended by itself, and the next one's first picture is ready.
  public mutating func storyFinished(at now: Instant) {
    began = now
    isTransition = true
  }

  /// A first picture is on its way to the screen.
  public mutating func pictureBegins(at now: Instant) {
    guard began == nil else { return }
    began = now
    isTransition = false
  }

  /// That picture is on the screen.
  public mutating func pictureIsShown(at now: Instant) {
    guard let began else { return }
    self.began = nil
    let took = min(now - began, TransitionLatency.longest)
    guard isTransition else {
      if !hasSeenTransition { expected = took }
      return
    }
    // One transition that was late moves the estimate by a quarter only.
    expected = hasSeenTransition ? (expected * 3 + took) / 4 : took
    hasSeenTransition = true
  }

  /// The viewer has gone elsewhere.
  public mutating func abandon() { began = nil }
}
