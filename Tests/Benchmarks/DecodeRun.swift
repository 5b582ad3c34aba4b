import DecoderLink
import Support
import System

/// A decoder that is served a file and asked for every picture, without a player.
struct DecodeRun {
  let pictures: Int
  let processorMs: Double

  init(_ path: String, width: UInt32 = 120, height: UInt32 = 80) throws {
    let file = try Descriptor.open(reading: path)
    let before = ResourceUsage.reapedChildren.processorMilliseconds
    let started = try ChildProcess.start(
      Programs.decoder, arguments: [], environment: ["PATH=/usr/bin:/bin", "LC_ALL=C"])
    var exchange = Exchange(length: UInt64(try readFile(path).count))
    try exchange.begin(started.socket, width: width, height: height)
    while !exchange.isOver { try exchange.step(started.socket, file) }
    pictures = exchange.pictures
    _ = started.process.kill()
    processorMs = Double(ResourceUsage.reapedChildren.processorMilliseconds - before)
  }

  /// The player's side of the talk.
  private struct Exchange {
    let length: UInt64
    var pictures = 0
    var isOver = false
    private var assembler = FrameAssembler<DecoderMessage>()
    private var buffer: [UInt8] = []

    init(length: UInt64) { self.length = length }

    func begin(_ socket: borrowing Descriptor, width: UInt32, height: UInt32) throws {
      let shape = PictureRequest(width: width, height: height)
      try send(.open(OpenRequest(length: length, shape: shape)), socket)
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
      case .openResource(let request, _):
        try send(.refused(request: request, reason: "not here"), socket)
      case .picture:
        pictures += 1
        try send(.credit(pictures: 1), socket)
      case .ended: isOver = true
      case .failed(let reason): throw SupportError("the decoder says: \(reason)")
      case .opened, .sound, .soundEnded, .closeResource: break
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
