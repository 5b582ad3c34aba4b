import System

/// One story's sound.
public final class Voice {
  let number: Int
  private let state: SpeakerState

  init(number: Int, state: SpeakerState) {
    self.number = number
    self.state = state
  }

  /// What is in the timeline is still played.
  deinit { state.withLock { $0.line.release(number) } }

  /// Adds samples at a time of the story; an empty array means that there is no sound before that time.
  public func add(_ samples: [Int16], at time: Duration) {
    let isHungry = state.withLock { shared in
      shared.line.append(samples, at: SoundFormat.frames(time), to: number)
      return shared.isHungry && shared.line.contains(number)
    }
    if isHungry { state.threadWaker.wake() }
  }

  /// No more samples follow. There is silence up to `time` if that is later than the last sample.
  public func finish(at time: Duration) {
    state.withLock { $0.line.finish(number, at: SoundFormat.frames(time)) }
    state.threadWaker.wake()
  }

  /// Drops all samples; the next ones begin at a time of the story.
  public func begin(at time: Duration) {
    state.withLock { $0.line.begin(number, at: SoundFormat.frames(time)) }
  }

  /// Whether it is playing, or will play by itself.
  public var isInLine: Bool { state.withLock { $0.line.contains(number) } }

  /// What is being played of it.
  public enum Moment: Equatable, Sendable {
    /// A time of the story, which is before its start while it is about to begin.
    case heard(Duration)
    /// It was played to its end, or is not in the timeline.
    case over
    /// The device does not run.
    case unknown
  }

  /// What is played of it at a moment.
  public func moment(at now: Instant) -> Moment {
    state.withLock { shared in
      guard !shared.isPaused else { return .unknown }
      guard let clock = shared.clock else {
        return shared.line.wasHeard(number) ? .over : .unknown
      }
      let frame = clock.frame(at: now, written: shared.line.written)
      let position = shared.line.position(of: number, at: frame)
      return position.map { .heard(SoundFormat.duration($0)) } ?? .over
    }
  }

  /// The time of the story that is played at a moment; nil if it is unknown, and after the end.
  public func time(at now: Instant) -> Duration? {
    if case .heard(let time) = moment(at: now) { time } else { nil }
  }

  /// Whether it is in the timeline but the device lacks samples of it.
  public var isStarved: Bool {
    state.withLock { $0.isHungry && $0.line.contains(number) && !$0.line.isAllWritten }
  }

  /// The number of frames that wait to be played; those before `time` count only if it is in the
  /// timeline.
  public func waiting(from time: Duration) -> Int {
    state.withLock { $0.line.stored(number, from: SoundFormat.frames(time)) }
  }

  /// Whether it can be played at a time.
  public func isReady(at time: Duration) -> Bool {
    state.withLock { $0.line.knows(number, upTo: SoundFormat.frames(time)) }
  }

  /// Whether it has ended at a time.
  public func isOver(at time: Duration) -> Bool {
    state.withLock { $0.line.isOver(number, at: SoundFormat.frames(time)) }
  }

  /// Drops samples before a time, of a story that is not played.
  public func forget(before time: Duration) {
    state.withLock { $0.line.forget(number, before: SoundFormat.frames(time)) }
  }
}
