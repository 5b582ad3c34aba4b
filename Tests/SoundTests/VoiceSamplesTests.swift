import Sound
import Support
import Testing

@Suite struct VoiceSamplesTests {
  private func left(_ voice: VoiceSamples, _ range: Range<Int>) -> [Int] {
    Waves.left(voice.samples(from: range.lowerBound, frames: range.count))
  }

  @Test func append_runsThatMeet_areOne() {
    var voice = VoiceSamples(from: 0)
    voice.append(Waves.counting(100), at: 0)
    // A timestamp may be up to a millisecond off.
    voice.append(Waves.counting(100, from: 101), at: 148)
    voice.append(Waves.counting(100, from: 201), at: 152)
    #expect(voice.end == 300)
    #expect(left(voice, 0..<300) == Waves.counted(1..<301))
    #expect(voice.stored(from: 0) == 300)
    #expect(voice.stored(from: 250) == 50)
  }

  @Test func append_whatIsKnownAlready_isLeftOut() {
    var voice = VoiceSamples(from: 0)
    voice.append(Waves.counting(1000), at: 0)
    voice.append(Waves.counting(1000, from: 501), at: 500)
    #expect(voice.end == 1500)
    #expect(left(voice, 0..<1500) == Waves.counted(1..<1501))
    voice.append(Waves.counting(100), at: 100)
    #expect(voice.end == 1500)
    #expect(voice.stored(from: 0) == 1500)
  }

  @Test func append_beforeTheStart_isLeftOut() {
    var voice = VoiceSamples(from: 4800)
    voice.append(Waves.counting(1000, from: 1), at: 4300)
    #expect(left(voice, 4800..<5302) == Waves.counted(501..<1001) + [0, 0])
  }

  @Test func append_afterAHole_leavesSilenceThatDoesNotClick() {
    var voice = VoiceSamples(from: 0)
    voice.append(Waves.level(2400, 1000), at: 0)
    voice.append(Waves.level(2400, 1000), at: 2000)
    #expect(voice.end == 3000)
    #expect(left(voice, 0..<760) == [Int](repeating: 2400, count: 760))
    #expect(left(voice, 760..<1000) == (0..<240).map { 10 * (239 - $0) })
    #expect(left(voice, 1000..<2000) == [Int](repeating: 0, count: 1000))
    #expect(left(voice, 2000..<2240) == (0..<240).map { 10 * $0 })
    // Silence takes no room.
    #expect(voice.stored(from: 0) == 2000)
  }

  @Test func append_nothing_saysThatThereIsNone() {
    var voice = VoiceSamples(from: 0)
    voice.append([], at: 24_000)
    #expect(voice.end == 24_000)
    #expect(voice.stored(from: 0) == 0)
    voice.append([], at: 12_000)
    #expect(voice.end == 24_000)
    voice.append(Waves.counting(10), at: 30_000)
    #expect(left(voice, 29_999..<30_003) == [0, 1, 2, 3])
  }

  @Test func finish_laterThanTheSamples_isSilentUpToThere() {
    var voice = VoiceSamples(from: 0)
    voice.append(Waves.counting(100), at: 0)
    voice.finish(at: 48_000)
    #expect(voice.end == 48_000)
    #expect(voice.isFinished)
    // Nothing more is believed.
    voice.append(Waves.counting(100), at: 48_000)
    #expect(voice.end == 48_000)
    var longer = VoiceSamples(from: 0)
    longer.append(Waves.counting(100), at: 0)
    longer.finish(at: 50)
    #expect(longer.end == 100)
  }

  @Test func forget_keepsWhatIsStillToCome() {
    var voice = VoiceSamples(from: 0)
    for start in [0, 100, 200] { voice.append(Waves.counting(100, from: start + 1), at: start) }
    voice.forget(before: 150)
    #expect(voice.stored(from: 0) == 200)
    #expect(left(voice, 150..<153) == Waves.counted(151..<154))
  }

  /// Runs of all sizes at random places, against an array of all frames.
  @Test func append_anyRuns_givesEachFrameItsFirstSample() {
    var random = SeededRandom(seed: 7)
    for _ in 0..<200 {
      var voice = VoiceSamples(from: 0)
      var expected: [Int] = []
      for run in 1...20 {
        let start = Int.random(in: 0...3000, using: &random)
        let frames = Int.random(in: 0...400, using: &random)
        // Too soft to be faded.
        voice.append(Waves.level(Int16(run), frames), at: start)
        let begin = abs(start - expected.count) <= 48 ? expected.count : start
        while expected.count < begin { expected.append(0) }
        while expected.count < begin + frames { expected.append(run) }
      }
      #expect(voice.end == expected.count)
      #expect(left(voice, 0..<expected.count) == expected)
    }
  }
}
