import DecoderLink
import System

/// Has decoders forked by their parent, or starts them, and reaps them.
public final class DecoderPool {
  /// The exit status of a decoder that ran out of memory.
  static let outOfMemoryStatus: Int32 = 86

  private let program: DecoderProgram
  /// The parent of the decoders; nil as long as none is needed, and where the program cannot fork.
  private var server: ForkServerProcess?
  private var mayFork: Bool
  /// A decoder that was forked ahead; it waits for a story.
  private var spare: DecoderProcess?
  private var dying: [DecoderProcess] = []
  /// How many parents in a row have ended without a fork.
  private var failures = 0
  /// How long the parent may take for a fork.
  var longestFork = Duration.seconds(5) { didSet { server?.longestFork = longestFork } }
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
    mayFork = program.forks
  }

  /// Starts the parent of the decoders, so that the next story need not wait for its libraries to load.
  public func prepare() throws(SystemError) {
    checkServer()
    guard server == nil, mayFork else { return }
    let new = try ForkServerProcess(program: program)
    new.longestFork = longestFork
    log.note(.decoder, "pid \(new.number) starts, to fork decoders")
    server = new
  }

  /// Has a decoder forked ahead, so that the next story need not wait for that either; nothing where
  /// decoders are not forked.
  public func prepareSpare() {
    do throws(SystemError) {
      try prepare()
      dropUselessSpare()
      guard spare == nil, let server else { return }
      spare = try DecoderProcess(.ahead, from: server)
    } catch {
      log.note(.decoder, "no decoder is forked ahead: \(error)")
    }
  }

  /// Ends a spare decoder that has no parent which still forks others: where that one was given up
  /// because of a crash, it has the addresses of the decoder that crashed.
  private func dropUselessSpare() {
    guard let process = spare else { return }
    if process.hasEnded() || server == nil || process.server !== server { dropSpare() }
  }

  private func dropSpare() {
    guard let process = spare else { return }
    spare = nil
    process.whyEnded = "it is not needed"
    process.kill()
    reapLater(process)
  }

  /// The process identifier of the spare decoder; nil where there is none, or it is not known yet.
  var spareIdentifier: Int32? { spare.flatMap { $0.identifier == 0 ? nil : $0.identifier } }

  /// The process identifier of the decoders' parent; nil where there is none.
  var serverIdentifier: Int32? { server.flatMap { $0.hasEnded ? nil : $0.number } }

  /// Whether some that were ended are not reaped yet.
  var hasDying: Bool { !dying.isEmpty }

  /// Whether a decoder needs no program to be started.
  public var isPrepared: Bool { serverIdentifier != nil }

  /// A new decoder.
  func take() throws(SystemError) -> DecoderProcess {
    reap()
    dropUselessSpare()
    if let process = spare {
      spare = nil
      process.beginStory(now: .now)
      return logged(process)
    }
    // Where the parent ends just now, another is started.
    for _ in 0..<2 {
      try prepare()
      if let server, let process = try? DecoderProcess(from: server) { return logged(process) }
    }
    return logged(try DecoderProcess(program: program))
  }

  private func logged(_ process: DecoderProcess) -> DecoderProcess {
    process.whenKnown { [log] in log.note(.decoder, "pid \($0) starts") }
    return process
  }

  /// Gives up a parent that has ended, hangs or cannot fork. What it was asked for is started as a
  /// program, and the next decoders get another parent, if there is hope that it can fork.
  private func checkServer() {
    guard let server else { return }
    let why: String
    if server.poll() {
      why = server.hasHung ? "it hangs" : "it has ended"
    } else if let refusal = server.refusal {
      why = refusal.description
    } else {
      return
    }
    server.end()
    self.server = nil
    failures = server.hasForked ? 0 : failures + 1
    if server.refusal != nil || failures == DecoderPool.mostFailures { mayFork = false }
    let next = mayFork ? "" : "; programs are started instead"
    log.note(.decoder, "pid \(server.number) forks no more decoders: \(why)\(next)")
  }

  /// So many parents in a row that have forked nothing are enough.
  private static let mostFailures = 2

  /// Takes a decoder that was ended, to reap it later.
  func reapLater(_ process: DecoderProcess) {
    note(process)
    dying.append(process)
  }

  /// Reaps the decoders that have ended, without waiting.
  public func reap() {
    checkServer()
    dying.removeAll { hasEnded($0) }
  }

  /// Ends and reaps all remaining decoders; every session must be closed before.
  public func close() {
    dropSpare()
    server?.end()
    server = nil
    for process in dying {
      process.whyEnded = process.whyEnded ?? "it is not needed"
      _ = process.end()
      noteEnd(process)
    }
    dying = []
  }

  private func hasEnded(_ process: DecoderProcess) -> Bool {
    guard process.hasEnded() else { return false }
    noteEnd(process)
    return true
  }

  private func noteEnd(_ process: DecoderProcess) {
    note(process)
    let name = process.number.map { "pid \($0)" } ?? "a decoder that was not started"
    log.note(.decoder, "\(name) has ended: \(process.wordsForEnd)")
    // All its siblings have the same addresses, and so would those to come: they get others. The parent
    // ends once it has answered all.
    if process.hasCrashed, let server, process.server === server {
      log.note(.decoder, "pid \(server.number) forks no more decoders: one of them has crashed")
      self.server = nil
    }
  }

  private func note(_ process: DecoderProcess) {
    peakKibibytes = max(peakKibibytes, process.peakKibibytes)
  }

  deinit { close() }
}
