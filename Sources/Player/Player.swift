import DecoderLink
import Decoders
import Pictures
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
    public var outcome: PlayOutcome
    /// A line for each story that could not be played.
    public var complaints: [String]
    /// The signal that ended it; the caller dies of it once all is saved.
    public var endedBy: Signals.Signal?
  }

  let stories: [Story]
  private let reelNames: [String]
  private let options: PlayOptions
  private let bytes: StoryBytes
  private let terminal: TerminalSession
  private let signals: Signals
  private let screen: Screen
  let tellings: Tellings
  private let preloader: Preloader
  private let loudness: Loudness
  private let reactions: ReactionDesk
  private let processStart: Instant
  var stage: Stage
  private var view: View
  private var pointer = Pointer()
  private var links = LinkOpener()
  private var saver: StillSaver?
  var log: TellingLog
  let history: History
  /// The telling that waits for whether others have used up its story's views.
  var asked: Stage.Telling?
  var remembersPlace = false
  var endedBy: Signals.Signal?
  private var isFinished = false
  /// The reel of the story that was told last.
  private var shownReel: Int?
  /// What must be done as soon as no frame is under way.
  private var layoutIsStale = false
  private var terminalIsUnknown = false
  private var mustPaint = false
  private var lastPaint: Instant?
  private var neighboursDue: Instant?
  /// Decoders get a new grid only once the size has settled: each change costs them a seek.
  private var reshapeDue: Instant?
  private var errorUntil: Instant?
  private var posters = Posters()
  /// Stories that are passed by faster than this are not opened.
  private static let calm = Duration.milliseconds(150)
  private var lastJump: Instant?
  private var isInAHurry = false
  /// When the current story is opened unless another jump follows; nil once it is.
  private var openDue: Instant?
  /// The first picture on the screen is one from before.
  private var showsPoster = false
  /// The story that is left has come to its end by itself.
  private var keepsSound = false

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
    log = TellingLog(events: options.log)
    screen = Screen(terminal: terminal, options: options)
    loudness = Loudness(options: options)
    tellings = Tellings(
      stories: stories, pool: pool, bytes: bytes, options: options, speaker: loudness.speaker,
      shape: screen.shape(fit: options.fit))
    preloader = Preloader(stories: stories, network: bytes.network)
    reactions = ReactionDesk(
      endpoint: options.animations ?? feed.animations, received: feed.reactions, options: options,
      network: bytes.network, pool: pool)
    stage = Stage(
      reelSizes: feed.reels.map(\.stories.count),
      options: Stage.Options(manual: options.manual, untimed: options.untimed),
      first: history.start?.story ?? 0)
    view = View(options: options, now: .now)
    view.isMuted = loudness.isMuted
  }

  /// Plays until the viewer quits, a signal ends it, or nothing is left.
  public func run() throws(SystemError) -> Result {
    perform(stage.handle(.start), now: .now)
    while !isFinished {
      try turn()
    }
    stop(now: .now)
    loudness.close()
    saver?.close()
    reactions.close()
    tellings.close()
    log.noteDecoders(peakKibibytes: tellings.pool.peakKibibytes)
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
  private func turn() throws(SystemError) {
    let watched = tellings.all
    let animations = reactions.runs
    var interests = [
      Interest(signals.descriptor),
      Interest(terminal.inputDescriptor),
      Interest(terminal.outputDescriptor, reading: false, writing: screen.isBusy),
      Interest(bytes.network.descriptor),
      // One that is not open is not waited for.
      Interest(loudness.speaker?.descriptor ?? -1),
    ]
    for telling in watched {
      interests.append(Interest(telling.descriptor, writing: telling.wantsToWrite))
    }
    if let saver { interests.append(saver.interest) }
    if let interest = history.interest { interests.append(interest) }
    interests += animations.map(\.interest)
    let ready = try awaitReadiness(of: interests, until: nextMoment(now: .now))
    let now = Instant.now
    if ready[0].readable { takeSignals(now: now) }
    if ready[1].readable { takeInput(now: now) }
    if ready[2].writable { screen.flush(now: now) }
    if ready[3].readable { takeBytes(now: now) }
    if ready[4].readable {
      for words in loudness.takeNotices() { view.say(words, now: now) }
    }
    for (telling, readiness) in zip(watched, ready.dropFirst(5)) {
      telling.service(readiness, now: now)
    }
    for (run, readiness) in zip(animations, ready.suffix(animations.count)) {
      reactions.service(run, readiness, at: now)
    }
    tellings.dropFailed()
    tellings.arrange(stage.successor)
    takeAnswers(now: now)
    if let saver, let readiness = ready.dropFirst(5 + watched.count).first,
      let outcome = saver.service(readiness, now: now)
    {
      view.say(outcome.words, now: now)
      saver.close()
      self.saver = nil
    }
    if !isFinished { showWhatIsDue(now: .now) }
  }

  // MARK: - Time

  private func nextMoment(now: Instant) -> Instant? {
    var moments: [Instant?] = [
      pointer.deadline, errorUntil, reshapeDue, saver?.deadline, openDue,
      // Past its time it waits for bytes or a picture.
      neighboursDue.flatMap { $0 > now ? $0 : nil },
    ]
    moments += tellings.all.map(\.deadline)
    if !screen.isBusy {
      if errorUntil == nil { moments.append(tellings.current?.nextMoment(now: now)) }
      moments.append(view.nextMoment(scene(now: now)))
      moments.append(reactions.nextMoment(at: now, position: runningPosition(now: now)))
      moments.append(screen.nextMoment(now: now))
      moments.append(history.nextMoment)
      if mustPaint || layoutIsStale { moments.append(now) }
      if let lastPaint, !screen.isSettled { moments.append(lastPaint + .milliseconds(120)) }
    }
    return moments.compactMap { $0 }.min()
  }

  private func showWhatIsDue(now: Instant) {
    noteDrained(now: now)
    if let gesture = pointer.tick(at: now) { perform(gesture, now: now) }
    if let due = errorUntil, now >= due {
      errorUntil = nil
      perform(stage.handle(.errorRead(generation: stage.current.generation)), now: now)
    }
    if let due = openDue, now >= due { open(stage.current, now: now) }
    lookAhead(now: now)
    if let due = reshapeDue, now >= due {
      reshapeDue = nil
      posters.removeAll()
      tellings.reshape(screen.shape(fit: view.fit), at: now)
    }
    guard !screen.isBusy, !isFinished else { return }
    if view.chromeIsHidden(at: now) != screen.chromeIsHidden { layoutIsStale = true }
    if layoutIsStale { layOut(now: now) }
    stepStory(now: now)
    guard !isFinished else { return }
    stepReactions(now: now)
    // The chrome first: after a change of size its drawing clears the screen.
    screen.draw(view.chrome(scene(now: now)))
    paint(now: now)
  }

  /// Keeps the neighbours ready, while the story that plays has what it needs.
  private func lookAhead(now: Instant) {
    let hasEnough = tellings.current?.hasEnough(at: now) ?? true
    preloader.holdBack(!hasEnough)
    guard let due = neighboursDue, now >= due, tellings.current?.hasPicture ?? true,
      hasEnough || options.untimed
    else { return }
    neighboursDue = nil
    let looksAhead = options.preload && !options.untimed
    tellings.keepReady(looksAhead ? stage.neighbours : [])
    preloader.want(looksAhead ? stage.upcoming : [])
  }

  private func stepStory(now: Instant) {
    guard let telling = tellings.current, let generation = telling.generation,
      errorUntil == nil
    else { return }
    let isNextReady = !options.untimed && tellings.hasPicture(of: stage.successor)
    telling.lead = isNextReady ? screen.firstPictureTime : .zero
    defer { if !stage.isWaiting, telling === tellings.current { history.watch(telling, now: now) } }
    switch telling.step(at: now) {
    case .nothing: break
    case .show(let picture):
      if screen.isAwaitingStory { posters.note(picture, of: telling.story) }
      screen.setPicture(picture, now: now)
      mustPaint = true
      guard !stage.isWaiting else { return }
      // The poster was this picture already.
      if !showsPoster { log.pictureShown(now: now) }
      showsPoster = false
      history.pictureShown(now: now)
      perform(stage.handle(.began(generation: generation)), now: now)
    case .finished:
      guard !stage.isWaiting else { return }
      log.storyFinished(telling, now: now)
      if history.end(.ended, telling) {
        _ = stage.handle(.exhausted(story: telling.story))
      }
      // What is left of its sound is heard, and the next one's behind it.
      keepsSound = true
      perform(stage.handle(.finished(generation: generation)), now: now)
      keepsSound = false
      // Its last picture stays, and may still be wanted in another size.
      if stage.isWaiting { telling.rest(at: now) }
    case .failed(let reason):
      fail(generation: generation, reason: reason, now: now)
    }
  }

  private func stepReactions(now: Instant) {
    let shown = errorUntil == nil && tellings.current?.hasPicture == true
    let position = shown ? tellings.current?.position(at: now) : nil
    if reactions.step(at: now, position: position, shape: screen.reactionShape()) {
      screen.setOverlay(reactions.overlay)
      mustPaint = true
    }
    if let words = reactions.takeNotice() { view.say(words, now: now) }
  }

  /// The story's media time, while it goes on by itself.
  private func runningPosition(now: Instant) -> Duration? {
    guard let telling = tellings.current, telling.isRunning, errorUntil == nil else { return nil }
    return telling.position(at: now)
  }

  private func paint(now: Instant) {
    guard !screen.layout.isTooSmall else { return }
    var overlays = view.overlays(scene(now: now))
    if !view.showsHelp, !stage.isAtEndCard {
      reactions.add(to: &overlays, columns: screen.columns, style: screen.previewStyle, at: now)
    }
    let settles = lastPaint.map { now - $0 >= .milliseconds(120) } ?? false
    let settlesNow = settles && !screen.isSettled
    let slides = screen.nextMoment(now: now) != nil
    guard mustPaint || overlays != view.paintedOverlays || settlesNow || slides else { return }
    let isStill = reactions.overlay == nil && tellings.current?.info?.isStill ?? true
    let bytes = screen.paint(overlays, exactly: (isStill || settlesNow) && !slides, now: now)
    view.paintedOverlays = overlays
    mustPaint = false
    lastPaint = now
    log.painted(bytes: bytes)
    noteDrained(now: .now)
  }

  private func noteDrained(now: Instant) {
    log.noteDrained(isBusy: screen.isBusy, processStart: processStart, now: now)
    if !screen.isBusy { log.notePicture(soundLead: tellings.current?.soundLead(at: now)) }
  }

  private func scene(now: Instant) -> Scene {
    Scene(
      stage: stage, stories: stories, reelNames: reelNames, telling: tellings.current,
      reelWasSeen: history.reelWasSeen, layout: screen.layout,
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

  // MARK: - What the stage wants

  func perform(_ effects: [Stage.Effect], now: Instant) {
    for effect in effects {
      switch effect {
      case .tell(let telling): tell(telling, now: now)
      case .showError(let telling, let reason): showError(telling, reason, now: now)
      case .pause(let paused): tellings.current?.setPaused(paused, at: now)
      case .showEndCard:
        leaveStory(now: now)
        reactions.storyBegan(nil, at: now)
        history.clearPlace()
        neighboursDue = now
        mustPaint = true
      case .finish:
        leaveStory(now: now)
        history.clearPlace()
        isFinished = true
      }
    }
  }

  private func leaveStory(now: Instant) {
    log.close(.skipped, tellings.current, now: now)
    history.end(.skipped, tellings.current)
    asked = nil
    if !keepsSound { loudness.speaker?.cut() }
    tellings.endCurrent()
    errorUntil = nil
    openDue = nil
    showsPoster = false
    view.error = nil
  }

  private func tell(_ telling: Stage.Telling, now: Instant) {
    leaveStory(now: now)
    guard !dropForbidden(telling.story, now: now) else { return }
    log.begin(stories[telling.story], generation: telling.generation, now: now)
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
    guard isInAHurry, !tellings.canTellAtOnce(telling.story) else {
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

  private func open(_ telling: Stage.Telling, now: Instant) {
    openDue = nil
    if history.asks(about: telling.story) { asked = telling } else { begin(telling, now: now) }
  }

  func begin(_ telling: Stage.Telling, now: Instant) {
    do {
      try tellings.tell(telling.story, generation: telling.generation)
      if stage.isPaused { tellings.current?.setPaused(true, at: now) }
    } catch {
      return fail(generation: telling.generation, reason: error.reason, now: now)
    }
    if let start = history.start, telling.generation == 1 {
      tellings.current?.start(at: start.position)
    }
  }

  private func fail(generation: Int, reason: String, now: Instant) {
    log.fail("cannot play \(stories[stage.current.story].shortName): \(reason)")
    log.close(.failed, tellings.current, now: now)
    history.end(.failed, tellings.current)
    loudness.speaker?.cut()
    tellings.endCurrent()
    perform(stage.handle(.failed(generation: generation, reason: reason)), now: now)
  }

  private func showError(_ telling: Stage.Telling, _ reason: String, now: Instant) {
    let line = "cannot play \(stories[telling.story].shortName): \(reason)"
    if log.currentGeneration != telling.generation {
      // It failed before and is not tried again.
      leaveStory(now: now)
      log.begin(stories[telling.story], generation: telling.generation, now: now)
      log.fail(line)
      log.close(.failed, nil, now: now)
    }
    view.error = line
    errorUntil = now + .seconds(3)
  }

  // MARK: - What comes from outside

  private func takeSignals(now: Instant) {
    for signal in signals.take() {
      switch signal {
      case .interrupt, .terminate, .hangUp:
        endedBy = signal
        isFinished = true
      case .stop: suspend(now: now)
      case .proceed: refresh()
      case .windowChanged:
        terminal.resize()
        layoutIsStale = true
      case .childEnded:
        tellings.reap()
        links.reap()
      }
    }
  }

  private func takeBytes(now: Instant) {
    bytes.network.deliver()
    for notice in bytes.network.takeNotices() { view.say(notice, now: now) }
  }

  private func suspend(now: Instant) {
    let wasRunning = tellings.current.map { !$0.isPaused } ?? false
    if wasRunning { tellings.current?.setPaused(true, at: now) }
    loudness.speaker?.setPaused(true)
    terminal.suspend()
    loudness.speaker?.awaitSilence()
    Signals.stopSelf()
    terminal.resume()
    terminal.resize()
    let later = Instant.now
    for telling in tellings.all { telling.forgive() }
    reactions.forgive()
    if wasRunning { tellings.current?.setPaused(stage.isPaused, at: later) }
    refresh()
  }

  private func refresh() {
    terminalIsUnknown = true
    layoutIsStale = true
  }

  private func takeInput(now: Instant) {
    let events = terminal.readInput()
    if events.isEmpty, terminal.hasHungUp {
      endedBy = .hangUp
      isFinished = true
    }
    for event in events {
      switch event {
      case .key(let key): press(key, now: now)
      case .press(let row, let column): pointer.press(row: row, column: column, at: now)
      case .release:
        if let gesture = pointer.release(at: now) { perform(gesture, now: now) }
      case .synchronizedOutput: layoutIsStale = true
      case .wheel(let up): turn(up ? .volumeUp : .volumeDown, now: now)
      case .focus: break
      }
      if isFinished { return }
    }
  }

  private func press(_ key: Key, now: Instant) {
    view.lastKey = now
    if stage.isAtEndCard, key == .enter { return answer(.replay, now: now) }
    if !stage.isAtEndCard, reactions.press(key, at: now) { return }
    guard let action = options.keys.action(for: key) else {
      if !stage.isAtEndCard { reactions.pressDigit(key, at: now) }
      return
    }
    if options.untimed, action != .quit, action != .quitRemembering { return }
    switch action {
    case .next: answer(.next, now: now)
    case .previous: answer(.previous, now: now)
    case .nextReel: answer(.nextReel, now: now)
    case .previousReel: answer(.previousReel, now: now)
    case .restart: answer(.restart, now: now)
    case .end: answer(.end, now: now)
    case .pause: perform(stage.handle(.togglePause), now: now)
    case .seekBack: seek(by: .seconds(-5), now: now)
    case .seekForward: seek(by: .seconds(5), now: now)
    case .repaint: refresh()
    case .quit: isFinished = true
    case .quitRemembering:
      remembersPlace = true
      isFinished = true
    case .link: openLink(now: now)
    case .still: saveStill(now: now)
    case .mute, .volumeUp, .volumeDown: turn(action, now: now)
    case .reactions: if !stage.isAtEndCard { reactions.toggleStrip(at: now) }
    case .showReactions: reactions.toggleShown(at: now)
    case .caption, .mode, .fit, .help, .info, .close:
      if view.take(action) { layoutIsStale = true }
    }
  }

  private func turn(_ action: Action, now: Instant) {
    guard !options.untimed else { return }
    view.say(loudness.turn(action), now: now)
    view.isMuted = loudness.isMuted
  }

  /// An event that a story's picture answers: its latency counts.
  private func answer(_ event: Stage.Event, now: Instant) {
    log.keyPressed(at: now)
    isInAHurry = lastJump.map { now - $0 < Player.calm } ?? false
    lastJump = now
    perform(stage.handle(event), now: now)
    isInAHurry = false
  }

  private func perform(_ gesture: Pointer.Gesture, now: Instant) {
    guard !options.untimed else { return }
    switch gesture {
    case .hold(let down): perform(stage.handle(.hold(down)), now: now)
    case .click(let row, let column):
      if row == screen.layout.barRow, let target = view.segment(at: column, scene(now: now)) {
        clickBar(target.index, target.fraction, now: now)
      } else {
        answer(column < screen.columns / 2 ? .previous : .next, now: now)
      }
    }
  }

  private func clickBar(_ segment: Int, _ fraction: Double, now: Instant) {
    let reel = stage.reels[stage.reel(of: stage.current.story)]
    guard reel.lowerBound + segment == stage.current.story, !stage.isAtEndCard else {
      return answer(.goTo(storyInReel: segment), now: now)
    }
    if let telling = tellings.current, let length = telling.length {
      _ = telling.seek(to: length * fraction, at: now)
    }
  }

  private func seek(by distance: Duration, now: Instant) {
    guard let telling = tellings.current, !stage.isAtEndCard, !stage.isWaiting else { return }
    _ = telling.seek(to: telling.position(at: now) + distance, at: now)
  }

  private func saveStill(now: Instant) {
    guard saver == nil, let telling = tellings.current, let info = telling.info,
      let shown = telling.shown
    else { return }
    do {
      saver = try StillSaver(
        of: stories[telling.story], at: telling.sourceTime(of: shown), info: info,
        bytes: bytes, pool: tellings.pool)
    } catch {
      view.say("cannot save a still: \(error.reason)", now: now)
    }
  }

  private func openLink(now: Instant) {
    guard let link = stories[stage.current.story].link else {
      return view.say("this story has no link", now: now)
    }
    do {
      try links.open(link)
    } catch {
      view.say(error.description, now: now)
    }
  }
}
