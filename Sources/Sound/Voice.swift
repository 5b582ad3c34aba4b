import System

/// One story's sound.
public final class Voice {
  let number: Int
  private let state: SpeakerState

  init(number: Int, state: SpeakerState) {
    self.number = number
    self.state = state
  }

  /// What is in the line is still heard.
  deinit { state.withLock { $0.line.release(number) } }

  /// Adds samples at a time of the story; none: nothing is heard before that time.
  public func add(_ samples: [Int16], at time: Duration) {
    let isHungry = state.withLock { shared in
      shared.line.append(samples, at: SoundFormat.frames(time), to: number)
      return shared.isHungry && shared.line.contains(number)
    }
    if isHungry { state.threadWaker.wake() }
  }

  /// Nothing more comes; where that ends before `time` there is silence up to it.
  public func finish(at time: Duration) {
    state.withLock { $0.line.finish(number, at: SoundFormat.frames(time)) }
    state.threadWaker.wake()
  }

  /// Forgets all samples: what comes begins at a time of the story.
  public func begin(at time: Duration) {
    state.withLock { $0.line.begin(number, at: SoundFormat.frames(time)) }
  }

  /// Whether it is heard, or will be by itself.
  public var isInLine: Bool { state.withLock { $0.line.contains(number) } }

  /// What is heard of it.
  public enum Moment: Equatable, Sendable {
    /// A time of the story; before its start while it is about to begin.
    case heard(Duration)
    /// It was heard to its end, or is not in the line.
    case over
    /// The device does not run.
    case unknown
  }

  /// What is heard of it at a moment.
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

  /// The time of the story that is heard at a moment; nil where that cannot be told, and once it is
  /// over.
  public func time(at now: Instant) -> Duration? {
    if case .heard(let time) = moment(at: now) { time } else { nil }
  }

  /// Whether it is in the line but the device lacks samples of it.
  public var isStarved: Bool {
    state.withLock { $0.isHungry && $0.line.contains(number) && !$0.line.isAllWritten }
  }

  /// Frames of samples that wait to be heard; those before `time` count only where it is in the line.
  public func waiting(from time: Duration) -> Int {
    state.withLock { $0.line.stored(number, from: SoundFormat.frames(time)) }
  }

  /// Whether all is there to be heard at a time.
  public func isReady(at time: Duration) -> Bool {
    state.withLock { $0.line.knows(number, upTo: SoundFormat.frames(time)) }
  }

  /// Whether there is nothing more to be heard at a time.
  public func isOver(at time: Duration) -> Bool {
    state.withLock { $0.line.isOver(number, at: SoundFormat.frames(time)) }
  }

  /// Lets go of what lies before a time, of a story that nobody hears.
  public func forget(before time: Duration) {
    state.withLock { $0.line.forget(number, before: SoundFormat.frames(time)) }
  }
}
