/// Truncated files: detects them, and repairs them so that a decoder accepts what is left.
package enum CutOff {
  /// Reads bytes of the file; fewer at its end.
  package typealias Read = (_ offset: Int64, _ count: Int) -> [UInt8]

  /// At most so many boxes are read: an MP4 of fragments has very many.
  private static let mostBoxes = 12
  /// At most so many chunks of a PNG are read: each is a request to the player.
  private static let mostChunks = 4096
  /// Only JPEGs up to this size are searched for their end, in bytes.
  private static let longestJPEG: Int64 = 64 << 20

  /// Whether a file of `length` bytes is shorter than its header says, or lacks the end mark of its
  /// format.
  package static func isCut(_ head: [UInt8], length: Int64, read: Read) -> Bool {
    if head.starts(with: [0xFF, 0xD8, 0xFF]) {
      if read(length - 2, 2) == [0xFF, 0xD9] { return false }
      return length <= longestJPEG && !hasEndOfJPEG(read(0, Int(length)))
    }
    if head.starts(with: pngMark) { return !hasEndOfPNG(length, read) }
    if head.starts(with: Array("GIF8".utf8)) {
      // Some writers append zeros.
      return read(max(0, length - 512), 512).last { $0 != 0 } != 0x3B
    }
    if head.starts(with: Array("RIFF".utf8)) {
      let size = little(head, 4)
      // Files that are still being written, or are too long for the field, have 0 or only ones there.
      return size > 0 && size < 0xFFFF_FFFF - 8 && size & 0x7FFF_FFFF > 8 && size + 8 > length
    }
    return isCutMP4(head, length, read)
  }

  /// Follows the markers to the end of the picture (ITU T.81, B.1.1.3). Searching for an end mark is
  /// not enough: a video may follow the picture, and a thumbnail with an end mark of its own may
  /// precede it.
  private static func hasEndOfJPEG(_ bytes: [UInt8]) -> Bool {
    var offset = 2
    while offset < bytes.count - 1 {
      guard bytes[offset] == 0xFF else {
        offset += 1
        continue
      }
      switch bytes[offset + 1] {
      case 0xD9: return true
      case 0x00, 0x01, 0xD0...0xD8: offset += 2
      case 0xFF: offset += 1
      default:
        guard offset + 4 <= bytes.count else { return false }
        offset += 2 + max(2, Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3]))
      }
    }
    return false
  }

  private static func hasEndOfPNG(_ length: Int64, _ read: Read) -> Bool {
    let end = Array("IEND".utf8)
    if read(length - 8, 4) == end { return true }
    var offset = Int64(pngMark.count)
    for _ in 0..<mostChunks where offset <= length - 12 {
      let header = read(offset, 8)
      guard header.count == 8 else { return false }
      if header[4...].elementsEqual(end) { return true }
      // Anything may follow the picture.
      guard header[4...].allSatisfy({ 0x41...0x5A ~= $0 & 0xDF }) else { return true }
      offset += 12 + big(header, 0)
    }
    // Too many chunks to read all of them: the file is taken as complete.
    return offset <= length - 12
  }

  /// Whether the last box of an MP4 (ISO 14496-12, 4.2) extends beyond the end of the file.
  private static func isCutMP4(_ head: [UInt8], _ length: Int64, _ read: Read) -> Bool {
    guard head.count >= 8, head[4..<8].elementsEqual("ftyp".utf8) else { return false }
    var offset: Int64 = 0
    for _ in 0..<mostBoxes {
      guard offset <= length - 8 else { return false }
      let header = read(offset, 16)
      guard header.count >= 8 else { return false }
      var size = big(header, 0)
      if size == 1, header.count == 16 { size = big(header, 8) << 32 | big(header, 12) }
      guard size >= 8, size < 1 << 60 else { return false }
      offset += size
      if offset > length { return true }
    }
    return false
  }

  private static func big(_ bytes: [UInt8], _ offset: Int) -> Int64 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
  }

  private static func little(_ bytes: [UInt8], _ offset: Int) -> Int64 {
    guard bytes.count >= offset + 4 else { return 0 }
    return bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int64($1) }
  }

  private static let pngMark: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// A truncated PNG, GIF or animated WebP with a proper end, so that decoders show what is left; nil
  /// for a complete file or another format.
  package static func mended(_ bytes: [UInt8]) -> [UInt8]? {
    if bytes.starts(with: pngMark) { return mendedPNG(bytes) }
    if bytes.starts(with: Array("GIF8".utf8)) { return mendedGIF(bytes) }
    if bytes.starts(with: Array("RIFF".utf8)) { return mendedWebP(bytes) }
    return nil
  }

  /// Sets the length of the truncated chunk to what is left of it (PNG, 5.3), and appends the end
  /// chunk.
  private static func mendedPNG(_ bytes: [UInt8]) -> [UInt8]? {
    var offset = pngMark.count
    while offset <= bytes.count - 8 {
      let length = Int(big(bytes, offset))
      let end = offset + 12 + length
      if bytes[offset + 4..<offset + 8].elementsEqual("IEND".utf8) { return nil }
      if end > bytes.count { break }
      offset = end
    }
    guard offset > pngMark.count else { return nil }
    var mended = Array(bytes[..<offset])
    let rest = bytes[offset...]
    let data = rest.dropFirst(8)
    if rest.count > 8, rest.dropFirst(4).prefix(4).elementsEqual("IDAT".utf8) {
      let length = UInt32(data.count)
      mended += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
      mended += Array("IDAT".utf8) + data + [0, 0, 0, 0]
    }
    return mended + [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
  }

  /// Sets the length of the truncated block of data to what is left of it (GIF89a, 15 to 22), and
  /// appends the end mark.
  private static func mendedGIF(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count > 13, bytes.count > 13 + colours(bytes[10]) else { return nil }
    var offset = 13 + colours(bytes[10])
    while offset < bytes.count {
      let part = offset
      // The start of the data blocks of this part.
      switch bytes[part] {
      case 0x21: offset += 2
      case 0x2C where part + 9 < bytes.count: offset += 11 + colours(bytes[part + 9])
      case 0x2C: offset = bytes.count
      default: return nil
      }
      guard offset < bytes.count else { return Array(bytes[..<part]) + [0x3B] }
      while offset < bytes.count, bytes[offset] != 0 {
        let end = offset + 1 + Int(bytes[offset])
        if end > bytes.count {
          var mended = bytes
          mended[offset] = UInt8(bytes.count - offset - 1)
          if mended[offset] == 0 { mended.removeLast() }
          return mended + [0, 0x3B]
        }
        offset = end
      }
      if offset >= bytes.count { return bytes + [0, 0x3B] }
      offset += 1
    }
    return bytes + [0x3B]
  }

  /// The length of a colour table in bytes, from the flags before it.
  private static func colours(_ flags: UInt8) -> Int {
    flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1)
  }

  /// Keeps the complete chunks (WebP container specification).
  private static func mendedWebP(_ bytes: [UInt8]) -> [UInt8]? {
    var offset = 12
    while offset <= bytes.count - 8 {
      let length = Int(little(bytes, offset + 4))
      let end = offset + 8 + length + length % 2
      if end > bytes.count { break }
      offset = end
    }
    guard offset > 12, offset < bytes.count || little(bytes, 4) + 8 > bytes.count else {
      return nil
    }
    var mended = Array(bytes[..<offset])
    for index in 0..<4 {
      mended[4 + index] = UInt8(truncatingIfNeeded: (offset - 8) >> (8 * index))
    }
    return mended
  }
}
