import DecoderLink
import Playback
import System
import Testing

@Suite struct PlaybackTests {
  // MARK: - Beginning

  @Test func ready_showsNothing_untilItsTurnComes() {
    var rig = Rig(at: nil)
    rig.picture(0)
    #expect(rig.playback.state == .ready && rig.playback.hasWaitingPicture)
    #expect(rig.deadline == nil)
    #expect(rig.tick(after: 1000) == [])
    rig.send(.begin(at: .zero))
    #expect(rig.wait == 0)
    #expect(rig.tick() == [.shown(0)])
    #expect(rig.playback.state == .playing)
  }

  @Test func firstPicture_isShownWhateverItsTimeIs_andStartsTheClock() {
    var rig = Rig()
    #expect(rig.playback.state == .opening(from: .zero, isPaused: false))
    #expect(rig.tick(after: 700) == [] && rig.position == 0)
    rig.picture(120, 160)
    #expect(rig.tick() == [.shown(120)])
    #expect(rig.wait == 160)
    #expect(rig.tick(after: 159) == [])
    #expect(rig.tick(after: 1) == [.shown(160)])
  }

  @Test func beginAtAPosition_seeks_andShowsWhatLiesThere() {
    var rig = Rig(at: nil)
    #expect(rig.send(.begin(at: .seconds(4))) == [.seekDecoder(to: .seconds(4))])
    #expect(rig.playback.resumePosition(at: rig.now) == .seconds(4))
    // A picture far before it may be the last one of a medium that has become shorter.
    rig.picture(1000)
    #expect(rig.tick() == [] && rig.deadline == nil)
    rig.picture(3990)
    #expect(rig.tick() == [.shown(1000)])
    #expect(rig.position == 4000)
  }

  @Test func beginAtAPosition_behindTheEnd_beginsAtTheBeginning() {
    var rig = Rig(at: .seconds(4))
    rig.picture(1000)
    rig.send(.tick(lead: .zero))
    let output = rig.playback.handle(
      .decoder(.ended(pictures: .milliseconds(1040), sound: nil)), at: rig.now)
    #expect(output.effects == [.allowPictures(1), .seekDecoder(to: .zero)])
    rig.picture(0)
    #expect(rig.tick() == [.shown(0)] && rig.position == 0)
  }

  // MARK: - The clock

  /// It does not run while the story loads, buffers or is paused.
  @Test func position_neverGoesBeyondWhatWasShown() {
    var rig = Rig()
    rig.picture(0)
    rig.tick()
    rig.tick(after: 500)
    #expect(rig.position == 40)
  }

  @Test func pause_stopsTheClock_andPlayGoesOn() {
    var rig = Rig()
    rig.picture(0, 40, 80)
    rig.tick()
    rig.now = rig.now + .milliseconds(30)
    rig.send(.pause)
    #expect(rig.playback.state == .paused && rig.deadline == nil)
    #expect(rig.tick(after: 5000) == [] && rig.position == 30)
    rig.send(.play)
    #expect(rig.wait == 10)
    #expect(rig.tick(after: 10) == [.shown(40)])
  }

  /// The player need not wake up for what its decoder sends while one of enough pictures is due soon.
  @Test func decoder_waitsForAPictureThatIsDueSoon_whereThreeWait() {
    var rig = Rig()
    rig.picture(0, 40, 80, 120)
    #expect(!rig.playback.letsDecoderWait(at: rig.now))
    rig.tick()
    #expect(rig.playback.letsDecoderWait(at: rig.now))
    // One that is due already, but cannot be shown, as where the terminal takes nothing.
    #expect(!rig.playback.letsDecoderWait(at: rig.now + .milliseconds(40)))
    rig.tick(after: 40)
    #expect(!rig.playback.letsDecoderWait(at: rig.now))
    rig.picture(160)
    #expect(rig.playback.letsDecoderWait(at: rig.now))
    rig.send(.pause)
    #expect(!rig.playback.letsDecoderWait(at: rig.now))
    rig.send(.play)
    #expect(rig.playback.letsDecoderWait(at: rig.now))
    rig.send(.seek(to: .seconds(5)))
    #expect(!rig.playback.letsDecoderWait(at: rig.now))
    // One that comes seldom is not waited for.
    rig = Rig()
    rig.picture(0, 1_000, 2_000, 3_000)
    rig.tick()
    #expect(!rig.playback.letsDecoderWait(at: rig.now))
    #expect(rig.playback.letsDecoderWait(at: rig.now + .milliseconds(960)))
  }

