import System
import Testing

@testable import Resources

@Suite struct RateMeterTests {
  private let start = Instant.now

  /// A megabyte a second for a second, then a trickle.
  @Test func best_isWhatCameWhenMuchCame() {
    var meter = RateMeter()
    #expect(meter.best == nil)
    for tick in 0...10 {
      meter.note(total: UInt64(tick) * 100_000, at: start + .milliseconds(100 * tick))
    }
    #expect(meter.best == 1_000_000)
    for tick in 1...100 {
      meter.note(total: 1_000_000 + UInt64(tick) * 100, at: start + .seconds(10 + tick))
    }
    #expect(meter.best == 1_000_000)
    #expect(meter.rate(at: start + .seconds(110)) == 100)
  }

  /// Little says nothing of a line: what takes the time then is the way.
  @Test func best_ofLittle_isNotKnown() {
    var meter = RateMeter()
    for tick in 0...100 {
      meter.note(total: UInt64(tick) * 1_000, at: start + .milliseconds(100 * tick))
    }
    #expect(meter.best == nil)
  }
}
