import Playback
import Stories
import System

// Views that are used up, and the place that a run leaves.
extension Player {
  /// A story that the rules forbid gives way to another; so do all that they forbid by now.
  func exhaust(_ story: Int) -> [Stage.Effect] {
    let time = WallClock.seconds
    let others = stories.indices.filter { $0 != story && history.forbids($0, now: time) }
    return (others + [story]).flatMap { stage.handle(.exhausted(story: $0)) }
  }

  func takeAnswers(now: Instant) {
    history.keepPlace(now: now)
    for story in history.take() {
      guard let telling = asked, telling.story == story, telling == stage.current else { continue }
      asked = nil
      if history.forbids(story, now: WallClock.seconds) {
        log.withdraw()
        perform(stage.handle(.exhausted(story: story)), now: now)
      } else {
        begin(telling, now: now)
      }
    }
  }

  /// The viewer or a signal ends the program inside a story, or behind all.
  func stop(now: Instant) {
    if !stage.isAtEndCard && stage.storyCount > 0 {
      if stage.isWaiting {
        // It was told to its end: the next one's turn would come, if there were one.
        if let next = stage.told(from: stage.current.story + 1) {
          history.setPlace(next, .zero)
        } else {
          history.clearPlace()
        }
      } else {
        let keepsPosition = remembersPlace || endedBy != nil
        let position = keepsPosition ? pool.current?.playback.resumePosition(at: now) : nil
        history.setPlace(stage.current.story, position ?? .zero)
      }
    }
    log.close(.stopped, pool.current, now: now)
    history.end(.stopped, pool.current)
  }
}
