import DecoderLink
import System

// What can be read off a story.
extension Playback {
  /// The picture on the screen.
  public var shown: DecodedPicture? { shownPicture?.picture }

  /// Whether that picture was shown because its time had come, and not because it was awaited.
  public var isShownOnTime: Bool { shownPicture?.isOnTime ?? false }

  /// Whether the first picture can be shown at once.
  public var hasWaitingPicture: Bool { !queue.isEmpty }

  /// Whether so many pictures wait that the decoder may wait for an answer until one of them is shown.
  public var hasEnoughPictures: Bool { isRunning && queue.count > Playback.fewPictures }

  /// Whether what the decoder sends and asks for can wait for a picture that is due in a moment. So each
  /// picture wakes the player once, not twice.
  public func letsDecoderWait(at now: Instant) -> Bool {
    guard hasEnoughPictures, let next = queue.nextDue.flatMap(clock.moment(of:)) else {
      return false
    }
    return next > now && next - now < Playback.shortWait
  }

  private static let fewPictures = 2
  /// More than the time between two pictures of most videos.
  private static let shortWait = Duration.milliseconds(50)

  /// Whether its media time runs now.
  public var isRunning: Bool { clock.isRunning }

  /// Whether its decoder is gone.
  public var isLost: Bool { if case .lost = decoder { true } else { false } }

  /// Whether all of it has come.
  public var isComplete: Bool { ends != nil }

  /// Whether its sound is heard.
  public var isSoundHeard: Bool { sound?.isHeard ?? false }

  /// Whether its end is near.
  public func isEnding(at now: Instant) -> Bool {
    end.map { state.isGoing && clock.time(at: now) >= $0 - Playback.notice } ?? false
  }

  /// Since when it stands still for want of bytes, or of the picture that was sought.
  public var standsSince: Instant? {
    // A story that has ended and lost its decoder waits for nothing.
    if case .resting = state, isLost { return nil }
    return state.stalledSince ?? state.soughtAt
  }

  /// Its stalls, with a seek whose picture has not come yet.
  public func stalls(at now: Instant) -> StallStats {
    var stats = stats
    stats.endSeek(at: now)
    return stats
  }

  /// How it is with its bytes by the last report; nil where nothing has to come.
  public func bufferStatus(at now: Instant) -> BufferStatus? {
    guard let fetched = buffer.report.fetched else { return nil }
    return BufferStatus(
      isWhole: fetched.isWhole, availableUntil: fetched.availableUntil,
      calm: buffer.report.isPlaylist ? buffer.waitedAt.map { now - $0 } : nil,
      fetching: buffer.fetchingSince.map { now - $0 }, position: position(at: now), length: length,
      isStalled: shownPicture == nil || state.stalledSince != nil || stats.soughtInVain)
  }

  /// When pictures and sound end; nil while that is not known.
  var ends: Ends? {
    switch decoder {
    case .working: nil
    case .done(let ends): ends
    case .lost(_, let ends): ends
    }
  }

  /// Whether more than the first picture is decoded.
  var decodesOn: Bool { !options.showsOnlyFirst || sound != nil }

  /// One picture stays while the sound is heard.
  var hasStill: Bool { sound != nil && (options.showsOnlyFirst || info?.isStill == true) }

  /// A picture that nothing follows.
  var isStillForShow: Bool { info.map { $0.isStill && $0.isForShow } ?? false }

  /// The media time at which the story is over; nil while unknown. The sound counts where it
  /// outlasts the pictures by 250 ms or more.
  public var end: Duration? {
    guard let info else { return nil }
    if info.isForShow, info.isStill || options.showsOnlyFirst { return displayDuration(of: info) }
    if !decodesOn { return info.duration ?? displayDuration(of: info) }
    guard let ends else { return nil }
    let pictures = ends.pictures ?? .zero
    guard let sound = ends.sound, sound >= pictures + .milliseconds(250) else { return pictures }
    return sound
  }

  func displayDuration(of info: MediaInfo) -> Duration {
    info.kind == .animation ? options.durations.animation : options.durations.picture
  }

  /// The best guess at the whole length.
  public var length: Duration? {
    if let end { return end }
    if let info, info.isForShow { return max(displayDuration(of: info), loop.length ?? .zero) }
    return info?.duration
  }

  /// What its clock shows, whether or not a picture of that time was shown.
  public func clockTime(at now: Instant) -> Duration { clock.time(at: now) }

  /// The media time that a viewer has reached: never beyond what was shown.
  public func position(at now: Instant) -> Duration {
    guard let shownPicture else { return .zero }
    var position = clock.time(at: now)
    if state.awaitsPicture || state.isFailed { return max(.zero, position) }
    if let end { return max(.zero, min(position, end)) }
    if queue.isEmpty, !hasStill { position = min(position, shownPicture.end) }
    return max(.zero, position)
  }

  /// Where a later run goes on: nothing for what has no positions, as a live story has none, and for
  /// its last second.
  public func resumePosition(at now: Instant) -> Duration {
    if case .opening(let from, _) = state, from > .zero { return from }
    guard let info, !info.isLive, !info.isForShow, !options.showsOnlyFirst else { return .zero }
    let position = position(at: now)
    return length.map { position < $0 - .seconds(1) } ?? true ? position : .zero
  }

  /// A picture's time within the medium, whatever loop of it this is.
  public func sourceTime(of picture: DecodedPicture) -> Duration {
    max(.zero, picture.time - loop.start)
  }
}
