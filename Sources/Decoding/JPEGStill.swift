import CJPEG
import DecoderLink

/// A JPEG that FFmpeg cannot decode, decoded by libjpeg-turbo: its chroma is sampled in an unusual way,
/// or it is too large to be decoded whole and is reduced while it is decoded. Binding file: unsafe
/// pointers.
final class JPEGStill {
  private let pixels: UnsafeMutablePointer<UInt8>

  /// Larger files are refused, in bytes.
  private static let longestFile = 256 << 20

  static func open(_ stream: ResourceStream) throws(DecodingError) -> StillStory {
    let file = try PinnedBytes(stream, atMost: longestFile)
    let bytes = file.bytes.bindMemory(to: UInt8.self)
    let whole = try size(of: bytes, divisor: 1)
    guard whole.width * whole.height <= PictureLimits.reduciblePixels else {
      throw .tooLarge(width: whole.width, height: whole.height)
    }
    let divisor = [1, 2, 4].first { divisor in
      whole.width / divisor * (whole.height / divisor) <= PictureLimits.reducedPixels
    }
    let frame = try FFmpegFrame()
    let still = try JPEGStill(bytes, divisor: divisor ?? 8, frame)
    return StillStory(
      frame, owner: still, container: "jpeg", codec: "mjpeg", size: whole,
      orientation: Exif.orientation(ofPicture: file.bytes) ?? .upright)
  }

  private init(
    _ bytes: UnsafeBufferPointer<UInt8>, divisor: Int, _ frame: FFmpegFrame
  ) throws(DecodingError) {
    let size = try Self.size(of: bytes, divisor: divisor)
    pixels = .allocate(capacity: size.width * size.height * 3)
    let outcome = cj_decode(
      bytes.baseAddress, bytes.count, UInt32(divisor), pixels, UInt32(size.width),
      UInt32(size.height))
    if outcome == CJ_NO_MEMORY { throw .outOfMemory }
    if outcome == CJ_DAMAGED { throw .damaged(codec: "mjpeg") }
    frame.lend(
      pixels, strideBytes: size.width * 3, width: size.width, height: size.height,
      pixels: .redGreenBlue)
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
}
