/// An RGB picture as an uncompressed PNG file; `pixel` gives each colour as 0xRRGGBB.
public func makePNG(width: Int, height: Int, pixel: (_ x: Int, _ y: Int) -> UInt32) -> [UInt8] {
  var raw: [UInt8] = []
  for y in 0..<height {
    raw.append(0)
    for x in 0..<width {
      let color = pixel(x, y)
      raw += [UInt8(color >> 16 & 0xFF), UInt8(color >> 8 & 0xFF), UInt8(color & 0xFF)]
    }
  }
  let header = bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, 2, 0, 0, 0]
  return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
    + chunk("IDAT", stored(raw)) + chunk("IEND", [])
}

/// An interlaced PNG of four colours (Adam7, PNG specification, 8.2).
///
/// - Parameters:
///   - exif: EXIF data placed after the picture, from its TIFF header on.
///   - index: the number of the colour of a pixel, 0 to 3.
public func makeInterlacedPNG(
  width: Int, height: Int, colours: [UInt32], exif: [UInt8]? = nil,
  index: (_ x: Int, _ y: Int) -> UInt8
) -> [UInt8] {
  let passes = [
    (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
    (0, 1, 1, 2),
  ]
  var raw: [UInt8] = []
  raw.reserveCapacity(width * height / 4 + height * 16)
  for (left, top, right, down) in passes {
    for y in stride(from: top, to: height, by: down) {
      raw.append(0)
      var byte: UInt8 = 0
      var count = 0
      for x in stride(from: left, to: width, by: right) {
        byte = byte << 2 | index(x, y)
        count += 1
        if count % 4 == 0 { raw.append(byte) }
      }
      if count % 4 != 0 { raw.append(byte << UInt8(8 - count % 4 * 2)) }
    }
  }
  let header = bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [2, 3, 0, 0, 1]
  let palette = colours.flatMap { colour in
    [16, 8, 0].map { UInt8(truncatingIfNeeded: colour >> $0) }
  }
  return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
    + chunk("PLTE", palette) + chunk("IDAT", stored(raw)) + (exif.map { chunk("eXIf", $0) } ?? [])
    + chunk("IEND", [])
}

/// A zlib stream of stored blocks (RFC 1950 and 1951).
private func stored(_ raw: [UInt8]) -> [UInt8] {
  var bytes: [UInt8] = [0x78, 0x01]
  var start = 0
  repeat {
    let end = min(raw.count, start + 65_535)
    let length = UInt16(end - start)
    bytes.append(end == raw.count ? 1 : 0)
    for value in [length, ~length] { bytes += [UInt8(value & 0xFF), UInt8(value >> 8)] }
    bytes += raw[start..<end]
    start = end
  } while start < raw.count
  var (a, b) = (1 as UInt32, 0 as UInt32)
  for byte in raw {
    a = (a + UInt32(byte)) % 65_521
    b = (b + a) % 65_521
  }
  return bytes + bigEndian(b << 16 | a)
}

private func chunk(_ kind: String, _ payload: [UInt8]) -> [UInt8] {
  let body = Array(kind.utf8) + payload
  var checksum = UInt32.max
  for byte in body {
    checksum ^= UInt32(byte)
    for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xEDB8_8320 : checksum >> 1 }
  }
  return bigEndian(UInt32(payload.count)) + body + bigEndian(~checksum)
}

private func bigEndian(_ value: UInt32) -> [UInt8] {
  (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
}
