import DecoderLink
import System

/// One `storytty-decoder`, its socket, and the bytes in transit in both directions.
final class DecoderProcess {
  private let socket: Descriptor
  private let child: DecoderChild
  private var assembler = FrameAssembler<DecoderMessage>()
  private var outgoing: [UInt8] = []
  private var sent = 0
  private var started = Instant.now
  private var limitRenewed: Instant
  private var threadsSeen: Instant
  private(set) var isClosed = false
  /// The largest resident memory that was seen, in KiB.
  private(set) var peakKibibytes = 0
  /// Its process identifier, also after it was reaped; nil as long as it is not known.
  private(set) var number: Int32?
  private var awaitingNumber: [(Int32) -> Void] = []
  /// Why it was ended, in words; nil if it was not.
  var whyEnded: String?

  /// Starts the program; it loads its libraries and waits.
  convenience init(program: DecoderProgram) throws(SystemError) {
    let started = try ChildProcess.start(
      program.path, arguments: [], environment: program.environment)
    let process = started.process
    try self.init(DecoderChild(process), socket: started.releaseSocket())
  }

  /// Has a decoder forked; nothing waits for it.
  convenience init(
    _ request: ForkRequest = .now, from server: ForkServerProcess
  ) throws(SystemError) {
    let pair = try SocketPair()
    let (ours, theirs) = pair.numbers()
    let socket = Descriptor(adopting: ours)
    try self.init(server.fork(request, giving: Descriptor(adopting: theirs)), socket: socket)
  }

  private init(_ child: DecoderChild, socket: consuming Descriptor) throws(SystemError) {
    self.child = child
    self.socket = socket
    limitRenewed = started
    threadsSeen = started
    try self.socket.setNonBlocking()
    renewProcessorTime(now: started)
  }

  /// The process; nil as long as it is not known, and where it could not be started.
  private var process: ChildProcess? {
    let process = child.process
    if number == nil, let process {
      number = process.identifier
      for note in awaitingNumber { note(process.identifier) }
      awaitingNumber = []
    }
    return process
  }

  /// Sees whether it was forked, and has it started in another way where that takes too long.
  func checkFork() { _ = process }

  /// Calls a closure with its identifier, once that is known.
  func whenKnown(_ note: @escaping (Int32) -> Void) {
    _ = process
    if let number { note(number) } else { awaitingNumber.append(note) }
  }

  /// What becomes readable when there is something to do: as long as the process is not known, the
  /// socket of its parent.
  var descriptor: Int32 { child.awaitedDescriptor ?? socket.number }
  /// When it is to be started in another way, because its parent hangs; nil once it is known. It takes no
  /// answer of the parent: who waits for that to become readable would miss it.
  var deadline: Instant? { child.deadline }
  /// 0 as long as it is not known, and after it was reaped.
  var identifier: Int32 { process?.identifier ?? 0 }
  /// Whether it could not be started.
  var isAbsent: Bool { child.isAbsent }
  var wantsToWrite: Bool { sent < outgoing.count }
  /// The number of bytes for it that it has not received yet.
  var backlog: Int { outgoing.count - sent }

  func send(_ message: PlayerMessage) {
    if sent == outgoing.count {
      outgoing.removeAll(keepingCapacity: outgoing.capacity < 1 << 20)
      sent = 0
    }
    outgoing.append(contentsOf: message.frame)
    flush()
  }

  func flush() {
    while wantsToWrite, !isClosed {
      switch try? socket.send(outgoing[sent...]) {
      case .bytes(let count): sent += count
      case .wouldBlock: return
      case .end, nil: isClosed = true
      }
    }
  }

  /// Receives at most about 1 MiB; false if the decoder is gone.
  func receive() -> Bool {
    _ = process
    var buffer: [UInt8] = []
    for _ in 0..<16 {
      buffer.removeAll(keepingCapacity: true)
      switch try? socket.read(upTo: 64 << 10, into: &buffer) {
      case .bytes(let count):
        assembler.append(buffer)
        if count < 64 << 10 { return true }
      case .wouldBlock: return true
      case .end, nil:
        isClosed = true
        return false
      }
    }
    return true
  }

  func next() throws(WireError) -> DecoderMessage? { try assembler.next() }

