import DecoderLink
import Playback
import System
import Testing

@Suite struct DecodingPaceTests {
  @Test func effort_changesOnlyAfterStayingLateOrOnTime() {
    let start = Instant.now
    var pace = DecodingPace()
    func effort(_ lateness: Int, at milliseconds: Int) -> Effort? {
      pace.effort(
        lateness: .milliseconds(lateness), now: start + .milliseconds(milliseconds))
    }
    #expect(effort(90, at: 0) == nil)
    #expect(effort(20, at: 300) == nil)
    #expect(effort(90, at: 400) == nil)
    #expect(effort(90, at: 901) == .parallel)
    #expect(effort(90, at: 2901) == nil)
    #expect(effort(90, at: 2902) == .hurried)
    #expect(effort(90, at: 9000) == nil)
    #expect(effort(0, at: 10_000) == nil)
    #expect(effort(0, at: 15_001) == .parallel)
    #expect(effort(90, at: 15_100) == nil)
    #expect(effort(0, at: 15_200) == nil)
    #expect(effort(0, at: 20_201) == .full)
    #expect(effort(0, at: 30_000) == nil)
  }
}
