import DecoderLink
import Glibc
import Support
import System

/// A decoder that is served a file and asked for every picture, without a player.
struct DecodeRun {
  let pictures: Int
  let processorMs: Double
  /// Of each round, from its beginning to its end, without the program's own start.
  private(set) var roundsMs: [Double] = []

  /// - Parameter rounds: how often it is decoded, from its start each time.
  init(_ path: String, width: UInt32 = 120, height: UInt32 = 80, rounds: Int = 1) throws {
    let file = try Descriptor.open(reading: path)
    let before = ResourceUsage.reapedChildren.processorMilliseconds
    let started = try ChildProcess.start(
      Programs.decoder, arguments: [], environment: ["PATH=/usr/bin:/bin", "LC_ALL=C"])
    var exchange = Exchange(length: UInt64(try readFile(path).count))
    try exchange.begin(started.socket, width: width, height: height)
    while !exchange.isOpened { try exchange.step(started.socket, file) }
    for round in 0..<rounds {
      let start = DecodeRun.nanoseconds(of: started.process.identifier)
      try exchange.go(started.socket, serial: UInt32(round))
      while !exchange.isOver { try exchange.step(started.socket, file) }
      let end = DecodeRun.nanoseconds(of: started.process.identifier)
      roundsMs.append((end - start) / 1e6)
    }
    pictures = exchange.pictures
    _ = started.process.kill()
    processorMs = Double(ResourceUsage.reapedChildren.processorMilliseconds - before)
  }

  /// What all threads of a process spent on the processor.
  private static func nanoseconds(of process: pid_t) -> Double {
    directoryEntries("/proc/\(process)/task").reduce(0) { sum, task in
      let text = try? readText("/proc/\(process)/task/\(task)/schedstat")
      return sum + (text?.split(separator: " ").first.flatMap { Double($0) } ?? 0)
    }
  }

  /// The player's side of the talk.
  private struct Exchange {
    let length: UInt64
    var pictures = 0
    var isOpened = false
    var isOver = false
    private var assembler = FrameAssembler<DecoderMessage>()
    private var buffer: [UInt8] = []

    init(length: UInt64) { self.length = length }

    func begin(_ socket: borrowing Descriptor, width: UInt32, height: UInt32) throws {
      let shape = PictureRequest(width: width, height: height)
      try send(.open(OpenRequest(length: length, shape: shape)), socket)
    }

    /// Asks for all pictures, from the start; 0 is the first round.
    mutating func go(_ socket: borrowing Descriptor, serial: UInt32) throws {
      isOver = false
      if serial > 0 { try send(.seek(serial: serial, to: .zero), socket) }
      try send(.credit(pictures: 4), socket)
    }

    mutating func step(_ socket: borrowing Descriptor, _ file: borrowing Descriptor) throws {
      buffer.removeAll(keepingCapacity: true)
      guard case .bytes = try socket.read(upTo: 1 << 16, into: &buffer) else {
        throw SupportError("the decoder has ended")
      }
      assembler.append(buffer)
      while let message = try assembler.next() { try take(message, socket, file) }
    }

    private mutating func take(
      _ message: DecoderMessage, _ socket: borrowing Descriptor, _ file: borrowing Descriptor
    ) throws {
      switch message {
      case .read(let request, _, let offset, let length):
        let bytes = try file.read(at: offset, count: Int(length))
        try send(.bytes(request: request, bytes), socket)
      case .queryAvailable(let request, _, _):
        try send(.availableUntil(request: request, end: .max), socket)
      case .openResource(let request, _):
        try send(.refused(request: request, reason: "not here"), socket)
      case .picture:
        pictures += 1
        try send(.credit(pictures: 1), socket)
      case .ended: isOver = true
      case .failed(let reason): throw SupportError("the decoder says: \(reason)")
      case .opened: isOpened = true
      case .sound, .soundEnded, .note, .closeResource, .needs, .parts, .follow, .unfollow,
        .awaitPlaylist:
        break
      }
    }

    private func send(_ message: PlayerMessage, _ socket: borrowing Descriptor) throws {
      var rest = message.frame[...]
      while !rest.isEmpty {
        guard case .bytes(let count) = try socket.write(rest) else {
          throw SupportError("the decoder has ended")
        }
        rest = rest.dropFirst(count)
      }
    }
  }
}
