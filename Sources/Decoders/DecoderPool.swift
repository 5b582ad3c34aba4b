import System

/// Starts decoders ahead of their use, and sees to it that each one is reaped.
public final class DecoderPool {
  /// How a decoder says that it could not get the memory it needed.
  static let outOfMemoryStatus: Int32 = 86

  private let program: DecoderProgram
  private var spare: DecoderProcess?
  private var dying: [DecoderProcess] = []
  /// The most memory that any decoder that was told to end had resident, in KiB.
  public private(set) var peakKibibytes = 0

  let refusedAnimations: RefusedAnimations
  private let log: Log

  /// - Parameter log: where the beginning and the end of each decoder are noted.
  public init(
    program: DecoderProgram, refusedAnimations: RefusedAnimations = RefusedAnimations(path: nil),
    log: Log = .off
  ) {
    self.program = program
    self.refusedAnimations = refusedAnimations
    self.log = log
  }

  private func start() throws(SystemError) -> DecoderProcess {
    let process = try DecoderProcess(program: program)
    log.note(.decoder, "pid \(process.number) starts")
    return process
  }

  /// Starts a decoder that waits for its story, so that the next `take` need not wait for its
  /// libraries to load.
  public func prepareSpare() throws(SystemError) {
    if spare == nil { spare = try start() }
  }

  /// Whether a decoder waits for its story.
  public var hasSpare: Bool { spare != nil }

  /// The waiting decoder, else a new one.
  func take() throws(SystemError) -> DecoderProcess {
    reap()
    if let ready = spare {
      spare = nil
      return ready
    }
    return try start()
  }

  /// A decoder that was told to end: reaped when it has.
  func bury(_ process: DecoderProcess) {
    note(process)
    dying.append(process)
  }

  /// Reaps the decoders that have ended, without waiting; a waiting one too, which nothing replaces
  /// before `prepareSpare` does.
  public func reap() {
    dying.removeAll { hasEnded($0) }
    if let ready = spare, hasEnded(ready) { spare = nil }
  }

  /// Ends and reaps all that is left; every session must be closed before.
  public func close() {
    for process in dying + [spare].compactMap(\.self) {
      process.whyEnded = process.whyEnded ?? "it is not needed"
      _ = process.end()
      noteEnd(process)
    }
    spare = nil
    dying = []
  }

  private func hasEnded(_ process: DecoderProcess) -> Bool {
    guard process.hasEnded() else { return false }
    noteEnd(process)
    return true
  }

  private func noteEnd(_ process: DecoderProcess) {
    note(process)
    log.note(.decoder, "pid \(process.number) has ended: \(process.wordsForEnd)")
  }

  private func note(_ process: DecoderProcess) {
    peakKibibytes = max(peakKibibytes, process.peakKibibytes)
  }

  deinit { close() }
}
