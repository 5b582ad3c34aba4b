/// What the rows around the picture say; a value that `TerminalSession.draw` makes visible.
public struct Chrome: Equatable, Sendable {
  public var segments: Segments
  /// Author and age. Like all texts here it may come from a stranger and is made harmless.
  public var titleLeft: String
  /// What matters now: paused, muted, waiting.
  public var titleRight: String
  public var caption: String
  public var captionRight: String
  /// What went wrong; takes the caption's row.
  public var error: String?
  /// Whether the title stands back, because no key came for a while.
  public var dimmed: Bool
  /// Whether title and caption leave their rows to the picture.
  public var hidden: Bool

  public init(
    segments: Segments, titleLeft: String = "", titleRight: String = "", caption: String = "",
    captionRight: String = "? help", error: String? = nil, dimmed: Bool = false,
    hidden: Bool = false
  ) {
    self.segments = segments
    self.titleLeft = titleLeft
    self.titleRight = titleRight
    self.caption = caption
    self.captionRight = captionRight
    self.error = error
    self.dimmed = dimmed
    self.hidden = hidden
  }
}
