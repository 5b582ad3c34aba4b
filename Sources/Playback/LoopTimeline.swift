/// The loops of an animated picture, as one line of time.
public struct LoopTimeline: Equatable, Sendable {
  /// What is added to the times of the present loop's pictures.
  public private(set) var start = Duration.zero
  /// How long one loop is; nil where that is not known yet.
  public var length: Duration?

  private static let shortest = Duration.milliseconds(10)

  public init() {}

  /// Begins another loop behind one whose pictures ended at a time of its own.
  ///
  /// - Parameter total: how long the story is to stay.
  /// - Returns: false where another loop is of no use.
  public mutating func beginNext(after end: Duration, within total: Duration) -> Bool {
    let loop = length ?? end
    length = loop
    // A shorter loop would keep the player seeking.
    guard loop >= LoopTimeline.shortest, start + loop < total else { return false }
    start += loop
    return true
  }

  /// Goes to the loop that a time lies in; returns that time within the loop.
  public mutating func seek(to time: Duration) -> Duration {
    start = length.map { $0 * Int(time / max(.milliseconds(1), $0)) } ?? .zero
    return time - start
  }
}
