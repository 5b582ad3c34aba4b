/// An animation that somebody sent to a story, at a moment of it.
public struct ReceivedReaction: Equatable, Sendable {
  /// Seconds from the story's start.
  public var atS: Double
  /// The animation's id in its feed's catalogue.
  public var id: String
  /// Who sent it; empty where that is not said. Text of a stranger.
  public var sender: String

  public init(atS: Double, id: String, sender: String = "") {
    self.atS = atS
    self.id = id
    self.sender = sender
  }
}

/// Where reactions' animations come from.
public struct AnimationEndpoint: Equatable, Sendable {
  /// A folder of this machine, or the address below which a server has its catalogue.
  public var place: Story.Source
  /// The web address of the feed that names it; nil where the viewer did.
  public var feed: String?

  public init(place: Story.Source, feed: String? = nil) {
    self.place = place
    self.feed = feed
  }
}
