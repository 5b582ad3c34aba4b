import Playback
import Stories
import Support
import System
import Testing

/// What holds for every run, whatever happens in whatever order; the same inputs in every test.
///
/// 1. A story is entered only when what was entered before is left, and left only once.
/// 2. What plays is what the stage has chosen, was entered, and gets a slot once.
/// 3. A tick whose deadline has come does something.
/// 4. Nothing happens after the end of the program.
@Suite struct DirectorPropertyTests {
  private static let count = _isDebugAssertConfiguration() ? 100_000 : 1_000_000
  private static let inputsPerRun = 200

  @Test func anyInputs_keepARunConsistent() {
    var random = SeededRandom(seed: 13)
    for number in 0..<DirectorPropertyTests.count / DirectorPropertyTests.inputsPerRun {
      var run = WatchedRun(using: &random)
      for input in 0..<DirectorPropertyTests.inputsPerRun {
        run.act(using: &random)
        if let breach = run.breach {
          Issue.record("run \(number), input \(input), \(run.director.entry): \(breach)")
          return
        }
      }
    }
  }
}

/// A run with a shell that obeys, and all that its past says about what it may do.
private struct WatchedRun {
  private(set) var director: Director
  private(set) var breach: String?
  private var now = Instant.now
  private var deadline: Instant?
  private var entered: Int?
  /// The generation that has a slot.
  private var playing: Int?
  private var lastPlayed = 0
  private var hasQuit = false

  init(using random: inout SeededRandom) {
    let sizes = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      Int.random(in: 1...4, using: &random)
    }
    let options = Stage.Options(
      manual: Bool.random(using: &random), untimed: Int.random(in: 0..<4, using: &random) == 0)
    director = Director(
      stage: Stage(reelSizes: sizes, options: options), looksAhead: Bool.random(using: &random))
    give(.command(.start), using: &random)
  }

  mutating func act(using random: inout SeededRandom) {
    now = now + .milliseconds(Int.random(in: 0...400, using: &random))
    let generation =
      director.stage.current.generation - (Int.random(in: 0..<8, using: &random) == 0 ? 1 : 0)
    switch Int.random(in: 0..<16, using: &random) {
    case 0, 1: give(.jump(.next), using: &random)
    case 2: give(.jump(.previous), using: &random)
    case 3: give(.jump(Bool.random(using: &random) ? .nextReel : .previousReel), using: &random)
    case 4: give(.jump(Bool.random(using: &random) ? .replay : .restart), using: &random)
    case 5: give(.command(.togglePause), using: &random)
    case 6, 7:
      guard playing == generation else { return tick(using: &random) }
      give(.pictureShown(isFirst: true, generation: generation), using: &random)
      give(.firstPictureIsOnScreen, using: &random)
    case 8, 9:
      guard playing != nil else { return tick(using: &random) }
      give(
        .finished(
          generation: generation, isExhausted: Int.random(in: 0..<8, using: &random) == 0,
          isNextReady: Bool.random(using: &random)), using: &random)
    case 10:
      guard playing == generation else { return tick(using: &random) }
      playing = nil
      give(.failed(generation: generation, reason: "r"), using: &random)
    case 11: give(.lookAhead(isAllowed: Bool.random(using: &random)), using: &random)
    case 12:
      let story = director.stage.current.story
      give(
        .viewsChecked(story: story, isForbidden: Bool.random(using: &random)), using: &random)
    default: tick(using: &random)
    }
  }

  private mutating func tick(using random: inout SeededRandom) {
    if let deadline, Bool.random(using: &random) { now = max(now, deadline) }
    give(.tick, using: &random)
    give(.lookAhead(isAllowed: true), using: &random)
    if let deadline, deadline <= now { breach = "a deadline in the past" }
  }

  private mutating func give(_ input: Director.Input, using random: inout SeededRandom) {
    var inputs = [input]
    while !inputs.isEmpty, breach == nil {
      let output = director.handle(inputs.removeFirst(), at: now)
      deadline = output.deadline
      for effect in output.effects {
        if hasQuit, effect != .keepReady([]) { breach = "\(effect) after the end" }
        if let answer = perform(effect, using: &random) { inputs.append(answer) }
      }
    }
  }

  private mutating func perform(
    _ effect: Director.Effect, using random: inout SeededRandom
  ) -> Director.Input? {
    switch effect {
    case .leave:
      entered = nil
      playing = nil
    case .judge(let play):
      if entered != nil { breach = "another story, and the last one is not left" }
      let isForbidden = Int.random(in: 0..<16, using: &random) == 0
      return .judged(
        play, forbidden: isForbidden ? [play.story] : [],
        opensAtOnce: Bool.random(using: &random))
    case .enter(let story, _):
      if entered != nil { breach = "entered twice" }
      if story != director.stage.current.story { breach = "another story than the stage's" }
      entered = story
    case .showPoster(let story):
      if entered != story { breach = "a poster of another story" }
    case .checkViews(let story):
      if entered != story { breach = "views of another story" }
      let comesLater = Int.random(in: 0..<4, using: &random) == 0
      return comesLater ? nil : .viewsChecked(story: story, isForbidden: false)
    case .withdraw: if playing != nil { breach = "withdrawn while it plays" }
    case .play(let play):
      if play != director.stage.current { breach = "what plays is not current" }
      if entered != play.story { breach = "it plays without being entered" }
      if play.generation <= lastPlayed { breach = "it plays twice" }
      lastPlayed = play.generation
      playing = play.generation
      if Int.random(in: 0..<16, using: &random) == 0 {
        playing = nil
        return .failed(generation: play.generation, reason: "r")
      }
    case .quit: hasQuit = true
    case .setPaused, .showError, .showEndCard, .keepReady, .countKey: break
    }
    return nil
  }
}
