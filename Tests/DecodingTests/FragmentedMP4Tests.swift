import DecoderLink
import Support
import Testing

@testable import Decoding

/// The length of a fragmented MP4 is known before all of it was read.
@Suite struct FragmentedMP4Tests {
  /// A way to write fragments.
  struct Writing: CustomTestStringConvertible, Sendable {
    let name: String
    let options: [String]
    var testDescription: String { name }
  }

  static let writings = [
    // An index of all of it behind the header.
    Writing(name: "global index", options: ["-movflags", "+dash+global_sidx"]),
    // One before each fragment, and one at the end of the file.
    Writing(name: "index of each", options: ["-movflags", "+dash"]),
    Writing(name: "index at the end", options: ["-movflags", "+empty_moov+default_base_moof"]),
    Writing(
      name: "no index",
      options: ["-movflags", "+empty_moov+default_base_moof+skip_trailer"]),
  ]

  private static let length = 120

  private func make(_ writing: Writing) throws -> [UInt8] {
    let directory = try TemporaryDirectory()
    let path = directory.path("a.m4a")
    let made = try run(
      Programs.installed("ffmpeg") ?? "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "anoisesrc=r=48000:d=\(Self.length)", "-c:a", "aac",
        "-b:a", "96k", "-frag_duration", "2000000", "-f", "mp4",
      ] + writing.options + [path], within: .seconds(60))
    #expect(made.status == 0, "\(made.errorText)")
    return try contents(path)
  }

  @Test(arguments: writings) func sound_inFragments_hasItsLengthAtOnce(_ writing: Writing) throws {
    let conversation = try DecoderConversation(make(writing), soundRate: 48_000)
    try conversation.allow(1)
    #expect(try conversation.listen { !$0.pictures.isEmpty })
    let found = try #require(conversation.info?.duration)
    #expect(abs(found / .seconds(1) - Double(Self.length)) < 0.05, "\(found)")
  }

  /// Over a network little of it is requested.
  @Test(arguments: writings) func length_ofFragments_needsLittle(_ writing: Writing) throws {
    let bytes = try make(writing)
    try #require(bytes.count > 1 << 20)
    var count = 0
    let track = FragmentedMP4(length: Int64(bytes.count), track: 1, timescale: 48_000) {
      let start = min(bytes.count, Int($0))
      let part = Array(bytes[start..<min(bytes.count, start + $1)])
      count += part.count
      return part
    }
    let found = try #require(track.duration(from: 0, isAvailable: false))
    #expect(abs(found / .seconds(1) - Double(Self.length)) < 0.05, "\(found)")
    #expect(count < 300 << 10, "\(count)")
  }

  /// The mark of a fragment may occur in a sound's bytes by chance: such marks are skipped, but not
  /// without limit.
  @Test(arguments: [(0, true), (16, true), (17, false), (5_000, false)])
  func marks_thatBeginNoFragment_arePassedOver(count: Int, isFound: Bool) throws {
    var bytes = try make(Self.writings[3])
    let marks = (0..<count).flatMap { _ in Array("moof".utf8) }
    bytes += Self.box("mdat", [UInt8](repeating: 1, count: 64) + marks)
    var asked = 0
    let track = FragmentedMP4(length: Int64(bytes.count), track: 1, timescale: 48_000) {
      asked += 1
      let start = min(bytes.count, max(0, Int($0)))
      return Array(bytes[start..<min(bytes.count, start + max(0, $1))])
    }
    let found = track.duration(from: 0, isAvailable: false)
    // The last one lies too near to the end to begin anything.
    #expect((found != nil) == isFound)
    #expect(asked < 100, "\(asked)")
  }

  /// The length of all fragments in a header is used.
  @Test func header_withTheLength_isEnough() {
    let header = Self.box(
      "moov",
      Self.box("mvhd", [0, 0, 0, 0] + Self.number(0) + Self.number(0) + Self.number(1_000))
        + Self.box("mvex", Self.box("mehd", [0, 0, 0, 0] + Self.number(61_500))))
    let bytes = Self.box("ftyp", Array("iso6".utf8)) + header
    #expect(Self.duration(bytes) == .milliseconds(61_500))
  }

  @Test func fragments_withoutTimes_haveNone() throws {
    let whole = try make(Self.writings[3])
    #expect(Self.duration(whole) != nil)
    #expect(Self.duration(Self.replacing("tfdt", with: "free", in: whole)) == nil)
    #expect(Self.duration(Self.replacing("mvex", with: "free", in: whole)) == nil)
  }

  /// With any change or cut, it ends and does not trap.
  @Test func damagedFile_neverTraps() throws {
    let whole = try make(Self.writings[1])
    var random = SeededRandom(seed: 7)
    let values: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF]
    var known = 0
    for round in 0..<300 {
      var bytes = whole
      let reach = round % 2 == 0 ? 3_000 : bytes.count
      for _ in 0..<20 {
        bytes[Int.random(in: 0..<reach, using: &random)] =
          values[Int.random(in: values.indices, using: &random)]
      }
      if round % 3 == 0 { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random)) }
      guard let duration = Self.duration(bytes) else { continue }
      known += 1
      #expect(duration > .zero)
    }
    #expect((10..<300).contains(known))
  }

  private static func duration(_ bytes: [UInt8]) -> Duration? {
    FragmentedMP4(length: Int64(bytes.count), track: 1, timescale: 48_000) { offset, count in
      let start = min(bytes.count, max(0, Int(offset)))
      return Array(bytes[start..<min(bytes.count, start + max(0, count))])
    }.duration(from: 0, isAvailable: true)
  }

  private static func replacing(
    _ type: String, with other: String, in bytes: [UInt8]
  ) -> [UInt8] {
    var bytes = bytes
    for place in bytes.indices.dropLast(4)
    where bytes[place..<place + 4].elementsEqual(type.utf8) {
      bytes.replaceSubrange(place..<place + 4, with: Array(other.utf8))
    }
    return bytes
  }

  private static func number(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) }
  }

  private static func box(_ type: String, _ bytes: [UInt8]) -> [UInt8] {
    number(bytes.count + 8) + Array(type.utf8) + bytes
  }
}
