import Playback
import Stories
import System

// Views that are used up, and the place that a run leaves.
extension Player {
  func takeAnswers(now: Instant) {
    for story in history.take() {
      let isForbidden = history.forbids(story, now: WallClock.seconds)
      direct(.viewsChecked(story: story, isForbidden: isForbidden), now: now)
    }
  }

  /// The viewer or a signal ends the program inside a story, or behind all.
  func stop(now: Instant) {
    if !stage.isAtEndCard && stage.storyCount > 0 {
      if stage.isWaiting {
        // It has played to its end: the next one's turn would come, if there were one.
        if let next = stage.playable(from: stage.current.story + 1) {
          history.setPlace(next, .zero)
        } else {
          history.clearPlace()
        }
      } else {
        let keepsPosition =
          switch ending {
          case .quit(let remembersPlace): remembersPlace
          case .signal: true
          case .finished, nil: false
          }
        let position = keepsPosition ? pool.current?.playback.resumePosition(at: now) : nil
        history.setPlace(stage.current.story, position ?? .zero)
      }
    }
    log.close(.stopped, pool.current, now: now)
    history.end(.stopped, pool.current)
  }
}
