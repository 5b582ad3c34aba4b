/// Finds the orientation in EXIF data where FFmpeg does not read it: PNG's eXIf chunk, WebP's EXIF
/// chunk, TIFF's own directory, and the APP1 segment of a JPEG that is decoded without FFmpeg.
package enum Exif {
  /// The orientation in a PNG, WebP, TIFF or JPEG file; nil if there is none.
  package static func orientation(ofPicture bytes: UnsafeRawBufferPointer) -> Orientation? {
    if starts(bytes, with: [0x89, 0x50, 0x4E, 0x47]) { return inPNG(bytes) }
    if starts(bytes, with: Array("RIFF".utf8)) { return inWebP(bytes) }
    if starts(bytes, with: [0xFF, 0xD8, 0xFF]) { return inJPEG(bytes) }
    return orientation(ofTIFF: bytes[...])
  }

  /// The orientation in EXIF data that begins with its TIFF header (TIFF 6.0, section 2); nil unless it
  /// is from 1 to 8.
  package static func orientation(ofTIFF bytes: Slice<UnsafeRawBufferPointer>) -> Orientation? {
    let tiff = UnsafeRawBufferPointer(rebasing: bytes)
    let isBig: Bool
    if starts(tiff, with: [0x4D, 0x4D, 0x00, 0x2A]) {
      isBig = true
    } else if starts(tiff, with: [0x49, 0x49, 0x2A, 0x00]) {
      isBig = false
    } else {
      return nil
    }
    func number(at offset: Int, bytes count: Int) -> Int? {
      guard offset >= 0, offset <= tiff.count - count else { return nil }
      let part = tiff[offset..<offset + count]
      return isBig
        ? part.reduce(0) { $0 << 8 | Int($1) } : part.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    guard let directory = number(at: 4, bytes: 4), let count = number(at: directory, bytes: 2)
    else { return nil }
    for index in 0..<count {
      let entry = directory + 2 + index * 12
      guard let tag = number(at: entry, bytes: 2) else { return nil }
      guard tag == 0x0112 else { continue }
      guard number(at: entry + 2, bytes: 2) == 3, let value = number(at: entry + 8, bytes: 2),
        (1...8).contains(value)
      else { return nil }
      return Orientation(exif: value)
    }
    return nil
  }

  /// Chunks: length (big-endian), name, data, check sum.
  private static func inPNG(_ bytes: UnsafeRawBufferPointer) -> Orientation? {
    var offset = 8
    while offset <= bytes.count - 12 {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      let data = offset + 8
      guard length <= bytes.count - data else { return nil }
      if bytes[offset + 4..<data].elementsEqual("eXIf".utf8) {
        return orientation(ofTIFF: bytes[data..<data + length])
      }
      offset = data + length + 4
    }
    return nil
  }

  /// Chunks: name, length (little-endian), data, a byte more where the length is odd.
  private static func inWebP(_ bytes: UnsafeRawBufferPointer) -> Orientation? {
    var offset = 12
    while offset <= bytes.count - 8 {
      let length = bytes[offset + 4..<offset + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
      let data = offset + 8
      guard length <= bytes.count - data else { return nil }
      if bytes[offset..<offset + 4].elementsEqual("EXIF".utf8) {
        let whole = bytes[data..<data + length]
        // Some writers put the header of a JPEG's APP1 segment before the data.
        return orientation(
          ofTIFF: whole.starts(with: Array("Exif\0\0".utf8)) ? whole.dropFirst(6) : whole)
      }
      offset = data + length + length % 2
    }
    return nil
  }

  /// Segments up to the picture's data: 0xFF, kind, length with its own two bytes (ITU T.81, B.1.1.4).
  private static func inJPEG(_ bytes: UnsafeRawBufferPointer) -> Orientation? {
    var offset = 2
    while offset <= bytes.count - 4, bytes[offset] == 0xFF, bytes[offset + 1] != 0xDA {
      if bytes[offset + 1] == 0xFF {
        offset += 1
        continue
      }
      let end = offset + 2 + (Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3]))
      guard end <= bytes.count, end >= offset + 4 else { return nil }
      let data = bytes[offset + 4..<end]
      if bytes[offset + 1] == 0xE1, data.starts(with: Array("Exif\0\0".utf8)) {
        return orientation(ofTIFF: data.dropFirst(6))
      }
      offset = end
    }
    return nil
  }

  private static func starts(_ bytes: UnsafeRawBufferPointer, with prefix: [UInt8]) -> Bool {
    bytes.count >= prefix.count && bytes.prefix(prefix.count).elementsEqual(prefix)
  }
}
