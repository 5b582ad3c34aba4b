import System
import Testing

import Playback

@Suite struct TransitionLatencyTests {
  private let start = Instant.now
  private func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

  @Test func expected_isNothing_beforeAnythingWasSeen() {
    #expect(TransitionLatency().expected == .zero)
  }

  @Test func firstPicture_isTheGuess_untilAStoryHasEnded() {
    var time = TransitionLatency()
    time.pictureBegins(at: at(0))
    time.pictureIsShown(at: at(4))
    #expect(time.expected == .milliseconds(4))
    time.storyFinished(at: at(100))
    // Part of the change that began with the end.
    time.pictureBegins(at: at(103))
    time.pictureIsShown(at: at(108))
    #expect(time.expected == .milliseconds(8))
    // What a key brings is no change of this kind.
    time.pictureBegins(at: at(200))
    time.pictureIsShown(at: at(201))
    #expect(time.expected == .milliseconds(8))
  }

  @Test func changes_moveItByAQuarter_andOneThatWasHeldUpByLittle() {
    var time = TransitionLatency()
    for (took, expected) in [(8, 8), (16, 10), (10, 10), (2, 8)] {
      time.storyFinished(at: at(0))
      time.pictureIsShown(at: at(took))
      #expect(time.expected == .milliseconds(expected))
    }
    time.storyFinished(at: at(0))
    time.pictureIsShown(at: at(4_000))
    #expect(time.expected == .microseconds(12_250))
  }

  @Test func changeThatTheViewerLeft_isForgotten() {
    var time = TransitionLatency()
    time.storyFinished(at: at(0))
    time.abandon()
    time.pictureIsShown(at: at(20))
    #expect(time.expected == .zero)
  }
}
