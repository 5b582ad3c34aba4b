import Playback
import Reactions
import Resources
import Sound
import Stories
import System

// What the director wants: which story plays, which is left, and what becomes of them.
extension Player {
  var stage: Stage { director.stage }

  /// Gives the director an input, and does what it wants, and what it wants for the answers.
  func direct(_ input: Director.Input, now: Instant) {
    var next: Director.Input? = input
    var answers: [Director.Input] = []
    while let input = next {
      let output = director.handle(input, at: now)
      directorDeadline = output.deadline
      for effect in output.effects {
        if let answer = execute(effect, now: now) { answers.append(answer) }
      }
      next = answers.isEmpty ? nil : answers.removeFirst()
    }
  }

  /// Does one thing; returns the answer where one is waited for and known.
  private func execute(_ effect: Director.Effect, now: Instant) -> Director.Input? {
    switch effect {
    case .leave(let keepsSound): leaveStory(keepsSound: keepsSound, now: now)
    case .judge(let play): return judge(play)
    case .enter(let story, let slide): enter(story, slide, now: now)
    case .showPoster(let story):
      guard renderer.showPoster(of: story, now: now) else { return nil }
      log.pictureShown(now: now)
      return .posterShown
    case .checkViews(let story):
      return history.asks(about: story) ? nil : .viewsChecked(story: story, isForbidden: false)
    case .withdraw: log.withdraw()
    case .play(let next): return play(next, now: now)
    case .setPaused(let paused):
      options.log.note(.playback, paused ? "paused" : "no longer paused")
      pool.current?.setPaused(paused, at: now)
    case .showError(let story, let reason):
      renderer.view.error = "cannot play \(stories[story].shortName): \(reason)"
    case .showEndCard:
      options.log.note(.playback, "end card")
      reactions.storyBegan(nil, at: now)
      history.clearPlace()
      renderer.coverChanged()
    case .quit:
      history.clearPlace()
      end(.finished)
    case .keepReady(let wanted):
      pool.keepReady(wanted, now: now)
      preloader.want(options.looksAhead ? stage.upcoming : [])
    case .countKey: log.keyPressed(at: now)
    case .countPicture: log.pictureShown(now: now)
    }
    return nil
  }

  private func leaveStory(keepsSound: Bool, now: Instant) {
    log.close(.skipped, pool.current, now: now)
    history.end(.skipped, pool.current)
    if !keepsSound { loudness.speaker?.cut() }
    pool.leaveCurrent()
    renderer.view.error = nil
  }

  /// Whether the rules forbid a story; only then it matters which others they forbid.
  private func judge(_ play: Stage.Play) -> Director.Input {
    let time = WallClock.seconds
    let isForbidden = history.forbids(play.story, now: time)
    return .judged(
      play,
      forbidden: isForbidden ? stories.indices.filter { history.forbids($0, now: time) } : [],
      opensAtOnce: pool.canPlayAtOnce(play.story))
  }

  private func enter(_ story: Int, _ slide: Director.Slide?, now: Instant) {
    log.begin(stories[story], now: now)
    history.begin(story)
    renderer.view.storyBegan(at: now)
    reactions.storyBegan(stories[story], at: now)
    renderer.screen.beginStory()
    if let slide { renderer.screen.slideNext(from: slide == .forward ? .right : .left) }
  }

  private func play(_ play: Stage.Play, now: Instant) -> Director.Input? {
    // A run that goes on where the last one stopped begins within a story.
    let position = play.generation == 1 ? history.start?.position : nil
    do {
      try pool.play(
        play.story, generation: play.generation, from: position ?? .zero, now: now)
      if stage.isPaused { pool.current?.setPaused(true, at: now) }
      return nil
    } catch {
      return fail(generation: play.generation, reason: error.reason, now: now)
    }
  }

  /// The story cannot be played (further): what is to be said to the director.
  func fail(generation: Int, reason: String, now: Instant) -> Director.Input {
    log.fail(stories[stage.current.story], reason: reason)
    log.close(.failed, pool.current, now: now)
    history.end(.failed, pool.current)
    loudness.speaker?.cut()
    pool.endCurrent()
    return .failed(generation: generation, reason: reason)
  }
}
