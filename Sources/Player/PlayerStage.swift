import Playback
import Resources
import Sound
import Stories
import System

// What the stage wants: which story is told, which is left, and what becomes of them.
extension Player {
  /// Does what the stage wants.
  ///
  /// - Parameters:
  ///   - isHurried: the viewer passes stories by.
  ///   - keepsSound: the story that is left has come to its end by itself: what is left of its sound
  ///     is heard.
  func perform(
    _ effects: [Stage.Effect], isHurried: Bool = false, keepsSound: Bool = false, now: Instant
  ) {
    for effect in effects {
      switch effect {
      case .tell(let telling):
        leaveStory(keepsSound: keepsSound, now: now)
        enter(telling, isHurried: isHurried, keepsSound: keepsSound, now: now)
      case .showError(let telling, let reason): showError(telling, reason, now: now)
      case .pause(let paused):
        options.log.note(.playback, paused ? "paused" : "no longer paused")
        pool.current?.setPaused(paused, at: now)
      case .showEndCard:
        options.log.note(.playback, "end card")
        leaveStory(keepsSound: keepsSound, now: now)
        reactions.storyBegan(nil, at: now)
        history.clearPlace()
        neighboursDue = now
        mustPaint = true
      case .finish:
        leaveStory(keepsSound: keepsSound, now: now)
        history.clearPlace()
        isFinished = true
      }
    }
  }

  private func leaveStory(keepsSound: Bool, now: Instant) {
    log.close(.skipped, pool.current, now: now)
    history.end(.skipped, pool.current)
    asked = nil
    if !keepsSound { loudness.speaker?.cut() }
    pool.leaveCurrent()
    errorUntil = nil
    openDue = nil
    showsPoster = false
    latency.abandon()
    view.error = nil
  }

  private func enter(
    _ telling: Stage.Telling, isHurried: Bool, keepsSound: Bool, now: Instant
  ) {
    guard !history.forbids(telling.story, now: WallClock.seconds) else {
      let effects = exhaust(telling.story)
      return perform(effects, isHurried: isHurried, keepsSound: keepsSound, now: now)
    }
    log.begin(stories[telling.story], now: now)
    history.begin(telling.story)
    view.storyBegan(at: now)
    reactions.storyBegan(stories[telling.story], at: now)
    screen.beginStory()
    let reel = stage.reel(of: telling.story)
    if let shownReel, shownReel != reel {
      screen.slideNext(from: reel > shownReel ? .right : .left)
    }
    shownReel = reel
    // Rapid pressing passes stories by: what lies around them is opened only where one stays.
    neighboursDue = now + Player.calm
    guard isHurried, !pool.canPlayAtOnce(telling.story) else {
      return open(telling, now: now)
    }
    openDue = now + Player.calm
    if let poster = posters[telling.story] {
      screen.setPicture(poster, now: now)
      mustPaint = true
      log.pictureShown(now: now)
      showsPoster = true
    }
  }

  func open(_ telling: Stage.Telling, now: Instant) {
    openDue = nil
    if history.asks(about: telling.story) { asked = telling } else { begin(telling, now: now) }
  }

  func begin(_ telling: Stage.Telling, now: Instant) {
    // A run that goes on where the last one stopped begins within a story.
    let position = telling.generation == 1 ? history.start?.position : nil
    do {
      try pool.play(
        telling.story, generation: telling.generation, from: position ?? .zero, now: now)
      if stage.isPaused { pool.current?.setPaused(true, at: now) }
    } catch {
      fail(generation: telling.generation, reason: error.reason, now: now)
    }
  }

  func fail(generation: Int, reason: String, now: Instant) {
    log.fail("cannot play \(stories[stage.current.story].shortName): \(reason)")
    log.close(.failed, pool.current, now: now)
    history.end(.failed, pool.current)
    loudness.speaker?.cut()
    pool.endCurrent()
    perform(stage.handle(.failed(generation: generation, reason: reason)), now: now)
  }

  private func showError(_ telling: Stage.Telling, _ reason: String, now: Instant) {
    let line = "cannot play \(stories[telling.story].shortName): \(reason)"
    view.error = line
    errorUntil = now + .seconds(3)
  }
}
