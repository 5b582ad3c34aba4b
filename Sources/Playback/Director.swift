import Stories
import System

/// Which story plays and which are kept ready, and when each of that happens: the stage, and around it
/// all that takes time. It decides; a shell does what it wants and answers its questions.
///
/// Each input is answered by what is to be done and by when it must be asked again.
public struct Director: Sendable {
  /// What happens to the story that the stage has chosen.
  public enum Entry: Equatable, Sendable {
    /// There is no story, or its slot is gone.
    case none
    /// The shell was asked whether the rules forbid the story.
    case judged(Stage.Play, isHurried: Bool, keepsSound: Bool)
    /// The viewer skips fast: the story is opened at a moment, unless another jump comes first.
    case passedBy(Stage.Play, until: Instant)
    /// The shell was asked whether others have used up the story's views.
    case checked(Stage.Play)
    /// The story has a slot.
    case playing
    /// The story's error is on the screen until a moment.
    case failed(until: Instant)
  }

  /// Stories that are skipped faster than this are not opened.
  public static let calm = Duration.milliseconds(150)
  /// A story that was just left is made ready again after so long: who skips on does not need it.
  static let formerDelay = Duration.seconds(1)
  /// How long an error stays on the screen.
  private static let errorTime = Duration.seconds(3)

  public private(set) var stage: Stage
  public private(set) var entry = Entry.none
  /// Whether stories are made ready before their turn.
  private let looksAhead: Bool
  private var lastJump: Instant?
  /// When the neighbours of the story are made ready; nil once they are.
  private var neighboursDue: Instant?
  /// The story that was entered last.
  private var entered: Int?
  /// The story that was left for it, as long as it is not to be made ready again.
  private var former: Int?
  private var latency = TransitionLatency()

  public init(stage: Stage, looksAhead: Bool) {
    self.stage = stage
    self.looksAhead = looksAhead
  }

  /// Takes one input and says what to do about it.
  public mutating func handle(_ input: Input, at now: Instant) -> Output {
    var effects: [Effect] = []
    switch input {
    case .command(let event): perform(stage.handle(event), &effects, now: now)
    case .jump(let event): jump(event, &effects, now: now)
    case .judged(let play, let forbidden, let opensAtOnce):
      judged(play, forbidden, opensAtOnce: opensAtOnce, &effects, now: now)
    case .viewsChecked(let story, let isForbidden):
      viewsChecked(story, isForbidden: isForbidden, &effects, now: now)
    case .pictureShown(let isFirst, let generation):
      if isFirst { latency.pictureBegins(at: now) }
      perform(stage.handle(.began(generation: generation)), &effects, now: now)
    case .firstPictureIsOnScreen: latency.pictureIsShown(at: now)
    case .finished(let generation, let isExhausted, let isNextReady):
      finished(generation, isExhausted: isExhausted, isNextReady: isNextReady, &effects, now: now)
    case .failed(let generation, let reason):
      entry = .none
      perform(
        stage.handle(.failed(generation: generation, reason: reason)), &effects, now: now)
    case .tick: tick(&effects, now: now)
    case .lookAhead(let isAllowed): lookAhead(isAllowed: isAllowed, &effects, now: now)
    }
    return Output(effects: effects, deadline: deadline(at: now))
  }

  /// How much earlier a story ends if the first picture of its successor is ready.
  public var lead: Duration { latency.expected }

  /// Whether an error is on the screen.
  public var showsError: Bool { if case .failed = entry { true } else { false } }

  // MARK: - The stage

  private mutating func jump(_ event: Stage.Event, _ effects: inout [Effect], now: Instant) {
    let wishes = stage.handle(event)
    guard !wishes.isEmpty else { return }
    effects.append(.countKey)
    let isHurried = lastJump.map { now - $0 < Director.calm } ?? false
    lastJump = now
    perform(wishes, isHurried: isHurried, &effects, now: now)
  }

  private mutating func perform(
    _ wishes: [Stage.Effect], isHurried: Bool = false, keepsSound: Bool = false,
    _ effects: inout [Effect], now: Instant
  ) {
    for wish in wishes {
      switch wish {
      case .play(let play):
        leave(keepsSound: keepsSound, &effects)
        entry = .judged(play, isHurried: isHurried, keepsSound: keepsSound)
        effects.append(.judge(play))
      case .showError(let play, let reason):
        entry = .failed(until: now + Director.errorTime)
        effects.append(.showError(story: play.story, reason: reason))
      case .pause(let paused): effects.append(.setPaused(paused))
      case .showEndCard:
        leave(keepsSound: keepsSound, &effects)
        neighboursDue = now
        effects.append(.showEndCard)
      case .finish:
        leave(keepsSound: keepsSound, &effects)
        effects.append(.quit)
      }
    }
  }

