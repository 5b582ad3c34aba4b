import Playback
import Stories
import System

// Views that are used up, and where a run stops.
extension Player {
  func takeAnswers(now: Instant) {
    for story in history.takeAnswers() {
      let isForbidden = history.forbids(story, now: WallClock.seconds)
      direct(.viewsChecked(story: story, isForbidden: isForbidden), now: now)
    }
  }

  /// The viewer or a signal ends the program inside a story, or behind all.
  func stop(now: Instant) {
    if !stage.isAtEndCard, stage.storyCount > 0 { journal.note(stopEvent(at: now), at: now) }
    endPlay(.stopped, now: now)
  }

  /// Where a later run goes on.
  private func stopEvent(at now: Instant) -> Journal.Event {
    if stage.isWaiting {
      // It has played to its end: the next one's turn would come, if there were one.
      let next = stage.playable(from: stage.current.story + 1)
      return next.map { .stopped(story: $0, position: .zero) } ?? .allPlayed
    }
    let keepsPosition =
      switch ending {
      case .quit(let remembersPlace): remembersPlace
      case .signal: true
      case .finished, nil: false
      }
    let position = keepsPosition ? pool.current?.playback.resumePosition(at: now) : nil
    return .stopped(story: stage.current.story, position: position ?? .zero)
  }
}
