/// Which stories of a feed are played, and in which order.
public struct ViewingRules: Equatable, Sendable {
  /// Reels with stories that were not seen yet come first.
  public var unseenFirst: Bool
  /// Stories that were published longer ago, in seconds, are left out; nil for no such limit.
  public var maxAgeS: Int64?

  public init(unseenFirst: Bool = false, maxAgeS: Int64? = nil) {
    self.unseenFirst = unseenFirst
    self.maxAgeS = maxAgeS
  }

  /// Why a story is not played.
  public enum Refusal: CaseIterable, Sendable {
    /// It was seen as often as its feed allows.
    case exhausted
    /// It has expired.
    case expired
    /// It is older than the viewer wants.
    case tooOld
  }

  /// What is played, and how many stories are left out for each reason.
  public struct Selection: Equatable, Sendable {
    public var feed: Feed
    /// What is known of its stories, by their numbers in it.
    public var past: SeenRecords
    /// The number of each of its stories in the whole feed; nil where that is the same.
    public var numbers: [Int]?
    public var leftOut: [Refusal: Int] = [:]

    /// "nothing left to play: 3 stories seen as often as allowed, 1 story expired".
    public var wordsForNothing: String { "nothing left to play: " + Refusal.words(for: leftOut) }
  }

  /// Why a story is not played at a time (seconds since 1970); nil where it is.
  public func refusal(of story: Story, completions: Int, now: Int64) -> Refusal? {
    if let expires = story.expires, now >= expires { return .expired }
    if let maxAgeS, let published = story.published, published < now - maxAgeS { return .tooOld }
    if let limit = story.maxViews, completions >= Int(limit) { return .exhausted }
    return nil
  }

  /// Whether the choice depends on what was seen before.
  public func needsPast(of feed: Feed) -> Bool {
    unseenFirst || feed.reels.contains { reel in reel.stories.contains { $0.maxViews != nil } }
  }

  /// Chooses what is played. Reels left without stories vanish; otherwise the order stays.
  ///
  /// - Parameter past: what is known of the feed's stories, by their numbers counted over all reels.
  public func select(from feed: Feed, past: SeenRecords, now: Int64) -> Selection {
    var chosen: [ChosenReel] = []
    var leftOut: [Refusal: Int] = [:]
    var number = 0
    for reel in feed.reels where !reel.stories.isEmpty {
      var kept: [Int] = []
      for story in reel.stories {
        let completions = Int(past[number].completions)
        if let refusal = refusal(of: story, completions: completions, now: now) {
          leftOut[refusal, default: 0] += 1
        } else {
          kept.append(number)
        }
        number += 1
      }
      if let chosenReel = ChosenReel(reel, start: number - reel.stories.count, kept, past) {
        chosen.append(chosenReel)
      }
    }
    guard unseenFirst || !leftOut.isEmpty else { return Selection(feed: feed, past: past) }
    return selection(of: chosen, from: feed, past: past, leftOut: leftOut)
  }

  /// All of a feed, its reels in the order of playing. Stories that are not played any more stay where
  /// they are, and do not make a reel an unseen one.
  public func arrange(_ feed: Feed, past: SeenRecords, now: Int64) -> Selection {
    guard unseenFirst else { return Selection(feed: feed, past: past) }
    var reels: [ChosenReel] = []
    var number = 0
    for reel in feed.reels where !reel.stories.isEmpty {
      let numbers = number..<number + reel.stories.count
      let isUnseen = zip(numbers, reel.stories).contains { index, story in
        let completions = Int(past[index].completions)
        return !past[index].isSeen && refusal(of: story, completions: completions, now: now) == nil
      }
      reels.append(ChosenReel(reel: reel, numbers: Array(numbers), isUnseen: isUnseen))
      number = numbers.upperBound
    }
    return selection(of: reels, from: feed, past: past, leftOut: [:])
  }

  /// Some reels of a feed, ordered and numbered anew.
  private func selection(
    of reels: [ChosenReel], from feed: Feed, past: SeenRecords, leftOut: [Refusal: Int]
  ) -> Selection {
    var reels = reels
    if unseenFirst { reels = reels.filter(\.isUnseen) + reels.filter { !$0.isUnseen } }
    let numbers = reels.flatMap(\.numbers)
    var selection = Selection(feed: feed, past: SeenRecords(), numbers: numbers, leftOut: leftOut)
    selection.feed.reels = reels.map(\.reel)
    for (new, old) in numbers.enumerated() { selection.past[new] = past[old] }
    return selection
  }

  private struct ChosenReel {
    let reel: Reel
    /// The numbers of its stories in the whole feed.
    let numbers: [Int]
    let isUnseen: Bool

    init(reel: Reel, numbers: [Int], isUnseen: Bool) {
      self.reel = reel
      self.numbers = numbers
      self.isUnseen = isUnseen
    }

    /// What is kept of a reel; nil where nothing is.
    init?(_ whole: Reel, start: Int, _ kept: [Int], _ past: SeenRecords) {
      guard !kept.isEmpty else { return nil }
      numbers = kept
      isUnseen = kept.contains { !past[$0].isSeen }
      reel =
        kept.count == whole.stories.count
        ? whole : Reel(name: whole.name, stories: kept.map { whole.stories[$0 - start] })
    }
  }
}

extension ViewingRules.Refusal {
  /// "3 stories seen as often as allowed, 1 story expired".
  public static func words(for leftOut: [Self: Int]) -> String {
    let parts = allCases.compactMap { refusal -> String? in
      guard let count = leftOut[refusal] else { return nil }
      return "\(count) \(count == 1 ? "story" : "stories") \(refusal.words)"
    }
    return parts.joined(separator: ", ")
  }

  /// What it means for a story, after its name.
  public var words: String {
    switch self {
    case .exhausted: "seen as often as allowed"
    case .expired: "expired"
    case .tooOld: "older than wanted"
    }
  }
}
