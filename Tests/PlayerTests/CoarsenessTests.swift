import System
import Testing

@testable import Player

@Suite struct CoarsenessTests {
  private func coarseness(at tolerance: Int, interval: Duration = .milliseconds(40)) -> Coarseness {
    var coarseness = Coarseness()
    coarseness.setInterval(interval)
    while coarseness.tolerance < tolerance { coarseness.frameTakes(.seconds(1)) }
    return coarseness
  }

  @Test(arguments: [
    (2, 40, 30.0), (24, 40, 80), (13, 40, 55), (2, 20, 15), (2, 1, 6), (2, 5_000, 45),
  ])
  func pictures_mayTakeLonger_theCoarserTheyAre(tolerance: Int, interval: Int, allowed: Double) {
    let coarseness = coarseness(at: tolerance, interval: .milliseconds(interval))
    #expect(coarseness.allowed == .microseconds(Int(allowed * 1_000)))
  }

  /// What a frame took, of what it may take, and what becomes of a tolerance of 12.
  @Test(arguments: [
    (0.1, 11), (0.59, 11), (0.6, 12), (1.0, 12), (1.01, 13), (1.3, 14), (1.5, 15), (9.0, 15),
  ])
  func tolerance_followsTheLine(share: Double, tolerance: Int) {
    var coarseness = coarseness(at: 12)
    // The mean of several counts.
    coarseness.frameTook(coarseness.allowed * share * 4)
    #expect(coarseness.tolerance == tolerance)
  }

  /// A line with a large buffer takes several frames at once and then none for long.
  @Test func line_thatTakesFramesInLumps_isASlowLine() {
    var coarseness = Coarseness()
    var sum = 0
    for frame in 0..<400 {
      coarseness.frameTook(frame % 5 == 4 ? .milliseconds(400) : .zero)
      if frame >= 200 { sum += coarseness.tolerance }
    }
    // 80 ms each.
    #expect(sum / 200 >= 18)
  }

  @Test func tolerance_hasLimits() {
    var coarseness = coarseness(at: 24)
    coarseness.frameTook(.seconds(10))
    coarseness.frameTakes(.seconds(10))
    #expect(coarseness.tolerance == 24)
    for _ in 0..<40 { coarseness.frameTook(.zero) }
    #expect(coarseness.tolerance == 2)
  }

  /// Lines of constant rates, and pictures whose size falls with the tolerance: each stays near
  /// where it is just fast enough.
  @Test(arguments: [(2_000_000.0, 2...2), (400_000, 4...8), (100_000, 10...20), (10_000, 24...24)])
  func line_ofOneRate_settles(rate: Double, range: ClosedRange<Int>) {
    var coarseness = Coarseness()
    coarseness.setInterval(.milliseconds(33))
    for frame in 0..<200 {
      let bytes = 80_000 / Double(coarseness.tolerance)
      coarseness.frameTook(.seconds(bytes / rate))
      if frame >= 100 { #expect(range.contains(coarseness.tolerance)) }
    }
  }
}
