import DecoderLink
import Support
import Testing

/// A fault in the sound does not end the pictures, and vice versa; what is missing is reported once.
@Suite struct SoundFaultTests {
  private let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  /// Two seconds of tones, each louder than the channel before by 1,000.
  private func tones(channels: Int) throws -> String {
    var bytes: [UInt8] = []
    for frame in 0..<96_000 {
      // A square wave of 500 Hz.
      let sign = frame / 48 % 2 == 0 ? 1 : -1
      for channel in 1...channels {
        let sample = UInt16(bitPattern: Int16(sign * channel * 1_000))
        bytes += [UInt8(sample & 0xFF), UInt8(sample >> 8)]
      }
    }
    return try directory.write(bytes, to: "tones.raw")
  }

  private func ffmpeg(_ arguments: [String], to name: String) throws -> [UInt8] {
    let path = directory.path(name)
    let made = try run(
      Programs.installed("ffmpeg") ?? "ffmpeg",
      ["-v", "error", "-nostdin"] + arguments + [path], within: .seconds(60))
    #expect(made.status == 0, "\(made.errorText)")
    return try contents(path)
  }

  private static let pictures = ["-f", "lavfi", "-i", "testsrc=s=160x90:r=25:d=2"]

  /// Decodes a story with its sound.
  private func decode(_ bytes: [UInt8]) throws -> DecoderConversation {
    let conversation = try DecoderConversation(bytes, soundRate: 48_000)
    try conversation.allow(1_000)
    try conversation.send(.soundCredit(frames: .max))
    #expect(try conversation.listen())
    #expect(conversation.failure == nil)
    #expect(conversation.ended != nil)
    return conversation
  }

  /// How loud left and right are, in samples.
  private func loudness(_ conversation: DecoderConversation) -> [Int] {
    let samples = conversation.sounds.flatMap(\.samples)
    return [0, 1].map { side in
      let values = stride(from: side, to: samples.count, by: 2).map { Int(samples[$0].magnitude) }
      return values.isEmpty ? 0 : values.reduce(0, +) / values.count
    }
  }

  /// A way to write channels that cannot be mixed.
  struct Layout: CustomTestStringConvertible, Sendable {
    let name: String
    let channels: Int
    var input: [String] = []
    let output: [String]
    var loudness = [1_000, 2_000]
    let note: String
    var testDescription: String { "\(name), \(note)" }
  }

  private static let firstTwo = "of its sound's 10 channels the first two are heard"

