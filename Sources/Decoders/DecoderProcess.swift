import DecoderLink
import System

/// One `storytty-decoder`, its socket, and the bytes in transit in both directions.
final class DecoderProcess {
  private let program: ChildProcess.Started
  private var assembler = FrameAssembler<DecoderMessage>()
  private var outgoing: [UInt8] = []
  private var sent = 0
  private let started = Instant.now
  private var limitRenewed: Instant
  private var threadsSeen: Instant
  private(set) var isClosed = false
  /// The largest resident memory that was seen, in KiB.
  private(set) var peakKibibytes = 0
  /// Its process identifier, also after it was reaped.
  let number: Int32
  /// Why it was ended, in words; nil if it was not.
  var whyEnded: String?

  /// Starts the program; it loads its libraries and waits.
  init(program: DecoderProgram) throws(SystemError) {
    self.program = try ChildProcess.start(
      program.path, arguments: [], environment: program.environment)
    number = self.program.process.identifier
    limitRenewed = started
    threadsSeen = started
    try self.program.socket.setNonBlocking()
    renewProcessorTime(now: started)
  }

  var descriptor: Int32 { program.socket.number }
  var identifier: Int32 { program.process.identifier }
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
      switch try? program.socket.send(outgoing[sent...]) {
      case .bytes(let count): sent += count
      case .wouldBlock: return
      case .end, nil: isClosed = true
      }
    }
  }

  /// Receives at most about 1 MiB; false if the decoder is gone.
  func receive() -> Bool {
    var buffer: [UInt8] = []
    for _ in 0..<16 {
      buffer.removeAll(keepingCapacity: true)
      switch try? program.socket.read(upTo: 64 << 10, into: &buffer) {
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
    guard now == started || now - limitRenewed > .seconds(2) else { return }
    limitRenewed = now
    notePeak()
    program.process.limitProcessorTime(seconds: 20 + 2 * UInt64((now - started).components.seconds))
  }

  /// Whether it has more threads than any decoder needs; checked every two seconds.
  func hasTooManyThreads(now: Instant) -> Bool {
    guard now - threadsSeen > .seconds(2) else { return false }
    threadsSeen = now
    return program.process.threads > Self.mostThreads
  }

  /// Libraries may start one or two for each processor.
  private static let mostThreads = 64 + 2 * ChildProcess.processors

  /// Ends it without waiting for its end.
  func kill() {
    isClosed = true
    notePeak()
    program.process.sendKill()
  }

  /// Whether it has ended and was reaped.
  func hasEnded() -> Bool {
    guard program.process.poll() != nil || program.process.identifier == 0 else { return false }
    notePeak()
    return true
  }

  /// Ends it if it is still running; returns how it had ended by itself, if it had.
  func end() -> ChildProcess.Ending? {
    isClosed = true
    notePeak()
    defer { notePeak() }
    return program.process.kill()
  }

  /// How it ended, in words for the log; only after it was reaped.
  var wordsForEnd: String {
    var words = whyEnded.map { "\($0); " } ?? ""
    switch program.process.reaped?.ending {
    case .exited(let status): words += "exit status \(status)"
    case .killed(let signal): words += "signal \(signal)"
    case nil: words += "ended"
    }
    if let reaped = program.process.reaped {
      words += ", \(reaped.processorMilliseconds) ms of processor time"
    }
    return words + " within \((Instant.now - started).logged), peak \(peakKibibytes >> 10) MiB"
  }

  /// The peak of a running process can be read at any time, that of one that ended by itself only after
  /// it was reaped.
  private func notePeak() { peakKibibytes = max(peakKibibytes, program.process.peakKibibytes) }
}

/// The decoder program and how it is started.
public struct DecoderProgram: Sendable {
  public let path: String
  /// Its environment: nothing of the player's own.
  let environment = ["PATH=/usr/bin:/bin", "LC_ALL=C"]

  public init(path: String) { self.path = path }

  /// Where the decoder of a player may be: beside it, or in ../libexec/storytty.
  public static func candidates(besideExecutable executable: String) -> [String] {
    let folder = executable.lastIndex(of: "/").map { String(executable[..<$0]) } ?? "."
    return ["\(folder)/storytty-decoder", "\(folder)/../libexec/storytty/storytty-decoder"]
  }
}
