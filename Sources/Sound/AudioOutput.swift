import System

/// Writes to the device: the work of the sound thread, one step at a time.
package struct AudioOutput {
  package typealias Opening = () throws(DeviceFault) -> any SoundDevice

  private let state: SpeakerState
  private let open: Opening
  private var device: (any SoundDevice)?
  private var isRunning = false
  private var cuts = 0
  private var retry: Instant?
  private var isNoticed = false
  private var idleSince: Instant?
  private var dryRuns = 0
  private var pace: Pace?

  /// Limits the pace to real time: a device that accepts everything at once gives no usable time.
  private struct Pace {
    var start: Instant
    var frame: Int
    /// When it last advanced.
    var moved: Instant
    var reached: Int

    func limit(at now: Instant) -> Int {
      let passed = SoundFormat.frames(now - start)
      return frame + passed + passed / 1000 + SoundFormat.rate / 100
    }
  }

  private static let period = Duration.milliseconds(25)
  /// How often the device is asked for its position before it first gives one.
  private static let startingPeriod = Duration.milliseconds(5)
  /// How much is written before it is started.
  private static let startFrames = SoundFormat.rate / 50
  private static let retryAfter = Duration.seconds(3)
  private static let closeAfter = Duration.seconds(10)
  private static let patience = Duration.seconds(1)

  package init(_ state: SpeakerState, open: @escaping Opening) {
    self.state = state
    self.open = open
  }

  /// What the player wants, read at the beginning of a step.
  private struct Wish {
    var cuts: Int
    var isWanted: Bool
    var isPaused: Bool
    var hasLine: Bool
    /// Everything in the timeline was played.
    var isOver: Bool
    var isEnding: Bool
  }

  /// Does what is due. Returns when to call again; nil means when the thread is woken.
  package mutating func step(at now: Instant) -> Instant? {
    let wish = state.withLock {
      Wish(
        cuts: $0.cuts, isWanted: $0.isWanted, isPaused: $0.isPaused, hasLine: !$0.line.isEmpty,
        isOver: !$0.line.isEmpty && $0.line.isOver, isEnding: $0.isEnding)
    }
    if wish.isEnding {
      device = nil
      return nil
    }
    do throws(DeviceFault) {
      if wish.cuts != cuts || wish.isPaused { try fallSilent(isCut: wish.cuts != cuts, at: now) }
      cuts = wish.cuts
      guard wish.isWanted, !wish.isPaused, isRunning || !wish.isOver else { return rest(at: now) }
      idleSince = nil
      guard device != nil else {
        try openDevice(at: now)
        // Opening took a while, so `now` is outdated.
        return device == nil ? retry : now
      }
      guard wish.hasLine else { return nil }
      return try feed(at: now)
    } catch {
      return recover(from: error, at: now)
    }
  }

  // MARK: - The device

  private mutating func openDevice(at now: Instant) throws(DeviceFault) {
    if let retry, now < retry { return }
    device = try open()
    retry = nil
    state.withLock {
      $0.device = .open
      if isNoticed { $0.notices.append(.back) }
    }
    isNoticed = false
    state.loopWaker.wake()
  }

  /// There is nothing to play. After a while the device is closed, for the use of other programs.
  private mutating func rest(at now: Instant) -> Instant? {
    guard device != nil else { return nil }
    let since = idleSince ?? now
    idleSince = since
    guard now - since >= Self.closeAfter else { return since + Self.closeAfter }
    device = nil
    state.withLock { $0.device = .unopened }
    return nil
  }

  private mutating func recover(from fault: DeviceFault, at now: Instant) -> Instant? {
    isRunning = false
    pace = nil
    dryRuns += 1
    switch fault {
    case .ranDry where dryRuns <= 20:
      state.withLock {
        // Everything written was played; the clock stands there.
        $0.line.noteHeard($0.line.written)
        $0.line.rewind()
        $0.clock = SoundClock(frame: $0.line.written, said: now)
        $0.isSounding = false
      }
      do throws(DeviceFault) {
        try device?.drop()
        return now
      } catch {
        return lose(error, at: now)
      }
    case .ranDry, .lost: return lose(fault, at: now)
    }
  }

  private mutating func lose(_ fault: DeviceFault, at now: Instant) -> Instant? {
    let reason = if case .lost(let words) = fault { words } else { "the sound device has stopped" }
    device = nil
    dryRuns = 0
    retry = now + Self.retryAfter
    state.withLock {
      $0.line.rewind()
      $0.clock = nil
      $0.isSounding = false
      $0.device = .absent
      if !isNoticed { $0.notices.append(.lost(reason)) }
    }
    isNoticed = true
    state.loopWaker.wake()
    return retry
  }

  // MARK: - Samples

  private mutating func fallSilent(isCut: Bool, at now: Instant) throws(DeviceFault) {
    guard let device, state.withLock({ $0.isSounding }) else { return }
    if isRunning, !isCut { try noteHeard(at: now) }
    try device.drop()
    stopRunning()
    state.loopWaker.wake()
  }

  /// Samples that the device has not played are written again later, unless the timeline was cut.
  private mutating func stopRunning() {
    isRunning = false
    pace = nil
    state.withLock {
      $0.isSounding = false
      guard $0.cuts == cuts else { return }
      $0.line.rewind()
      $0.clock = nil
    }
  }

  private mutating func feed(at now: Instant) throws(DeviceFault) -> Instant? {
    guard let device else { return nil }
    if isRunning { try noteHeard(at: now) }
    let room = try device.room()
    let samples = state.withLock { shared -> [Int16] in
      guard shared.cuts == cuts else { return [] }
      // A sound server accepts more than its buffer holds, since it passes on blocks of that size.
      let free = 2 * device.bufferFrames - (shared.line.written - shared.line.heard)
      let samples = shared.line.render(upTo: max(0, min(room, free)))
      if !samples.isEmpty { shared.isSounding = true }
      return samples
    }
    let taken = try device.write(samples[...])
    let (unheard, isComplete) = state.withLock { shared in
      if shared.cuts == cuts { shared.line.takeBack(samples.count / 2 - taken) }
      let unheard = shared.line.written - shared.line.heard
      let isComplete = shared.line.isAllWritten
      shared.isHungry = !isComplete && unheard < (isRunning ? 1 : Self.startFrames)
      return (unheard, isComplete)
    }
    if !isRunning, unheard >= Self.startFrames || (isComplete && unheard > 0) {
      try start(device, at: now)
    }
    return next(unheard: unheard, isComplete: isComplete, at: now)
  }

  private mutating func start(_ device: any SoundDevice, at now: Instant) throws(DeviceFault) {
    try device.start()
    isRunning = true
    let heard = state.withLock { $0.line.heard }
    pace = Pace(start: now, frame: heard, moved: now, reached: heard)
    try noteHeard(at: now)
  }

  private mutating func next(unheard: Int, isComplete: Bool, at now: Instant) -> Instant? {
    if isComplete, unheard == 0 {
      if isRunning { try? device?.drop() }
      stopRunning()
      return rest(at: now)
    }
    guard isRunning else { return nil }
    return now + (state.withLock { $0.clock == nil } ? Self.startingPeriod : Self.period)
  }

  /// Asks the device for its position.
  private mutating func noteHeard(at now: Instant) throws(DeviceFault) {
    guard let device, var pace, let delay = try device.delay() else { return }
    let (hasBegun, isStuck) = state.withLock { shared -> (Bool, Bool) in
      guard shared.cuts == cuts else { return (false, false) }
      let frame = min(shared.line.written - delay, pace.limit(at: now))
      let hasBegun = shared.clock == nil
      shared.clock = SoundClock(frame: frame, said: now)
      shared.line.noteHeard(frame)
      if frame != pace.reached || shared.line.heard == shared.line.written {
        pace.moved = now
        pace.reached = frame
      }
      return (hasBegun, now - pace.moved > Self.patience)
    }
    self.pace = pace
    if isStuck { throw .lost("the sound device has stopped") }
    if hasBegun { state.loopWaker.wake() }
    if pace.moved == now, pace.reached > pace.frame { dryRuns = 0 }
  }
}
