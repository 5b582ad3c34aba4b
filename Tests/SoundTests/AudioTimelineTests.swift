import Sound
import Testing

@Suite struct AudioTimelineTests {
  private let loud = Waves.level(2400, 4800)

  private func line(_ voices: [Int16]...) -> AudioTimeline {
    var line = AudioTimeline()
    for (number, samples) in voices.enumerated() {
      line.begin(number, at: 0)
      line.append(samples, at: 0, to: number)
      line.finish(number, at: 0)
    }
    return line
  }

  private func render(_ line: inout AudioTimeline, _ frames: Int) -> [Int] {
    Waves.left(line.render(upTo: frames))
  }

  private func follow(_ line: inout AudioTimeline, with voice: Int) -> Bool {
    line.follow(with: voice)
  }

  @Test func render_givesTheSamplesInPieces() {
    var line = line(Waves.counting(1000))
    line.play(0, from: 0)
    #expect(render(&line, 300) == Waves.counted(1..<301))
    #expect(render(&line, 300) == Waves.counted(301..<601))
    #expect(line.written == 600)
    #expect(!line.isAllWritten)
    #expect(render(&line, 1000) == Waves.counted(601..<1001))
    #expect(line.isAllWritten && !line.isOver)
    #expect(render(&line, 1000) == [])
    line.noteHeard(1000)
    #expect(line.isOver)
  }

  @Test func play_fromTheMiddle_risesFromSilence() {
    var line = line(loud)
    line.play(0, from: 1000)
    #expect(render(&line, 300) == (0..<240).map { 10 * $0 } + [Int](repeating: 2400, count: 60))
    #expect(line.position(of: 0, at: 0) == 1000)
  }

  @Test func follow_samplesThatMeet_areJoinedAsTheyAre() {
    var line = line(Waves.triangle(5000), Waves.triangle(5000, from: 5000))
    line.play(0, from: 0)
    _ = line.render(upTo: 4000)
    #expect(follow(&line, with: 1))
    #expect(render(&line, 5000) == Waves.left(Waves.triangle(5000, from: 4000)))
    #expect(line.position(of: 0, at: 4999) == 4999)
    #expect(line.position(of: 0, at: 5000) == nil)
    // Not yet to be heard, then at its start.
    #expect(line.position(of: 1, at: 4000) == -1000)
    #expect(line.position(of: 1, at: 5000) == 0)
  }

