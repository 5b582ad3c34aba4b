import CJPEG
import DecoderLink

/// Shows a JPEG by libjpeg-turbo: one whose chroma is sampled in a way that FFmpeg does not know, or one
/// that is too large to be decoded whole, and so is reduced while it is. Binding file: unsafe pointers.
final class JPEGStory: MediaDecoder {
  let info: MediaInfo
  let ends = StoryEnds()
  private let pixels: UnsafeMutablePointer<UInt8>
  private let frame: FFmpegFrame
  private let orientation: Orientation
  private let scaler = FFmpegScaler()
  private var isWaiting = true

  /// A larger one is reduced to no more than this while it is decoded, in pixels: enough for any
  /// terminal, and for a still that is saved.
  private static let enough = 24 << 20
  /// No larger files are read.
  private static let longestFile = 256 << 20

  init(_ stream: ResourceStream) throws(DecodingError) {
    let file = try WholeFile(stream, atMost: Self.longestFile)
    let bytes = file.bytes.bindMemory(to: UInt8.self)
    let whole = try Self.size(of: bytes, divisor: 1)
    guard whole.width * whole.height <= PictureLimits.reduciblePixels else {
      throw .tooLarge(width: whole.width, height: whole.height)
    }
    let divisor = [1, 2, 4, 8].first { divisor in
      whole.width / divisor * (whole.height / divisor) <= Self.enough
    }
    let size = try Self.size(of: bytes, divisor: divisor ?? 8)
    let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: size.width * size.height * 3)
    let outcome = cj_decode(
      bytes.baseAddress, bytes.count, UInt32(divisor ?? 8), pixels, UInt32(size.width),
      UInt32(size.height))
    let frame: FFmpegFrame
    do throws(DecodingError) {
      if outcome == CJ_NO_MEMORY { throw .outOfMemory }
      if outcome == CJ_DAMAGED { throw .damaged(codec: "mjpeg") }
      frame = try FFmpegFrame()
    } catch {
      pixels.deallocate()
      throw error
    }
    self.pixels = pixels
    self.frame = frame
    frame.lend(
      pixels, strideBytes: size.width * 3, width: size.width, height: size.height,
      pixels: .redGreenBlue)
    orientation = Exif.orientation(ofPicture: file.bytes) ?? .upright
    let seen = orientation.seen(width: UInt32(whole.width), height: UInt32(whole.height))
    info = MediaInfo(
      kind: .picture, isStill: true, container: "jpeg", pictureCodec: "mjpeg",
      displayWidth: seen.width, displayHeight: seen.height)
  }

  deinit { pixels.deallocate() }

  private static func size(
    of bytes: UnsafeBufferPointer<UInt8>, divisor: Int
  ) throws(DecodingError) -> (width: Int, height: Int) {
    var width: UInt32 = 0
    var height: UInt32 = 0
    guard
      cj_size(bytes.baseAddress, bytes.count, UInt32(divisor), &width, &height) != 0, width > 0,
      height > 0
    else { throw .damaged(codec: "mjpeg") }
    return (Int(width), Int(height))
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
