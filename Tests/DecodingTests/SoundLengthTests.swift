import DecoderLink
import Support
import Testing

/// The padding of a codec's frames is not played: the next story's sound follows directly.
@Suite struct SoundLengthTests {
  @Test(arguments: [
    ("a.wav", 48_000, []), ("a.flac", 44_100, []),
    ("a.mp3", 48_000, ["-c:a", "libmp3lame"]), ("a.opus", 48_000, ["-c:a", "libopus"]),
    ("a.ogg", 48_000, ["-c:a", "libvorbis"]),
    ("a.m4a", 48_000, ["-c:a", "aac"]), ("b.m4a", 44_100, ["-c:a", "aac"]),
    ("a.mp4", 48_000, ["-c:a", "aac", "-movflags", "faststart"]),
    ("a.mov", 48_000, ["-c:a", "alac"]),
  ])
  func length_isThatOfWhatWasRecorded(name: String, rate: Int, options: [String]) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(name)
    let made = try run(
      Programs.installed("ffmpeg") ?? "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "sine=440:r=\(rate):d=3.05"] + options + [path])
    #expect(made.status == 0, "\(made.errorText)")
    let conversation = try DecoderConversation(contents(path), soundRate: 48_000)
    try conversation.allow(1000)
    try conversation.send(.soundCredit(frames: 1_000_000))
    #expect(try conversation.listen())
    let frames = conversation.sounds.reduce(0) { $0 + $1.samples.count / 2 }
    // Changing the rate may cost or add a few.
    #expect(abs(frames - 146_400) <= (rate == 48_000 ? 0 : 48), "\(frames)")
  }
}