  private mutating func leave(keepsSound: Bool, _ effects: inout [Effect]) {
    entry = .none
    latency.abandon()
    effects.append(.leave(keepsSound: keepsSound))
  }

  // MARK: - A story's entry

  /// A story that the rules forbid gives way to another one; all others that they forbid by now are
  /// marked too.
  private mutating func judged(
    _ play: Stage.Play, _ forbidden: [Int], opensAtOnce: Bool, _ effects: inout [Effect],
    now: Instant
  ) {
    guard case .judged(play, let isHurried, let keepsSound) = entry else { return }
    guard !forbidden.contains(play.story) else {
      // The chosen story comes last, as the stage's next story depends on the others.
      let others = forbidden.filter { $0 != play.story }
      let wishes = (others + [play.story]).flatMap { stage.handle(.exhausted(story: $0)) }
      return perform(
        wishes, isHurried: isHurried, keepsSound: keepsSound, &effects, now: now)
    }
    let reel = stage.reel(of: play.story)
    let formerReel = entered.map { stage.reel(of: $0) } ?? reel
    let slide: Slide? = formerReel == reel ? nil : reel > formerReel ? .forward : .back
    former = entered
    entered = play.story
    effects.append(.enter(story: play.story, slide: slide))
    // While keys come fast, no neighbours are opened.
    neighboursDue = now + Director.calm
    if isHurried, !opensAtOnce {
      entry = .passedBy(play, until: now + Director.calm)
      effects.append(.showPoster(story: play.story))
    } else {
      check(play, &effects)
    }
  }

  private mutating func check(_ play: Stage.Play, _ effects: inout [Effect]) {
    entry = .checked(play)
    effects.append(.checkViews(story: play.story))
  }

  private mutating func viewsChecked(
    _ story: Int, isForbidden: Bool, _ effects: inout [Effect], now: Instant
  ) {
    guard case .checked(let play) = entry, play.story == story else { return }
    if isForbidden {
      effects.append(.withdraw)
      perform(stage.handle(.exhausted(story: story)), &effects, now: now)
    } else {
      entry = .playing
      effects.append(.play(play))
    }
  }

  private mutating func finished(
    _ generation: Int, isExhausted: Bool, isNextReady: Bool, _ effects: inout [Effect],
    now: Instant
  ) {
    guard generation == stage.current.generation else { return }
    var wishes = isExhausted ? stage.handle(.exhausted(story: stage.current.story)) : []
    wishes += stage.handle(.finished(generation: generation))
    // The rest of its sound is heard, followed by the sound of the next story.
    perform(wishes, keepsSound: true, &effects, now: now)
    if isNextReady, !stage.isWaiting { latency.storyFinished(at: now) }
  }

  // MARK: - Time

  private mutating func tick(_ effects: inout [Effect], now: Instant) {
    switch entry {
    case .failed(let until) where now >= until:
      entry = .none
      perform(
        stage.handle(.errorRead(generation: stage.current.generation)), &effects, now: now)
    case .passedBy(let play, let until) where now >= until: check(play, &effects)
    default: break
    }
  }

  private mutating func lookAhead(
    isAllowed: Bool, _ effects: inout [Effect], now: Instant
  ) {
    guard isAllowed, let due = neighboursDue, now >= due else { return }
    var wanted = looksAhead ? stage.neighbours : []
    neighboursDue = nil
    var later: Int?
    if let former, !stage.isAtEndCard, wanted.contains(former) {
      wanted.removeAll { $0 == former }
      later = former
      neighboursDue = now + Director.formerDelay
    }
    former = nil
    // A story whose views are checked is about to play.
    if looksAhead, case .checked(let play) = entry { wanted.insert(play.story, at: 0) }
    effects.append(.keepReady(wanted, later: later))
  }

  private func deadline(at now: Instant) -> Instant? {
    // A moment that has passed waits for bytes or a picture, not for time.
    let neighbours = neighboursDue.flatMap { $0 > now ? $0 : nil }
    switch entry {
    case .failed(let until), .passedBy(_, let until): return min(until, neighbours ?? until)
    case .none, .judged, .checked, .playing: return neighbours
    }
  }
}
