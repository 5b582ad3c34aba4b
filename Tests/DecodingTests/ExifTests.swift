import Decoding
import Support
import Testing

@Suite struct ExifTests {
  /// A TIFF header and a directory with one entry before the orientation.
  private static func tiff(big: Bool, value: UInt16, type: UInt16 = 3) -> [UInt8] {
    func two(_ number: UInt16) -> [UInt8] {
      let bytes = [UInt8(number >> 8), UInt8(number & 0xFF)]
      return big ? bytes : bytes.reversed()
    }
    func four(_ number: UInt32) -> [UInt8] {
      let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
      return big ? bytes : bytes.reversed()
    }
    let head: [UInt8] = big ? [0x4D, 0x4D, 0x00, 0x2A] : [0x49, 0x49, 0x2A, 0x00]
    let other = two(0x0100) + two(4) + four(1) + four(7)
    let orientation = two(0x0112) + two(type) + four(1) + two(value) + two(0)
    return head + four(8) + two(2) + other + orientation + four(0)
  }

  private static func png(_ exif: [UInt8]) -> [UInt8] {
    func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
      let length = UInt32(data.count)
      return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + Array(name.utf8)
        + data + [0, 0, 0, 0]
    }
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", [UInt8](repeating: 1, count: 13)) + chunk("eXIf", exif) + chunk("IEND", [])
  }

  private static func webP(_ exif: [UInt8]) -> [UInt8] {
    func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
      let length = UInt32(data.count)
      return Array(name.utf8) + [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: length >> $0) }
        + data + (data.count % 2 == 1 ? [0] : [])
    }
    return Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP".utf8) + chunk("VP8 ", [1, 2, 3])
      + chunk("EXIF", exif)
  }

  private func orientation(_ bytes: [UInt8]) -> Orientation? {
    bytes.withUnsafeBytes { Exif.orientation(ofPicture: $0) }
  }

  @Test(arguments: [UInt16](1...8), [true, false])
  func orientation_ofEachValueAndOrder_isRead(value: UInt16, big: Bool) {
    let exif = Self.tiff(big: big, value: value)
    let wanted = Orientation(exif: Int(value))
    #expect(orientation(Self.png(exif)) == wanted)
    #expect(orientation(Self.webP(exif)) == wanted)
    #expect(orientation(Self.webP(Array("Exif\0\0".utf8) + exif)) == wanted)
  }

  @Test func orientation_ofNoneOrNonsense_isNil() {
    #expect(orientation(Self.png(Self.tiff(big: true, value: 0))) == nil)
    #expect(orientation(Self.png(Self.tiff(big: true, value: 9))) == nil)
    #expect(orientation(Self.png(Self.tiff(big: true, value: 6, type: 4))) == nil)
    #expect(orientation(Array("GIF89a".utf8)) == nil)
    #expect(orientation([]) == nil)
  }

  @Test func orientation_ofEveryTruncation_neverReadsPastTheEnd() {
    for whole in [
      Self.png(Self.tiff(big: true, value: 6)), Self.webP(Self.tiff(big: false, value: 6)),
    ] {
      for count in whole.indices { _ = orientation(Array(whole.prefix(count))) }
    }
  }

  @Test func orientation_ofRandomChanges_neverReadsPastTheEnd() {
    var random = SeededRandom(seed: 11)
    for _ in 0..<2_000 {
      var bytes = Self.png(Self.tiff(big: Bool.random(using: &random), value: 6))
      for _ in 0..<3 {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      _ = orientation(bytes)
    }
  }
}
