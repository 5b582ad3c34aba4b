import Resources

/// What a story that plays from the network has of its bytes, beside what it needs.
struct Supply {
  var progress: ResourceProgress
  /// Of a playlist, whose bytes are not counted: for how long it has not waited for any.
  var calm: Duration?
  /// For how long more of it has been fetched without a break; nil while nothing is.
  var fetching: Duration?
  /// The media time that is told, and the whole length; nil while unknown.
  var position: Duration
  var length: Duration?
  /// Whether it stands still, or has not begun, for want of bytes.
  var isStuck: Bool

  /// What it has in hand before the bytes of others are fetched.
  private static let comfort = Duration.seconds(10)
  /// With less than that in hand its neighbours get nothing.
  private static let narrow = Duration.seconds(3)
  /// Unless it needs nothing for now, as on a fast line: then with less than that.
  private static let least = Duration.milliseconds(500)
  /// A line that has been busy for longer is not a fast one.
  private static let quickFetch = Duration.seconds(1)
  /// A playlist that has not waited for so long has enough.
  private static let mostCalm = Duration.seconds(2)

  /// Whether the next ten seconds need no bytes that are not here.
  var isComfortable: Bool { !isStuck && lasts(Supply.comfort) }

  /// Whether neighbours may be made ready beside it.
  var bearsNeighbours: Bool { isComfortable || leavesTheLine }

  /// Whether it must have all that the line gives; nil where that may stay as it is, so that what
  /// neighbours get is not broken off at every fetch of a fast line.
  var needsTheLine: Bool? {
    if isStuck { return true }
    if lasts(Supply.narrow) || leavesTheLine { return false }
    guard let fetching else { return true }
    return lasts(Supply.least) && fetching < Supply.quickFetch ? nil : true
  }

  private var leavesTheLine: Bool { !isStuck && fetching == nil && lasts(Supply.least) }

  /// Whether what comes next, or all that is left, needs no bytes that are not here.
  func lasts(_ time: Duration) -> Bool {
    guard !progress.isWhole else { return true }
    if let calm { return calm >= min(time, Supply.mostCalm) }
    guard let length, length > .zero else { return false }
    let reach = length * progress.reach(from: position.inSeconds / length.inSeconds)
    return reach - position >= time || reach >= length
  }
}
