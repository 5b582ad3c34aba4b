import CWebP
import System

/// Converts a still WebP to a PNG, with alpha.
enum WebPPicture {
  /// The size in a WebP's header; nil if the bytes are not a WebP.
  static func size(of bytes: [UInt8]) -> (width: Int, height: Int)? {
    var width: Int32 = 0
    var height: Int32 = 0
    guard WebPGetInfo(bytes, bytes.count, &width, &height) != 0, width > 0, height > 0 else {
      return nil
    }
    return (Int(width), Int(height))
  }

  /// Decodes the whole picture; nil if it is damaged or animated.
  static func png(_ bytes: [UInt8], width: Int, height: Int) -> [UInt8]? {
    let row = width * 4
    var pixels = [UInt8](repeating: 0, count: row * height)
    guard WebPDecodeRGBAInto(bytes, bytes.count, &pixels, pixels.count, Int32(row)) != nil else {
      return nil
    }
    return PNGWriter.file(
      width: width, height: height, .redGreenBlueAlpha, pixels: pixels)
  }
}