  /// Renews the limit of processor time: a decoder that makes progress may use twice the elapsed time,
  /// and 20 s more.
  func renewProcessorTime(now: Instant) {
    guard number == nil || now - limitRenewed > .seconds(2) else { return }
    limitRenewed = now
    notePeak()
    process?.limitProcessorTime(
      seconds:
        DecoderLimits.processorSeconds + 2 * UInt64((now - started).components.seconds))
  }

  /// A story is given to it that was forked ahead: what it may use counts from now on.
  func beginStory(now: Instant) {
    started = now
    limitRenewed = now
  }

  /// Whether it has more threads than any decoder needs; checked every two seconds.
  func hasTooManyThreads(now: Instant) -> Bool {
    guard now - threadsSeen > .seconds(2) else { return false }
    threadsSeen = now
    return (process?.threads ?? 0) > Self.mostThreads
  }

  /// Libraries may start one or two for each processor.
  private static let mostThreads = 64 + 2 * ChildProcess.processors

  /// Ends it without waiting for its end. One that is not known yet is killed when it is.
  func kill() {
    isClosed = true
    notePeak()
    child.kill()
    // It ends by that too.
    socket.shutDown()
  }

  /// Whether it has ended and was reaped, or never was.
  func hasEnded() -> Bool {
    guard let process else { return isAbsent }
    guard process.poll() != nil || process.identifier == 0 else { return false }
    notePeak()
    return true
  }

  /// Ends it if it is still running; returns how it had ended by itself, if it had.
  func end() -> ChildProcess.Ending? {
    kill()
    defer { notePeak() }
    return process?.kill()
  }

  /// The parent that it was asked for; nil where that is gone, or it was started alone.
  var server: ForkServerProcess? { child.server }

  /// How it ended, in words for the log; only after it was reaped.
  var wordsForEnd: String {
    var words = whyEnded.map { "\($0); " } ?? ""
    switch process?.reaped?.ending {
    case .exited(let status): words += "exit status \(status)"
    case .killed(let signal): words += "signal \(signal)"
    case nil: words += "ended"
    }
    if let reaped = process?.reaped {
      words += ", \(reaped.processorMilliseconds) ms of processor time"
    }
    return words + " within \((Instant.now - started).logged), peak \(peakKibibytes >> 10) MiB"
  }

  /// Whether a signal ended it by which a program's own fault ends it; only after it was reaped.
  var hasCrashed: Bool {
    guard case .killed(let signal)? = process?.reaped?.ending else { return false }
    return SignalNumber.faults.contains(signal)
  }

  /// The peak of a running process can be read at any time, that of one that ended by itself only after
  /// it was reaped.
  private func notePeak() { peakKibibytes = max(peakKibibytes, process?.peakKibibytes ?? 0) }
}

/// The signals that show why a decoder ended (signal(7), Linux).
///
/// `alarm` and `profile` are those of `TimeLimit`, around calls that draw an animation. The kernel sends
/// `processorTime` by the limit that the player sets, and `badCall` by the sandbox.
enum SignalNumber {
  static let alarm: Int32 = 14
  static let processorTime: Int32 = 24
  static let profile: Int32 = 27
  static let badCall: Int32 = 31
  /// ILL, TRAP, ABRT, BUS, FPE and SEGV, by which a program's own fault ends it.
  static let faults: Set<Int32> = [4, 5, 6, 7, 8, 11, badCall]
}

/// The decoder program and how it is started.
public struct DecoderProgram: Sendable {
  public let path: String
  /// Its environment: nothing of the player's own.
  let environment = ["PATH=/usr/bin:/bin", "LC_ALL=C"]
  /// Whether it can fork decoders itself.
  let forks: Bool

  /// - Parameter forks: whether stories get children of one process (`--fork-server`), instead of being
  ///   given a program of their own that loads all libraries again.
  public init(path: String, forks: Bool = true) {
    self.path = path
    self.forks = forks
  }

  /// Where the decoder of a player may be: beside it, or in ../libexec/storytty.
  public static func candidates(besideExecutable executable: String) -> [String] {
    let folder = executable.lastIndex(of: "/").map { String(executable[..<$0]) } ?? "."
    return ["\(folder)/storytty-decoder", "\(folder)/../libexec/storytty/storytty-decoder"]
  }
}
