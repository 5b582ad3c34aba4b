import Reactions
import Stories
import System
import Testing

/// When the reactions that a story has received are shown.
@Suite struct ReactionCuesTests {
  private func cues(_ times: Double...) -> ReactionCues {
    ReactionCues(times.map { ReceivedReaction(atS: $0, id: "\($0)") })
  }

  private let start = Instant.now

  /// Looks at a media time; `look` is the time of day, from which on the story may run.
  private func due(
    _ cues: inout ReactionCues, _ milliseconds: Int, look: Int = 0, runsOn: Bool = true
  ) -> [String] {
    cues.due(
      at: .milliseconds(milliseconds), look: start + .milliseconds(look), isRunning: runsOn
    ).map(\.id)
  }

  @Test func running_givesEachAtItsMoment_once() {
    var cues = cues(1.5, 0, 0.04)
    #expect(due(&cues, 0) == ["0.0"])
    #expect(due(&cues, 33) == [])
    #expect(cues.next(after: .milliseconds(33)) == .milliseconds(40))
    #expect(due(&cues, 66) == ["0.04"])
    #expect(due(&cues, 1_000) == [])
    #expect(due(&cues, 1_499) == [])
    #expect(due(&cues, 1_500) == ["1.5"])
    #expect(due(&cues, 1_501) == [])
    #expect(cues.next(after: .zero) == nil)
  }

  @Test func jumps_passOver_andComeBack() {
    var cues = cues(1, 5, 9)
    #expect(due(&cues, 500) == [])
    // Over 1 and 5.
    #expect(due(&cues, 8_500) == [])
    #expect(due(&cues, 9_000) == ["9.0"])
    // Back to before 5: it was not shown yet, 9 was.
    #expect(due(&cues, 4_500) == [])
    #expect(due(&cues, 5_000) == ["5.0"])
    #expect(due(&cues, 9_100) == [])
    #expect(due(&cues, 8_900) == [])
    #expect(due(&cues, 9_100) == [])
    #expect(due(&cues, 0) == [])
    #expect(due(&cues, 900) == [])
    #expect(due(&cues, 1_700) == ["1.0"])
  }

  @Test(arguments: [1_001, 1_500, 8_000, 600_000])
  func sleptLong_overAPictureThatStays_givesWhatCameMeanwhile(_ slept: Int) {
    let moment = Double(slept) / 1_000
    var cues = cues(moment, moment + 0.5)
    #expect(due(&cues, 0) == [])
    #expect(due(&cues, slept + 2, look: slept + 3) == ["\(moment)"])
    #expect(due(&cues, slept + 600, look: slept + 601) == ["\(moment + 0.5)"])
  }

  @Test func jumps_afterALongSleep_passOver() {
    var cues = cues(3, 12, 14)
    #expect(due(&cues, 0) == [])
    // It ran for 2 s, and then was sent 10 s on.
    #expect(due(&cues, 13_000, look: 2_000) == [])
    #expect(due(&cues, 14_000, look: 3_000, runsOn: false) == ["14.0"])
    // It stood still for a minute before it was sent back, and on.
    #expect(due(&cues, 1_000, look: 63_000, runsOn: false) == [])
    #expect(due(&cues, 6_000, look: 123_000) == [])
    #expect(due(&cues, 11_500, look: 128_500) == [])
    #expect(due(&cues, 12_000, look: 129_000) == ["12.0"])
  }

  @Test func resumed_laterOn_doesNotShowWhatWasBefore() {
    var cues = cues(0, 1, 12)
    #expect(due(&cues, 11_800) == [])
    #expect(due(&cues, 12_050) == ["12.0"])
  }

  @Test func standing_givesNothing() {
    var cues = cues(1)
    #expect(due(&cues, 900) == [])
    #expect(due(&cues, 900) == [])
    #expect(due(&cues, 1_100) == ["1.0"])
    #expect(due(&cues, 1_100) == [])
  }
}
