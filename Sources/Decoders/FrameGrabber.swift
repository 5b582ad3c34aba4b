import DecoderLink
import Resources
import System

/// Decodes the picture of a story that is shown at a moment. The first picture is decoded, then a seek
/// leads to the moment. After the end it is the last picture.
public final class FrameGrabber {
  /// The result.
  public enum Outcome: Sendable {
    case picture(DecodedPicture)
    /// The story's first picture: no seek leads to the moment, nor to the end.
    case onlyFirst(DecodedPicture)
    /// The story holds no picture.
    case nothing
    /// Why there is none, in words that follow "cannot play NAME: ".
    case failed(String)
  }

  private let session: DecoderSession
  private let moment: Duration
  private var first: DecodedPicture?
  private var hasSoughtEnd = false

  /// Gives the story to a decoder of the pool, which waits for all bytes that it needs.
  public init(
    from pool: DecoderPool, resource: any Resource, opener: (any ResourceOpener)?,
    at moment: Duration, shape: PictureRequest
  ) throws(SystemError) {
    session = try DecoderSession(
      from: pool, decoding: resource, opener: opener, shape: shape, mayWaitForNetwork: true)
    self.moment = moment
    session.allow(pictures: 1)
  }

  public var interest: Interest { Interest(session.descriptor, writing: session.wantsToWrite) }
  public var deadline: Instant? { session.deadline }

  /// Sends, receives and answers without waiting; returns the result once it is known.
  ///
  /// - Parameter note: called with what is wrong with the story although it has a picture, in words
  ///   that follow "NAME: ".
  public func service(
    _ readiness: Readiness, now: Instant, note: (String) -> Void = { _ in }
  ) -> Outcome? {
    for event in session.service(readiness, now: now) {
      switch event {
      case .picture(let picture):
        guard first == nil, moment > .zero else { return .picture(picture) }
        first = picture
        session.seek(to: moment)
        session.allow(pictures: 1)
      case .ended(session.serial, let end, _):
        guard let first else { return .nothing }
        guard let end, end > .zero, !hasSoughtEnd else { return .onlyFirst(first) }
        hasSoughtEnd = true
        session.seek(to: end - .milliseconds(1))
      case .failed(let reason): return .failed(reason)
      case .note(let words): note(words)
      case .ended, .opened, .parts, .sound, .soundEnded: break
      }
    }
    return nil
  }

  /// Restarts the time that the decoder has: the player itself was stopped meanwhile.
  public func forgive() { session.forgive() }

  /// Ends the decoder. Idempotent.
  public func close() { session.close() }
}
