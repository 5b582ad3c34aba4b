import System
import Testing

@testable import Player

@Suite struct WaitsTests {
  private let start = Instant.now
  private func at(_ seconds: Int) -> Instant { start + .seconds(seconds) }

  @Test func waits_areCountedOnce_andLastUntilTheyEnd() {
    var waits = Waits()
    #expect(waits.count == 0 && waits.since == nil && waits.length(at: at(9)) == .zero)
    waits.begin(at: at(1))
    waits.begin(at: at(2))
    #expect(waits.count == 1 && waits.since == at(1))
    #expect(waits.length(at: at(4)) == .seconds(3))
    waits.end(at: at(5))
    waits.end(at: at(8))
    #expect(waits.since == nil && waits.length(at: at(9)) == .seconds(4))
    waits.begin(at: at(10))
    waits.end(at: at(11))
    #expect(waits.count == 2 && waits.length(at: at(20)) == .seconds(5))
  }

  @Test func hand_growsWithEachStop_toFourSeconds() {
    var waits = Waits()
    for (number, hand) in [1, 1, 2, 4, 4].enumerated() {
      #expect(waits.stops == number && waits.hand == .seconds(hand))
      waits.begin(at: at(number))
      waits.end(at: at(number))
    }
  }

  /// What a seek waited for is no sign that a story stops by itself.
  @Test func seek_countsAsAWait_butNotAsAStop() {
    var waits = Waits()
    waits.beginSeek(at: at(0))
    #expect(waits.soughtAt == at(0))
    waits.noteMissing()
    waits.endSeek(at: at(2))
    #expect(waits.soughtAt == nil)
    #expect(waits.count == 1 && waits.stops == 0 && waits.hand == .seconds(1))
    waits.begin(at: at(3))
    waits.end(at: at(4))
    #expect(waits.count == 2 && waits.stops == 1 && waits.length(at: at(9)) == .seconds(3))
  }

  /// A seek costs time where all is here, too, and a short one is none to speak of.
  @Test func seek_isNoWait_whereNothingWasMissingOrItWasShort() {
    var waits = Waits()
    waits.beginSeek(at: at(0))
    waits.endSeek(at: at(2))
    waits.beginSeek(at: at(3))
    waits.noteMissing()
    waits.endSeek(at: at(3) + .milliseconds(250))
    // Nor is a first picture that is waited for a seek.
    waits.noteMissing()
    waits.endSeek(at: at(9))
    #expect(waits.count == 0 && waits.length(at: at(9)) == .zero)
  }

  @Test func seek_beforeTheLastOneWasAnswered_countsBoth() {
    var waits = Waits()
    waits.beginSeek(at: at(0))
    waits.noteMissing()
    waits.beginSeek(at: at(1))
    waits.noteMissing()
    waits.endSeek(at: at(3))
    #expect(waits.count == 2 && waits.length(at: at(3)) == .seconds(3))
  }
}
