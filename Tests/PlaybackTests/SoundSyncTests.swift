import DecoderLink
import Playback
import System
import Testing

/// How the sound of a story leads its clock.
@Suite struct SoundSyncTests {
  /// A story with sound whose first picture is on the screen, and whose sound is about to be heard.
  private func starting(_ info: MediaInfo = .soundedVideo) -> Rig {
    var rig = Rig(info, soundRate: 48_000)
    rig.picture(0, 40, 80)
    #expect(rig.tick() == [.shown(0)])
    #expect(rig.playback.state == .starting && rig.wait == 0)
    #expect(rig.tick() == [.sound(.resume)])
    #expect(rig.send(.sound(.saying(.over))) == [.sound(.queue(from: .zero))])
    return rig
  }

  /// One whose sound is heard.
  private func heard(_ info: MediaInfo = .soundedVideo) -> Rig {
    var rig = starting(info)
    #expect(rig.send(.soundQueued(true, .heard(0))) == [])
    #expect(rig.playback.isSoundHeard && rig.playback.isRunning)
    return rig
  }

  @Test func clock_standsUntilTheSoundIsHeard() {
    var rig = starting()
    #expect(rig.send(.soundQueued(true, .saying(.unknown))) == [])
    #expect(!rig.playback.isRunning && rig.wait == 250)
    rig.now = rig.now + .milliseconds(100)
    rig.send(.sound(.saying(.unknown)))
    rig.send(.soundQueued(true, .heard(5)))
    #expect(rig.playback.isRunning && rig.playback.clockTime(at: rig.now) == .milliseconds(5))
    #expect(rig.wait == 35)
  }

  @Test func clock_runsAlone_whereTheSoundDoesNotComeIn250Milliseconds() {
    var rig = starting()
    rig.send(.soundQueued(false, .saying(.over)))
    rig.now = rig.now + .milliseconds(250)
    #expect(rig.send(.sound(.saying(.over))) == [.sound(.queue(from: .zero))])
    #expect(rig.send(.soundQueued(false, .saying(.over))) == [.sound(.silence)])
    #expect(rig.playback.isRunning && !rig.playback.isSoundHeard)
  }

