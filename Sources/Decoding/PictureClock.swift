/// Turns the timestamps of a stream's pictures into times from the story's start that never run
/// backwards.
package struct PictureClock {
  /// The story's start on the stream's clock; changes when that clock restarts.
  private var zero: Duration
  private var previous: Duration?
  private var usualStep: Duration
  /// When the last picture ends.
  package private(set) var end: Duration?

  /// A larger jump backwards is a restart of the stream's clock; a smaller one is disorder.
  private static let jump = Duration.milliseconds(500)

  /// - Parameter step: how long a picture lasts if neither its packet nor the next timestamp says so.
  package init(zero: Duration, step: Duration?) {
    self.zero = zero
    usualStep = step ?? .milliseconds(40)
  }

  /// The next picture's time. A picture without a timestamp follows the one before.
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
