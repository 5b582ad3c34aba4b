import System
import Testing

@testable import Decoders

/// How long a decoder may take, with simulated times.
@Suite struct PatienceTests {
  private let start = Instant.now + .seconds(3_600)
  private func at(_ seconds: Double) -> Instant { start + .seconds(seconds) }

  private func atWork() -> Patience {
    var patience = Patience()
    patience.watch(true, at: at(0))
    return patience
  }

  @Test func silence_isBornForTenSeconds() {
    let patience = atWork()
    #expect(patience.deadline == at(10))
    #expect(patience.verdict(at: at(9.9)) == nil)
    #expect(patience.verdict(at: at(10)) == "the decoder hangs")
  }

  /// Ten bytes every 0.2 s, always available.
  @Test func reading_withoutProgress_isBornForThirtySeconds() {
    var patience = atWork()
    var now = 0.0
    while patience.verdict(at: at(now)) == nil, now < 100 {
      now += 0.2
      patience.noteRead(of: 0, to: 4_096, 10, at: at(now))
    }
    #expect(patience.verdict(at: at(now)) == "decoding does not end")
    #expect((29.9...30.3).contains(now))
  }

  /// Waiting for a network does not count, nor does time in which nothing is expected.
  @Test func time_inWhichItWaits_doesNotCount() {
    var patience = atWork()
    for round in 0..<100 {
      let begin = Double(round) * 1_000
      patience.noteRead(of: 0, to: 0, 10, at: at(begin + 0.2))
      patience.watch(false, at: at(begin + 0.2))
      #expect(patience.deadline == nil)
      patience.watch(true, at: at(begin + 1_000))
      patience.noteSign(at: at(begin + 1_000))
    }
    #expect(patience.verdict(at: at(100_000)) == nil)
    // 20 of the 30 seconds are used up.
    patience.noteSign(at: at(100_009))
    #expect(patience.verdict(at: at(100_009.9)) == nil)
    #expect(patience.verdict(at: at(100_010.1)) == "decoding does not end")
  }

  @Test func progress_beginsAnew() {
    var patience = atWork()
    for second in stride(from: 5.0, to: 1_000, by: 5) {
      patience.noteSign(at: at(second))
      if second.truncatingRemainder(dividingBy: 25) == 0 { patience.noteProgress(at: at(second)) }
      #expect(patience.verdict(at: at(second + 1)) == nil)
    }
  }

  /// A waveform needs the whole sound: new bytes extend the time, the same bytes again do not, and not
  /// beyond five minutes.
  @Test(arguments: [(1, false, 40.0), (1, true, 40.0), (2, false, 50.0), (100_000, false, 300.0)])
  func readingOn_buysTime(mebibytes: Int, again: Bool, seconds: Double) {
    var patience = atWork()
    for part in 0..<mebibytes {
      for _ in 0..<(again ? 9 : 1) {
        patience.noteRead(of: 0, to: UInt64(part) << 20, 1 << 20, at: at(0))
      }
    }
    patience.noteSign(at: at(seconds - 1))
    #expect(patience.verdict(at: at(seconds - 0.1)) == nil)
    #expect(patience.verdict(at: at(seconds)) == "decoding does not end")
  }

  @Test func hostileOffsets_doNotTrap() {
    var patience = atWork()
    for offset in [0, .max, .max - 1, 1 << 63] as [UInt64] {
      for number in 0..<3 as Range<UInt32> {
        patience.noteRead(of: number, to: offset, .max, at: at(1))
        patience.noteRead(of: number, to: 0, .max, at: at(1))
      }
    }
    #expect(patience.deadline == at(11))
  }

  @Test func forgiven_startsAgain() {
    var patience = atWork()
    patience.forgive(at: at(500))
    #expect(patience.deadline == at(510))
  }
}
