import CWebP
import CZlib

/// A still WebP becomes a PNG (W3C PNG specification, second edition) with its alpha.
enum WebPPicture {
  /// The size that a WebP's header declares; nil where the bytes are none.
  static func size(of bytes: [UInt8]) -> (width: Int, height: Int)? {
    var width: Int32 = 0
    var height: Int32 = 0
    guard WebPGetInfo(bytes, bytes.count, &width, &height) != 0, width > 0, height > 0 else {
      return nil
    }
    return (Int(width), Int(height))
  }

  /// Decodes it whole; nil where it is damaged, or moves.
  static func png(_ bytes: [UInt8], width: Int, height: Int) -> [UInt8]? {
    let row = width * 4
    var pixels = [UInt8](repeating: 0, count: row * height)
    guard WebPDecodeRGBAInto(bytes, bytes.count, &pixels, pixels.count, Int32(row)) != nil else {
      return nil
    }
    var lines: [UInt8] = []
    lines.reserveCapacity((row + 1) * height)
    for line in 0..<height {
      lines.append(0)  // filter type None
      lines += pixels[line * row..<(line + 1) * row]
    }
    var size = compressBound(UInt(lines.count))
    var packed = [UInt8](repeating: 0, count: Int(size))
    guard compress2(&packed, &size, lines, UInt(lines.count), 1) == Z_OK else { return nil }
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    append("IHDR", bigEndian(width) + bigEndian(height) + [8, 6, 0, 0, 0], to: &file)
    append("IDAT", packed.prefix(Int(size)), to: &file)
    append("IEND", [], to: &file)
    return file
  }

  private static func append(_ type: String, _ data: some Sequence<UInt8>, to file: inout [UInt8]) {
    let body = Array(type.utf8) + data
    file += bigEndian(body.count - 4) + body
    file += bigEndian(Int(crc32(0, body, UInt32(body.count))))
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
