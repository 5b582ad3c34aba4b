import System
import Testing

import Playback

@Suite struct StallStatsTests {
  private let start = Instant.now
  private func at(_ seconds: Int) -> Instant { start + .seconds(seconds) }

  @Test func waits_areCountedOnce_andLastUntilTheyEnd() {
    var stats = StallStats()
    #expect(stats.count == 0 && stats.since == nil && stats.length(at: at(9)) == .zero)
    stats.begin(at: at(1))
    stats.begin(at: at(2))
    #expect(stats.count == 1 && stats.since == at(1))
    #expect(stats.length(at: at(4)) == .seconds(3))
    stats.end(at: at(5))
    stats.end(at: at(8))
    #expect(stats.since == nil && stats.length(at: at(9)) == .seconds(4))
    stats.begin(at: at(10))
    stats.end(at: at(11))
    #expect(stats.count == 2 && stats.length(at: at(20)) == .seconds(5))
  }

  @Test func resumeThreshold_growsWithEachStop_toFourSeconds() {
    var stats = StallStats()
    for (number, hand) in [1, 1, 2, 4, 4].enumerated() {
      #expect(stats.stops == number && stats.resumeThreshold == .seconds(hand))
      stats.begin(at: at(number))
      stats.end(at: at(number))
    }
  }

  /// What a seek waited for is no sign that a story stops by itself.
  @Test func seek_countsAsAWait_butNotAsAStop() {
    var stats = StallStats()
    stats.beginSeek(at: at(0))
    #expect(stats.soughtAt == at(0))
    stats.noteMissing()
    stats.endSeek(at: at(2))
    #expect(stats.soughtAt == nil)
    #expect(stats.count == 1 && stats.stops == 0 && stats.resumeThreshold == .seconds(1))
    stats.begin(at: at(3))
    stats.end(at: at(4))
    #expect(stats.count == 2 && stats.stops == 1 && stats.length(at: at(9)) == .seconds(3))
  }

  /// A seek costs time where all is here, too, and a short one is none to speak of.
  @Test func seek_isNoWait_whereNothingWasMissingOrItWasShort() {
    var stats = StallStats()
    stats.beginSeek(at: at(0))
    stats.endSeek(at: at(2))
    stats.beginSeek(at: at(3))
    stats.noteMissing()
    stats.endSeek(at: at(3) + .milliseconds(250))
    // Nor is a first picture that is waited for a seek.
    stats.noteMissing()
    stats.endSeek(at: at(9))
    #expect(stats.count == 0 && stats.length(at: at(9)) == .zero)
  }

  @Test func seek_beforeTheLastOneWasAnswered_countsBoth() {
    var stats = StallStats()
    stats.beginSeek(at: at(0))
    stats.noteMissing()
    stats.beginSeek(at: at(1))
    stats.noteMissing()
    stats.endSeek(at: at(3))
    #expect(stats.count == 2 && stats.length(at: at(3)) == .seconds(3))
  }
}
