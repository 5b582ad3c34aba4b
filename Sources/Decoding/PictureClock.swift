/// Turns the timestamps of a stream's pictures into times from the story's start that never run
/// backwards.
package struct PictureClock {
  /// The story's start on the stream's clock; moves where that clock begins anew.
  private var zero: Duration
  private var previous: Duration?
  private var usualStep: Duration
  /// When the last picture ends.
  package private(set) var end: Duration?

  /// A jump backwards further than this is a new beginning of the stream's clock, not disorder.
  private static let jump = Duration.milliseconds(500)

  /// `step` is how long a picture lasts when nothing else tells.
  package init(zero: Duration, step: Duration?) {
    self.zero = zero
    usualStep = step ?? .milliseconds(40)
  }

  /// The next picture's time. Without a timestamp it follows the one before.
  package mutating func next(timestamp: Duration?, duration: Duration?) -> PictureTiming {
    var time = timestamp.map { $0 - zero } ?? end ?? .zero
    if let previous, let expected = end {
      if time < previous - Self.jump {
        zero -= expected - time
        time = expected
      }
      if time > previous { usualStep = time - previous }
    }
    time = max(time, previous ?? .zero)
    previous = time
    end = time + (duration ?? usualStep)
    return PictureTiming(time: time, duration: duration)
  }
}
