import DecoderLink
import Support
import Testing

@testable import Decoding

/// A sound whose bytes come over a network: playback comes first, and only what is played is requested.
@Suite struct SoundSupplyTests {
  /// An encoding of a sound, and how much of it is needed.
  struct Writing: CustomTestStringConvertible, Sendable {
    let name: String
    let options: [String]
    /// How many of its first bytes are read before it can be played.
    var head = 64 << 10
    /// Its end is read before it can be played.
    var needsEnd = false
    var testDescription: String { name }
  }

  static let writings = [
    Writing(name: "constant.mp3", options: ["-c:a", "libmp3lame", "-b:a", "64k"]),
    Writing(name: "variable.mp3", options: ["-c:a", "libmp3lame", "-q:a", "4"]),
    Writing(
      name: "bare.mp3",
      options: ["-c:a", "libmp3lame", "-b:a", "64k", "-write_xing", "0", "-id3v2_version", "0"],
      needsEnd: true),
    Writing(name: "sound.flac", options: ["-c:a", "flac"]),
    Writing(
      name: "sound.m4a", options: ["-c:a", "aac", "-b:a", "64k", "-movflags", "+faststart"]),
    Writing(name: "sound.wav", options: ["-c:a", "pcm_u8"], head: 128 << 10),
    Writing(name: "sound.opus", options: ["-c:a", "libopus", "-b:a", "64k"], needsEnd: true),
  ]
  private static let length = 90

  private let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  /// Tones and noise that become louder and softer.
  private func make(_ writing: Writing, inputs: [String] = [], seconds: Int = Self.length) throws
    -> [UInt8]
  {
    let path = directory.path(writing.name)
    let wave = "(0.5+0.4*sin(t/3))*(0.5*sin(t*2000)+0.2*(random(0)-0.5))"
    let made = try run(
      Programs.installed("ffmpeg") ?? "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "aevalsrc='\(wave)':s=16000:d=\(seconds)"]
        + inputs + writing.options + [path], within: .seconds(60))
    #expect(made.status == 0, "\(made.errorText)")
    return try contents(path)
  }

  /// An MP3 with a picture of one colour at its head.
  private func makeWithCover(seconds: Int = Self.length) throws -> [UInt8] {
    let writing = Writing(
      name: "cover.mp3",
      options: [
        "-map", "0", "-map", "1", "-c:a", "libmp3lame", "-b:a", "128k", "-c:v", "png",
        "-disposition:v", "attached_pic",
      ])
    return try make(
      writing, inputs: ["-f", "lavfi", "-i", "color=c=red:s=64x64:d=0.04:r=25"], seconds: seconds)
  }

  private func heard(_ conversation: DecoderConversation) -> Duration {
    .seconds(1) * (Double(conversation.sounds.reduce(0) { $0 + $1.frames }) / 48_000)
  }

  // MARK: What is heard

  /// Half of it is available, and the rest never comes: nothing after it is requested before nearly all
  /// of that half was played.
  @Test(arguments: writings) func sound_whoseFarBytesNeverCome_isHeardAsFarAsTheyAreHere(
    _ writing: Writing
  ) throws {
    let bytes = try make(writing)
    for lacking in [DecoderConversation.Lacking.waits, .fails]
    where lacking == .fails || !writing.needsEnd {
      let conversation = try DecoderConversation(
        bytes, soundRate: 48_000, available: bytes.count / 2, lacking: lacking)
      try conversation.allow(10_000)
      try conversation.send(.soundCredit(frames: .max))
      let least = Duration.seconds(1) * (Double(Self.length) / 2 * 0.85)
      #expect(try conversation.listen { heard($0) >= least }, "\(heard(conversation)) heard")
      #expect(heard(conversation) >= least && conversation.failure == nil)
      #expect(writing.needsEnd || !conversation.hasLacked)
      if lacking == .fails {
        #expect(try conversation.listen())
        #expect(conversation.failure == "the network is gone")
      } else {
        #expect(try conversation.listen { $0.hasLacked })
        #expect(conversation.failure == nil)
      }
      var next = Duration.zero
      for run in conversation.sounds where run.frames > 0 {
        #expect(abs((run.time - next) / .seconds(1)) < 0.06)
        next = run.time + .nanoseconds(run.frames * 1_000_000_000 / 48_000)
      }
    }
  }

