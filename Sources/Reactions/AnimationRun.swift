import DecoderLink
import Decoders
import Pictures
import Resources
import System

/// Bytes in memory as a resource.
final class BytesResource: Resource {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var info: ContentInfo? { ContentInfo(length: UInt64(bytes.count)) }

  func read(
    offset: UInt64, length: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void
  ) {
    let start = min(bytes.count, Int(clamping: offset))
    answer(.success(Array(bytes[start..<min(bytes.count, start + length)])))
  }

  func cancel() {}
}

/// An animation that is decoded for a place on the screen: it knows which frame is to be seen at a
/// time from its own start.
final class AnimationRun {
  /// Frames a decoder may be ahead.
  private static let framesAhead = 8

  private let session: DecoderSession
  private var coming: [DecodedPicture] = []
  private(set) var info: MediaInfo?
  private(set) var failure: String?
  private(set) var hasEnded = false
  private(set) var shape: PictureRequest

  init(_ bytes: [UInt8], shape: PictureRequest, pool: DecoderPool) throws(SystemError) {
    self.shape = shape
    session = try DecoderSession(
      from: pool, decoding: BytesResource(bytes), opener: nil, shape: shape)
    session.allow(pictures: AnimationRun.framesAhead)
  }

  /// nil once it has failed: its socket would wake the loop for ever.
  var interest: Interest? {
    failure == nil ? Interest(session.descriptor, writing: session.wantsToWrite) : nil
  }
  /// When its decoder counts as hanging.
  var deadline: Instant? { failure == nil ? session.deadline : nil }

  /// The player was suspended for a while: that time does not count against the decoder.
  func forgive() { session.forgive() }

  func close() { session.close() }

  /// Frames have the new shape from the next one on.
  func reshape(_ shape: PictureRequest) {
    guard shape != self.shape else { return }
    self.shape = shape
    session.reshape(shape)
  }

  func service(_ readiness: Readiness, now: Instant) {
    guard failure == nil else { return }
    for event in session.service(readiness, now: now) {
      switch event {
      case .opened(let info):
        self.info = info
        // Other media have no alpha, and would hide the story.
        if info.kind != .animation { fail("no animation") }
      case .picture(let picture): if failure == nil { coming.append(picture) }
      case .ended: hasEnded = true
      case .failed(let reason): failure = reason
      case .sound, .soundEnded, .parts, .note: break
      }
    }
  }

  private func fail(_ reason: String) {
    failure = reason
    session.close()
  }

  /// Whether a frame has come that was not taken.
  var hasFrame: Bool { !coming.isEmpty }
  /// When the next frame is to be seen.
  var nextTime: Duration? { coming.first?.time }

  /// The newest frame that is due, if it was not taken yet.
  func takeFrame(at time: Duration) -> DecodedPicture? {
    guard let index = coming.lastIndex(where: { $0.time <= time }) else { return nil }
    let frame = coming[index]
    coming.removeFirst(index + 1)
    if failure == nil { session.allow(pictures: index + 1) }
    return frame
  }
}

/// Frames of an animation in one size, kept to be shown again.
struct AnimationClip {
  private(set) var frames: [DecodedPicture] = []
  private(set) var bytes = 0
  /// When the last frame ends.
  private(set) var length = Duration.zero
  /// Whether it is too long to be kept.
  private(set) var isCut = false

  /// Adds the next frame, as long as there is room.
  mutating func add(_ frame: DecodedPicture, most: Int) {
    let size = frame.bitmap.pixels.count * 4
    guard !isCut, bytes + size <= most else {
      isCut = true
      return
    }
    bytes += size
    frames.append(frame)
    length = frame.time + (frame.duration ?? .milliseconds(100))
  }

  /// The place of the frame to be seen at a time.
  func index(at time: Duration) -> Int? { frames.lastIndex { $0.time <= time } }
}
