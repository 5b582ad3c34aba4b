import System

/// Decides when the screen is laid out and painted, and when decoders get its new size. It draws
/// nothing: whoever takes a step from it does it.
struct RedrawPlan: Equatable {
  /// How far the layout can be relied upon.
  enum Layout: Equatable {
    case valid
    /// The size, the picture mode or the rows around the picture have changed.
    case stale
    /// What the terminal shows is not known either: it is cleared first.
    case unknown
  }

  /// What the decision to paint depends on.
  struct Facts: Equatable {
    /// What lies over the picture differs from what was painted last.
    var hasNewOverlays = false
    /// The terminal shows exactly the cells that were meant.
    var isSettled = true
    /// One picture pushes another off the screen.
    var isSliding = false
    /// Nothing of the picture moves.
    var isStill = false
  }

  /// How a picture is painted.
  enum Paint: Equatable {
    /// Small differences of colour are left as they are: it changes soon.
    case roughly
    case exactly
  }

  /// Each new size costs decoders a seek, so they get it only once it has stayed for a moment.
  static let reshapeDelay = Duration.milliseconds(60)
  /// A picture that was painted roughly is painted exactly once it has stayed for so long.
  static let settlingTime = Duration.milliseconds(120)

  private var layout = Layout.valid
  private var hasNewPicture = false
  private var lastPaint: Instant?
  private var reshapeDue: Instant?

  /// The layout does not fit any more.
  mutating func layoutChanged() {
    if layout == .valid { layout = .stale }
  }

  /// Something else may have written to the terminal.
  mutating func terminalChanged() { layout = .unknown }

  /// The picture, or what is blended into it, is another one.
  mutating func pictureChanged() { hasNewPicture = true }

  /// What is to be laid out now; the caller does it.
  mutating func takeLayout(at now: Instant) -> Layout {
    guard layout != .valid else { return .valid }
    defer { layout = .valid }
    reshapeDue = now + RedrawPlan.reshapeDelay
    hasNewPicture = true
    return layout
  }

  /// Whether decoders are to get the size now.
  mutating func takeReshape(at now: Instant) -> Bool {
    guard let due = reshapeDue, now >= due else { return false }
    reshapeDue = nil
    return true
  }

  /// How the picture is to be painted now; nil where it is not.
  mutating func takePaint(_ facts: Facts, at now: Instant) -> Paint? {
    let hasRested = lastPaint.map { now - $0 >= RedrawPlan.settlingTime } ?? false
    // On a slow line the next picture comes later than that.
    let settles = hasRested && !facts.isSettled && !hasNewPicture
    guard hasNewPicture || facts.hasNewOverlays || settles || facts.isSliding else { return nil }
    hasNewPicture = false
    lastPaint = now
    return (facts.isStill || settles) && !facts.isSliding ? .exactly : .roughly
  }

  /// When decoders are to get the size; nil where they have it.
  var reshapeDeadline: Instant? { reshapeDue }

  /// When there is something to lay out or to paint on a terminal that has taken all of the last
  /// frame; nil where there is not.
  ///
  /// - Parameter isSettled: as in `Facts`.
  func paintDeadline(isSettled: Bool, at now: Instant) -> Instant? {
    if layout != .valid || hasNewPicture { return now }
    return isSettled ? nil : lastPaint.map { $0 + RedrawPlan.settlingTime }
  }
}
