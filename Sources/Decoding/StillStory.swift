import DecoderLink

/// A story of one picture that is already decoded.
final class StillStory: MediaDecoder {
  let info: MediaInfo
  let ends = StoryEnds()
  private let frame: FFmpegFrame
  /// Keeps the memory that the frame points to.
  private let owner: AnyObject
  private let orientation: Orientation
  private let scaler = FFmpegScaler()
  private var isWaiting = true

  /// - Parameters:
  ///   - owner: frees the frame's memory in its deinit.
  ///   - size: of the whole picture as it is stored, in pixels; the frame's may be smaller.
  init(
    _ frame: FFmpegFrame, owner: AnyObject, container: String, codec: String,
    size: (width: Int, height: Int), orientation: Orientation = .upright
  ) {
    self.frame = frame
    self.owner = owner
    self.orientation = orientation
    let displayed = orientation.displaySize(width: UInt32(size.width), height: UInt32(size.height))
    info = MediaInfo(
      kind: .picture, isStill: true, container: container, pictureCodec: codec,
      displayWidth: displayed.width, displayHeight: displayed.height)
  }

  func advance(_ effort: Effort, for shape: PictureRequest) throws(DecodingError) -> Progress {
    defer { isWaiting = false }
    return isWaiting ? .picture(PictureTiming(time: .zero, duration: nil)) : .over
  }

  func picture(for shape: PictureRequest) throws(DecodingError) -> Bitmap {
    try scaler.picture(
      of: frame, displaySize: (Int(info.displayWidth), Int(info.displayHeight)),
      orientation: orientation, shape: shape)
  }

  func sound(before limit: Duration) throws(DecodingError) -> SoundRun? { nil }

  func seek(to position: Duration) throws(DecodingError) { isWaiting = true }

  func rest() -> Bool { false }
}