  @Test func pause_beforeTheFirstPicture_showsIt_andStands() {
    var rig = Rig()
    rig.send(.pause)
    rig.picture(0, 40)
    #expect(rig.tick() == [.shown(0)])
    #expect(rig.playback.state == .paused)
    #expect(rig.tick(after: 1000) == [])
  }

  @Test func latePictures_areDropped_andTheDecoderMaySendOthers() {
    var rig = Rig()
    rig.picture(0, 40, 80, 120)
    rig.tick()
    let output = { (rig: inout Rig) in
      rig.now = rig.now + .milliseconds(100)
      return rig.playback.handle(.tick(lead: .zero), at: rig.now).effects
    }
    #expect(output(&rig) == [.allowPictures(1), .allowPictures(1), .shown(80)])
    #expect(rig.playback.framesDropped == 1 && rig.playback.framesDecoded == 4)
  }

  @Test func picturesThatTheDecoderSkipped_countAsDropped() {
    var rig = Rig()
    rig.picture(0)
    rig.tick()
    var picture = DecodedPicture.at(160)
    picture.skipped = 3
    _ = rig.playback.handle(.decoder(.picture(picture)), at: rig.now)
    #expect(rig.playback.framesDropped == 3 && rig.playback.framesDecoded == 2)
  }

  @Test func decoderThatFallsFarBehind_holdsUpTheClock() {
    var rig = Rig()
    rig.picture(0)
    rig.tick()
    rig.now = rig.now + .seconds(3)
    rig.picture(40)
    #expect(rig.tick() == [.shown(40)])
    #expect(rig.position == 40)
    rig.picture(80)
    #expect(rig.wait == 40)
  }

  // MARK: - Buffering

  private func stalled(fetched: BufferReport.Fetched?) -> Rig {
    var rig = Rig()
    rig.picture(0)
    rig.tick()
    rig.send(.buffer(BufferReport(isWaiting: true, fetched: fetched)))
    rig.tick(after: 30)
    #expect(rig.playback.state == .playing)
    rig.tick(after: 11)
    return rig
  }

  private let little = BufferReport.Fetched(isWhole: false, availableUntil: .milliseconds(300))

  @Test func missingBytes_stopTheClock_atTheEndOfWhatWasShown() {
    var rig = stalled(fetched: little)
    #expect(rig.playback.state == .stalled(since: rig.now))
    #expect(rig.playback.standsSince == rig.now && rig.deadline == nil)
    rig.tick(after: 4000)
    #expect(rig.position == 40)
    #expect(rig.playback.stalls(at: rig.now).count == 1)
    #expect(rig.playback.stalls(at: rig.now).length(at: rig.now) == .seconds(4))
  }

  @Test func stall_endsWithEnoughForASecond_orAfterOne() {
    var rig = stalled(fetched: little)
    rig.picture(40, 80)
    rig.send(.buffer(BufferReport(fetched: little)))
    // The clock stands where this one begins.
    #expect(rig.wait == 0 && rig.tick() == [.shown(40)])
    #expect(rig.wait == 1000)
    #expect(rig.tick(after: 999) == [])
    #expect(rig.tick(after: 1) == [] && rig.playback.state == .playing)
    #expect(rig.tick(after: 40) == [.shown(80)])

    rig = stalled(fetched: little)
    rig.picture(40)
    rig.send(.buffer(BufferReport(fetched: .init(isWhole: false, availableUntil: .seconds(2)))))
    #expect(rig.wait == 0)
    #expect(rig.tick() == [.shown(40)])
  }

