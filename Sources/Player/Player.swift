import DecoderLink
import Decoders
import Pictures
import Playback
import Reactions
import Resources
import Sound
import Stories
import System
import Terminal

/// Plays a feed on the terminal: one loop on one thread that waits for the terminal, the decoders,
/// signals and the next moment at which something is due.
public final class Player {
  /// What a run came to.
  public struct Result: Sendable {
    /// Whether all, some or no stories could be played.
    public var outcome: PlayOutcome
    /// A line for each story that could not be played.
    public var complaints: [String]
    /// The signal that ended it; the caller dies of it once all is saved.
    public var endedBy: Signals.Signal?
  }

  let stories: [Story]
  private let reelNames: [String]
  let options: PlayOptions
  let bytes: StoryBytes
  let terminal: TerminalSession
  let signals: Signals
  let renderer: Renderer
  let pool: PlaybackPool
  let preloader: Preloader
  let soundControl: SoundControl
  let reactions: ReactionDesk
  var director: Director
  /// When the director must be asked again at the latest.
  var directorDeadline: Instant?
  var clicks = ClickRecogniser()
  var links = LinkOpener()
  var saver: StillSaver?
  let journal: Journal
  private let account: RunAccount
  let history: History
  /// Why the run ends; nil while it goes on.
  private(set) var ending: Ending?

  /// Why a run ends.
  enum Ending: Equatable {
    /// All was played, or there is nothing to play.
    case finished
    /// The viewer quits.
    case quit(remembersPlace: Bool)
    case signal(Signals.Signal)
  }

  /// - Parameters:
  ///   - feed: what `history` has chosen.
  ///   - processStart: when the program started, for the time to the first picture.
  public init(
    feed: Feed, options: PlayOptions, history: History, bytes: StoryBytes,
    terminal: TerminalSession, signals: Signals, pool: DecoderPool, processStart: Instant
  ) {
    stories = history.stories
    reelNames = feed.reels.filter { !$0.stories.isEmpty }.map(\.name)
    self.options = options
    self.bytes = bytes
    self.terminal = terminal
    self.signals = signals
    self.history = history
    account = RunAccount(processStart: processStart)
    renderer = Renderer(terminal: terminal, options: options, now: .now)
    soundControl = SoundControl(options: options)
    self.pool = PlaybackPool(
      stories: stories, decoders: pool, bytes: bytes, options: options,
      speaker: soundControl.speaker,
      shape: renderer.shape)
    preloader = Preloader(stories: stories, network: bytes.network)
    reactions = ReactionDesk(
      .init(
        endpoint: options.animations ?? feed.reactionSource, received: feed.receivedReactions,
        isPossible: !options.reduceMotion && !options.untimed),
      network: bytes.network, pool: pool)
    journal = Journal(
      readers: [account, PlaybackLog(options.log), history, renderer, reactions])
    director = Director(
      stage: Stage(
        reelSizes: feed.reels.map(\.stories.count),
        options: Stage.Options(manual: options.manual, untimed: options.untimed),
        first: history.start?.story ?? 0),
      looksAhead: options.looksAhead)
    renderer.view.isMuted = soundControl.isMuted
  }

  /// Plays until the viewer quits, a signal ends it, or nothing is left.
  public func run() throws(SystemError) -> Result {
    var loop = EventLoop()
    let outside = outsideSources
    direct(.command(.start), now: .now)
    var now = Instant.now
    var deadline: Instant? = now
    while ending == nil {
      let (wakeUps, state, began) = (loop.wakeUps, sleepState, now)
      try loop.turn(of: outside + storySources, until: deadline)
      now = .now
      account.noteWakeUps(loop.wakeUps - wakeUps, in: state, over: now - began)
      deadline = advance(now: now)
    }
    renderer.screen.finishFrame(until: .now + .milliseconds(100))
    stop(now: .now)
    soundControl.close()
    saver?.close()
    reactions.close()
    pool.close()
    account.noteDecoders(peakKibibytes: pool.decoders.peakKibibytes)
    preloader.close()
    bytes.network.close()
    account.noteNetwork(bytes.network)
    if let words = account.metrics.wakeUps.words { options.log.note(.playback, .debug, words) }
    var signal: Signals.Signal?
    if case .signal(let received) = ending { signal = received }
    return Result(outcome: account.outcome, complaints: account.complaints, endedBy: signal)
  }

  /// The metrics of a run that found nothing to play.
  public static var emptyReport: JSON { Metrics().json }

  /// The metrics of the run, as `--report` writes them.
  public var report: JSON { account.metrics.json }

  /// Ends the run after this turn. A signal is the reason whatever else happens.
  func end(_ reason: Ending) {
    if case .signal = ending { return }
    ending = reason
  }

  // MARK: - What the loop waits for

  /// What the story does while the loop waits.
  private var sleepState: WakeUps.State {
    stage.isPaused ? .paused : pool.current?.playback.isRunning == true ? .playing : .other
  }

  /// What is there from the beginning to the end of the run.
  private var outsideSources: [any LoopSource] {
    var sources: [any LoopSource] = [
      ReadSource(signals.descriptor) { self.takeSignals(now: $0) },
      ReadSource(terminal.inputDescriptor) { self.takeInput(now: $0) },
      renderer.screen,
      ReadSource(bytes.network.descriptor) { self.takeBytes(now: $0) },
      history,
    ]
    if let speaker = soundControl.speaker {
      sources.append(ReadSource(speaker.descriptor) { self.takeSoundNotices(now: $0) })
    }
    return sources
  }

  /// What comes and goes with the stories.
  private var storySources: [any LoopSource] {
    var sources: [any LoopSource] = pool.all
    if let saver { sources.append(saver) }
    if let show = reactions.show { sources.append(show) }
    if let previews = reactions.previews { sources.append(previews) }
    return sources
  }

