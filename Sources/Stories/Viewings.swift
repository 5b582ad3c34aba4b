/// What is known of a story from earlier plays.
public struct Sighting: Equatable, Sendable {
  public var isSeen: Bool
  /// How often it was played to its end.
  public var completions: Int32

  public init(isSeen: Bool = false, completions: Int32 = 0) {
    self.isSeen = isSeen
    self.completions = completions
  }
}

/// What is known of stories by their numbers; feeds may hold very many.
public struct Past: Equatable, Sendable {
  private var sightings: [Sighting] = []

  public init() {}

  public var isEmpty: Bool { sightings.isEmpty }

  public subscript(story: Int) -> Sighting {
    get { sightings.indices.contains(story) ? sightings[story] : Sighting() }
    set {
      guard story >= 0 else { return }
      if story >= sightings.count {
        guard newValue != Sighting() else { return }
        sightings += Array(repeating: Sighting(), count: story + 1 - sightings.count)
      }
      sightings[story] = newValue
    }
  }
}

/// Which stories were seen, by their numbers in the order of playing: in earlier runs, as far as that
/// is known, and in this one.
public struct Viewings: Equatable, Sendable {
  /// One reel and how much of it is new.
  private struct Count: Equatable {
    var stories: Range<Int>
    var unseen: Int
  }

  private var past: Past
  private var reels: [Count] = []
  /// The view limits by story, -1 for none; empty where no story has one.
  private var limits: [Int32] = []

  /// - Parameter past: what is known of the feed's stories.
  public init(_ feed: Feed, past: Past = Past()) {
    self.past = past
    var start = 0
    for reel in feed.reels where !reel.stories.isEmpty {
      let stories = start..<start + reel.stories.count
      reels.append(Count(stories: stories, unseen: stories.count { !past[$0].isSeen }))
      start = stories.upperBound
    }
    let stories = feed.reels.lazy.flatMap(\.stories)
    if stories.contains(where: { $0.maxViews != nil }) {
      limits = stories.map { $0.maxViews ?? -1 }
    }
  }

  private var count: Int { reels.last?.stories.upperBound ?? 0 }

  /// Takes in what other runs have seen.
  public mutating func learn(_ past: Past) {
    for story in 0..<count {
      let sighting = past[story]
      if sighting.isSeen { noteSeen(story) }
      learn(completions: Int(sighting.completions), of: story)
    }
  }

  /// What is counted of a story in all, by this and by other players.
  public mutating func learn(completions: Int, of story: Int) {
    guard (0..<count).contains(story) else { return }
    past[story].completions = max(past[story].completions, Int32(clamping: completions))
  }

  public mutating func noteSeen(_ story: Int) {
    guard (0..<count).contains(story), !past[story].isSeen else { return }
    past[story].isSeen = true
    reels[reelNumber(of: story)].unseen -= 1
  }

  /// The opposite of `noteSeen`.
  public mutating func forget(_ story: Int) {
    guard (0..<count).contains(story), past[story].isSeen else { return }
    past[story].isSeen = false
    reels[reelNumber(of: story)].unseen += 1
  }

  public mutating func noteCompleted(_ story: Int) {
    guard (0..<count).contains(story), past[story].completions < .max else { return }
    past[story].completions += 1
  }

  /// Whether a story has a view limit.
  public func isLimited(_ story: Int) -> Bool {
    limits.indices.contains(story) && limits[story] >= 0
  }

  /// Whether it was played to its end as often as allowed.
  public func isExhausted(_ story: Int) -> Bool {
    isLimited(story) && past[story].completions >= limits[story]
  }

  public func isSeen(_ story: Int) -> Bool { past[story].isSeen }

  /// The stories of a story's reel.
  public func reel(of story: Int) -> Range<Int>? {
    (0..<count).contains(story) ? reels[reelNumber(of: story)].stories : nil
  }

  /// Whether every story of a story's reel was seen.
  public func isReelSeen(of story: Int) -> Bool {
    (0..<count).contains(story) && reels[reelNumber(of: story)].unseen == 0
  }

  /// O(log reels).
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
