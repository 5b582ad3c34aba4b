import System

/// Starts decoders ahead of their use, and reaps them.
public final class DecoderPool {
  /// The exit status of a decoder that ran out of memory.
  static let outOfMemoryStatus: Int32 = 86

  private let program: DecoderProgram
  private var spare: DecoderProcess?
  private var dying: [DecoderProcess] = []
  /// The largest resident memory of any decoder that was ended, in KiB.
  public private(set) var peakKibibytes = 0

  let refusedAnimations: RefusedAnimations
  private let log: Log

  /// - Parameter log: receives the start and the end of each decoder.
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

  /// Starts a spare decoder, so that the next `take` need not wait for its libraries to load.
  public func prepareSpare() throws(SystemError) {
    if spare == nil { spare = try start() }
  }

  /// Whether there is a spare decoder.
  public var hasSpare: Bool { spare != nil }

  /// The spare decoder, or else a new one.
  func take() throws(SystemError) -> DecoderProcess {
    reap()
    if let ready = spare {
      spare = nil
      return ready
    }
    return try start()
  }

  /// Takes a decoder that was ended, to reap it later.
  func reapLater(_ process: DecoderProcess) {
    note(process)
    dying.append(process)
  }

  /// Reaps the decoders that have ended, without waiting. That may include the spare, which is not
  /// replaced before `prepareSpare`.
  public func reap() {
    dying.removeAll { hasEnded($0) }
    if let ready = spare, hasEnded(ready) { spare = nil }
  }

  /// Ends and reaps all remaining decoders; every session must be closed before.
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
