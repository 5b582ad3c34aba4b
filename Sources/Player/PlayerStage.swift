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
    case .leave(let keepsSound):
      endPlay(.skipped, now: now)
      if !keepsSound { soundControl.speaker?.cut() }
      pool.leaveCurrent()
    case .judge(let play): return judge(play)
    case .enter(let story, let slide):
      journal.note(.began(number: story, stories[story], slide: slide), at: now)
    case .showPoster(let story):
      if renderer.showPoster(of: story, now: now) { journal.note(.posterShown, at: now) }
    case .checkViews(let story):
      return history.asks(about: story) ? nil : .viewsChecked(story: story, isForbidden: false)
    case .withdraw: journal.note(.withdrawn, at: now)
    case .play(let next): return play(next, now: now)
    case .setPaused(let paused):
      options.log.note(.playback, paused ? "paused" : "no longer paused")
      pool.current?.setPaused(paused, at: now)
    case .showError(let story, let reason):
      renderer.view.error = "cannot play \(stories[story].shortName): \(reason)"
    case .showEndCard: journal.note(.endCard, at: now)
    case .quit:
      journal.note(.allPlayed, at: now)
      end(.finished)
    case .keepReady(let wanted, let later):
      pool.keepReady(wanted, later: later, now: now)
      preloader.want(options.looksAhead ? stage.upcoming : [])
    case .countKey: journal.note(.keyPressed, at: now)
    }
    return nil
  }

  /// The play of the current story is over, if there is one.
  func endPlay(_ how: Showing.End, now: Instant) {
    let playback = pool.current?.playback
    journal.end(how, playback.map { PlaybackSummary($0, how, at: now) }, at: now)
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
    journal.note(.failed(reason: reason), at: now)
    endPlay(.failed, now: now)
    soundControl.speaker?.cut()
    pool.endCurrent()
    return .failed(generation: generation, reason: reason)
  }
}
