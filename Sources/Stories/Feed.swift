/// What a source lists: reels of stories, in the order in which they play.
public struct Feed: Equatable, Sendable {
  /// Distinguishes this feed from others across runs: its own address or path.
  public var identity: String
  public var title: String
  public var reels: [Reel]
  /// What the source named but cannot be played, in the order of the source.
  public var skipped: [Skipped]
  /// Where reactions come from, if the source says so.
  public var reactionSource: AnimationEndpoint?
  /// By the stories' ids: few have any.
  public var receivedReactions: [String: [ReceivedReaction]]

  public init(
    identity: String = "", title: String, reels: [Reel] = [], skipped: [Skipped] = [],
    reactionSource: AnimationEndpoint? = nil,
    receivedReactions: [String: [ReceivedReaction]] = [:]
  ) {
    self.identity = identity
    self.title = title
    self.reels = reels
    self.skipped = skipped
    self.reactionSource = reactionSource
    self.receivedReactions = receivedReactions
  }

  /// Whether something of it that would be played may be missing.
  public var isIncomplete: Bool { skipped.contains(where: \.costsStories) }

  /// The number of stories in all reels. O(reels).
  public var storyCount: Int {
    reels.reduce(0) { $0 + $1.stories.count }
  }
}

/// The stories of one author or folder, shown one after another under one segmented bar.
public struct Reel: Equatable, Sendable {
  public var name: String
  public var stories: [Story]

  public init(name: String, stories: [Story]) {
    self.name = name
    self.stories = stories
  }
}

/// Something that a source named and that is left out, with the reason in words.
public struct Skipped: Equatable, Sendable {
  /// The path, URL or item as the source named it: text of a stranger.
  public var source: String
  public var reason: String
  /// Whether something that would be played may be missing; else it plays otherwise than meant.
  public var costsStories: Bool

  public init(source: String, reason: String, costsStories: Bool = true) {
    self.source = source
    self.reason = reason
    self.costsStories = costsStories
  }
}