  /// The final waveform equals that of a local file, however the bytes came.
  @Test(arguments: writings) func waveform_ofBytesThatCameLater_isTheSame(_ writing: Writing) throws
  {
    let bytes = try make(writing)
    let whole = try DecoderConversation(bytes, soundRate: 48_000)
    let slow = try DecoderConversation(bytes, soundRate: 48_000, available: bytes.count / 8)
    for conversation in [whole, slow] {
      try conversation.allow(10_000)
      try conversation.send(.soundCredit(frames: .max))
    }
    for part in 2...8 {
      #expect(try slow.listen { $0.hasLacked })
      try slow.bring(to: bytes.count * part / 8)
    }
    for conversation in [whole, slow] { #expect(try conversation.listen()) }
    #expect(slow.ended?.sound == whole.ended?.sound)
    #expect(slow.ended?.pictures == whole.ended?.pictures)
    #expect(slow.pictures.count == whole.pictures.count)
    #expect(slow.pictures.last?.bitmap.pixels == whole.pictures.last?.bitmap.pixels)
    #expect(heard(slow) == heard(whole))
  }

  /// A failed read of its last bytes while it was opened does not fail the story.
  @Test(arguments: writings.filter(\.needsEnd)) func sound_whoseEndCouldNotBeLookedAt_endsWell(
    _ writing: Writing
  ) throws {
    let bytes = try make(writing)
    let conversation = try DecoderConversation(
      bytes, soundRate: 48_000, available: bytes.count / 2, lacking: .fails)
    try conversation.allow(1)
    try conversation.send(.soundCredit(frames: 24_000))
    #expect(try conversation.listen { heard($0) >= .milliseconds(500) })
    #expect(conversation.hasLacked && conversation.failure == nil)
    try conversation.bring(to: .max)
    try conversation.allow(10_000)
    try conversation.send(.soundCredit(frames: .max))
    #expect(try conversation.listen())
    #expect(conversation.failure == nil)
    let end = try #require(conversation.ended?.sound)
    #expect(abs((end - .seconds(Self.length)) / .seconds(1)) < 0.1)
  }

  /// Sound that was decoded for playback is drawn like scanned sound, which replaces it.
  @Test func waveform_ofWhatIsHeard_isDrawn() {
    func run(_ second: Int, _ level: Int16) -> SoundRun {
      SoundRun(time: .seconds(second), samples: [Int16](repeating: level, count: 2 * 8_000))
    }
    func draw(_ waveform: Waveform) -> Bitmap {
      waveform.draw(width: 90, height: 20, position: .seconds(2))
    }
    let survey = Waveform(expected: .seconds(10))
    let heard = Waveform(expected: .seconds(10))
    let blank = draw(heard)
    for (second, level) in [(0, 20_000), (1, 5_000), (2, 12_000)] as [(Int, Int16)] {
      survey.add(run(second, level), rate: 8_000)
      heard.hear(run(second, level), rate: 8_000)
    }
    #expect(draw(heard) == draw(survey) && draw(heard) != blank)
    #expect(!heard.isKnown(at: .zero) && survey.isKnown(at: .zero))
    // Behind a seek.
    survey.leaveOut(until: .seconds(6))
    survey.add(run(6, 20_000), rate: 8_000)
    heard.hear(run(6, 20_000), rate: 8_000)
    #expect(draw(heard) == draw(survey))
    for (second, level) in [(0, 5_000), (1, 20_000), (2, 0)] as [(Int, Int16)] {
      heard.add(run(second, level), rate: 8_000)
    }
    #expect(draw(heard) != draw(survey))
    let other = Waveform(expected: .seconds(10))
    for (second, level) in [(0, 5_000), (1, 20_000), (2, 0)] as [(Int, Int16)] {
      other.add(run(second, level), rate: 8_000)
    }
    other.leaveOut(until: .seconds(6))
    other.add(run(6, 20_000), rate: 8_000)
    #expect(draw(heard) == draw(other))
    heard.leaveOut(until: .seconds(6))
    heard.close()
    #expect(draw(heard) == draw(other) && heard.hole != nil)
  }

  // MARK: The first picture

  @Test func firstPicture_ofACover_needsTheHeadAlone() throws {
    let conversation = try DecoderConversation(
      makeWithCover(), soundRate: 48_000, available: 32 << 10)
    try conversation.allow(1)
    #expect(try conversation.listen { !$0.pictures.isEmpty })
    #expect(!conversation.hasLacked)
    #expect(conversation.info?.isStill == true && conversation.info?.kind == .sound)
    let picture = try #require(conversation.pictures.first)
    #expect(quarters(picture).allSatisfy { $0[0] > 240 && $0[1] < 10 && $0[2] < 10 })
  }

  @Test(arguments: writings.filter { !$0.needsEnd }, [48_000, nil])
  func firstPicture_ofAWaveform_needsTheHeadAlone(_ writing: Writing, rate: UInt32?) throws {
    let conversation = try DecoderConversation(
      make(writing), soundRate: rate, available: writing.head)
    try conversation.allow(1)
    #expect(try conversation.listen { !$0.pictures.isEmpty })
    #expect(!conversation.hasLacked)
    #expect(conversation.info?.isStill == false && conversation.info?.kind == .sound)
  }

  // MARK: Kept ready

  /// As the player buffers a neighbour: one picture, half a second of sound.
  @Test(arguments: [48_000, nil]) func readySound_withACover_asksForLittle(rate: UInt32?) throws {
    let conversation = try DecoderConversation(makeWithCover(seconds: 300), soundRate: rate)
    try conversation.allow(1)
    if rate != nil { try conversation.send(.soundCredit(frames: 24_000)) }
    let sound = rate == nil ? Duration.zero : .milliseconds(500)
    try conversation.listen { $0.pictures.count == 1 && heard($0) >= sound }
    // Nothing follows.
    try conversation.listen(for: .milliseconds(500))
    #expect(conversation.pictures.count == 1)
    #expect(conversation.ended == nil && heard(conversation) == sound)
    #expect(conversation.bytesRead <= 512 << 10, "\(conversation.bytesRead) bytes")
    // It plays to its end.
    try conversation.allow(3)
    try conversation.send(.soundCredit(frames: .max))
    #expect(try conversation.listen())
    #expect(conversation.pictures.count == 1)
    let end = try #require(conversation.ended?.sound)
    #expect(abs((end - .seconds(300)) / .seconds(1)) < 0.2)
  }

  @Test func readySound_withoutACover_fetchesLittle() throws {
    let bytes = try make(Self.writings[0])
    let conversation = try DecoderConversation(bytes, soundRate: 48_000, available: 300_000)
    try conversation.allow(1)
    try conversation.send(.soundCredit(frames: 24_000))
    try conversation.listen { $0.pictures.count == 1 && heard($0) >= .milliseconds(500) }
    try conversation.listen(for: .milliseconds(500))
    #expect(conversation.pictures.count == 1 && heard(conversation) == .milliseconds(500))
    #expect(!conversation.hasLacked)
    #expect(conversation.bytesRead <= 768 << 10, "\(conversation.bytesRead) bytes")
  }
}
