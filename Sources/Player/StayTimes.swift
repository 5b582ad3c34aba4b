import DecoderLink

/// How long what has no length of its own, or a short one, stays at least.
struct StayTimes {
  let picture: Duration
  let animation: Duration

  /// An animation is told once through, but not for a moment only.
  private static let shortestAnimation = Duration.seconds(3)

  /// - Parameters:
  ///   - own: what the story's feed says.
  ///   - imageTime: what the viewer wants of pictures.
  init(own: Duration?, imageTime: Duration) {
    picture = own ?? imageTime
    animation = own ?? StayTimes.shortestAnimation
  }
}

extension MediaInfo {
  /// A picture or an animation: it has no sound and no end that would matter.
  var isForShow: Bool { kind == .picture || kind == .animation }
  /// It begins anew until it stayed long enough.
  var goesRound: Bool { isForShow && !isStill }
}
