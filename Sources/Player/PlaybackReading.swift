import DecoderLink
import Playback
import Resources
import Stories
import System

/// How a story plays at a moment, as far as the journal follows it.
struct PlaybackReading: Equatable {
  /// It stands still.
  struct Standing: Equatable {
    var since: Instant
    /// It waits for the picture that was sought, and not for bytes to go on.
    var isSeek: Bool
    /// nil where it already stood still at the last reading.
    var facts: StallFacts?
  }

  var position: Duration
  var isPaused = false
  var standing: Standing?
}

/// What is known of why a story stands still.
struct StallFacts: Equatable {
  /// What has come of its bytes, where their number and the story's length are known.
  struct Bytes: Equatable {
    var held: UInt64
    var total: UInt64
    /// Up to about this time the story can play with them.
    var reach: Duration
    /// So many bytes a second it needs.
    var needed: UInt64
    /// It goes on when so much is here.
    var threshold: Duration
  }

  /// Bytes a second that come from the network; nil while none do.
  var rate: UInt64?
  var bytes: Bytes?

  /// Bytes a second. Servers and files may claim anything, such as 2^50 bytes for a nanosecond.
  static func rate(of bytes: UInt64, over length: Duration) -> UInt64 {
    UInt64(min(Double(bytes) / length.inSeconds, 0x1p62))
  }
}

/// What came of a play, once it is over.
struct PlaybackSummary: Equatable {
  /// The kind's name in reports; nil where it was not opened.
  var kind: String?
  var framesDecoded = 0
  var framesDropped = 0
  /// The media time that the viewer has reached.
  var presented = Duration.zero
  var length: Duration?
  /// How often and how long it stood still for want of bytes once it had begun.
  var stalls = 0
  var stalled = Duration.zero
  var lastPictureDuration: Duration?
}

extension PlaybackSummary {
  init(_ playback: Playback, _ how: Showing.End, at now: Instant) {
    kind = playback.info?.kind.name
    framesDecoded = playback.framesDecoded
    framesDropped = playback.framesDropped
    presented = (how == .ended ? playback.end : nil) ?? playback.position(at: now)
    length = playback.length
    let stats = playback.stalls(at: now)
    stalls = stats.count
    stalled = stats.length(at: now)
    lastPictureDuration = playback.shown?.duration
  }
}

extension StorySlot {
  /// How it plays now.
  ///
  /// - Parameters:
  ///   - known: since when it is known to stand still.
  ///   - rate: bytes a second that come from the network.
  func reading(
    known: Instant?, rate: @autoclosure () -> UInt64?, at now: Instant
  ) -> PlaybackReading {
    var reading = PlaybackReading(
      position: playback.position(at: now), isPaused: playback.state.isPaused)
    guard let since = playback.standsSince else { return reading }
    let stats = playback.stalls(at: now)
    reading.standing = .init(since: since, isSeek: stats.since == nil)
    guard since != known else { return reading }
    var facts = StallFacts(rate: rate())
    if let progress, let total = progress.length, let length = playback.length, length > .zero {
      let reach = progress.reach(from: reading.position.inSeconds / length.inSeconds)
      facts.bytes = StallFacts.Bytes(
        held: progress.heldBytes, total: total, reach: length * reach,
        needed: StallFacts.rate(of: total, over: length), threshold: stats.resumeThreshold)
    }
    reading.standing?.facts = facts
    return reading
  }
}

extension MediaInfo.Kind {
  /// The kind's name in reports.
  fileprivate var name: String {
    switch self {
    case .video: "video"
    case .picture: "picture"
    case .sound: "sound"
    case .animation: "animation"
    }
  }
}
