import Playback
import Testing

@Suite struct LoopTimelineTests {
  @Test func beginNext_goesOnUntilTheStoryStayedLongEnough() {
    var loop = LoopTimeline()
    #expect(loop.beginNext(after: .seconds(1), within: .seconds(3)) == true)
    #expect(loop.start == .seconds(1) && loop.length == .seconds(1))
    #expect(loop.beginNext(after: .seconds(1), within: .seconds(3)) == true)
    #expect(loop.beginNext(after: .seconds(1), within: .seconds(3)) == false)
    #expect(loop.start == .seconds(2))
  }

  @Test func beginNext_believesTheLengthMoreThanTheLastPicture() {
    var loop = LoopTimeline()
    loop.length = .seconds(2)
    #expect(loop.beginNext(after: .milliseconds(1_960), within: .seconds(5)) == true)
    #expect(loop.start == .seconds(2))
  }

  @Test func beginNext_afterAMoment_isOfNoUse() {
    var loop = LoopTimeline()
    #expect(loop.beginNext(after: .milliseconds(9), within: .seconds(5)) == false)
  }

  @Test(arguments: [(0, 0, 0), (1_500, 0, 1_500), (2_000, 2_000, 0), (5_500, 4_000, 1_500)])
  func seek_goesToTheLoopThatATimeLiesIn(time: Int, start: Int, within: Int) {
    var loop = LoopTimeline()
    loop.length = .seconds(2)
    #expect(loop.seek(to: .milliseconds(time)) == .milliseconds(within))
    #expect(loop.start == .milliseconds(start))
  }

  @Test func seek_beforeTheLengthIsKnown_staysInTheFirstLoop() {
    var loop = LoopTimeline()
    #expect(loop.seek(to: .seconds(7)) == .seconds(7))
    #expect(loop.start == .zero)
  }
}