  /// A decoder may read on behind the only picture that is shown: nobody waits for that.
  @Test(arguments: [(MediaInfo.video, true), (.still, false)])
  func missingBytes_stopNothing_whereTheEndIsKnown(info: MediaInfo, showsOnlyFirst: Bool) {
    var rig = Rig(info, showsOnlyFirst: showsOnlyFirst)
    rig.picture(0)
    rig.tick()
    rig.send(.buffer(BufferReport(isWaiting: true, fetched: little)))
    rig.tick(after: 500)
    #expect(rig.playback.state == .playing && rig.position == 500)
  }

  /// Paused time is not a stall.
  @Test func pause_endsAStall() {
    var rig = stalled(fetched: little)
    rig.now = rig.now + .seconds(1)
    rig.send(.pause)
    rig.now = rig.now + .seconds(5)
    #expect(rig.playback.state == .paused)
    #expect(rig.playback.stalls(at: rig.now).length(at: rig.now) == .seconds(1))
  }

  // MARK: - Seeking

  @Test func seek_awaitsThePictureThere_whileTheClockStands() {
    var rig = Rig()
    rig.picture(0, 40)
    rig.tick()
    #expect(rig.send(.seek(to: .seconds(5))) == [.seekDecoder(to: .seconds(5))])
    #expect(rig.playback.state == .seeking(since: rig.now, isPaused: false))
    #expect(rig.tick(after: 800) == [] && rig.position == 5000)
    rig.picture(4980, 5020)
    #expect(rig.wait == 0)
    #expect(rig.tick() == [.shown(4980)])
    #expect(rig.position == 5000 && rig.wait == 20)
  }

  @Test(
    arguments: [(-5, 0), (4, 4), (60, 10)] as [(Int, Int)])
  func seek_staysWithinTheStory(wanted: Int, target: Int) {
    var rig = Rig()
    rig.picture(0)
    rig.tick()
    #expect(rig.send(.seek(to: .seconds(wanted))) == [.seekDecoder(to: .seconds(target))])
  }

  @Test func seek_whilePaused_showsThePicture_andStands() {
    var rig = Rig()
    rig.picture(0)
    rig.tick()
    rig.send(.pause)
    rig.send(.seek(to: .seconds(2)))
    rig.picture(2000, 2040)
    #expect(rig.tick() == [.shown(2000)])
    #expect(rig.playback.state == .paused && rig.deadline == nil)
  }

  @Test func seek_behindTheLastPicture_finishes_orStandsWherePaused() {
    var rig = Rig()
    rig.picture(0)
    rig.tick()
    rig.send(.seek(to: .seconds(10)))
    rig.ended(pictures: 9_960)
    #expect(rig.wait == 0)
    #expect(rig.tick() == [.finished])

    rig = Rig()
    rig.picture(0)
    rig.tick()
    rig.send(.pause)
    rig.send(.seek(to: .seconds(10)))
    rig.ended(pictures: 9_960)
    #expect(rig.tick() == [] && rig.playback.state == .paused)
    rig.send(.play)
    #expect(rig.tick() == [.finished])
  }

  @Test func still_cannotBeSought() {
    var rig = Rig(.still)
    rig.picture(0)
    rig.tick()
    #expect(rig.send(.seek(to: .seconds(2))) == [])
    #expect(rig.playback.state == .playing)
  }

  // MARK: - Another size

