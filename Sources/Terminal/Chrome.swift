/// The content of the rows around the picture, drawn by `TerminalSession.draw`.
public struct Chrome: Equatable, Sendable {
  public var segments: Segments
  /// Author and age. Like all texts here it may come from a stranger and is made harmless.
  public var titleLeft: String
  /// The present state: paused, muted, waiting.
  public var titleRight: String
  public var caption: String
  public var captionRight: String
  /// An error, shown in the caption's row.
  public var error: String?
  /// Whether the title is dimmed, because no key came for a while.
  public var dimmed: Bool
  /// Whether the picture takes the rows of title and caption.
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
