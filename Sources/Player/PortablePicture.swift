import CZlib

/// Writes a picture as PNG (W3C PNG specification, second edition): eight bits a channel, RGB.
package enum PortablePicture {
  /// The file's bytes; nil where zlib fails for want of memory.
  package static func png(width: Int, height: Int, pixels: [UInt32]) -> [UInt8]? {
    precondition(pixels.count == width * height && width > 0 && height > 0)
    var scanlines: [UInt8] = []
    scanlines.reserveCapacity((width * 3 + 1) * height)
    for row in 0..<height {
      scanlines.append(0)  // filter type None
      for pixel in pixels[(row * width)..<((row + 1) * width)] {
        scanlines.append(UInt8(truncatingIfNeeded: pixel >> 16))
        scanlines.append(UInt8(truncatingIfNeeded: pixel >> 8))
        scanlines.append(UInt8(truncatingIfNeeded: pixel))
      }
    }
    guard let data = compressed(scanlines) else { return nil }
    var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    append("IHDR", bigEndian(width) + bigEndian(height) + [8, 2, 0, 0, 0], to: &file)
    append("IDAT", data, to: &file)
    append("IEND", [], to: &file)
    return file
  }

  private static func append(_ type: String, _ data: [UInt8], to file: inout [UInt8]) {
    let body = Array(type.utf8) + data
    file += bigEndian(data.count) + body + bigEndian(Int(crc32(0, body, UInt32(body.count))))
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    var size = compressBound(UInt(bytes.count))
    var out = [UInt8](repeating: 0, count: Int(size))
    guard compress2(&out, &size, bytes, UInt(bytes.count), 1) == Z_OK else { return nil }
    return Array(out[..<Int(size)])
  }
}
