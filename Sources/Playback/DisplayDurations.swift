import DecoderLink

/// How long a story stays at least whose medium has no length of its own, or a short one.
public struct DisplayDurations: Equatable, Sendable {
  public let picture: Duration
  public let animation: Duration

  /// An animation plays once through, but not for a moment only.
  private static let shortestAnimation = Duration.seconds(3)

  /// - Parameters:
  ///   - own: what the story's feed says; nil where it says nothing.
  ///   - imageTime: what the viewer wants of pictures.
  public init(own: Duration?, imageTime: Duration) {
    picture = own ?? imageTime
    animation = own ?? DisplayDurations.shortestAnimation
  }
}

extension MediaInfo {
  /// A picture or an animation: it has no sound and no end that would matter.
  public var isForShow: Bool { kind == .picture || kind == .animation }
  /// It begins anew until it stayed long enough.
  public var loops: Bool { isForShow && !isStill }
}
