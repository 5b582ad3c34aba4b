import System

/// Starts decoders ahead of their use, and sees to it that each one is reaped.
public final class DecoderPool {
  /// How a decoder says that it could not get the memory it needed.
  static let outOfMemoryStatus: Int32 = 86

  private let program: DecoderProgram
  private var spare: DecoderProcess?
  private var dying: [DecoderProcess] = []

  public init(program: DecoderProgram) { self.program = program }

  /// Starts a decoder that waits for its story, so that the next `take` need not wait for its
  /// libraries to load.
  public func prepareSpare() throws(SystemError) {
    if spare == nil { spare = try DecoderProcess(program: program) }
  }

  /// The waiting decoder, else a new one.
  func take() throws(SystemError) -> DecoderProcess {
    if let ready = spare, !ready.hasEnded() {
      spare = nil
      return ready
    }
    spare = nil
    return try DecoderProcess(program: program)
  }

  /// A decoder that was told to end: reaped when it has.
  func bury(_ process: DecoderProcess) { dying.append(process) }

  /// Reaps the decoders that have ended, without waiting.
  public func reap() { dying.removeAll { $0.hasEnded() } }

  /// Ends and reaps all that is left; every session must be closed before.
  public func close() {
    _ = spare?.end()
    spare = nil
    for process in dying { _ = process.end() }
    dying = []
  }

  deinit { close() }
}
