import Sound
import Testing

@Suite struct VolumeTests {
  @Test(arguments: [(0, 0), (10, 0.001), (50, 0.125), (80, 0.512), (100, 1)] as [(Int, Float)])
  func gain_isTheCubeOfTheShare(percent: Int, gain: Float) {
    #expect(abs(Volume(percent: percent).gain - gain) < 1e-6)
    #expect(Volume(percent: percent, isMuted: true).gain == 0)
  }

  @Test(arguments: [(100, 100), (97, 100), (95, 100), (92, 95), (3, 5), (0, 5)])
  func turnUp_goesToTheNextWholeStep(from: Int, to: Int) {
    var volume = Volume(percent: from)
    volume.turn(up: true)
    #expect(volume == Volume(percent: to))
  }

  @Test(arguments: [(100, 95), (97, 95), (95, 90), (3, 0), (0, 0)])
  func turnDown_goesToTheNextWholeStep(from: Int, to: Int) {
    var volume = Volume(percent: from)
    volume.turn(up: false)
    #expect(volume == Volume(percent: to))
  }

  @Test func turn_whileMuted_isHeardOnlyWhenTurnedUp() {
    var volume = Volume(percent: 50, isMuted: true)
    volume.turn(up: false)
    #expect(volume == Volume(percent: 45, isMuted: true))
    volume.turn(up: true)
    #expect(volume == Volume(percent: 50))
  }

  @Test func percent_outOfRange_isBroughtIntoIt() {
    #expect(Volume(percent: 130) == Volume(percent: 100))
    #expect(Volume(percent: -1) == Volume(percent: 0))
  }
}

@Suite struct SoundFormatTests {
  @Test(
    arguments: [
      (.zero, 0), (.seconds(1), 48_000), (.milliseconds(-20), -960),
      (.nanoseconds(20_833), 1), (.nanoseconds(10_416), 0), (.nanoseconds(10_417), 1),
      (.seconds(86_400_000), 4_147_200_000_000), (.nanoseconds(21_333_333), 1024),
    ] as [(Duration, Int)])
  func frames_areTheNearest(time: Duration, frames: Int) {
    #expect(SoundFormat.frames(time) == frames)
  }

  @Test func duration_isReadBack() {
    for frames in [0, 1, 1023, 1024, 48_001, 4_147_200_000_001, -960] {
      #expect(SoundFormat.frames(SoundFormat.duration(frames)) == frames)
    }
  }
}
