import Playback
import System
import Testing

@Suite struct MediaClockTests {
  private let start = Instant.now

  @Test func time_runsOnlyWhileAllowed() {
    var clock = MediaClock()
    #expect(clock.time(at: start + .seconds(9)) == .zero)
    clock.run(at: start)
    #expect(clock.time(at: start + .seconds(2)) == .seconds(2))
    clock.stop(at: start + .seconds(3))
    #expect(clock.time(at: start + .seconds(9)) == .seconds(3))
    clock.run(at: start + .seconds(10))
    #expect(clock.time(at: start + .seconds(11)) == .seconds(4))
  }

  @Test func set_keepsRunningOrStanding() {
    var clock = MediaClock()
    clock.set(to: .seconds(5), at: start)
    #expect(!clock.isRunning)
    #expect(clock.time(at: start + .seconds(1)) == .seconds(5))
    clock.run(at: start)
    clock.set(to: .seconds(1), at: start + .seconds(4))
    #expect(clock.time(at: start + .seconds(6)) == .seconds(3))
  }

  @Test func moment_isWhenTheTimeComes() {
    var clock = MediaClock()
    #expect(clock.moment(of: .seconds(1)) == nil)
    clock.set(to: .seconds(2), at: start)
    clock.run(at: start)
    #expect(clock.moment(of: .seconds(5)) == start + .seconds(3))
  }

  @Test(arguments: [(1_040, 1_005), (960, 995), (1_061, 1_061), (900, 900), (1_000, 1_000)])
  func follow_aSmallDifference_isMadeUpBitByBit(heard: Int, shown: Int) {
    var clock = MediaClock()
    clock.run(at: start)
    clock.follow(.milliseconds(heard), at: start + .seconds(1))
    #expect(clock.time(at: start + .seconds(1)) == .milliseconds(shown))
    #expect(clock.time(at: start + .seconds(2)) == .milliseconds(shown + 1000))
  }

  @Test func time_beforeItsStart_doesNotGoBack() {
    var clock = MediaClock()
    clock.run(at: start)
    #expect(clock.time(at: start + .seconds(-3)) == .zero)
  }
}
