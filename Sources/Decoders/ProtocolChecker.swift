import DecoderLink
import Resources

/// Checks which messages a decoder may send, when, and with which values. The player uses no others.
struct ProtocolChecker {
  private let hasSound: Bool
  private var isOpened = false
  /// The last serial whose end was sent.
  private var lastEnded: UInt32?
  /// The largest grid that was requested.
  private var width: UInt32
  private var height: UInt32

  private static let span = Duration.zero...Duration.longestStory
  /// Streams may begin a little before their story.
  private static let startSpan = Duration.seconds(-3_600)...Duration.longestStory
  /// More than any picture with any pixel aspect; areas do not overflow.
  private static let largestSide: UInt32 = 1 << 30

  init(shape: PictureRequest, hasSound: Bool) {
    self.hasSound = hasSound
    width = shape.width
    height = shape.height
  }

  /// Another grid was requested; pictures for a former one may still be on their way.
  mutating func allow(_ shape: PictureRequest) {
    width = max(width, shape.width)
    height = max(height, shape.height)
  }

  /// Whether a message may come now and its values are possible; `serial` is that of the last seek.
  mutating func isInTurn(_ message: DecoderMessage, serial: UInt32) -> Bool {
    switch message {
    case .read, .queryAvailable, .openResource, .closeResource, .unfollow, .awaitPlaylist, .note,
      .failed:
      return true
    case .needs(let parts, _): return parts.allSatisfy(isSane)
    // Empty ones could come on and on.
    case .parts(let parts, let isLast):
      return (isLast || !parts.isEmpty) && parts.allSatisfy(isSane)
    case .follow(_, _, let interval): return ProtocolChecker.span.contains(interval)
    case .opened(let info):
      defer { isOpened = true }
      return !isOpened && isSane(info)
    case .picture(let picture):
      return isOpened && isCurrent(picture.serial, at: serial) && fits(picture)
        && ProtocolChecker.startSpan.contains(picture.time) && isSane(picture.duration)
    case .sound(let sound):
      return hasSound && isCurrent(sound.serial, at: serial)
        && ProtocolChecker.startSpan.contains(sound.time)
    case .soundEnded(let ended, let time):
      return hasSound && isCurrent(ended, at: serial) && ProtocolChecker.span.contains(time)
    case .ended(let ended, let picturesEnd, let soundEnd):
      guard isOpened, isCurrent(ended, at: serial) else { return false }
      lastEnded = ended
      return isSane(picturesEnd) && isSane(soundEnd)
    }
  }

  /// Nothing may follow for a serial after its end or the end of a later one.
  private func isCurrent(_ sent: UInt32, at serial: UInt32) -> Bool {
    sent <= serial && lastEnded.map { sent > $0 } ?? true
  }

  private func fits(_ picture: DecodedPicture) -> Bool {
    picture.bitmap.width <= width && picture.bitmap.height <= height
  }

  private func isSane(_ time: Duration?) -> Bool {
    time.map(ProtocolChecker.span.contains) ?? true
  }

  private func isSane(_ part: NeededPart) -> Bool {
    let most = ContentInfo.mostLength
    return isSane(part.start) && isSane(part.end) && part.end ?? part.start >= part.start
      && part.offset <= most && part.length ?? 0 <= most - part.offset
  }

  private func isSane(_ info: MediaInfo) -> Bool {
    isSane(info.duration) && info.displayWidth <= ProtocolChecker.largestSide
      && info.displayHeight <= ProtocolChecker.largestSide
      && (info.frameRate.map { $0 > 0 && $0 <= 1_000_000 } ?? true)
  }
}
