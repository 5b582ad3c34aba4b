/// The size that a still picture's header declares: a picture that is too large is refused by its size
/// before memory is allocated for it.
package enum DeclaredSize {
  /// The size declared in an array of bytes.
  package static func find(in bytes: [UInt8]) -> (width: Int, height: Int)? {
    bytes.withUnsafeBytes { find(in: $0) }
  }

  /// The size in pixels of a PNG, JPEG, BMP, GIF or WebP; nil where none is found.
  package static func find(in bytes: UnsafeRawBufferPointer) -> (width: Int, height: Int)? {
    func big(_ offset: Int, _ count: Int) -> Int? {
      guard offset >= 0, offset <= bytes.count - count else { return nil }
      return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }
    func little(_ offset: Int, _ count: Int) -> Int? {
      guard offset >= 0, offset <= bytes.count - count else { return nil }
      return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    func size(_ width: Int?, _ height: Int?) -> (width: Int, height: Int)? {
      guard let width, let height else { return nil }
      return (width, height)
    }
    switch (big(0, 2), big(0, 4)) {
    case (_, 0x8950_4E47) where big(12, 4) == 0x4948_4452: return size(big(16, 4), big(20, 4))
    case (0x424D, _):
      // The height is negative if rows are stored from the top.
      return size(
        little(18, 4).map { Int(Int32(truncatingIfNeeded: $0).magnitude) },
        little(22, 4).map { Int(Int32(truncatingIfNeeded: $0).magnitude) })
    case (_, 0x4749_4638): return size(little(6, 2), little(8, 2))
    case (0xFFD8, _): return jpeg(bytes)
    default: return nil
    }
  }

  /// Walks the marker segments to the frame header (ITU T.81, B.2.2).
  private static func jpeg(_ bytes: UnsafeRawBufferPointer) -> (width: Int, height: Int)? {
    var offset = 2
    while offset <= bytes.count - 9 {
      guard bytes[offset] == 0xFF else { return nil }
      let marker = bytes[offset + 1]
      if marker == 0xFF {
        offset += 1
        continue
      }
      let isFrame = (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
      if isFrame {
        return (
          Int(bytes[offset + 7]) << 8 | Int(bytes[offset + 8]),
          Int(bytes[offset + 5]) << 8 | Int(bytes[offset + 6])
        )
      }
      offset += 2 + (Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3]))
    }
    return nil
  }
}