  @Test(arguments: [
    Layout(name: "a.wav", channels: 10, output: ["-c:a", "pcm_s16le"], note: firstTwo),
    Layout(name: "a.mka", channels: 10, output: ["-c:a", "pcm_s24le"], note: firstTwo),
    // One plane a channel.
    Layout(
      name: "b.mka", channels: 10, output: ["-c:a", "libopus", "-mapping_family", "255"],
      note: firstTwo),
    Layout(
      name: "a.opus", channels: 4, input: ["-ch_layout", "ambisonic 1"],
      output: ["-c:a", "libopus", "-mapping_family", "2", "-b:a", "512k"],
      loudness: [1_000, 1_000], note: "of its sound's 4 channels the first is heard"),
  ])
  func channels_thatCannotBeMixed_areHeardInPart(_ layout: Layout) throws {
    let input =
      ["-f", "s16le", "-ar", "48000"]
      + (layout.input.isEmpty ? ["-ac", "\(layout.channels)"] : layout.input)
      + ["-i", try tones(channels: layout.channels)]
    for withPictures in [false, true] where !withPictures || layout.name.hasSuffix("mka") {
      let bytes = try ffmpeg(
        (withPictures ? Self.pictures : []) + input + ["-c:v", "libx264"] + layout.output,
        to: withPictures ? "film-\(layout.name).mkv" : layout.name)
      let conversation = try decode(bytes)
      #expect(conversation.notes == [layout.note])
      let heard = loudness(conversation)
      #expect(heard.count == layout.loudness.count)
      #expect(zip(heard, layout.loudness).allSatisfy { abs($0 - $1) <= $1 / 10 }, "\(heard)")
      let seconds = conversation.sounds.reduce(0) { $0 + $1.frames }
      #expect(abs(seconds - 96_000) <= 1_000)
      if withPictures { #expect(conversation.pictures.count == 50) }
    }
  }

  private func film(_ sound: [String] = ["-c:a", "aac"]) throws -> [UInt8] {
    try ffmpeg(
      Self.pictures + ["-f", "lavfi", "-i", "sine=440:d=2", "-c:v", "libx264"] + sound,
      to: "film.mp4")
  }

  /// All bytes of a stream's packets replaced, of all or of some.
  private func damaged(
    _ bytes: [UInt8], stream: String, packets: Range<Int>? = nil
  ) throws -> [UInt8] {
    let path = try directory.write(bytes, to: "whole.mp4")
    let shown = try run(
      Programs.installed("ffprobe") ?? "ffprobe",
      [
        "-v", "error", "-select_streams", stream, "-show_entries", "packet=pos,size", "-of",
        "csv=p=0", path,
      ])
    var bytes = bytes
    let lines = shown.outputText.split(separator: "\n")
    try #require(!lines.isEmpty)
    for line in packets.map({ lines[$0] }) ?? lines[...] {
      let numbers = line.split(separator: ",").compactMap { Int($0) }
      let range = numbers[1]..<numbers[0] + numbers[1]
      bytes.replaceSubrange(range, with: repeatElement(0xFF, count: range.count))
    }
    return bytes
  }

  @Test func film_whoseSoundHasNoDecoder_isShown() throws {
    let text = [UInt8]("ac-3".utf8)
    var bytes = try film(["-c:a", "ac3"])
    let places = bytes.indices.dropLast(4).filter { bytes[$0..<$0 + 4].elementsEqual(text) }
    try #require(!places.isEmpty)
    for place in places { bytes.replaceSubrange(place..<place + 4, with: Array("xyz1".utf8)) }
    let conversation = try decode(bytes)
    #expect(conversation.pictures.count == 50)
    #expect(!conversation.sounds.contains { !$0.samples.isEmpty })
    #expect(conversation.notes == ["its sound cannot be played: no decoder for codec 'xyz1'"])
    #expect(conversation.ended?.pictures == .seconds(2))
    #expect(conversation.ended?.sound == nil)
  }

  /// A second of it cannot be decoded: the rest is played at its time, and all pictures are shown.
  @Test(arguments: [["-c:a", "aac"], ["-c:a", "ac3"], ["-c:a", "libmp3lame"]])
  func film_whoseSoundIsDamagedInTheMiddle_isHeardAgain(writing: [String]) throws {
    let whole = try film(writing)
    let packetSamples = ["aac": 1_024, "ac3": 1_536, "libmp3lame": 1_152][writing[1]] ?? 0
    let conversation = try decode(
      damaged(whole, stream: "a", packets: 20..<20 + 48_000 / packetSamples))
    #expect(conversation.pictures.count == 50)
    #expect(conversation.notes == [])
    func seconds(_ range: Range<Double>) -> [Int] {
      conversation.sounds.filter { range.contains($0.time / .seconds(1)) }
        .flatMap { $0.samples.map { Int($0.magnitude) } }
    }
    #expect(seconds(0.1..<0.3).max() ?? 0 > 1_000)
    #expect(seconds(1.75..<1.95).max() ?? 0 > 1_000)
    #expect(conversation.ended?.sound.map { abs($0 / .seconds(1) - 2) < 0.1 } == true)
  }

  /// Matroska writes the rate as a number that may be 0.
  @Test func film_whoseSoundHasNoRate_isShown() throws {
    let path = directory.path("film.mkv")
    var bytes = try ffmpeg(
      Self.pictures + ["-f", "lavfi", "-i", "sine=440:d=2:r=48000", "-c:v", "libx264"]
        + ["-c:a", "pcm_s16le"], to: "film.mkv")
    // SamplingFrequency (0xB5) of 8 bytes.
    let rate: [UInt8] = [0xB5, 0x88, 0x40, 0xE7, 0x70, 0, 0, 0, 0, 0]
    let place = try #require(bytes.firstRange(of: rate), "\(path)").lowerBound
    for offset in 2..<10 { bytes[place + offset] = 0 }
    let conversation = try decode(bytes)
    #expect(conversation.pictures.count == 50)
    #expect(!conversation.sounds.contains { !$0.samples.isEmpty })
    #expect(conversation.notes.count == 1, "\(conversation.notes)")
    #expect(conversation.notes.first?.hasPrefix("its sound cannot be played: ") == true)
  }

  @Test(arguments: [0, 700]) func film_whoseSoundIsDamaged_isShown(from start: Int) throws {
    let bytes = try damaged(film(), stream: "a")
    let conversation = try DecoderConversation(
      bytes, soundRate: 48_000, start: .milliseconds(start))
    try conversation.allow(1_000)
    try conversation.send(.soundCredit(frames: .max))
    #expect(try conversation.listen())
    #expect(conversation.failure == nil)
    #expect(conversation.pictures.count == 50 - start * 25 / 1_000)
    #expect(
      conversation.notes == ["its sound cannot be played: damaged: no sound can be decoded (aac)"])
    #expect(conversation.ended?.pictures == .seconds(2))
    #expect(conversation.ended?.sound == nil)
  }

