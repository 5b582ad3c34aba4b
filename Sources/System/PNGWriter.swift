import CZlib

/// Writes pictures as PNG (W3C PNG specification, second edition), eight bits a channel.
package enum PNGWriter {
  /// The bytes of a pixel.
  package enum Channels: Int {
    case redGreenBlue = 3
    case redGreenBlueAlpha = 4
  }

  /// The file's bytes; nil where zlib fails for want of memory.
  ///
  /// - Parameter pixels: row after row, `width * height` times the bytes of `channels`.
  package static func file(
    width: Int, height: Int, _ channels: Channels, pixels: [UInt8]
  ) -> [UInt8]? {
    let row = width * channels.rawValue
    precondition(width > 0 && height > 0 && pixels.count == row * height)
    var lines: [UInt8] = []
    lines.reserveCapacity((row + 1) * height)
    for start in stride(from: 0, to: pixels.count, by: row) {
      lines.append(0)  // filter type None
      lines += pixels[start..<start + row]
    }
    guard let data = compressed(lines) else { return nil }
    let kind: [UInt8] = [8, channels == .redGreenBlue ? 2 : 6, 0, 0, 0]
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    append("IHDR", bigEndian(width) + bigEndian(height) + kind, to: &file)
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
    out.removeLast(out.count - Int(size))
    return out
  }
}
