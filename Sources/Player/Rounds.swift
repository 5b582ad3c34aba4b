/// The rounds of an animated picture, as one line of time.
struct Rounds {
  /// What is added to the times of the present round's pictures.
  private(set) var start = Duration.zero
  /// How long a round is; nil where that is not known yet.
  var length: Duration?

  private static let shortest = Duration.milliseconds(10)

  /// Begins another round behind one whose pictures ended at a time of its own; false where that is
  /// no use before the whole stay is over.
  mutating func beginNext(after end: Duration, within stay: Duration) -> Bool {
    let round = length ?? end
    length = round
    // A shorter round would keep the player seeking.
    guard round >= Rounds.shortest, start + round < stay else { return false }
    start += round
    return true
  }

  /// Goes to the round that a time lies in; returns that time within it.
  mutating func seek(to time: Duration) -> Duration {
    start = length.map { $0 * Int(time.inSeconds / max(0.001, $0.inSeconds)) } ?? .zero
    return time - start
  }
}
