import System

/// The identity of a story in the history.
public struct HistorySubject: Equatable, Sendable {
  /// Identifies the story across runs; only its hash is stored.
  public var id: String
  /// The address that is shown, without userinfo and query.
  public var source: String
  public var title: String?
  /// Whether its feed limits its views: then it is never deleted to make space.
  public var isLimited: Bool

  public init(id: String, source: String, title: String? = nil, isLimited: Bool = false) {
    self.id = id
    self.source = source
    self.title = title
    self.isLimited = isLimited
  }
}

/// The counts of one story, or of all.
public struct HistoryCounts: Equatable, Sendable {
  /// How often it was played and shown for at least 0.2 s.
  public var views: Int
  /// How often it was played to its end.
  public var completions: Int
  /// How often it was left for another story before its end.
  public var skips: Int
  /// How often it stalled for lack of bytes, and for how long in total.
  public var waits: Int
  public var waited: Duration

  public init(
    views: Int = 0, completions: Int = 0, skips: Int = 0, waits: Int = 0, waited: Duration = .zero
  ) {
    self.views = views
    self.completions = completions
    self.skips = skips
    self.waits = waits
    self.waited = waited
  }

  public static func + (a: HistoryCounts, b: HistoryCounts) -> HistoryCounts {
    HistoryCounts(
      views: a.views.addingClamped(b.views),
      completions: a.completions.addingClamped(b.completions),
      skips: a.skips.addingClamped(b.skips), waits: a.waits.addingClamped(b.waits),
      waited: a.waited + b.waited)
  }
}

/// A story in the history.
public struct HistoryEntry: Equatable, Sendable {
  public var source: String
  public var title: String?
  public var counts: HistoryCounts
  /// When it was last played, in seconds since 1970.
  public var last: Int64
}

/// Where a run stopped.
public struct ResumePoint: Equatable, Sendable {
  /// The story's number among those that were looked up.
  public var story: Int
  public var position: Duration

  public init(story: Int, position: Duration) {
    self.story = story
    self.position = position
  }
}

/// What the history knows of the stories that were looked up.
public struct HistoryFindings: Equatable, Sendable {
  /// A story that was played before. Small, because there may be very many.
  public struct Known: Equatable, Sendable {
    /// The story's number among those that were looked up.
    public var story: Int32
    public var views: Int32
    public var completions: Int32

    public init(story: Int, views: Int, completions: Int) {
      self.story = Int32(clamping: story)
      self.views = Int32(clamping: views)
      self.completions = Int32(clamping: completions)
    }
  }

  /// In the order of their numbers.
  public var known: [Known] = []
  public var resumePoint: ResumePoint?

  public init() {}
}

/// Why there is no history.
public enum HistoryError: Error, Equatable {
  /// Another process holds it for too long.
  case busy
  /// In words that follow "no history: ".
  case unusable(String)

  public var reason: String {
    switch self {
    case .busy: "another process holds it"
    case .unusable(let reason): reason
    }
  }
}
