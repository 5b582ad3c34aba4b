/// One play of a story as the history counts it.
///
/// A story counts as seen once it was shown for 0.2 s, and as completed once it was played to its
/// end. One that fails is not marked, however much of it was shown.
public struct Showing: Equatable, Sendable {
  /// How a play ended.
  public enum End: String, Sendable {
    /// Played to its end.
    case ended
    /// Left for another story.
    case skipped
    /// The program was ended.
    case stopped
    case failed
  }

  /// What is to be counted.
  public enum Mark: Equatable, Sendable {
    case seen, completed, skipped
    /// It was counted as seen in this play, and then failed.
    case takenBack
  }

  private enum Phase: Equatable {
    /// Nothing was shown yet.
    case loading
    case shown
    case seen
    case over
  }

  /// How long a story must be shown to count as seen.
  public static let least = Duration.milliseconds(200)

  private var phase = Phase.loading

  public init() {}

  /// Whether time alone will make it seen.
  public var isBecomingSeen: Bool { phase == .shown }

  /// A picture is on the screen.
  public mutating func pictureShown() {
    if phase == .loading { phase = .shown }
  }

  /// So much time or so much of the medium was shown.
  public mutating func reached(_ time: Duration) -> [Mark] {
    guard phase == .shown, time >= Showing.least else { return [] }
    phase = .seen
    return [.seen]
  }

  /// The play is over. Later calls return nothing.
  public mutating func end(_ how: End) -> [Mark] {
    defer { phase = .over }
    switch (phase, how) {
    case (.shown, .ended): return [.seen, .completed]
    case (.seen, .ended): return [.completed]
    case (.seen, .skipped): return [.skipped]
    case (.seen, .failed): return [.takenBack]
    default: return []
    }
  }
}
