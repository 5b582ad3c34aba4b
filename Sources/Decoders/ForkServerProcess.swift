import DecoderLink
import Glibc
import System

/// The `storytty-decoder` that has loaded all libraries and forks a decoder for each story.
final class ForkServerProcess {
  private let program: DecoderProgram
  private let process: ChildProcess
  private let socket: Descriptor
  /// Its process identifier, also after it was reaped.
  let number: Int32
  /// What was asked for and is not answered yet, by the number of the request.
  private var awaited: [UInt32: DecoderChild] = [:]
  private var requests: UInt32 = 0
  private var incoming: [UInt8] = []
  /// Whether it forks nothing any more.
  private(set) var hasEnded = false
  /// Whether it was ended because it took too long.
  private(set) var hasHung = false
  /// How long a fork may take; where its libraries still load, that may be seconds.
  var longestFork = Duration.seconds(5)
  /// Whether it has ever forked.
  private(set) var hasForked = false
  /// Why it cannot fork on this machine; nil while nothing is known against it.
  private(set) var refusal: SystemError?

  init(program: DecoderProgram) throws(SystemError) {
    self.program = program
    let started = try ChildProcess.start(
      program.path, arguments: ["--fork-server"], environment: program.environment)
    process = started.process
    number = process.identifier
    socket = started.releaseSocket()
    try socket.setNonBlocking()
  }

  /// Becomes readable when something is answered.
  var descriptor: Int32 { socket.number }

  /// Asks for a decoder at the other end of a socket, without waiting for it: the socket takes messages
  /// at once.
  func fork(
    _ request: ForkRequest, giving theirs: consuming Descriptor
  ) throws(SystemError) -> DecoderChild {
    do throws(SystemError) {
      try socket.pass(theirs, with: request.rawValue)
    } catch {
      end()
      throw error
    }
    let child = DecoderChild(of: self, program, socket: theirs)
    awaited[requests] = child
    requests += 1
    return child
  }

  /// Takes the answers that have come.
  func collect() {
    while !hasEnded, !awaited.isEmpty {
      switch takeAnswers() {
      case .bytes: break
      case .wouldBlock:
        guard longestWait(at: .now) > longestFork else { return }
        hasHung = true
        end()
      case .end: end()
      }
    }
  }

  private func takeAnswers() -> Descriptor.Transfer {
    let transfer = (try? socket.read(upTo: 64 * ForkAnswer.length, into: &incoming)) ?? .end
    while let answer = ForkAnswer(incoming[...]) {
      incoming.removeFirst(ForkAnswer.length)
      guard let child = awaited.removeValue(forKey: answer.request) else { continue }
      switch answer.outcome {
      case .forked(let number):
        hasForked = true
        child.run(as: ChildProcess(adopting: number))
      case .failed(let code):
        if ForkServerProcess.lastingErrors.contains(code) {
          refusal = SystemError(step: "fork decoders", code: code)
        }
        child.startProgram()
      }
    }
    return transfer
  }

  /// Those that a second try would meet again: the kernel or a sandbox around does not allow it, or a
  /// library has started a thread.
  private static let lastingErrors: Set = [EINVAL, ENOSYS, EPERM, EDEADLK]

  /// Takes the answers that have come; gives whether it has ended.
  func poll() -> Bool {
    collect()
    if !hasEnded, process.poll() != nil || process.identifier == 0 { end() }
    return hasEnded
  }

  /// How long the oldest request waits.
  func longestWait(at now: Instant) -> Duration {
    awaited.values.map { now - $0.asked }.max() ?? .zero
  }

  /// Ends it. What it has forked lives on, and what it has not is started as a program.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    process.kill()
    // The end comes when the last child that was just forked has answered.
    let deadline = Instant.now + ForkServerProcess.longestDrain
    while !awaited.isEmpty, Instant.now < deadline {
      switch takeAnswers() {
      case .bytes: continue
      case .wouldBlock:
        _ = try? awaitReadiness(of: [Interest(socket.number)], until: deadline)
        continue
      case .end: break
      }
      break
    }
    for child in awaited.values { child.startProgram() }
    awaited = [:]
  }

  private static let longestDrain = Duration.milliseconds(200)

  deinit { end() }
}

/// The process of a decoder, which may not be known yet.
final class DecoderChild {
  private enum State {
    case awaited(from: ForkServerProcess, DecoderProgram)
    case running(ChildProcess)
    /// It could not be started, or nobody wants it any more.
    case absent
  }

  private var state: State
  /// The decoder's end of the socket, until somebody else holds it.
  private var socket: Descriptor?
  private var isWanted = true
  let asked = Instant.now
  /// The parent that it was asked for.
  private(set) weak var server: ForkServerProcess?

  fileprivate init(
    of server: ForkServerProcess, _ program: DecoderProgram, socket: consuming Descriptor
  ) {
    state = .awaited(from: server, program)
    self.socket = consume socket
    self.server = server
  }

  /// A process that was started without a fork server.
  init(_ process: ChildProcess) { state = .running(process) }

  /// The process; nil as long as it is not known, and where there is none.
  var process: ChildProcess? {
    if case .awaited(let server, _) = state { server.collect() }
    return if case .running(let process) = state { process } else { nil }
  }

  /// What becomes readable when the process is known; nil when it is.
  var awaitedDescriptor: Int32? {
    if case .awaited(let server, _) = state { server.descriptor } else { nil }
  }

  /// When its parent counts as hanging, so that it is started in another way; nil once it is known.
  var deadline: Instant? {
    if case .awaited(let server, _) = state { asked + server.longestFork } else { nil }
  }

  /// Whether there is no such process, and will be none.
  var isAbsent: Bool { if case .absent = state { true } else { false } }

  /// Nobody needs it any more: it is killed, also if it becomes known only later.
  func kill() {
    guard isWanted else { return }
    isWanted = false
    socket = nil
    process?.sendKill()
  }

  fileprivate func run(as process: ChildProcess) {
    state = .running(process)
    socket = nil
    if !isWanted { process.sendKill() }
  }

  /// It was not forked: the program is started at the same socket, in which all waits that was sent.
  fileprivate func startProgram() {
    guard case .awaited(_, let program) = state else { return }
    state = .absent
    guard isWanted, let own = socket.take() else { return }
    let process = try? ChildProcess.start(
      program.path, arguments: [], environment: program.environment, socket: own)
    if let process { run(as: process) }
  }
}