  /// Only what the first picture needs was read.
  @Test func film_whoseSoundIsDamaged_readsNoFurtherThanItShows() throws {
    let bytes = try damaged(
      ffmpeg(
        [
          "-f", "lavfi", "-i", "testsrc=s=320x180:r=25:d=60,noise=alls=40", "-f", "lavfi", "-i",
          "sine=440:d=60", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "12", "-c:a", "aac",
          "-movflags", "+faststart",
        ], to: "long.mp4"), stream: "a")
    try #require(bytes.count > 5 << 20)
    let conversation = try DecoderConversation(bytes, soundRate: 48_000)
    try conversation.allow(1)
    try conversation.send(.soundCredit(frames: 24_000))
    try conversation.listen { !$0.pictures.isEmpty }
    try conversation.listen(for: .milliseconds(300))
    #expect(conversation.bytesRead < 3 << 20, "\(conversation.bytesRead)")
  }

  @Test func film_withASecondSoundThatHasADecoder_isHeard() throws {
    let text = [UInt8]("ac-3".utf8)
    var bytes = try ffmpeg(
      Self.pictures + [
        "-f", "lavfi", "-i", "sine=440:d=2", "-map", "0", "-map", "1", "-map", "1", "-c:v",
        "libx264", "-c:a:0", "ac3", "-c:a:1", "aac",
      ], to: "two.mp4")
    let places = bytes.indices.dropLast(4).filter { bytes[$0..<$0 + 4].elementsEqual(text) }
    try #require(!places.isEmpty)
    for place in places { bytes.replaceSubrange(place..<place + 4, with: Array("xyz1".utf8)) }
    let conversation = try decode(bytes)
    #expect(conversation.notes == [])
    #expect(conversation.info?.soundCodec == "aac")
    #expect(loudness(conversation)[0] > 1_000)
  }

  @Test func film_whosePicturesAreDamaged_isHeard() throws {
    let conversation = try decode(damaged(film(), stream: "v"))
    #expect(conversation.info?.kind == .sound)
    #expect(
      conversation.notes
        == ["its pictures cannot be shown: damaged: no picture can be decoded (h264)"])
    #expect(loudness(conversation)[0] > 1_000)
    #expect(conversation.pictures.count == 20)
  }
}
