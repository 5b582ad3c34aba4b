import CWebP
import DecoderLink

/// Decodes an animated WebP with libwebp. Binding file of libwebp: unsafe pointers.
final class WebPStory: MediaDecoder {
  let info: MediaInfo
  private(set) var ends = StoryEnds()
  private let animation: Animation
  private let orientation: Orientation
  private let frame: FFmpegFrame
  private let scaler = FFmpegScaler()
  private var next = Duration.zero
  /// The picture that a seek has found.
  private var waiting: PictureTiming?

  init(_ stream: ResourceStream) throws(DecodingError) {
    animation = try Self.animation(PinnedBytes(stream))
    orientation = Exif.orientation(ofPicture: animation.file.bytes) ?? .upright
    frame = try FFmpegFrame()
    let size = orientation.displaySize(width: animation.width, height: animation.height)
    info = MediaInfo(
      kind: .picture, isStill: animation.count <= 1, container: "webp", pictureCodec: "webp",
      displayWidth: UInt32(size.width), displayHeight: UInt32(size.height))
    waiting = try advanceOnce()
    if waiting == nil { throw .damaged(codec: "webp") }
  }

  /// Opens the complete pictures of a truncated file.
  private static func animation(_ file: PinnedBytes) throws(DecodingError) -> Animation {
    do {
      return try Animation(file)
    } catch {
      guard error.kind == .damage, let mended = CutOff.mended(file.copied) else { throw error }
      return try Animation(PinnedBytes(copying: mended))
    }
  }

  /// Owns a WebPAnimDecoder and the file under it.
  private final class Animation {
    let file: PinnedBytes
    let decoder: OpaquePointer
    let width: Int
    let height: Int
    let count: Int

    init(_ file: PinnedBytes) throws(DecodingError) {
      self.file = file
      let start = file.bytes.bindMemory(to: UInt8.self).baseAddress
      var features = WebPBitstreamFeatures()
      guard WebPGetFeatures(start, file.bytes.count, &features) == VP8_STATUS_OK else {
        throw .damaged(codec: "webp")
      }
      width = Int(features.width)
      height = Int(features.height)
      guard width * height <= PictureLimits.pixels else {
        throw .tooLarge(width: width, height: height)
      }
      var options = WebPAnimDecoderOptions()
      WebPAnimDecoderOptionsInit(&options)
      options.color_mode = MODE_bgrA  // premultiplied: already over black
      options.use_threads = 0
      var data = WebPData(bytes: start, size: file.bytes.count)
      guard let decoder = WebPAnimDecoderNew(&data, &options) else { throw .damaged(codec: "webp") }
      self.decoder = decoder
      var about = WebPAnimInfo()
      WebPAnimDecoderGetInfo(decoder, &about)
      count = Int(about.frame_count)
    }

    deinit { WebPAnimDecoderDelete(decoder) }
  }

  private func advanceOnce() throws(DecodingError) -> PictureTiming? {
    var canvas: UnsafeMutablePointer<UInt8>?
    var end: Int32 = 0
    guard WebPAnimDecoderHasMoreFrames(animation.decoder) != 0,
      WebPAnimDecoderGetNext(animation.decoder, &canvas, &end) != 0, let canvas
    else { return nil }
    frame.lend(
      canvas, strideBytes: animation.width * 4, width: animation.width, height: animation.height,
      pixels: .blueGreenRed)
    let length = Duration.milliseconds(Int(end)) - lastEnd
    lastEnd = .milliseconds(Int(end))
    // Browsers show pictures of almost no duration for a tenth of a second.
    let duration = length <= .milliseconds(10) ? .milliseconds(100) : length
    defer { next += duration }
    return PictureTiming(time: next, duration: info.isStill ? nil : duration)
  }

  /// The end of the last picture on the file's own clock.
  private var lastEnd = Duration.zero

  func advance(_ effort: Effort, for shape: PictureRequest) throws(DecodingError) -> Progress {
    if let timing = waiting {
      waiting = nil
      return .picture(timing)
    }
    if let timing = try advanceOnce() { return .picture(timing) }
    ends.pictures = info.isStill ? nil : next
    return .over
  }

  func picture(for shape: PictureRequest) throws(DecodingError) -> Bitmap {
    try scaler.picture(
      of: frame, displaySize: (Int(info.displayWidth), Int(info.displayHeight)),
      orientation: orientation, shape: shape)
  }

  func sound(before limit: Duration) throws(DecodingError) -> SoundRun? { nil }

  func seek(to position: Duration) throws(DecodingError) {
    WebPAnimDecoderReset(animation.decoder)
    next = .zero
    lastEnd = .zero
    waiting = nil
    while let timing = try advanceOnce() {
      waiting = timing
      if next > position { return }
    }
    if waiting == nil { throw .damaged(codec: "webp") }
  }

  func rest() -> Bool { false }
}
