import System

/// The sound output as the player's loop sees it: it never blocks, may be absent, and knows which
/// moment of a story is being played. A thread of its own writes to the device.
public final class Speaker {
  private let state: SpeakerState
  /// nil if no thread of its own writes to the device.
  private let opening: (@Sendable () throws(DeviceFault) -> any SoundDevice)?
  private var thread: WorkerThread?
  private var voices = 0
  /// The volume; a change is heard as soon as the device has played what it has buffered.
  public var volume: Volume {
    didSet { state.withLock { $0.line.wantedGain = volume.gain } }
  }

  /// Opens no device yet: the thread does so when the first sound is played.
  public convenience init(volume: Volume = Volume()) throws(SystemError) {
    self.init(try SpeakerState(), volume: volume) { () throws(DeviceFault) in try ALSADevice() }
  }

  /// - Parameter opening: opens the device; nil if the caller runs an `AudioOutput` on the same state.
  package init(
    _ state: SpeakerState, volume: Volume = Volume(),
    opening: (@Sendable () throws(DeviceFault) -> any SoundDevice)? = nil
  ) {
    self.state = state
    self.volume = volume
    self.opening = opening
    state.withLock { $0.line.wantedGain = volume.gain }
  }

  /// Readable when the sound has started or `takeNotices` has something.
  public var descriptor: Int32 { state.loopWaker.number }

  /// Devices answer in less time, unless their sound server hangs.
  private static let patience = Duration.seconds(3)

  /// Reports once that the device blocks its thread. Pictures then play without it.
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

  /// The notices since the last call.
  public func takeNotices() -> [SoundNotice] {
    state.loopWaker.silence()
    return state.withLock { shared in
      defer { shared.notices = [] }
      return shared.notices
    }
  }

  /// Whether there is no device: stories then play by the monotonic clock.
  public var isAbsent: Bool { state.withLock { $0.device == .absent } }
  /// Whether a device is open.
  public var isOpen: Bool { state.withLock { $0.device == .open } }

  /// Makes a voice for a story, which is not played yet.
  public func makeVoice() -> Voice {
    voices += 1
    state.withLock { $0.line.begin(voices, at: 0) }
    return Voice(number: voices, state: state)
  }

  /// Asks for a device although there is nothing to play yet.
  public func want() {
    run()
    let isNew = state.withLock { shared in
      defer { shared.isWanted = true }
      return !shared.isWanted
    }
    if isNew { state.threadWaker.wake() }
  }

  /// Plays a voice from a time of its story on, and nothing else.
  public func play(_ voice: Voice, from time: Duration) {
    run()
    state.withLock { $0.play(voice.number, from: SoundFormat.frames(time)) }
    state.threadWaker.wake()
  }

  /// Plays a voice from its first sample on, directly after the last one; false while the last one's
  /// end or this one's beginning is not known.
  public func follow(with voice: Voice) -> Bool {
    defer { state.threadWaker.wake() }
    return state.withLock { $0.line.follow(with: voice.number) }
  }

  /// Plays a voice: after what is still playing, or else at once from a time of its story on. False
  /// while the former is not possible yet.
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

  /// Stops and empties the timeline, within a few milliseconds.
  public func cut() {
    state.withLock {
      $0.cut()
      $0.isWanted = false
      $0.isPaused = false
    }
    state.threadWaker.wake()
  }

  /// Pauses within a few milliseconds, or continues with what was not played.
  public func setPaused(_ paused: Bool) {
    state.withLock { $0.isPaused = paused }
    state.threadWaker.wake()
  }

  /// Waits a moment until the device is silent after a pause, before the process is stopped.
  public func awaitSilence() {
    let deadline = Instant.now + .milliseconds(100)
    while state.withLock({ $0.isSounding }), Instant.now < deadline {
      _ = try? awaitReadiness(of: [Interest(state.loopWaker.number)], until: deadline)
      state.loopWaker.silence()
    }
    state.loopWaker.wake()
  }

  /// Stops for good. Waits for the thread, but not for a device that hangs.
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

  /// Describes the device, or why there is none. May take a while.
  public static func describeDevice() -> (words: String, isPresent: Bool) {
    do throws(DeviceFault) {
      return (try ALSADevice().description, true)
    } catch {
      guard case .lost(let reason) = error else { return ("none", false) }
      return (reason, false)
    }
  }
}
