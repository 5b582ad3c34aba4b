import DecoderLink
import Resources
import System

/// Finds out which parts of a playlist would be opened if it were played: those of the rendition that
/// is chosen for a grid, with its sound, its keys and its initialization sections. The first picture is
/// decoded, so that a rendition that cannot be played is not chosen.
public final class PartLister {
  /// The result.
  public enum Outcome: Equatable, Sendable {
    /// All of its parts; none of a live story, which has no end.
    case parts([NeededPart])
    /// Why they are not known, in words that follow "cannot fetch NAME: ".
    case failed(String)
  }

  private let session: DecoderSession
  private var parts: [NeededPart] = []
  private var bytes = 0

  /// More parts than a cache would keep are not listed.
  private static let most = 1 << 20
  /// Nor more bytes of addresses.
  private static let mostBytes = 64 << 20

  /// Gives the playlist to a decoder of the pool.
  public init(
    from pool: DecoderPool, resource: any Resource, opener: any ResourceOpener,
    shape: PictureRequest, soundRate: UInt32?
  ) throws(SystemError) {
    session = try DecoderSession(
      from: pool, decoding: resource, opener: opener, shape: shape, soundRate: soundRate,
      listsParts: true)
    // It counts as hanging if it says nothing for long.
    session.allow(pictures: 1)
  }

  public var interest: Interest { Interest(session.descriptor, writing: session.wantsToWrite) }
  public var deadline: Instant? { session.deadline }

  /// Sends, receives and answers without waiting; returns the result once it is known.
  public func service(_ readiness: Readiness, now: Instant) -> Outcome? {
    for event in session.service(readiness, now: now) {
      switch event {
      case .parts(let more, let isLast):
        parts += more
        bytes += more.reduce(0) { $0 + $1.url.utf8.count }
        if parts.count > PartLister.most || bytes > PartLister.mostBytes {
          return .failed("it has too many parts")
        }
        if isLast { return .parts(parts) }
      case .failed(let reason): return .failed(reason)
      case .opened, .picture, .sound, .soundEnded, .ended, .note: break
      }
    }
    return nil
  }

  /// Ends the decoder. Idempotent.
  public func close() { session.close() }
}
