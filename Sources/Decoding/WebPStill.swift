import CWebP
import DecoderLink

/// A still WebP that FFmpeg cannot decode, decoded by libwebp: it is truncated, and shown as far as it
/// goes, or too large to be decoded whole, and reduced while it is decoded. Binding file of libwebp:
/// unsafe pointers.
final class WebPStill {
  private let file: PinnedBytes
  /// The decoder keeps a pointer to it.
  private let config: UnsafeMutablePointer<WebPDecoderConfig>
  private var decoder: OpaquePointer?

  /// Larger files are refused, in bytes.
  private static let longestFile = 256 << 20

  static func open(_ stream: ResourceStream) throws(DecodingError) -> StillStory {
    let file = try PinnedBytes(stream, atMost: longestFile)
    let frame = try FFmpegFrame()
    let still = try WebPStill(file)
    let whole = try still.decode(into: frame)
    return StillStory(
      frame, owner: still, container: "webp", codec: "webp", size: whole,
      orientation: Exif.orientation(ofPicture: file.bytes) ?? .upright)
  }

  private init(_ file: PinnedBytes) throws(DecodingError) {
    self.file = file
    config = .allocate(capacity: 1)
    config.initialize(to: WebPDecoderConfig())
    guard WebPInitDecoderConfig(config) != 0 else { throw .outOfMemory }
  }

  deinit {
    if let decoder { WebPIDelete(decoder) }
    WebPFreeDecBuffer(&config.pointee.output)
    config.deallocate()
  }

  /// Makes the frame point to the pixels, blended with black, and returns the size of the whole
  /// picture.
  private func decode(
    into frame: FFmpegFrame
  ) throws(DecodingError) -> (width: Int, height: Int) {
    let bytes = file.bytes.bindMemory(to: UInt8.self)
    guard
      WebPGetFeatures(bytes.baseAddress, bytes.count, &config.pointee.input) == VP8_STATUS_OK
    else { throw .damaged(codec: "webp") }
    let whole = (
      width: Int(config.pointee.input.width), height: Int(config.pointee.input.height)
    )
    guard whole.width * whole.height <= PictureLimits.reduciblePixels else {
      throw .tooLarge(width: whole.width, height: whole.height)
    }
    if whole.width * whole.height > PictureLimits.pixels {
      let divisor = PictureLimits.divisor(whole)
      config.pointee.options.use_scaling = 1
      config.pointee.options.scaled_width = Int32(max(1, whole.width / divisor))
      config.pointee.options.scaled_height = Int32(max(1, whole.height / divisor))
    }
    config.pointee.output.colorspace = MODE_rgbA
    guard let decoder = WebPIDecode(nil, 0, config) else { throw .outOfMemory }
    self.decoder = decoder
    let status = WebPIUpdate(decoder, bytes.baseAddress, bytes.count)
    if status == VP8_STATUS_OUT_OF_MEMORY { throw .outOfMemory }
    guard status == VP8_STATUS_OK || status == VP8_STATUS_SUSPENDED else {
      throw .damaged(codec: "webp")
    }
    var (last, wide, high, stride) = (Int32(0), Int32(0), Int32(0), Int32(0))
    guard let pixels = WebPIDecGetRGB(decoder, &last, &wide, &high, &stride), last > 0 else {
      throw .damaged(codec: "webp")
    }
    // Missing rows become black.
    (pixels + Int(last) * Int(stride))
      .update(repeating: 0, count: max(0, Int(high - last)) * Int(stride))
    frame.lend(
      pixels, strideBytes: Int(stride), width: Int(wide), height: Int(high),
      pixels: .redGreenBlueUnused)
    return whole
  }
}