  // MARK: - Time

  /// Does what is due, after the sources were serviced. Returns when something is due next.
  private func advance(now: Instant) -> Instant? {
    soundControl.speaker?.watch(at: now)
    pool.dropFailed()
    pool.arrange(stage.successor, now: now, where: history.isSure)
    takeAnswers(now: now)
    takeStill(now: now)
    guard ending == nil else { return nil }
    noteDrained(now: now)
    if let gesture = clicks.tick(at: now) { perform(gesture, now: now) }
    direct(.tick, now: now)
    lookAhead(now: now)
    if let shape = renderer.takeReshape(at: now) { pool.reshape(shape, at: now) }
    if !renderer.screen.isBusy, ending == nil {
      renderer.layOut(at: now)
      stepStory(now: now)
    }
    guard ending == nil else { return nil }
    if !renderer.screen.isBusy { stepReactions(now: now) }
    let model = viewModel(now: now)
    if !renderer.screen.isBusy { draw(model) }
    return deadline(model)
  }

  /// When something is due by itself: each part was just asked to do what is due now. What only has
  /// to do with the screen waits until the terminal has taken the last frame.
  private func deadline(_ model: ViewModel) -> Instant? {
    var next = Earliest(directorDeadline)
    next.add(clicks.deadline)
    next.add(renderer.deadline(model))
    guard !renderer.screen.isBusy else { return next.moment }
    if !director.showsError { next.add(pool.current?.nextMoment) }
    next.add(reactions.deadline(at: model.now, position: runningPosition(now: model.now)))
    return next.moment
  }

  /// Keeps the neighbours ready, while the story that plays has what it needs.
  private func lookAhead(now: Instant) {
    let buffer = pool.current?.playback.bufferStatus(at: now)
    preloader.holdBack(buffer?.isComfortable == false)
    if let needed = buffer.map(\.needsAllBandwidth) ?? false { pool.holdBack(needed) }
    let isAllowed = buffer?.allowsPreloading != false || options.untimed
    direct(.lookAhead(isAllowed: isAllowed && pool.current?.hasPicture ?? true), now: now)
  }

  private func stepStory(now: Instant) {
    guard let slot = pool.current, let generation = slot.generation,
      !director.showsError
    else { return }
    for words in slot.notes.readNew() {
      journal.note(.noted(words), at: now)
      renderer.view.say("\(stories[slot.story].shortName): \(words)", now: now)
    }
    let isNextReady = !options.untimed && pool.hasPicture(of: stage.successor)
    journal.note(
      .watched(slot.reading(known: journal.standsSince, rate: bytes.network.rate, at: now)),
      at: now)
    switch slot.step(at: now, lead: isNextReady ? director.lead : .zero) {
    case .nothing: break
    case .show(let picture):
      let isFirst = renderer.screen.isAwaitingStory
      renderer.show(picture, of: slot.story, now: now)
      direct(.pictureShown(isFirst: isFirst, generation: generation), now: now)
      journal.note(.pictureShown, at: now)
    case .finished:
      endPlay(.ended, now: now)
      direct(
        .finished(
          generation: generation, isExhausted: history.isExhausted(slot.story),
          isNextReady: isNextReady),
        now: now)
    case .failed(let reason):
      direct(fail(generation: generation, reason: reason, now: now), now: now)
    }
  }

  private func stepReactions(now: Instant) {
    let isShown = !director.showsError && pool.current?.hasPicture == true
    let screen = renderer.screen
    reactions.step(
      at: now, position: isShown ? pool.current?.playback.position(at: now) : nil,
      isRunning: runningPosition(now: now) != nil, shape: screen.reactionShape())
    // A key or the next story may have ended the one that was shown.
    renderer.setReaction(reactions.frame)
    if let words = reactions.takeNotice() { renderer.view.say(words, now: now) }
  }

  /// The story's media time, while it goes on by itself.
  private func runningPosition(now: Instant) -> Duration? {
    guard let playback = pool.current?.playback, playback.isRunning, !director.showsError else {
      return nil
    }
    return playback.position(at: now)
  }

  private func draw(_ model: ViewModel) {
    let screen = renderer.screen
    let isCovered = renderer.view.showsHelp || stage.isAtEndCard
    let words =
      isCovered
      ? ReactionOverlay()
      : reactions.words(columns: screen.columns, style: screen.previewStyle, at: model.now)
    let isStill = reactions.frame == nil && model.playing?.playback.info?.isStill ?? true
    guard let bytes = renderer.draw(model, words, isStill: isStill) else { return }
    journal.note(.painted(bytes: bytes), at: model.now)
    noteDrained(now: .now)
  }

  private func noteDrained(now: Instant) {
    let screen = renderer.screen
    guard !screen.isBusy else { return }
    if journal.awaitsScreen {
      journal.note(.drained(soundLead: pool.current?.soundLead(at: now)), at: now)
    }
    guard !screen.isAwaitingStory else { return }
    direct(.firstPictureIsOnScreen, now: now)
    pool.letGo()
  }

  /// What the words around and over the picture depend on.
  func viewModel(now: Instant) -> ViewModel {
    let playing = pool.current.map {
      ViewModel.Playing(playback: $0.playback, progress: $0.progress, notes: $0.notes.all)
    }
    return ViewModel(
      stage: stage, stories: stories, reelNames: reelNames, playing: playing,
      reelWasSeen: history.wasSeen(reelOf: stage.current.story), layout: renderer.screen.layout,
      unicode: terminal.abilities.unicode, bytesPerPicture: account.metrics.bytesPerPicture,
      byteRate: bytes.network.rate, savedBytes: bytes.network.saving.saved, now: now,
      wallClock: WallClock.seconds)
  }
}
