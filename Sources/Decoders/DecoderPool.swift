import System

/// Starts decoders ahead of their use, and reaps them.
public final class DecoderPool {
  /// The exit status of a decoder that ran out of memory.
  static let outOfMemoryStatus: Int32 = 86

  private let program: DecoderProgram
  /// The parent of the decoders; nil as long as none is needed, and where the program cannot fork.
  private var server: ForkServerProcess?
  private var mayFork: Bool
  private var dying: [DecoderProcess] = []
  /// How long the parent may take for a fork.
  var longestFork = Duration.seconds(5)
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
    if let server, server.isLost || server.lasting != nil { loseServer(server) }
    guard server == nil, mayFork else { return }
    let new = try ForkServerProcess(program: program)
    log.note(.decoder, "pid \(new.number) starts, to fork decoders")
    server = new
  }

  /// The process identifier of the decoders' parent; nil where there is none.
  var serverIdentifier: Int32? { server.flatMap { $0.isLost ? nil : $0.number } }

  /// Whether a decoder needs no program to be started.
  public var isPrepared: Bool { server.map { !$0.isLost } ?? false }

  /// A new decoder.
  func take() throws(SystemError) -> DecoderProcess {
    reap()
    // Where the parent has ended since, another is started.
    for _ in 0..<2 {
      try prepare()
      if let server, let process = try? DecoderProcess(from: server) {
        return logged(process)
      }
    }
    return logged(try DecoderProcess(program: program))
  }

  private func logged(_ process: DecoderProcess) -> DecoderProcess {
    process.whenKnown { [log] in log.note(.decoder, "pid \($0) starts") }
    return process
  }

  /// Another parent is started for the next decoders, or none where this one could not fork.
  private func loseServer(_ lost: ForkServerProcess) {
    if let code = lost.lasting {
      mayFork = false
      log.note(
        .decoder, "\(SystemError(step: "fork decoders", code: code)); starts programs instead")
    } else {
      log.note(.decoder, "pid \(lost.number), which forked decoders, has ended")
    }
    lost.lose()
    server = nil
  }

  /// Takes a decoder that was ended, to reap it later.
  func reapLater(_ process: DecoderProcess) {
    note(process)
    dying.append(process)
    // A parent that hangs is replaced; where its libraries still load, it may take some seconds.
    if let server, process.number == nil, process.age > longestFork {
      server.lose()
      loseServer(server)
    }
  }

  /// Reaps the decoders that have ended, without waiting.
  public func reap() {
    if let server, server.hasEnded() { loseServer(server) }
    dying.removeAll { hasEnded($0) }
  }

  /// Ends and reaps all remaining decoders; every session must be closed before.
  public func close() {
    for process in dying {
      process.whyEnded = process.whyEnded ?? "it is not needed"
      _ = process.end()
      noteEnd(process)
    }
    dying = []
    server?.lose()
    server = nil
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
    // All its siblings lie at the same addresses, and so would those to come: after a crash they get
    // others.
    if process.hasCrashed, let server {
      log.note(.decoder, "pid \(server.number) is given up: one that it forked has crashed")
      // It ends once it has answered.
      self.server = nil
    }
  }

  private func note(_ process: DecoderProcess) {
    peakKibibytes = max(peakKibibytes, process.peakKibibytes)
  }

  deinit { close() }
}
