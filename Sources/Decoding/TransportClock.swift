/// Samples an MPEG transport stream (ISO 13818-1) to see whether its clock runs evenly from beginning
/// to end. If not, its first and last times do not give its length.
package struct TransportClock {
  /// Bytes at an offset; fewer at the end.
  package typealias Read = (_ offset: Int64, _ count: Int) -> [UInt8]

  private static let places: Int64 = 8
  private static let glance = 96 << 10
  /// The bit rate may differ from the mean by this factor, as pictures are still or move.
  private static let uneven = 8.0
  private static let unevenSeconds = 5.0

  /// Whether the samples show a jump of the clock.
  /// - Parameters:
  ///   - length: of the file, in bytes.
  ///   - stream: the packet identifier of its pictures or its sound.
  package static func jumps(length: Int64, stream: Int, read: Read) -> Bool {
    let seen = (0...places).compactMap { place -> Double? in
      let start = length / places * place
      let offset = place == places ? max(0, length - Int64(glance)) : start
      let found = times(in: read(offset, glance), of: stream)
      return place == places ? found.max() : found.first
    }
    let steps = zip(seen, seen.dropFirst()).map { $1 - $0 }
    guard steps.count > 2 else { return false }
    if steps.contains(where: { $0 < 0 }) { return true }
    let usual = steps.sorted()[steps.count / 2]
    return steps.contains { $0 > usual * uneven + unevenSeconds }
  }

  /// The presentation times in some bytes, in seconds.
  private static func times(in bytes: [UInt8], of stream: Int) -> [Double] {
    for size in [188, 192, 204] {
      guard
        let start = (0..<size).first(where: { start in
          start + 3 * size < bytes.count && (0...3).allSatisfy { bytes[start + $0 * size] == 0x47 }
        })
      else { continue }
      return stride(from: start, to: bytes.count - 188, by: size).compactMap {
        time(in: bytes[$0..<$0 + 188], of: stream)
      }
    }
    return []
  }

  /// The presentation time in a packet that begins a PES packet (2.4.3.2, 2.4.3.6).
  private static func time(in packet: ArraySlice<UInt8>, of stream: Int) -> Double? {
    let start = packet.startIndex
    let number = Int(packet[start + 1] & 0x1F) << 8 | Int(packet[start + 2])
    guard packet[start] == 0x47, packet[start + 1] & 0x40 != 0, number == stream else { return nil }
    let control = packet[start + 3] >> 4 & 3
    var payload = start + 4
    if control & 2 != 0 { payload += 1 + Int(packet[payload]) }
    guard control & 1 != 0, payload + 14 <= packet.endIndex,
      packet[payload..<payload + 3].elementsEqual([0, 0, 1]), packet[payload + 7] & 0x80 != 0
    else { return nil }
    let field = packet[payload + 9..<payload + 14].map(UInt64.init)
    let ticks =
      (field[0] >> 1 & 7) << 30 | field[1] << 22 | (field[2] >> 1) << 15 | field[3] << 7
      | field[4] >> 1
    return Double(ticks) / 90_000
  }
}
