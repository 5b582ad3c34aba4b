import CPNG
import DecoderLink

/// A PNG that is too large to be decoded whole. The rows from libpng are averaged as they come, so
/// neither the file nor the picture is in memory as a whole. Binding file of libpng: unsafe pointers.
final class PNGStill {
  private let reader: OpaquePointer

  /// How many bytes are read at once.
  private static let partBytes = 256 << 10

  static func open(
    _ stream: ResourceStream, size: (width: Int, height: Int)
  ) throws(DecodingError) -> StillStory {
    guard size.width > 0, size.height > 0, size.width <= PictureLimits.reduciblePixels / size.height
    else { throw .tooLarge(width: size.width, height: size.height) }
    let frame = try FFmpegFrame()
    let divisor = PictureLimits.divisor(size)
    let still = try PNGStill(size: size, divisor: divisor)
    try still.read(stream)
    let orientation = still.orientation
    let width = (size.width + divisor - 1) / divisor
    frame.lend(
      cp_pixels(still.reader), strideBytes: width * 4, width: width,
      height: (size.height + divisor - 1) / divisor, pixels: .redGreenBlueUnused)
    return StillStory(
      frame, owner: still, container: "png_pipe", codec: "png", size: size,
      orientation: orientation ?? .upright)
  }

  private init(size: (width: Int, height: Int), divisor: Int) throws(DecodingError) {
    guard let reader = cp_open(UInt32(size.width), UInt32(size.height), UInt32(divisor)) else {
      throw .outOfMemory
    }
    self.reader = reader
  }

  deinit { cp_close(reader) }

  /// Reads up to the end of the picture. If the file is truncated or damaged, the rows before that are
  /// kept.
  private func read(_ stream: ResourceStream) throws(DecodingError) {
    stream.move(to: 0)
    while true {
      let part = try stream.read(Self.partBytes)
      switch part.isEmpty ? CP_DAMAGED : cp_take(reader, part, part.count) {
      case CP_WHOLE: return
      case CP_NO_MEMORY: throw .outOfMemory
      case CP_DAMAGED:
        guard cp_rows(reader) > 0 else { throw .damaged(codec: "png") }
        return
      default: continue
      }
    }
  }

  private var orientation: Orientation? {
    var count = 0
    guard let bytes = cp_exif(reader, &count) else { return nil }
    return Exif.orientation(ofTIFF: UnsafeRawBufferPointer(start: bytes, count: count)[...])
  }
}