  @Test func clock_runsAlone_withoutADevice_andTheSoundJoinsInLater() {
    var rig = starting()
    #expect(
      rig.send(.soundQueued(false, .saying(.unknown, device: .absent))) == [.sound(.silence)])
    rig.now = rig.now + .seconds(2)
    #expect(
      rig.send(.sound(.saying(.over, device: .absent))) == [.sound(.forget(before: .seconds(2)))])
    #expect(
      rig.send(.sound(.saying(.over, isReady: false))) == [.sound(.forget(before: .seconds(2)))])
    #expect(
      rig.send(.sound(.saying(.over)))
        == [.sound(.forget(before: .seconds(2))), .sound(.play(from: .seconds(2)))])
    #expect(!rig.playback.isSoundHeard)
    rig.send(.sound(.heard(2000)))
    #expect(rig.playback.isSoundHeard)
  }

  @Test func heardSound_leadsTheClock() {
    var rig = heard()
    rig.now = rig.now + .milliseconds(500)
    // Far: at once. Near: by an eighth.
    rig.send(.sound(.heard(400)))
    #expect(rig.playback.clockTime(at: rig.now) == .milliseconds(400))
    rig.send(.sound(.heard(408)))
    #expect(rig.playback.clockTime(at: rig.now) == .milliseconds(401))
  }

  @Test func soundThatIsOver_leavesTheClockRunning() {
    var rig = heard()
    rig.now = rig.now + .milliseconds(500)
    rig.send(.sound(.saying(.over)))
    rig.now = rig.now + .milliseconds(500)
    #expect(rig.playback.clockTime(at: rig.now) == .seconds(1) && rig.playback.isRunning)
    #expect(rig.send(.sound(.saying(.over))) == [])
  }

  @Test func deviceThatHasStopped_isWaitedFor() {
    var rig = heard()
    rig.now = rig.now + .milliseconds(500)
    rig.send(.sound(.saying(.unknown)))
    #expect(!rig.playback.isRunning && rig.playback.state == .playing)
    #expect(
      rig.send(.sound(.saying(.unknown))) == [.sound(.queue(from: .milliseconds(500)))])
  }

  @Test func starvedSound_isGivenUpAfter250Milliseconds() {
    var rig = heard()
    let starved = SoundReport.saying(.heard(.zero), isStarved: true)
    #expect(rig.send(.sound(starved)) == [])
    rig.now = rig.now + .milliseconds(250)
    #expect(rig.send(.sound(starved)) == [])
    rig.now = rig.now + .milliseconds(1)
    #expect(rig.send(.sound(starved)) == [.sound(.silence)])
  }

  @Test func pause_stopsTheDevice_andPlayResumesIt() {
    var rig = heard()
    #expect(rig.send(.pause) == [.sound(.pause)])
    #expect(!rig.playback.isRunning)
    #expect(rig.send(.sound(.heard(700))) == [])
    #expect(rig.send(.play) == [.sound(.resume)])
    #expect(rig.playback.state == .playing && !rig.playback.isRunning)
  }

  @Test func seek_startsTheSoundAnew() {
    var rig = heard()
    #expect(
      rig.send(.seek(to: .seconds(3)))
        == [.sound(.restart(at: .seconds(3))), .seekDecoder(to: .seconds(3))])
    rig.picture(3000)
    #expect(rig.tick() == [.shown(3000)] && rig.playback.state == .starting)
  }

  @Test func reshape_leavesTheSoundPlaying() {
    var rig = heard()
    rig.now = rig.now + .milliseconds(50)
    #expect(
      rig.send(.reshape(.other)) == [.reshapeDecoder(.other), .seekDecoder(to: .milliseconds(50))])
    #expect(rig.playback.state == .reshaping(since: rig.now) && rig.playback.isRunning)
    rig.now = rig.now + .milliseconds(100)
    #expect(rig.position == 150)
    rig.picture(40)
    #expect(rig.tick() == [.shown(40)])
    #expect(rig.playback.state == .playing && rig.position == 80)
  }

  /// What a cover stays for is the sound: it alone can stall.
  @Test func song_stallsWhereItsSoundIsMissing() {
    var rig = heard(.song)
    rig.tick(after: 90)
    let nothing = BufferReport.Fetched(isWhole: false, availableUntil: nil)
    rig.send(.buffer(BufferReport(isWaiting: true, fetched: nothing)))
    rig.send(.sound(.heard(90)))
    rig.tick(after: 1)
    #expect(rig.playback.state == .playing)
    rig.now = rig.now + .milliseconds(60)
    rig.send(.sound(.saying(.heard(.milliseconds(151)), isReady: false)))
    #expect(rig.tick() == [.sound(.pause)])
    #expect(rig.playback.state == .stalled(since: rig.now) && rig.deadline == nil)
    #expect(rig.position == 151)
    rig.send(.sound(.saying(.unknown)))
    #expect(rig.wait == 1000)
    #expect(rig.tick(after: 1000) == [.sound(.resume)])
  }

  @Test func credit_isGivenAsFarAsThereIsRoom() {
    var rig = Rig(.soundedVideo, soundRate: 48_000, at: nil)
    func credit(stored: Int) -> [Playback.Effect] {
      rig.playback.handle(.soundStored(frames: stored), at: rig.now).effects
    }
    // Half a second was given with the first picture.
    #expect(credit(stored: 0) == [])
    rig.send(.decoder(.sound(frames: 20_000)))
    #expect(credit(stored: 20_000) == [])
    #expect(credit(stored: 17_001) == [])
    #expect(credit(stored: 17_000) == [.allowSound(frames: 3_000)])
    rig.send(.begin(at: .zero))
    #expect(credit(stored: 17_000) == [.allowSound(frames: 24_000)])
    rig.ended(pictures: 1000, sound: 1000)
    rig.send(.decoder(.sound(frames: 31_000)))
    #expect(credit(stored: 0) == [])
  }

  /// So that the end is known before the device has all samples.
  @Test func soundsEnd_letsTheDecoderSendMorePictures_once() {
    var rig = heard()
    func ends(at milliseconds: Int) -> [Playback.Effect] {
      rig.playback.handle(.decoder(.soundEnded(at: .milliseconds(milliseconds))), at: rig.now)
        .effects
    }
    #expect(ends(at: 9_000) == [.sound(.finish(at: .milliseconds(9_000)))])
    #expect(
      ends(at: 9_900) == [.sound(.finish(at: .milliseconds(9_900))), .allowPictures(12)])
    #expect(ends(at: 9_900) == [.sound(.finish(at: .milliseconds(9_900)))])
  }
}
