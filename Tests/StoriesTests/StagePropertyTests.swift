import Glibc
import Stories
import Testing

/// What holds for every stage, whatever happens to it in whatever order: a million events where
/// STORYTTY_LONG is set, else fewer; the same ones in every run.
@Suite struct StagePropertyTests {
  private static let count = getenv("STORYTTY_LONG") == nil ? 100_000 : 1_000_000
  private static let eventsPerStage = 250

  @Test func anyEvents_keepTheStageConsistent() {
    var random = Seeded(state: 7)
    for number in 0..<StagePropertyTests.count / StagePropertyTests.eventsPerStage {
      var watched = WatchedStage(using: &random)
      for _ in 0..<StagePropertyTests.eventsPerStage {
        let event = watched.randomEvent(using: &random)
        if let breach = watched.breach(handling: event) {
          Issue.record("stage \(number), \(event): \(breach)")
          return
        }
      }
    }
  }
}

/// A stage with all that its past says about what it may do.
private struct WatchedStage {
  private var stage: Stage
  private let reelSizes: [Int]
  private var exhausted: Set<Int> = []
  private var failures: [Int: Int] = [:]
  private var isPaused = false
  private var hasBegun = false
  private var hasFinished = false

  init(using random: inout Seeded) {
    let sizes = (0..<Int.random(in: 1...5, using: &random)).map { _ in
      Int.random(in: 0...4, using: &random)
    }
    reelSizes = sizes
    stage = Stage(
      reelSizes: sizes,
      options: .init(
        manual: Bool.random(using: &random), untimed: Int.random(in: 0..<4, using: &random) == 0),
      first: Int.random(in: 0...max(0, sizes.reduce(0, +) - 1), using: &random))
    // Most begin at once; some events come before that.
    if Int.random(in: 0..<10, using: &random) > 0 { _ = stage.handle(.start) }
  }

  /// News of the current play or the one before, every key, and now and then an exhausted story.
  func randomEvent(using random: inout Seeded) -> Stage.Event {
    let generation = stage.current.generation - (Int.random(in: 0..<4, using: &random) == 0 ? 1 : 0)
    switch Int.random(in: 0..<40, using: &random) {
    case 0: return .start
    case 1: return .end
    case 2: return .exhausted(story: Int.random(in: -1...stage.storyCount, using: &random))
    case 3...5: return .failed(generation: generation, reason: "r")
    case 6...8: return .errorRead(generation: generation)
    case 9...13: return .finished(generation: generation)
    case 14...20: return .began(generation: generation)
    case 21...23: return .previous
    case 24...26: return .previousReel
    case 27: return .restart
    case 28, 29: return .replay
    case 30: return .goTo(storyInReel: Int.random(in: -1...5, using: &random))
    case 31, 32: return .togglePause
    case 33, 34: return .hold(Bool.random(using: &random))
    case 35, 36: return .nextReel
    default: return .next
    }
  }

  /// Takes an event; says what must not have happened.
  mutating func breach(handling event: Stage.Event) -> String? {
    let before = stage
    let wasPlaying = isPlaying
    if case .exhausted(let story) = event { exhausted.insert(story) }
    if case .failed(before.current.generation, _) = event, wasPlaying {
      failures[before.current.story, default: 0] += 1
    }
    let effects = stage.handle(event)
    let breach =
      breachOfState(since: before.current) ?? breachOfAim(of: effects, event, since: before)
      ?? breachOfExhaustion(effects, event, since: before.current, wasPlaying)
      ?? breach(of: effects, event, since: before.current)
    if case .began(before.current.generation) = event, wasPlaying { hasBegun = true }
    if case .play = effects.first { hasBegun = false }
    return breach
  }

  /// Whether a failure would count now.
  private var isPlaying: Bool {
    // A copy answers without changing this one.
    var copy = stage
    return !copy.handle(.failed(generation: stage.current.generation, reason: "")).isEmpty
  }

  /// Only a story that is about to be played gives way.
  private func breachOfExhaustion(
    _ effects: [Stage.Effect], _ event: Stage.Event, since before: Stage.Play,
    _ wasPlaying: Bool
  ) -> String? {
    guard case .exhausted(let story) = event else { return nil }
    let givesWay = story == before.story && wasPlaying && !hasBegun
    if effects.isEmpty != givesWay { return nil }
    return givesWay ? "it does not give way" : "it gives way though it is on the screen"
  }

  /// Keys lead where they say.
  private func breachOfAim(
    of effects: [Stage.Effect], _ event: Stage.Event, since before: Stage
  ) -> String? {
    guard case .play(let play) = effects.first, !before.isAtEndCard else { return nil }
    let from = before.current.story
    let reel = before.reels[before.reel(of: from)]
    let isRight =
      switch event {
      case .next, .finished, .errorRead: play.story > from
      case .nextReel: play.story >= reel.upperBound
      case .previous: play.story <= from
      case .previousReel: play.story < reel.upperBound
      case .restart: play.story == from
      case .goTo(let number): play.story == reel.lowerBound + number
      default: true
      }
    return isRight ? nil : "it leads elsewhere"
  }

  private func breachOfState(since before: Stage.Play) -> String? {
    let count = reelSizes.reduce(0, +)
    let current = stage.current
    if stage.storyCount != count { return "the number of stories changed" }
    if count > 0, !(0..<count).contains(current.story) { return "no such story" }
    if current.generation < before.generation { return "the generation fell" }
    if current.generation > before.generation + 1 { return "the generation jumped" }
    let near = stage.neighbours
    if Set(near).count != near.count { return "a neighbour twice" }
    if near.contains(where: { !(0..<count).contains($0) || exhausted.contains($0) }) {
      return "a neighbour that cannot be played"
    }
    return nil
  }

  private mutating func breach(
    of effects: [Stage.Effect], _ event: Stage.Event, since before: Stage.Play
  ) -> String? {
    if hasFinished, !effects.isEmpty { return "something happens after the end" }
    if effects.count > 1 { return "more than one effect" }
    if isStale(event, before), !effects.isEmpty { return "old news has an effect" }
    switch effects.first {
    case .play(let play):
      isPaused = false
      if play != stage.current { return "what plays is not current" }
      if play.generation != before.generation + 1 { return "a play without a new number" }
      if exhausted.contains(play.story) { return "an exhausted story is played" }
    case .showError(let play, let reason):
      isPaused = false
      if play != stage.current || reason.isEmpty { return "an error of something else" }
      if failures[play.story, default: 0] == 0 { return "an error without a failure" }
    case .pause(let paused):
      if paused == isPaused { return "paused or not twice" }
      isPaused = paused
    case .showEndCard:
      isPaused = false
      if stage.options.untimed { return "an end card without anyone to read it" }
      if !stage.isAtEndCard { return "not at the end card" }
    case .finish:
      isPaused = false
      hasFinished = true
    case nil: break
    }
    return stage.isPaused == isPaused || effects.isEmpty ? nil : "it runs while it is paused"
  }

  private func isStale(_ event: Stage.Event, _ before: Stage.Play) -> Bool {
    switch event {
    case .began(let generation), .finished(let generation), .failed(let generation, _),
      .errorRead(let generation):
      generation != before.generation
    default: false
    }
  }
}