  @Test func reshape_keepsThePosition_andAwaitsThePicture() {
    var rig = Rig()
    rig.picture(0, 40, 80)
    rig.tick()
    rig.tick(after: 50)
    #expect(
      rig.send(.reshape(.other)) == [.reshapeDecoder(.other), .seekDecoder(to: .milliseconds(50))])
    #expect(rig.tick(after: 300) == [] && rig.position == 50)
    rig.picture(40)
    #expect(rig.tick() == [.shown(40)] && rig.position == 50)
    #expect(rig.playback.state == .playing)
  }

  @Test func reshape_beforeItIsOpen_onlyChangesTheSize() {
    var rig = Rig()
    rig.playback = Playback(rig.playback.options)
    #expect(rig.send(.reshape(.other)) == [.reshapeDecoder(.other)])
  }

  /// With --manual the last picture stays, and follows the size of the terminal.
  @Test func reshape_afterTheEnd_showsTheLastPictureAgain_andNothingElse() {
    var rig = Rig()
    rig.picture(0)
    rig.ended(pictures: 40)
    rig.tick()
    #expect(rig.tick(after: 40) == [.finished])
    #expect(rig.playback.state == .resting(reshapedAt: nil) && rig.deadline == nil)
    rig.send(.reshape(.other))
    rig.picture(0, 40)
    #expect(rig.wait == 0)
    #expect(rig.tick() == [.shown(0)])
    #expect(rig.deadline == nil && rig.tick(after: 1000) == [])
    // Neither the viewer nor the decoder brings it back.
    #expect(rig.send(.play) == [] && rig.send(.seek(to: .zero)) == [])
    rig.send(.decoder(.failed(reason: "r")))
    #expect(rig.tick() == [] && rig.playback.state == .resting(reshapedAt: nil))
  }

  /// A decoder that fails on another size leaves the story as it is: nothing is waited for.
  @Test func reshape_afterTheEnd_withoutADecoder_waitsForNothing() {
    var rig = Rig()
    rig.picture(0)
    rig.ended(pictures: 40)
    rig.tick()
    #expect(rig.tick(after: 40) == [.finished])
    rig.send(.reshape(.other))
    #expect(rig.playback.standsSince != nil)
    rig.send(.decoder(.failed(reason: "r")))
    #expect(rig.playback.standsSince == nil && rig.tick() == [] && rig.deadline == nil)
  }

  // MARK: - The end

  struct Ending: CustomTestStringConvertible {
    var name: String
    var info: MediaInfo
    var own: Int?
    var pictures: Int?
    var sound: Int?
    var end: Int
    var testDescription: String { name }
  }

  @Test(arguments: [
    Ending(name: "a video ends with its pictures", info: .video, pictures: 9_900, end: 9_900),
    Ending(
      name: "sound that is little longer does not count", info: .video, pictures: 9_900,
      sound: 10_149, end: 9_900),
    Ending(
      name: "sound that is longer counts", info: .video, pictures: 9_900, sound: 10_150,
      end: 10_150),
    Ending(name: "a picture stays for image-time", info: .still, pictures: 40, end: 5_000),
    Ending(name: "or as its feed says", info: .still, own: 8, pictures: 40, end: 8_000),
    Ending(name: "a sound lasts its length", info: .song, pictures: 0, sound: 9_000, end: 9_000),
  ])
  func finished_comesAtTheEnd_once(ending: Ending) {
    var rig = Rig(ending.info, own: ending.own.map { .seconds($0) })
    rig.picture(0)
    rig.tick()
    rig.ended(pictures: ending.pictures, sound: ending.sound)
    #expect(rig.playback.end == .milliseconds(ending.end))
    rig.tick(after: 1)
    #expect(rig.tick(after: ending.end - 2) == [])
    #expect(rig.wait == 1)
    #expect(rig.tick(after: 1) == [.finished])
    #expect(rig.tick(after: 1000) == [] && rig.deadline == nil)
    #expect(rig.position == ending.end)
  }

  @Test func lead_letsItFinishEarlier() {
    var rig = Rig()
    rig.picture(0)
    rig.tick()
    rig.ended(pictures: 2000)
    #expect(rig.tick(after: 1989, lead: 10) == [] && rig.wait == 1)
    #expect(rig.tick(after: 1, lead: 10) == [.finished])
  }

  @Test func isEnding_saysSo_andIsADeadline_150MillisecondsBefore() {
    var rig = Rig()
    rig.picture(0)
    rig.tick()
    rig.ended(pictures: 2000)
    #expect(rig.wait == 1850)
    rig.tick(after: 1849)
    #expect(!rig.playback.isEnding(at: rig.now))
    rig.tick(after: 1)
    #expect(rig.playback.isEnding(at: rig.now) && rig.wait == 150)
  }

  /// Whoever has paused at the end goes on from there at will.
  @Test func pausedAtTheEnd_staysThere() {
    var rig = Rig()
    rig.picture(0)
    rig.tick()
    rig.ended(pictures: 40)
    rig.now = rig.now + .milliseconds(40)
    rig.send(.pause)
    #expect(rig.tick(after: 1000) == [] && rig.deadline == nil)
    rig.send(.play)
    #expect(rig.tick() == [.finished])
  }

  @Test func animation_loopsUntilItStayedThreeSeconds() {
    var rig = Rig(.animation)
    rig.picture(0, 1000)
    rig.tick()
    rig.tick(after: 1000)
    let ended = Playback.DecoderEvent.ended(pictures: .seconds(2), sound: nil)
    #expect(rig.send(.decoder(ended)) == [.seekDecoder(to: .zero)])
    rig.picture(0, 1000)
    #expect(rig.tick(after: 1000) == [.shown(2000)])
    #expect(rig.playback.sourceTime(of: .at(2000)) == .zero)
    rig.ended(pictures: 2000)
    #expect(rig.playback.end == .seconds(3))
    #expect(rig.tick(after: 1000) == [.shown(3000)])
    #expect(rig.tick() == [.finished])
  }

  @Test func onlyFirst_staysForTheLengthOfTheStory() {
    var rig = Rig(showsOnlyFirst: true)
    rig.picture(0)
    #expect(rig.tick() == [.shown(0)])
    #expect(rig.tick(after: 9_999) == [])
    #expect(rig.tick(after: 1) == [.finished])
  }

  @Test func untimed_showsEachPictureAsItComes() {
    var rig = Rig(isUntimed: true)
    rig.picture(0, 40, 5000)
    #expect(rig.tick() == [.shown(0)] && rig.wait == 0)
    #expect(rig.tick() == [.shown(40)] && rig.tick() == [.shown(5000)])
    #expect(rig.deadline == nil)
    rig.ended(pictures: 5040)
    #expect(rig.tick() == [.finished])
  }

  // MARK: - Failures

  @Test func failure_comesAfterWhatWasDecoded() {
    var rig = Rig()
    rig.picture(0, 40)
    rig.tick()
    rig.send(.decoder(.failed(reason: "broken")))
    #expect(rig.playback.isLost && rig.tick() == [])
    #expect(rig.tick(after: 40) == [.shown(40)])
    #expect(rig.wait == 0)
    #expect(rig.tick() == [.failed(reason: "broken")])
    #expect(rig.playback.state == .failed(reason: "broken"))
    #expect(rig.tick(after: 1000) == [] && rig.deadline == nil)
  }

  @Test func failure_afterAllHasCome_costsNothing() {
    var rig = Rig()
    rig.picture(0)
    rig.tick()
    rig.ended(pictures: 1000)
    rig.send(.decoder(.failed(reason: "broken")))
    #expect(rig.tick(after: 999) == [])
    #expect(rig.tick(after: 1) == [.finished])
  }

  @Test func endWithoutAnyPicture_isAFailure() {
    var rig = Rig()
    rig.ended(pictures: nil)
    #expect(rig.wait == 0)
    #expect(rig.tick() == [.failed(reason: "nothing in it can be shown")])
  }
}
