import System

/// How long it takes from the end of a story until the first picture of the next one is on the
/// screen, where that one is ready: by so much the next one must begin earlier.
struct ChangeTime {
  /// What takes longer than this was held up by something else.
  private static let most = Duration.milliseconds(25)

  /// By the changes so far; before the first one by what a picture takes from its cells on.
  private(set) var expected = Duration.zero
  private var began: Instant?
  private var isChange = false
  private var hasSeenChange = false

  /// A story has ended by itself, and the next one's first picture is ready.
  mutating func storyFinished(at now: Instant) {
    began = now
    isChange = true
  }

  /// A first picture is on its way to the screen.
  mutating func pictureBegins(at now: Instant) {
    guard began == nil else { return }
    began = now
    isChange = false
  }

  /// That picture is on the screen.
  mutating func pictureIsShown(at now: Instant) {
    guard let began else { return }
    self.began = nil
    let took = min(now - began, ChangeTime.most)
    guard isChange else {
      if !hasSeenChange { expected = took }
      return
    }
    // A quarter of the way to what was measured now: one that was late is not believed at once.
    expected = hasSeenChange ? (expected * 3 + took) / 4 : took
    hasSeenChange = true
  }

  /// The viewer has gone elsewhere.
  mutating func abandon() { began = nil }
}