  @Test func follow_samplesThatDoNotMeet_fallAndRise() {
    var line = line(loud, loud.map { -$0 })
    line.play(0, from: 0)
    _ = line.render(upTo: 1000)
    _ = line.follow(with: 1)
    let joint = Array(render(&line, 8000)[3500..<4100])
    #expect(
      joint
        == [Int](repeating: 2400, count: 60) + (0..<240).map { 10 * (239 - $0) }
        + (0..<240).map { -10 * $0 } + [Int](repeating: -2400, count: 60))
  }

  @Test func follow_whereTheEndsAreUnknown_isRefused() {
    var line = AudioTimeline()
    for voice in 0...2 { line.begin(voice, at: 0) }
    line.append(loud, at: 0, to: 0)
    line.append(loud, at: 0, to: 1)
    #expect(!follow(&line, with: 1))
    line.play(0, from: 0)
    #expect(!follow(&line, with: 1))
    line.finish(0, at: 4800)
    #expect(!follow(&line, with: 0))
    #expect(!follow(&line, with: 2))
    #expect(!follow(&line, with: 3))
    #expect(follow(&line, with: 1))
    #expect(!follow(&line, with: 1))
  }

  /// Pictures may outlast the sound: the next story's waits for them, but not once that is too late.
  @Test func finish_laterThanTheSound_isSilentUnlessAllWasHeard() {
    var line = line(Waves.counting(1000), Waves.counting(1000))
    line.play(0, from: 0)
    _ = line.render(upTo: 1000)
    line.finish(0, at: 1500)
    #expect(!line.isOver(0, at: 1499) && line.isOver(0, at: 1500))
    #expect(follow(&line, with: 1))
    #expect(render(&line, 502) == [Int](repeating: 0, count: 500) + [1, 2])
    var late = self.line(Waves.counting(1000))
    late.play(0, from: 0)
    _ = late.render(upTo: 1000)
    late.noteHeard(1000)
    late.finish(0, at: 1500)
    #expect(late.isOver && late.isOver(0, at: 1000))
  }

  @Test func end_ofALoudStory_doesNotClick() {
    var line = line(loud)
    line.play(0, from: 0)
    _ = line.render(upTo: 4000)
    #expect(
      render(&line, 4800)
        == [Int](repeating: 2400, count: 560) + (0..<240).map { 10 * (239 - $0) })
  }

  @Test func rewind_goesOnWithWhatWasNotHeard() {
    var line = line(Waves.counting(1000))
    line.play(0, from: 0)
    _ = line.render(upTo: 600)
    line.noteHeard(100)
    line.rewind()
    #expect(line.written == 100)
    #expect(render(&line, 3) == [101, 102, 103])
  }

  @Test func rewind_acrossAJoint_goesBackToTheFormerVoice() {
    var line = line(Waves.counting(1000), Waves.counting(1000, from: 2001))
    line.play(0, from: 0)
    _ = line.follow(with: 1)
    line.release(0)
    _ = line.render(upTo: 1500)
    line.noteHeard(999)
    line.rewind()
    #expect(line.position(of: 0, at: 999) == 999)
    line.noteHeard(999)
    #expect(line.contains(0))
    _ = line.render(upTo: 500)
    line.noteHeard(1000)
    #expect(!line.contains(0))
    #expect(line.stored(0, from: 0) == 0)
  }

  @Test func takeBack_rendersAgain() {
    var line = line(Waves.counting(1000))
    line.play(0, from: 0)
    _ = line.render(upTo: 600)
    line.takeBack(200)
    #expect(render(&line, 2) == Waves.counted(401..<403))
  }

  @Test func volume_changesWithin5Milliseconds() {
    var line = line(loud)
    line.play(0, from: 240)
    _ = line.render(upTo: 240)
    line.wantedGain = 0.5
    let samples = render(&line, 480)
    // From one to a half at a step of 1/240 a frame.
    #expect(samples[0] == 2390 && samples[59] == 1800 && samples[119] == 1200)
    #expect(samples[120...].allSatisfy { $0 == 1200 })
    line.wantedGain = 0
    #expect(render(&line, 480)[120...].allSatisfy { $0 == 0 })
  }

  @Test func volume_atTheStart_isThereAtOnce() {
    var line = line(Waves.triangle(1000))
    line.wantedGain = 0.5
    line.play(0, from: 0)
    #expect(render(&line, 700) == Waves.left(Waves.triangle(700)).map { $0 / 2 })
    line.cut()
    line.wantedGain = 0
    line.play(0, from: 0)
    #expect(render(&line, 700) == [Int](repeating: 0, count: 700))
  }

  @Test func volume_full_leavesEverySampleAsItIs() {
    let all = (Int16.min...Int16.max).flatMap { [$0, $0] }
    var line = line(all)
    line.play(0, from: 0)
    // The ends rise and fall: they do not meet silence.
    #expect(line.render(upTo: 70_000)[2000..<120_000] == all[2000..<120_000])
  }

  @Test func release_ofWhatIsStillHeard_endsItWhereItCame() {
    var line = AudioTimeline()
    line.begin(0, at: 0)
    line.append(Waves.counting(1000), at: 0, to: 0)
    line.play(0, from: 0)
    line.release(0)
    #expect(render(&line, 2000) == Waves.counted(1..<1001))
    #expect(line.isAllWritten)
    line.cut()
    #expect(line.isEmpty && line.isOver)
    #expect(line.stored(0, from: 0) == 0)
  }

  @Test func stored_countsWhatTheDeviceHasNot() {
    var line = line(Waves.counting(1000))
    #expect(line.stored(0, from: 400) == 600)
    line.play(0, from: 100)
    #expect(line.stored(0, from: 0) == 900)
    _ = line.render(upTo: 300)
    #expect(line.stored(0, from: 0) == 600)
  }
}
