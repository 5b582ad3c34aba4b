import Decoding
import Testing

@Suite struct PictureClockTests {
  private let zero = Duration.seconds(100)

  private func times(_ stamps: [Double?], duration: Duration? = nil) -> [Duration] {
    var clock = PictureClock(zero: zero, step: .milliseconds(40))
    return stamps.map {
      clock.next(timestamp: $0.map { .seconds($0) }, duration: duration).time
    }
  }

  @Test func next_withTimestamps_countsFromTheStart() {
    #expect(times([100, 100.1, 100.5]) == [.zero, .milliseconds(100), .milliseconds(500)])
  }

  @Test func next_withADelayedFirstPicture_keepsTheDelay() {
    #expect(times([101]) == [.seconds(1)])
  }

  @Test func next_withoutTimestamps_followsTheUsualStep() {
    #expect(times([nil, nil, nil]) == [.zero, .milliseconds(40), .milliseconds(80)])
    #expect(
      times([100, 100.1, nil, nil])
        == [.zero, .milliseconds(100), .milliseconds(200), .milliseconds(300)])
  }

  @Test func next_withSmallDisorder_neverRunsBackwards() {
    #expect(
      times([100.2, 100.1, 100.3]) == [.milliseconds(200), .milliseconds(200), .milliseconds(300)])
  }

  @Test func next_whenTheClockBeginsAnew_goesOn() {
    #expect(
      times([105, 105.04, 100, 100.04], duration: .milliseconds(40))
        == [.seconds(5), .milliseconds(5_040), .milliseconds(5_080), .milliseconds(5_120)])
  }

  @Test func next_beforeTheStart_isAtTheStart() {
    #expect(times([99.9]) == [.zero])
  }

  @Test func end_isTheLastPicturesTimeAndLength() {
    var clock = PictureClock(zero: .zero, step: nil)
    #expect(clock.end == nil)
    _ = clock.next(timestamp: .seconds(2), duration: .seconds(3))
    #expect(clock.end == .seconds(5))
  }
}
