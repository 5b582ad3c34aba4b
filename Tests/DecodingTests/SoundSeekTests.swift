import DecoderLink
import Support
import Testing

/// A seek in a long sound reads bytes near its target, not everything before it.
@Suite struct SoundSeekTests {
  /// A way to write minutes of sound.
  struct Writing: CustomTestStringConvertible, Sendable {
    let name: String
    let options: [String]
    /// The most bytes that may be requested until sound comes.
    let most: Int
    var testDescription: String { name }
  }

  /// Of a variable rate no table gives a place more exactly than to a 256th of the file, so the
  /// frames before are counted, which asks for them once.
  static let writings = [
    Writing(name: "constant.mp3", options: ["-c:a", "libmp3lame", "-b:a", "64k"], most: 1 << 20),
    Writing(
      name: "undeclared.mp3",
      options: ["-c:a", "libmp3lame", "-b:a", "64k", "-write_xing", "0", "-id3v2_version", "0"],
      most: 1 << 20),
    Writing(name: "variable.mp3", options: ["-c:a", "libmp3lame", "-q:a", "4"], most: .max),
    Writing(
      name: "sound.opus", options: ["-c:a", "libopus", "-b:a", "48k", "-vbr", "off"],
      most: 1 << 20),
    Writing(name: "sound.flac", options: ["-c:a", "flac"], most: 3 << 20),
    Writing(name: "sound.m4a", options: ["-c:a", "aac", "-b:a", "64k"], most: 1 << 20),
  ]

  private static let length = 400

  private static func frequency(_ second: Int) -> Double { Double(400 + 8 * (second % 200)) }

  /// A tone in each second's first half has a pitch that stands for the second.
  private func make(_ writing: Writing, in directory: TemporaryDirectory) throws -> [UInt8] {
    let path = directory.path(writing.name)
    let tone = "lt(mod(t,1),0.5)*0.5*sin(2*PI*t*(400+8*mod(floor(t),200)))+0.01*(random(0)-0.5)"
    let made = try run(
      Programs.installed("ffmpeg") ?? "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "aevalsrc='\(tone)':s=16000:d=\(Self.length)"]
        + writing.options + [path], within: .seconds(60))
    #expect(made.status == 0, "\(made.errorText)")
    return try contents(path)
  }

  @Test(arguments: writings) func seek_inALongSound_asksForLittleAndIsExact(_ writing: Writing)
    throws
  {
    let directory = try TemporaryDirectory()
    let bytes = try make(writing, in: directory)
    let conversation = try DecoderConversation(bytes, soundRate: 48_000)
    try conversation.allow(1)
    try conversation.listen { !$0.pictures.isEmpty }
    // Forward, back into the hole, and on again; with a little more than a second.
    for (serial, second) in [(1, 300), (2, 130), (3, 390)] as [(UInt32, Int)] {
      let target = Duration.milliseconds(second * 1_000 + 700)
      let before = conversation.bytesRead
      try conversation.seek(serial, to: target)
      try conversation.allow(20)
      try conversation.send(.soundCredit(frames: 48_000))
      try conversation.listen {
        $0.sounds.contains { $0.serial == serial && $0.frames > 0 }
          && $0.pictures.contains { $0.serial == serial }
      }
      let asked = conversation.bytesRead - before
      #expect(asked <= min(writing.most, bytes.count), "\(asked) of \(bytes.count) bytes")
      try conversation.listen {
        $0.sounds.reduce(0) { $0 + ($1.serial == serial ? $1.frames : 0) } >= 40_000
      }
      #expect(conversation.pictures.last { $0.serial == serial }.map { $0.time >= target } == true)
      try check(conversation.sounds.filter { $0.serial == serial && $0.frames > 0 }, from: target)
    }
  }

  /// Where foreign bytes lie among the frames, a calculated place would be a wrong one.
  @Test func seek_beyondForeignBytes_isExact() throws {
    let directory = try TemporaryDirectory()
    var bytes = try make(Self.writings[0], in: directory)
    bytes.insert(
      contentsOf: [UInt8](repeating: 0x55, count: 10_000), at: bytes.count / 4)
    let conversation = try DecoderConversation(
      bytes, soundRate: 48_000, start: .milliseconds(300_700))
    try conversation.allow(1)
    try conversation.send(.soundCredit(frames: 48_000))
    try conversation.listen { $0.sounds.reduce(0) { $0 + $1.frames } >= 40_000 }
    try check(conversation.sounds.filter { $0.frames > 0 }, from: .milliseconds(300_700))
  }

  /// The hole that a seek leaves in the waveform is drawn later.
  @Test func waveform_afterASeek_becomesWhole() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("rising.flac")
    let made = try run(
      Programs.installed("ffmpeg") ?? "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "aevalsrc=t/120*sin(t*2000):s=8000:d=90", path])
    #expect(made.status == 0)
    let whole = try DecoderConversation(contents(path), soundRate: 48_000)
    let sought = try DecoderConversation(contents(path), soundRate: 48_000)
    try sought.allow(1)
    try sought.listen { !$0.pictures.isEmpty }
    try sought.seek(1, to: .seconds(60))
    for conversation in [whole, sought] {
      try conversation.allow(2_000)
      try conversation.send(.soundCredit(frames: 10_000_000))
      #expect(try conversation.listen())
      #expect(conversation.ended?.sound == .seconds(90))
      #expect(conversation.ended?.pictures == .seconds(90))
    }
    #expect(sought.pictures.last?.time == whole.pictures.last?.time)
    #expect(sought.pictures.last?.bitmap.pixels == whole.pictures.last?.bitmap.pixels)
  }

  /// Measures when the next tone begins, and which one it is.
  private func check(_ runs: [DecodedSound], from target: Duration) throws {
    let first = try #require(runs.first)
    #expect(abs((first.time - target) / .seconds(1)) < 0.001)
    let samples = runs.flatMap(\.samples).enumerated().filter { $0.offset % 2 == 0 }
      .map { Int($0.element) }
    let onset = try #require(samples.firstIndex { abs($0) > 3_000 })
    let second = Int(target.components.seconds) + 1
    let time = target / .seconds(1) + Double(onset) / 48_000
    #expect(abs(time - Double(second)) < 0.1, "the tone begins at \(time)")
    let tone = samples[onset...].prefix(48_000 * 2 / 5)
    let crossings = zip(tone, tone.dropFirst()).count { ($0 < 0) != ($1 < 0) }
    let pitch = Double(crossings) / 2 / (Double(tone.count) / 48_000)
    #expect(abs(pitch - Self.frequency(second)) < 4, "\(pitch) Hz")
  }
}
