import Playback
import Reactions
import Resources
import Sound
import Stories
import System
import Terminal

// What comes from outside: keys, the mouse, signals and bytes.
extension Player {
  func takeSignals(now: Instant) {
    for signal in signals.take() {
      switch signal {
      case .interrupt, .terminate, .hangUp:
        end(.signal(signal))
      case .stop: suspend(now: now)
      case .proceed: renderer.terminalChanged()
      case .windowChanged:
        terminal.resize()
        renderer.layoutChanged()
      case .childEnded:
        pool.reap()
        links.reap()
      }
    }
  }

  func takeBytes(now: Instant) {
    bytes.network.deliver()
    // A paused story's decoder says nothing that would show how it is with its bytes.
    pool.current?.noteBytes(at: now)
    for notice in bytes.network.takeNotices() { renderer.view.say(notice, now: now) }
  }

  func takeSoundNotices(now: Instant) {
    for words in soundControl.takeNotices() { renderer.view.say(words, now: now) }
  }

  /// Says what became of a still that is saved, once that is known.
  func takeStill(now: Instant) {
    guard let saver, let outcome = saver.outcome else { return }
    renderer.view.say(outcome, now: now)
    saver.close()
    self.saver = nil
  }

  private func suspend(now: Instant) {
    let wasRunning = pool.current.map { !$0.playback.state.isPaused } ?? false
    if wasRunning { pool.current?.setPaused(true, at: now) }
    soundControl.speaker?.setPaused(true)
    terminal.suspend()
    soundControl.speaker?.awaitSilence()
    Signals.stopSelf()
    terminal.resume()
    terminal.resize()
    let later = Instant.now
    for slot in pool.all { slot.forgive() }
    reactions.forgive()
    saver?.forgive()
    if wasRunning { pool.current?.setPaused(stage.isPaused, at: later) }
    renderer.terminalChanged()
  }

  func takeInput(now: Instant) {
    let events = terminal.readInput()
    if events.isEmpty, terminal.hasHungUp {
      end(.signal(.hangUp))
    }
    for event in events {
      switch event {
      case .key(let key): press(key, now: now)
      case .press(let row, let column): clicks.press(row: row, column: column, at: now)
      case .release:
        if let gesture = clicks.release(at: now) { perform(gesture, now: now) }
      case .synchronizedOutput, .program: renderer.screen.followAnswers()
      case .wheel(let up): if !options.untimed { sayVolume(soundControl.turn(up: up), now: now) }
      case .focus: break
      }
      if ending != nil { return }
    }
  }

  private func press(_ key: Key, now: Instant) {
    renderer.view.lastKey = now
    if stage.isAtEndCard, key == .enter { return direct(.jump(.replay), now: now) }
    if renderer.scrollHelp(options.keys.helpRows, with: key) { return }
    // What lies over the strip comes first.
    let isCovered = stage.isAtEndCard || renderer.view.showsHelp
    if !isCovered, reactions.press(key, at: now) { return }
    guard let action = options.keys.action(for: key) else {
      if !stage.isAtEndCard { reactions.pressDigit(key, at: now) }
      return
    }
    if options.untimed, action != .quit, action != .quitRemembering { return }
    switch action {
    case .next: direct(.jump(.next), now: now)
    case .previous: direct(.jump(.previous), now: now)
    case .nextReel: direct(.jump(.nextReel), now: now)
    case .previousReel: direct(.jump(.previousReel), now: now)
    case .restart: direct(.jump(.restart), now: now)
    case .end: direct(.jump(.end), now: now)
    case .pause: direct(.command(.togglePause), now: now)
    case .seekBack: seek(by: .seconds(-5), now: now)
    case .seekForward: seek(by: .seconds(5), now: now)
    case .repaint: renderer.terminalChanged()
    case .quit: end(.quit(remembersPlace: false))
    case .quitRemembering: end(.quit(remembersPlace: true))
    case .link: openLink(now: now)
    case .still: saveStill(now: now)
    case .mute: sayVolume(soundControl.toggleMute(), now: now)
    case .volumeUp: sayVolume(soundControl.turn(up: true), now: now)
    case .volumeDown: sayVolume(soundControl.turn(up: false), now: now)
    case .reactions: if !stage.isAtEndCard { reactions.toggleStrip(at: now) }
    case .showReactions: reactions.toggleShown(at: now)
    case .caption, .mode, .fit, .help, .info, .close:
      if renderer.view.take(action) { renderer.layoutChanged() }
    }
  }

  private func sayVolume(_ words: String, now: Instant) {
    renderer.view.say(words, now: now)
    renderer.view.isMuted = soundControl.isMuted
  }

  func perform(_ gesture: ClickRecogniser.Gesture, now: Instant) {
    guard !options.untimed else { return }
    switch gesture {
    case .holdBegan: direct(.command(.hold(true)), now: now)
    case .holdEnded: direct(.command(.hold(false)), now: now)
    case .click(let row, let column):
      if row == renderer.screen.layout.barRow,
        let target = renderer.view.segment(at: column, viewModel(now: now))
      {
        clickBar(target.index, target.fraction, now: now)
      } else {
        direct(.jump(column < renderer.screen.columns / 2 ? .previous : .next), now: now)
      }
    }
  }

  private func clickBar(_ segment: Int, _ fraction: Double, now: Instant) {
    let reel = stage.reels[stage.reel(of: stage.current.story)]
    guard reel.lowerBound + segment == stage.current.story, !stage.isAtEndCard else {
      return direct(.jump(.goTo(storyInReel: segment)), now: now)
    }
    if let slot = pool.current, let length = slot.playback.length {
      seek(slot, to: length * fraction, now: now)
    }
  }

  func seek(by distance: Duration, now: Instant) {
    guard let slot = pool.current, !stage.isAtEndCard else { return }
    seek(slot, to: slot.playback.position(at: now) + distance, now: now)
  }

  private func seek(_ slot: StorySlot, to time: Duration, now: Instant) {
    options.log.note(.playback, "seek to \(time.logged)")
    slot.seek(to: time, at: now)
  }

  private func saveStill(now: Instant) {
    guard saver == nil, let slot = pool.current, let info = slot.playback.info,
      let shown = slot.playback.shown
    else { return }
    do {
      saver = try StillSaver(
        of: stories[slot.story], at: slot.playback.sourceTime(of: shown), info: info,
        bytes: bytes, pool: pool.decoders)
    } catch {
      renderer.view.say("cannot save a still: \(error.reason)", now: now)
    }
  }

  private func openLink(now: Instant) {
    guard let link = stories[stage.current.story].link else {
      return renderer.view.say("this story has no link", now: now)
    }
    do {
      try links.open(link)
    } catch {
      renderer.view.say(error.description, now: now)
    }
  }
}
