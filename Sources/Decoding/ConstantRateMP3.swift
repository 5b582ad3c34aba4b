/// The places of the frames of an MP3 of constant bit rate. They can be calculated; in other MP3s every
/// frame must be read from the start. A calculated place is checked in the file before it is used.
package struct ConstantRateMP3 {
  /// Bytes at an offset; fewer at the end.
  package typealias Read = (_ offset: Int64, _ count: Int) -> [UInt8]

  private let firstFrame: Int64
  private let header: MP3FrameHeader
  private let isDeclared: Bool
  private let read: Read

  /// Encoders pad frames to keep the mean rate; a calculated place may be off by so many bytes.
  private static let slack: Int64 = 4
  /// So many frames must follow each other for a place to be accepted.
  private static let chain = 3

  /// Nil if there is no frame at `firstFrame`, or if a header before it says that the rate varies.
  package init?(firstFrame: Int64, read: @escaping Read) {
    guard let header = MP3FrameHeader(read(firstFrame, 4)) else { return nil }
    // The frame before the first sound may describe the file (Xing, LAME, VBRI).
    let start = max(0, firstFrame - 1_500)
    let before = read(start, Int(firstFrame - start))
    if before.holds("Xing") || before.holds("VBRI") { return nil }
    isDeclared = before.holds("Info")
    self.firstFrame = firstFrame
    self.header = header
    self.read = read
  }

  package var rate: Int { header.rate }
  package var samplesPerFrame: Int64 { Int64(header.samples) }
  package var secondsPerFrame: Double { Double(header.samples) / Double(header.rate) }

  /// The offset of a frame, counted from the first; nil if it cannot be determined.
  package func offset(ofFrame number: Int64) -> Int64? {
    // Without a header, one place could look right by chance, so others are checked too.
    let others = isDeclared ? [] : [number / 2, number / 3, number / 5]
    guard others.allSatisfy({ find($0) != nil }) else { return nil }
    return find(number)
  }

  private func find(_ number: Int64) -> Int64? {
    let (bits, overflow) = number.multipliedReportingOverflow(
      by: Int64(header.samples / 8 * header.bitRate))
    guard !overflow else { return nil }
    let start = max(firstFrame, firstFrame + bits / Int64(header.rate) - Self.slack)
    let bytes = read(start, Int(2 * Self.slack) + Self.chain * (header.size + 1) + 4)
    return (0...Int(2 * Self.slack)).first { isFrame(at: $0, of: bytes) }.map { start + Int64($0) }
  }

  /// Whether `chain` frames like the first follow each other from there on.
  private func isFrame(at offset: Int, of bytes: [UInt8]) -> Bool {
    var offset = offset
    for _ in 0..<Self.chain {
      guard offset + 4 <= bytes.count,
        let found = MP3FrameHeader(Array(bytes[offset..<offset + 4])), found.isLike(header)
      else { return false }
      offset += found.size
    }
    return true
  }
}

/// The header of a frame of MPEG audio, layer III (ISO 11172-3, 2.4.1.3; ISO 13818-3, 2.4.2.3).
struct MP3FrameHeader: Equatable {
  /// Samples a second.
  let rate: Int
  /// Bits a second.
  let bitRate: Int
  /// Samples of each channel in a frame.
  let samples: Int
  private let isPadded: Bool

  private static let rates = [44_100, 48_000, 32_000]
  private static let kilobits1 = [
    32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320,
  ]
  private static let kilobits2 = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE6 == 0xE2 else { return nil }
    // 3 is MPEG-1, 2 is MPEG-2, 0 is the unofficial MPEG-2.5.
    let version = bytes[1] >> 3 & 3
    let (bits, frequency) = (Int(bytes[2] >> 4), Int(bytes[2] >> 2 & 3))
    guard version != 1, (1...14).contains(bits), frequency < 3 else { return nil }
    bitRate = 1_000 * (version == 3 ? Self.kilobits1 : Self.kilobits2)[bits - 1]
    rate = Self.rates[frequency] >> (version == 3 ? 0 : version == 2 ? 1 : 2)
    samples = version == 3 ? 1_152 : 576
    isPadded = bytes[2] & 2 != 0
  }

  /// In bytes.
  var size: Int { samples / 8 * bitRate / rate + (isPadded ? 1 : 0) }

  func isLike(_ other: MP3FrameHeader) -> Bool {
    rate == other.rate && bitRate == other.bitRate && samples == other.samples
  }
}

extension [UInt8] {
  fileprivate func holds(_ word: String) -> Bool {
    let word = Array(word.utf8)
    return indices.contains { self[$0...].starts(with: word) }
  }
}
