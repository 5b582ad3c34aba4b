import Decoding
import Testing

@Suite struct PictureClockTests {
  private let zero = Duration.seconds(100)

  private func times(_ stamps: [Int?], duration: Duration? = nil) -> [Duration] {
    var clock = PictureClock(zero: zero, step: .milliseconds(40))
    return stamps.map {
      clock.next(timestamp: $0.map { .milliseconds($0) }, duration: duration).time
    }
  }

  @Test func next_withTimestamps_countsFromTheStart() {
    #expect(times([100_000, 100_100, 100_500]) == [.zero, .milliseconds(100), .milliseconds(500)])
  }

  @Test func next_withADelayedFirstPicture_keepsTheDelay() {
    #expect(times([101_000]) == [.seconds(1)])
  }

  @Test func next_withoutTimestamps_followsTheUsualStep() {
    #expect(times([nil, nil, nil]) == [.zero, .milliseconds(40), .milliseconds(80)])
    #expect(
      times([100_000, 100_100, nil, nil])
        == [.zero, .milliseconds(100), .milliseconds(200), .milliseconds(300)])
  }

  @Test func next_withSmallDisorder_neverRunsBackwards() {
    #expect(
      times([100_200, 100_100, 100_300]) == [
        .milliseconds(200), .milliseconds(200), .milliseconds(300),
      ])
  }

  @Test func next_whenTheClockBeginsAnew_goesOn() {
    #expect(
      times([105_000, 105_040, 100_000, 100_040], duration: .milliseconds(40))
        == [.seconds(5), .milliseconds(5_040), .milliseconds(5_080), .milliseconds(5_120)])
  }

  @Test func next_beforeTheStart_isAtTheStart() {
    #expect(times([99_900]) == [.zero])
  }

  @Test func end_isTheLastPicturesTimeAndLength() {
    var clock = PictureClock(zero: .zero, step: nil)
    #expect(clock.end == nil)
    _ = clock.next(timestamp: .seconds(2), duration: .seconds(3))
    #expect(clock.end == .seconds(5))
  }
}
