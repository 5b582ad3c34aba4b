import DecoderLink
import Playback
import System
import Testing

/// Live stories, and playlists whose parts are counted.
@Suite struct LivePlaybackTests {
  private func live() -> MediaInfo {
    var info = MediaInfo.video
    info.duration = nil
    info.isLive = true
    return info
  }

  /// It has no positions: nothing is sought, and a later run does not go on in it.
  @Test func live_hasNoPositions() {
    var rig = Rig(live())
    rig.picture(0, 40, 80)
    rig.tick()
    rig.tick(after: 50)
    #expect(rig.position == 50)
    #expect(rig.send(.seek(to: .seconds(3))) == [])
    #expect(rig.playback.state == .playing)
    #expect(rig.playback.resumePosition(at: rig.now) == .zero)
    #expect(rig.playback.length == nil)
  }

  /// It is played to its end like any other, once that is known.
  @Test func live_thatEnds_isFinished() {
    var rig = Rig(live())
    rig.picture(0, 40)
    rig.tick()
    #expect(rig.tick(after: 40) == [.shown(40)])
    rig.ended(pictures: 80)
    #expect(rig.tick(after: 40) == [.finished])
  }

  /// Its size changes: what comes next is shown, since what was shown does not come again.
  @Test func live_inAnotherSize_goesOnWithItsNextPicture() {
    var rig = Rig(live())
    rig.picture(0, 40)
    rig.tick()
    #expect(
      rig.send(.reshape(.other)) == [.reshapeDecoder(.other), .seekDecoder(to: .zero)])
    rig.picture(120)
    #expect(rig.tick() == [.shown(120)])
  }

  /// How far the parts of a playlist reach, and whether that is enough to go on, or for neighbours.
  @Test(
    arguments: [
      (nil, nil, false, false), (5, nil, true, false), (14, nil, true, true),
      (4, nil, false, false),
      (nil, 60, false, false), (14, 60, true, true), (60, 60, true, true),
    ] as [(Int?, Int?, Bool, Bool)])
  func playlist_isCountedByItsParts(
    availableUntil: Int?, length: Int?, lastsASecond: Bool, isComfortable: Bool
  ) {
    let status = BufferStatus(
      isWhole: false, availableUntil: availableUntil.map { .seconds($0) }, calm: .zero,
      fetching: nil, position: .seconds(4), length: length.map { .seconds($0) }, isStalled: false)
    #expect(status.lasts(.seconds(1)) == lastsASecond)
    #expect(status.isComfortable == isComfortable)
  }

  /// Without parts that are known, only that the decoder has not waited lately.
  @Test func playlist_whosePartsAreUnknown_isCountedByItsCalm() {
    func status(calm seconds: Int) -> BufferStatus {
      BufferStatus(
        isWhole: false, availableUntil: nil, calm: .seconds(seconds), fetching: nil,
        position: .zero, length: nil, isStalled: false)
    }
    #expect(!status(calm: 1).isComfortable)
    #expect(status(calm: 2).isComfortable)
  }
}
