import CWebP
import DecoderLink

/// Shows as much of a still WebP as there is of its file. Binding file of libwebp: unsafe pointers.
final class WebPStill: MediaDecoder {
  let info: MediaInfo
  let ends = StoryEnds()
  private let file: WholeFile
  private let decoder: OpaquePointer
  private let frame: FFmpegFrame
  private let orientation: Orientation
  private let scaler = FFmpegScaler()
  private var isWaiting = true

  init(_ stream: ResourceStream) throws(DecodingError) {
    let file = try WholeFile(stream)
    self.file = file
    let bytes = file.bytes.bindMemory(to: UInt8.self)
    var features = WebPBitstreamFeatures()
    guard WebPGetFeatures(bytes.baseAddress, bytes.count, &features) == VP8_STATUS_OK else {
      throw .damaged(codec: "webp")
    }
    let (width, height) = (Int(features.width), Int(features.height))
    guard width * height <= PictureLimits.pixels else {
      throw .tooLarge(width: width, height: height)
    }
    guard let decoder = WebPINewRGB(MODE_rgbA, nil, 0, 0) else { throw .outOfMemory }
    self.decoder = decoder
    let frame: FFmpegFrame
    do throws(DecodingError) {
      let status = WebPIUpdate(decoder, bytes.baseAddress, bytes.count)
      guard status == VP8_STATUS_OK || status == VP8_STATUS_SUSPENDED else {
        throw .damaged(codec: "webp")
      }
      var (last, wide, high, stride) = (Int32(0), Int32(0), Int32(0), Int32(0))
      // Rows that have not come are zero: black.
      guard let pixels = WebPIDecGetRGB(decoder, &last, &wide, &high, &stride), last > 0 else {
        throw .damaged(codec: "webp")
      }
      frame = try FFmpegFrame()
      Self.clear(pixels, from: Int(last), to: Int(high), stride: Int(stride))
      frame.lend(
        pixels, strideBytes: Int(stride), width: Int(wide), height: Int(high),
        pixels: .redGreenBlueUnused)
    } catch {
      WebPIDelete(decoder)
      throw error
    }
    self.frame = frame
    orientation = Exif.orientation(ofPicture: file.bytes) ?? .upright
    let seen = orientation.seen(width: UInt32(width), height: UInt32(height))
    info = MediaInfo(
      kind: .picture, isStill: true, container: "webp", pictureCodec: "webp",
      displayWidth: seen.width, displayHeight: seen.height)
  }

  deinit { WebPIDelete(decoder) }

  private static func clear(
    _ pixels: UnsafeMutablePointer<UInt8>, from first: Int, to end: Int, stride: Int
  ) {
    guard first < end else { return }
    (pixels + first * stride).update(repeating: 0, count: (end - first) * stride)
  }

  func advance(_ effort: Effort, for shape: PictureRequest) throws(DecodingError) -> Progress {
    defer { isWaiting = false }
    return isWaiting ? .picture(PictureTiming(time: .zero, duration: nil)) : .over
  }

  func picture(for shape: PictureRequest) throws(DecodingError) -> PixelGrid {
    try scaler.picture(
      of: frame, displaySize: (Int(info.displayWidth), Int(info.displayHeight)),
      orientation: orientation, shape: shape)
  }

  func sound(before limit: Duration) throws(DecodingError) -> SoundRun? { nil }

  func seek(to position: Duration) throws(DecodingError) { isWaiting = true }

  func rest() -> Bool { false }
}
