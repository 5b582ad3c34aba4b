import Sound
import Testing

@Suite struct FadeTests {
  @Test func fadeIn_risesEvenlyOver240Frames() {
    var samples = Waves.level(2400, 300)[...]
    Fade.fadeIn(&samples)
    #expect(
      Waves.left(Array(samples))
        == (0..<240).map { 10 * $0 } + [Int](repeating: 2400, count: 60))
  }

  @Test func fadeOut_fallsEvenlyOver240Frames() {
    var samples = Waves.level(-2400, 300)[...]
    Fade.fadeOut(&samples)
    #expect(
      Waves.left(Array(samples))
        == [Int](repeating: -2400, count: 60) + (0..<240).map { -10 * (239 - $0) })
  }

  @Test func fade_shorterThan5Milliseconds_isItsPart() {
    var rising = Waves.level(2400, 2)[...]
    Fade.fadeIn(&rising)
    #expect(Waves.left(Array(rising)) == [0, 10])
    var falling = Waves.level(2400, 2)[...]
    Fade.fadeOut(&falling)
    #expect(Waves.left(Array(falling)) == [10, 0])
  }

  @Test func meet_samplesOfOneWave_needNoFade() {
    for cut in [0, 1, 119, 120, 121, 240, 300, 479] {
      #expect(
        Fade.meet(Waves.triangle(480)[...].prefix(2 * cut), Waves.triangle(480, from: cut)[...]))
    }
  }

  @Test func meet_aLargeStep_needsOne() {
    let loud = Waves.level(8000, 240)[...]
    #expect(!Fade.meet(loud, []))
    #expect(!Fade.meet([], loud))
    #expect(!Fade.meet(loud, Waves.level(-8000, 240)[...]))
    #expect(Fade.meet(loud, Waves.level(8200, 240)[...]))
    #expect(Fade.meet([], []))
  }

  @Test func meet_oneChannelAlone_counts() {
    let right = (0..<480).map { Int16($0 % 2 * 9000) }[...]
    #expect(!Fade.meet([], right))
    #expect(Fade.meet(right, right))
  }
}
