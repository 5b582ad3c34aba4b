import System

/// The loudspeaker as the player's loop sees it: never waits, may be absent, and tells which moment
/// of a story is heard now. A thread of its own feeds the device.
public final class Speaker {
  private let state: SpeakerState
  /// nil where no thread of its own feeds the device.
  private let opening: (@Sendable () throws(DeviceFault) -> any SoundDevice)?
  private var thread: WorkerThread?
  private var voices = 0
  /// How loud; a change is heard as soon as the device has played what it holds.
  public var volume: Volume {
    didSet { state.withLock { $0.line.wantedGain = volume.gain } }
  }

  /// Opens nothing yet: that happens on the thread when the first sound is to be heard.
  public convenience init(volume: Volume = Volume()) throws(SystemError) {
    self.init(try SpeakerState(), volume: volume) { () throws(DeviceFault) in try ALSADevice() }
  }

  /// - Parameter opening: opens the device; nil where the caller runs a `AudioOutput` on the same state.
  package init(
    _ state: SpeakerState, volume: Volume = Volume(),
    opening: (@Sendable () throws(DeviceFault) -> any SoundDevice)? = nil
  ) {
    self.state = state
    self.volume = volume
    self.opening = opening
    state.withLock { $0.line.wantedGain = volume.gain }
  }

  /// Readable when the sound began or `takeNotices` has something.
  public var descriptor: Int32 { state.loopWaker.number }

  /// A device does what it is asked for in less time, unless its sound server hangs.
  private static let patience = Duration.seconds(3)

  /// Says once that the device keeps its thread waiting. Pictures go on by themselves then.
  public func watch(at now: Instant) {
    let isNew = state.withLock { shared in
      guard !shared.isStuck, let since = shared.busySince, now - since > Self.patience else {
        return false
      }
      shared.isStuck = true
      shared.notices.append(.lost("the sound device does not answer"))
      return true
    }
    if isNew { state.loopWaker.wake() }
  }

  /// What is to be said since the last call.
  public func takeNotices() -> [SoundNotice] {
    state.loopWaker.silence()
    return state.withLock { shared in
      defer { shared.notices = [] }
      return shared.notices
    }
  }

  /// There is no device: stories are told by the monotonic clock.
  public var isAbsent: Bool { state.withLock { $0.device == .absent } }
  /// There is a device.
  public var isOpen: Bool { state.withLock { $0.device == .open } }

  /// A story's voice, silent for now.
  public func makeVoice() -> Voice {
    voices += 1
    state.withLock { $0.line.begin(voices, at: 0) }
    return Voice(number: voices, state: state)
  }

  /// Sound is wanted although nothing can be heard: the device is looked for.
  public func want() {
    run()
    let isNew = state.withLock { shared in
      defer { shared.isWanted = true }
      return !shared.isWanted
    }
    if isNew { state.threadWaker.wake() }
  }

  /// Lets a voice be heard from a time of its story on, and nothing else.
  public func play(_ voice: Voice, from time: Duration) {
    run()
    state.withLock { $0.play(voice.number, from: SoundFormat.frames(time)) }
    state.threadWaker.wake()
  }

  /// Lets a voice begin where the last one ends, with its first sample; false while that cannot be
  /// arranged: the end of the last one, or the beginning of this one, is not known yet.
  public func follow(with voice: Voice) -> Bool {
    defer { state.threadWaker.wake() }
    return state.withLock { $0.line.follow(with: voice.number) }
  }

  /// Lets a voice be heard: behind what is still to be heard, else at once from a time of its
  /// story on. False while the former cannot be arranged.
  public func queue(_ voice: Voice, from time: Duration) -> Bool {
    run()
    defer { state.threadWaker.wake() }
    return state.withLock { shared in
      shared.isWanted = true
      if shared.line.contains(voice.number) { return true }
      if !shared.line.isOver { return shared.line.follow(with: voice.number) }
      shared.play(voice.number, from: SoundFormat.frames(time))
      return true
    }
  }

  /// Silence, within a few milliseconds.
  public func cut() {
    state.withLock {
      $0.cut()
      $0.isWanted = false
      $0.isPaused = false
    }
    state.threadWaker.wake()
  }

  /// Stops, within a few milliseconds, or goes on with what was not heard.
  public func setPaused(_ paused: Bool) {
    state.withLock { $0.isPaused = paused }
    state.threadWaker.wake()
  }

  /// Waits until the device is silent after a pause, for a moment at most: before the process is
  /// stopped.
  public func awaitSilence() {
    let deadline = Instant.now + .milliseconds(100)
    while state.withLock({ $0.isSounding }), Instant.now < deadline {
      _ = try? awaitReadiness(of: [Interest(state.loopWaker.number)], until: deadline)
      state.loopWaker.silence()
    }
    state.loopWaker.wake()
  }

  /// Silence for ever. Waits for the thread, but for no device that hangs.
  public func close() {
    guard let thread else { return }
    state.withLock {
      $0.isEnding = true
      $0.cut()
    }
    state.threadWaker.wake()
    let ready = try? awaitReadiness(
      of: [Interest(state.endWaker.number)], until: .now + .milliseconds(500))
    if ready?.first?.readable == true { thread.join() }
    self.thread = nil
  }

  private func run() {
    guard thread == nil, let opening else { return }
    do {
      thread = try WorkerThread { [state, opening] in
        var output = AudioOutput(state, open: opening)
        while !state.withLock({ $0.isEnding }) {
          state.withLock { $0.busySince = .now }
          let next = output.step(at: .now)
          let wasStuck = state.withLock { shared in
            defer { shared.endStep() }
            return shared.isStuck
          }
          if wasStuck { state.loopWaker.wake() }
          _ = try? awaitReadiness(of: [Interest(state.threadWaker.number)], until: next)
          state.threadWaker.silence()
        }
        _ = output.step(at: .now)
        state.endWaker.wake()
      }
    } catch {
      state.withLock { $0.device = .absent }
    }
  }

  deinit { close() }

  /// What the device is in words, or why there is none. May take a while.
  public static func describeDevice() -> (words: String, isPresent: Bool) {
    do throws(DeviceFault) {
      return (try ALSADevice().description, true)
    } catch {
      guard case .lost(let reason) = error else { return ("none", false) }
      return (reason, false)
    }
  }
}
