import DecoderLink
import Glibc
import System

/// The `storytty-decoder` that has loaded all libraries and forks a decoder for each story.
final class ForkServerProcess {
  private let process: ChildProcess
  private let socket: Descriptor
  /// What was asked for and is not known yet, the oldest first.
  private var awaited: [ForkedProcess] = []
  private var incoming: [UInt8] = []
  /// Whether it can fork nothing (more).
  private(set) var isLost = false
  private var hasForked = false
  /// The error by which it could not fork.
  private var refusal: Int32?
  /// Why it is of no use to try another one, as a value of errno: it could not fork, or it ended before
  /// it had.
  var lasting: Int32? { refusal ?? (isLost && !hasForked ? ECHILD : nil) }

  init(program: DecoderProgram) throws(SystemError) {
    let started = try ChildProcess.start(
      program.path, arguments: ["--fork-server"], environment: program.environment)
    process = started.process
    number = process.identifier
    socket = started.releaseSocket()
    try socket.setNonBlocking()
  }

  /// Its process identifier, also after it was reaped.
  let number: Int32

  /// Takes the answers that have come; gives whether it has ended.
  func hasEnded() -> Bool {
    collect()
    if !isLost, process.poll() != nil { lose() }
    return isLost
  }

  /// Asks for a decoder at the other end of a socket, without waiting for it: the socket takes messages
  /// at once.
  func fork(giving socket: borrowing Descriptor) throws(SystemError) -> ForkedProcess {
    do throws(SystemError) {
      try self.socket.pass(socket)
    } catch {
      collect()
      lose()
      throw error
    }
    let child = ForkedProcess(of: self)
    awaited.append(child)
    return child
  }

  /// Takes the answers that have come; with a deadline, waits until then for all of them.
  func collect(until deadline: Instant? = nil) {
    while !awaited.isEmpty, !isLost {
      switch try? socket.read(upTo: 64 * ForkAnswer.length, into: &incoming) {
      case .bytes: takeAnswers()
      case .wouldBlock:
        guard let deadline, .now < deadline else { return }
        _ = try? awaitReadiness(of: [Interest(socket.number)], until: deadline)
      case .end, nil: lose()
      }
    }
  }

  private func takeAnswers() {
    while let answer = ForkAnswer(incoming[...]), !awaited.isEmpty {
      incoming.removeFirst(ForkAnswer.length)
      let child = awaited.removeFirst()
      switch answer {
      case .forked(let number):
        hasForked = true
        child.state = .running(ChildProcess(adopting: number))
      case .failed(let code):
        refusal = code
        child.state = .never
      }
    }
  }

  /// Ends it. What it has forked lives on.
  func lose() {
    guard !isLost else { return }
    isLost = true
    for child in awaited { child.state = .never }
    awaited = []
    process.kill()
  }

  deinit { lose() }
}

/// A decoder that a fork server was asked for.
final class ForkedProcess {
  fileprivate enum State {
    case awaited(by: ForkServerProcess)
    case running(ChildProcess)
    /// It was not started.
    case never
  }

  fileprivate var state: State

  fileprivate init(of server: ForkServerProcess) { state = .awaited(by: server) }

  /// A process that was started without a fork server.
  init(_ process: ChildProcess) { state = .running(process) }

  /// The process; nil as long as it is not known, and where it was not started.
  var process: ChildProcess? {
    if case .awaited(let server) = state { server.collect() }
    return if case .running(let process) = state { process } else { nil }
  }

  /// Waits for the answer, at most until a moment; then the server that does not answer is given up.
  func settle(until deadline: Instant) {
    guard case .awaited(let server) = state else { return }
    server.collect(until: deadline)
    if case .awaited = state { server.lose() }
  }

  /// Whether there is no such process, and will be none.
  var isAbsent: Bool { if case .never = state { true } else { false } }
}
