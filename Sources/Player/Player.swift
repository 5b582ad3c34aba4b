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
  let screen: Screen
  let pool: PlaybackPool
  let preloader: Preloader
  let loudness: Loudness
  let reactions: ReactionDesk
  private let processStart: Instant
  var director: Director
  /// When the director must be asked again at the latest.
  var directorDeadline: Instant?
  var view: View
  var pointer = Pointer()
  var links = LinkOpener()
  var saver: StillSaver?
  var log: PlaybackLog
  let history: History
  var remembersPlace = false
  var endedBy: Signals.Signal?
  var isFinished = false
  /// What must be done as soon as no frame is under way.
  var layoutIsStale = false
  var terminalIsUnknown = false
  var mustPaint = false
  private var lastPaint: Instant?
  /// Decoders get a new grid only once the size has settled: each change costs them a seek.
  private var reshapeDue: Instant?
  var posters = Posters()

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
    self.processStart = processStart
    self.history = history
    log = PlaybackLog(events: options.log)
    screen = Screen(terminal: terminal, options: options)
    loudness = Loudness(options: options)
    self.pool = PlaybackPool(
      stories: stories, decoders: pool, bytes: bytes, options: options, speaker: loudness.speaker,
      shape: screen.shape(fit: options.fit))
    preloader = Preloader(stories: stories, network: bytes.network)
    reactions = ReactionDesk(
      .init(
        endpoint: options.animations ?? feed.animations, received: feed.reactions,
        isPossible: !options.reduceMotion && !options.untimed),
      network: bytes.network, pool: pool)
    director = Director(
      stage: Stage(
        reelSizes: feed.reels.map(\.stories.count),
        options: Stage.Options(manual: options.manual, untimed: options.untimed),
        first: history.start?.story ?? 0),
      looksAhead: options.looksAhead)
    view = View(options: options, now: .now)
    view.isMuted = loudness.isMuted
  }

  /// Plays until the viewer quits, a signal ends it, or nothing is left.
  public func run() throws(SystemError) -> Result {
    direct(.command(.start), now: .now)
    while !isFinished {
      try turn()
    }
    stop(now: .now)
    loudness.close()
    saver?.close()
    reactions.close()
    pool.close()
    log.noteDecoders(peakKibibytes: pool.decoders.peakKibibytes)
    preloader.close()
    bytes.network.close()
    log.noteNetwork(bytes.network)
    return Result(outcome: log.outcome, complaints: log.complaints, endedBy: endedBy)
  }

  /// The metrics of a run that found nothing to play.
  public static var emptyReport: JSON { Metrics().json }

  /// The metrics of the run, as `--report` writes them.
  public var report: JSON { log.metrics.json }

  /// One turn of the loop: wait, take in what came, show what is due.
  func turn() throws(SystemError) {
    let watched = pool.all
    let show = reactions.show
    let animations = [show?.interest, reactions.previews?.interest]
    var interests = [
      Interest(signals.descriptor),
      Interest(terminal.inputDescriptor),
      Interest(terminal.outputDescriptor, reading: false, writing: screen.isBusy),
      Interest(bytes.network.descriptor),
      // One that is not open is not waited for.
      Interest(loudness.speaker?.descriptor ?? -1),
    ]
    for slot in watched {
      interests.append(Interest(slot.descriptor, writing: slot.wantsToWrite))
    }
    let savingStill = saver
    if let savingStill { interests.append(savingStill.interest) }
    if let interest = history.interest { interests.append(interest) }
    // One that is not decoded is not waited for.
    interests += animations.map { $0 ?? Interest(-1) }
    let ready = try awaitReadiness(of: interests, until: nextMoment(now: .now))
    let now = Instant.now
    if ready[0].readable { takeSignals(now: now) }
    if ready[1].readable { takeInput(now: now) }
    if ready[2].writable { screen.flush(now: now) }
    if ready[3].readable { takeBytes(now: now) }
    if ready[4].readable {
      for words in loudness.takeNotices() { view.say(words, now: now) }
    }
    for (slot, readiness) in zip(watched, ready.dropFirst(5)) {
      slot.service(readiness, now: now)
    }
    show?.service(ready[ready.count - 2], now: now)
    reactions.previews?.service(ready[ready.count - 1], now: now)
    loudness.speaker?.watch(at: now)
    pool.dropFailed()
    pool.arrange(stage.successor, now: now, where: history.isSure)
    takeAnswers(now: now)
    if let savingStill, let outcome = savingStill.service(ready[5 + watched.count], now: now) {
      view.say(outcome.words, now: now)
      savingStill.close()
      saver = nil
    }
    if !isFinished { showWhatIsDue(now: .now) }
  }

  // MARK: - Time

  private func nextMoment(now: Instant) -> Instant? {
    var moments: [Instant?] = [
      pointer.deadline, directorDeadline, reshapeDue, saver?.deadline,
    ]
    moments += pool.all.map(\.deadline)
    if !screen.isBusy {
      if !director.showsError { moments.append(pool.current?.nextMoment) }
      moments.append(view.nextMoment(viewModel(now: now)))
      moments.append(reactions.deadline(at: now, position: runningPosition(now: now)))
      moments += [reactions.show?.deadline, reactions.previews?.deadline]
      moments.append(screen.nextMoment(now: now))
      moments.append(history.nextMoment)
      if layoutIsStale { moments.append(now) }
      if !screen.layout.isTooSmall {
        if mustPaint { moments.append(now) }
        if let lastPaint, !screen.isSettled { moments.append(lastPaint + .milliseconds(120)) }
      }
    }
    return moments.compactMap { $0 }.min()
  }

  private func showWhatIsDue(now: Instant) {
    noteDrained(now: now)
    if let gesture = pointer.tick(at: now) { perform(gesture, now: now) }
    direct(.tick, now: now)
    lookAhead(now: now)
    if let due = reshapeDue, now >= due {
      reshapeDue = nil
      posters.removeAll()
      pool.reshape(screen.shape(fit: view.fit), at: now)
    }
    guard !screen.isBusy, !isFinished else { return }
    if view.chromeIsHidden(at: now) != screen.chromeIsHidden { layoutIsStale = true }
    if layoutIsStale { layOut(now: now) }
    stepStory(now: now)
    guard !isFinished else { return }
    stepReactions(now: now)
    // The chrome first: after a change of size its drawing clears the screen.
    screen.draw(view.chrome(viewModel(now: now)))
    paint(now: now)
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
    for words in slot.notes.takeNew() {
      let story = stories[slot.story]
      log.note(words, of: story)
      view.say("\(story.shortName): \(words)", now: now)
    }
    let isNextReady = !options.untimed && pool.hasPicture(of: stage.successor)
    log.watch(slot, rate: bytes.network.rate, now: now)
    defer { if !stage.isWaiting, slot === pool.current { history.watch(slot, now: now) } }
    switch slot.step(at: now, lead: isNextReady ? director.lead : .zero) {
    case .nothing: break
    case .show(let picture):
      let isFirst = screen.isAwaitingStory
      if isFirst { posters.note(picture, of: slot.story) }
      screen.setPicture(picture, now: now)
      mustPaint = true
      direct(.pictureShown(isFirst: isFirst, generation: generation), now: now)
      if !stage.isWaiting { history.pictureShown(now: now) }
    case .finished:
      log.storyFinished(slot, now: now)
      let isExhausted = history.end(.ended, slot)
      direct(
        .finished(generation: generation, isExhausted: isExhausted, isNextReady: isNextReady),
        now: now)
    case .failed(let reason):
      direct(fail(generation: generation, reason: reason, now: now), now: now)
    }
  }

  private func stepReactions(now: Instant) {
    let shown = !director.showsError && pool.current?.hasPicture == true
    let position = shown ? pool.current?.playback.position(at: now) : nil
    let isRunning = runningPosition(now: now) != nil
    if reactions.step(
      at: now, position: position, isRunning: isRunning, shape: screen.reactionShape())
    {
      screen.setOverlay(reactions.frame)
      mustPaint = true
    }
    if let words = reactions.takeNotice() { view.say(words, now: now) }
  }

  /// The story's media time, while it goes on by itself.
  private func runningPosition(now: Instant) -> Duration? {
    guard let playback = pool.current?.playback, playback.isRunning, !director.showsError else {
      return nil
    }
    return playback.position(at: now)
  }

  private func paint(now: Instant) {
    guard !screen.layout.isTooSmall else { return }
    var overlays = view.overlays(viewModel(now: now))
    if !view.showsHelp, !stage.isAtEndCard {
      overlays.reactions = reactions.words(
        columns: screen.columns, style: screen.previewStyle, at: now)
    }
    let settles = lastPaint.map { now - $0 >= .milliseconds(120) } ?? false
    let settlesNow = settles && !screen.isSettled
    let slides = screen.nextMoment(now: now) != nil
    guard mustPaint || overlays != view.paintedOverlays || settlesNow || slides else { return }
    let isStill = reactions.frame == nil && pool.current?.playback.info?.isStill ?? true
    let bytes = screen.paint(overlays, exactly: (isStill || settlesNow) && !slides, now: now)
    view.paintedOverlays = overlays
    mustPaint = false
    lastPaint = now
    log.painted(bytes: bytes)
    noteDrained(now: .now)
  }

  private func noteDrained(now: Instant) {
    log.noteDrained(isBusy: screen.isBusy, processStart: processStart, now: now)
    guard !screen.isBusy else { return }
    log.notePicture(soundLead: pool.current?.soundLead(at: now))
    guard !screen.isAwaitingStory else { return }
    direct(.firstPictureIsOnScreen, now: now)
    pool.letGo()
  }

  func viewModel(now: Instant) -> ViewModel {
    ViewModel(
      stage: stage, stories: stories, reelNames: reelNames, slot: pool.current,
      reelWasSeen: history.wasSeen(reelOf: stage.current.story), layout: screen.layout,
      unicode: terminal.abilities.unicode, metrics: log.metrics, byteRate: bytes.network.rate,
      savedBytes: bytes.network.saving.saved, now: now, wallClock: WallClock.seconds)
  }

  private func layOut(now: Instant) {
    if terminalIsUnknown { screen.repaint() }
    terminalIsUnknown = false
    layoutIsStale = false
    screen.layOut(hidden: view.chromeIsHidden(at: now), mode: view.mode)
    reshapeDue = now + .milliseconds(60)
    mustPaint = true
  }
}
