import System

/// What the sound device and a story's own samples say at a moment.
public struct SoundReport: Equatable, Sendable {
  public enum Device: Equatable, Sendable {
    /// Nothing was to be heard so far.
    case unopened
    case open
    case absent
  }

  /// What is heard of the story.
  public enum Moment: Equatable, Sendable {
    /// A time of the story; before its start while it is about to begin.
    case heard(Duration)
    /// It was heard to its end, or is not queued.
    case over
    /// The device does not run.
    case unknown
  }

  public var device: Device
  public var moment: Moment
  /// Whether the device lacks samples of it.
  public var isStarved: Bool
  /// Whether there is nothing more to be heard at the story's time.
  public var isOver: Bool
  /// Whether the samples up to the story's time are here.
  public var isReady: Bool
  /// Whether those up to `joinMargin` later are here too.
  public var isReadyToJoin: Bool

  /// So much is to be here before a sound joins in where the clock runs already.
  public static let joinMargin = Duration.milliseconds(100)

  public init(
    device: Device, moment: Moment, isStarved: Bool, isOver: Bool, isReady: Bool,
    isReadyToJoin: Bool
  ) {
    self.device = device
    self.moment = moment
    self.isStarved = isStarved
    self.isOver = isOver
    self.isReady = isReady
    self.isReadyToJoin = isReadyToJoin
  }
}

/// What is to be done with a story's sound.
public enum SoundEffect: Equatable, Sendable {
  /// The device goes on. Answered by `Playback.Input.sound`.
  case resume
  /// The device stops, and keeps what was not heard.
  case pause
  /// The story is to be heard: behind what is still to be heard, else at once from a time of its own
  /// on. Answered by `Playback.Input.soundQueued`.
  case queue(from: Duration)
  /// The story is to be heard at once from a time of its own on, and nothing else.
  case play(from: Duration)
  /// Silence, until the device is there again: it is looked for.
  case silence
  /// Silence; the samples that are here are forgotten, and those that come begin at a time.
  case restart(at: Duration)
  /// No samples follow: the sound, or the whole story, ends at a time.
  case finish(at: Duration)
  /// The samples before a time are not needed any more.
  case forget(before: Duration)
}

/// How a story's sound leads its clock: while it is heard the clock follows it. Where it cannot be
/// heard, the clock runs by itself, and the sound joins in again where the clock is.
struct SoundSync: Equatable, Sendable {
  enum State: Equatable, Sendable {
    /// It is not to be heard: before its story plays, paused, or after a seek.
    case silent
    /// It is to be heard at any moment: the clock stands until then, or until this moment.
    case awaited(until: Instant)
    /// It is heard; the device has lacked samples since `starvedSince`.
    case heard(starvedSince: Instant?)
    /// All was heard: the clock runs on.
    case over
    /// Nothing can be heard: the clock runs by itself.
    case unheard
    /// The clock runs by itself, and the sound is about to join in.
    case joining(until: Instant)
  }

  private(set) var state = State.silent

  /// The clock waits so long for the sound.
  private static let patience = Duration.milliseconds(250)
  /// The decoder must hear in time that it may go on.
  private static let lookInterval = Duration.milliseconds(200)

  var isHeard: Bool { if case .heard = state { true } else { false } }

  /// Whether the clock is led by it, or about to be.
  var isLeading: Bool {
    switch state {
    case .heard, .awaited: true
    case .silent, .over, .unheard, .joining: false
    }
  }

  /// When it must be looked at again at the latest.
  ///
  /// - Parameter isComplete: whether the decoder has sent all samples.
  func deadline(at now: Instant, isComplete: Bool) -> Instant? {
    switch state {
    case .silent, .over: nil
    case .awaited(let until), .joining(let until): until
    case .heard, .unheard: isComplete ? nil : now + SoundSync.lookInterval
    }
  }

  /// The clock is to run as soon as the sound is heard.
  mutating func start(at now: Instant) -> SoundEffect {
    state = .awaited(until: now + SoundSync.patience)
    return .resume
  }

  /// The clock is to stand.
  mutating func pause() -> SoundEffect {
    state = .silent
    return .pause
  }

  /// Only the clock ends: what is left of the sound may still be heard.
  mutating func leave() { state = .silent }

  /// The story was moved: what was decoded is not heard.
  mutating func restart(at time: Duration) -> SoundEffect {
    state = .silent
    return .restart(at: time)
  }

  /// Sets the clock by what is heard.
  mutating func follow(
    _ report: SoundReport, _ clock: inout MediaClock, at now: Instant
  ) -> [SoundEffect] {
    switch state {
    case .silent, .over: return []
    case .awaited: return begin(report, &clock, at: now)
    case .heard(let since): return lead(report, starvedSince: since, &clock, at: now)
    case .unheard: return join(report, clock, at: now)
    case .joining(let until):
      if case .heard(let time) = report.moment {
        state = .heard(starvedSince: nil)
        clock.follow(time, at: now)
      } else if report.device == .absent || now >= until {
        return runAlone(&clock, at: now)
      }
      return []
    }
  }

  /// Takes the answer to `queue`.
  mutating func queued(
    _ isQueued: Bool, _ report: SoundReport, _ clock: inout MediaClock, at now: Instant
  ) -> [SoundEffect] {
    guard case .awaited(let until) = state else { return [] }
    if isQueued, case .heard(let time) = report.moment {
      state = .heard(starvedSince: nil)
      clock.set(to: time, at: now)
      clock.run(at: now)
      return []
    }
    return report.device == .absent || now >= until ? runAlone(&clock, at: now) : []
  }

  private mutating func begin(
    _ report: SoundReport, _ clock: inout MediaClock, at now: Instant
  ) -> [SoundEffect] {
    if report.isOver {
      state = .over
      clock.run(at: now)
      return []
    }
    if report.device == .absent { return runAlone(&clock, at: now) }
    return [.queue(from: clock.time(at: now))]
  }

  private mutating func lead(
    _ report: SoundReport, starvedSince: Instant?, _ clock: inout MediaClock, at now: Instant
  ) -> [SoundEffect] {
    switch report.moment {
    case .heard(let time): clock.follow(time, at: now)
    case _ where report.device == .absent: return runAlone(&clock, at: now)
    case .over:
      state = .over
      return []
    case .unknown:
      // The device has stopped, as after a short pause, and begins again.
      clock.stop(at: now)
      state = .awaited(until: now + SoundSync.patience)
      return []
    }
    guard report.isStarved else {
      state = .heard(starvedSince: nil)
      return []
    }
    let since = starvedSince ?? now
    state = .heard(starvedSince: since)
    return now - since > SoundSync.patience ? runAlone(&clock, at: now) : []
  }

  private mutating func runAlone(_ clock: inout MediaClock, at now: Instant) -> [SoundEffect] {
    clock.run(at: now)
    state = .unheard
    return [.silence]
  }

  /// Joins in once there is a device, and samples for the time that the clock shows.
  private mutating func join(
    _ report: SoundReport, _ clock: MediaClock, at now: Instant
  ) -> [SoundEffect] {
    let time = clock.time(at: now)
    guard report.device == .open, report.isReadyToJoin else { return [.forget(before: time)] }
    state = .joining(until: now + SoundSync.patience)
    return [.forget(before: time), .play(from: time)]
  }
}
