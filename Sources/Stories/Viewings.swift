/// What is known of a story's plays.
public struct SeenRecord: Equatable, Sendable {
  public var isSeen: Bool
  /// How often it was played to its end.
  public var completions: Int32

  public init(isSeen: Bool = false, completions: Int32 = 0) {
    self.isSeen = isSeen
    self.completions = completions
  }
}

/// What is known of the plays of a feed's stories, by their numbers: counted over all reels of the feed
/// that it was made for. Feeds may hold very many.
public struct SeenRecords: Equatable, Sendable {
  private var records: [SeenRecord] = []

  public init() {}

  public var isEmpty: Bool { records.isEmpty }

  public subscript(story: Int) -> SeenRecord {
    get { records.indices.contains(story) ? records[story] : SeenRecord() }
    set {
      guard story >= 0 else { return }
      if story >= records.count {
        guard newValue != SeenRecord() else { return }
        records += Array(repeating: SeenRecord(), count: story + 1 - records.count)
      }
      records[story] = newValue
    }
  }
}

/// Which stories were seen, in earlier runs, as far as that is known, and in this one. The stories are
/// numbered in the order of playing, as in the feed that `ViewingRules.select` returned.
public struct Viewings: Equatable, Sendable {
  /// One reel and how much of it is new.
  private struct ReelProgress: Equatable {
    var stories: Range<Int>
    var unseen: Int
  }

  private var records: SeenRecords
  private var reels: [ReelProgress] = []
  /// The view limits by story, -1 for none; empty where no story has one.
  private var limits: [Int32] = []

  /// - Parameter past: what is known of the feed's stories from earlier runs.
  public init(_ feed: Feed, past: SeenRecords = SeenRecords()) {
    records = past
    var start = 0
    for reel in feed.reels where !reel.stories.isEmpty {
      let stories = start..<start + reel.stories.count
      reels.append(ReelProgress(stories: stories, unseen: stories.count { !past[$0].isSeen }))
      start = stories.upperBound
    }
    let stories = feed.reels.lazy.flatMap(\.stories)
    if stories.contains(where: { $0.maxViews != nil }) {
      limits = stories.map { $0.maxViews ?? -1 }
    }
  }

  private var storyCount: Int { reels.last?.stories.upperBound ?? 0 }

  /// Takes in what other runs have seen.
  public mutating func learn(from others: SeenRecords) {
    for story in 0..<storyCount {
      let record = others[story]
      if record.isSeen { markSeen(story) }
      learn(completions: Int(record.completions), of: story)
    }
  }

  /// Raises a story's completions to those of the history, which may already hold those of this run: the
  /// larger number counts, and not the sum.
  public mutating func learn(completions: Int, of story: Int) {
    guard (0..<storyCount).contains(story) else { return }
    records[story].completions = max(records[story].completions, Int32(clamping: completions))
  }

  public mutating func markSeen(_ story: Int) {
    guard (0..<storyCount).contains(story), !records[story].isSeen else { return }
    records[story].isSeen = true
    reels[reelNumber(of: story)].unseen -= 1
  }

  /// The opposite of `markSeen`, for a story that was counted as seen and then failed.
  public mutating func unmarkSeen(_ story: Int) {
    guard (0..<storyCount).contains(story), records[story].isSeen else { return }
    records[story].isSeen = false
    reels[reelNumber(of: story)].unseen += 1
  }

  public mutating func markCompleted(_ story: Int) {
    guard (0..<storyCount).contains(story), records[story].completions < .max else { return }
    records[story].completions += 1
  }

  /// Whether a story has a view limit.
  public func isLimited(_ story: Int) -> Bool {
    limits.indices.contains(story) && limits[story] >= 0
  }

  /// Whether it was played to its end as often as allowed.
  public func isExhausted(_ story: Int) -> Bool {
    isLimited(story) && records[story].completions >= limits[story]
  }

  public func isSeen(_ story: Int) -> Bool { records[story].isSeen }

  public func stories(inReelOf story: Int) -> Range<Int>? {
    (0..<storyCount).contains(story) ? reels[reelNumber(of: story)].stories : nil
  }

  /// Whether every story of a story's reel was seen.
  public func isReelSeen(of story: Int) -> Bool {
    (0..<storyCount).contains(story) && reels[reelNumber(of: story)].unseen == 0
  }

  /// By bisection. There must be such a story.
  private func reelNumber(of story: Int) -> Int {
    var range = reels.indices
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      range =
        reels[middle].stories.lowerBound <= story
        ? middle..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}
