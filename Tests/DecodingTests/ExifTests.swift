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

  private static func jpeg(_ exif: [UInt8]) -> [UInt8] {
    let data = Array("Exif\0\0".utf8) + exif
    return [0xFF, 0xD8, 0xFF, 0xE1, 0, UInt8(data.count + 2)] + data
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

  /// Files that name an orientation, and how many of their bytes it takes to know it: a JPEG's and a
  /// WebP's all, while a PNG's chunk has a check sum behind it, and an empty chunk.
  private static let whole: [(bytes: [UInt8], needed: Int)] = {
    let big = tiff(big: true, value: 6)
    let little = tiff(big: false, value: 6)
    let files = (png: png(big), webP: webP(little), jpeg: jpeg(big))
    return [
      (files.png, files.png.count - 16), (files.webP, files.webP.count),
      (files.jpeg, files.jpeg.count),
    ]
  }()

  @Test func orientation_ofEveryTruncation_isKnownOnceItsBytesAreThere() {
    for (whole, needed) in Self.whole {
      for count in 0...whole.count {
        let wanted = count < needed ? nil : Orientation(exif: 6)
        #expect(orientation(Array(whole.prefix(count))) == wanted, "\(count) of \(whole.count)")
      }
    }
  }

  /// In a process of its own, which does not survive a read past the end.
  @Test func orientation_ofEveryTruncation_neverReadsPastTheEnd() async {
    await #expect(processExitsWith: .success) {
      for (whole, _) in ExifTests.whole {
        for count in whole.indices { try ExifTests.readGuarded(Array(whole.prefix(count))) }
      }
    }
  }

  @Test func orientation_ofRandomChanges_neverReadsPastTheEnd() async {
    await #expect(processExitsWith: .success) {
      var random = SeededRandom(seed: 11)
      for round in 0..<6_000 {
        var bytes = ExifTests.whole[round % ExifTests.whole.count].bytes
        for _ in 0..<3 {
          bytes[Int.random(in: bytes.indices, using: &random)] =
            .random(in: 0...255, using: &random)
        }
        try ExifTests.readGuarded(bytes)
      }
    }
  }

  private static func readGuarded(_ bytes: [UInt8]) throws {
    try withGuardedBytes(bytes) { _ = Exif.orientation(ofPicture: $0) }
  }
}
