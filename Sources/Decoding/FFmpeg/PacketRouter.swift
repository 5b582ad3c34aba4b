/// Reads a container once for those who each want one of its streams.
final class PacketRouter {
  private let input: FFmpegInput
  private var queues: [Int: PacketQueue] = [:]
  /// The stream whose sound is only followed, not decoded.
  let followed: FFmpegStream?
  private var streams: [Int: FFmpegStream] = [:]
  private var firstTimes: [Int: Duration] = [:]
  private(set) var isAtEnd = false
  /// Where the followed sound ends so far, on its stream's clock.
  private(set) var followedEnd: Duration?

  /// What waits for others while one stream is looked for; more means that they lie far apart.
  private static let mostBytes = 24 << 20

  /// Whether the streams are those of an MP4 (ISO 14496-12) or of one of its kind.
  var isOfMP4: Bool { input.isMP4 }

  init(_ input: FFmpegInput, streams: [FFmpegStream], following followed: FFmpegStream?) {
    self.input = input
    self.followed = followed
    for stream in streams { queues[stream.index] = PacketQueue() }
    for stream in streams + [followed].compactMap(\.self) { self.streams[stream.index] = stream }
    for stream in input.streams {
      stream.discard(queues[stream.index] == nil && stream.index != followed?.index)
    }
  }

  /// The stream's next packet, nil at the end. Others' packets wait; the oldest of them are dropped
  /// where too many wait.
  func next(of stream: FFmpegStream) throws(DecodingError) -> FFmpegPacket? {
    while true {
      if let packet = queues[stream.index]?.take() { return packet }
      guard try readOne() else { return nil }
    }
  }

  /// As `next`, but leaves off with nil rather than to drop what waits for others.
  func nextWithoutHaste(of stream: FFmpegStream) throws(DecodingError) -> FFmpegPacket? {
    while true {
      if let packet = queues[stream.index]?.take() { return packet }
      let waiting = queues.values.reduce(0) { $0 + $1.bytes }
      guard waiting < Self.mostBytes, try readOne() else { return nil }
    }
  }

  /// The first packet of a stream, left where it is; reads on for it at most `packets` packets.
  func peek(_ stream: FFmpegStream, within packets: Int) throws(DecodingError) -> FFmpegPacket? {
    for _ in 0..<packets {
      if let packet = queues[stream.index]?.first { return packet }
      guard try readOne() else { return nil }
    }
    return queues[stream.index]?.first
  }

  /// Where a stream starts on its own clock; reads on for it at most `packets` packets.
  func start(of stream: FFmpegStream, within packets: Int) throws(DecodingError) -> Duration? {
    for _ in 0..<packets {
      if let time = firstTimes[stream.index] { return time }
      guard try readOne() else { break }
    }
    return firstTimes[stream.index]
  }

  /// Forgets what waits: the container was moved.
  func restart() {
    for index in queues.keys { queues[index] = PacketQueue() }
    isAtEnd = false
  }

  private func readOne() throws(DecodingError) -> Bool {
    guard !isAtEnd, let packet = try input.read() else {
      isAtEnd = true
      return false
    }
    if packet.stream == followed?.index { follow(packet) }
    if firstTimes[packet.stream] == nil, !packet.isDiscarded, let stream = streams[packet.stream] {
      firstTimes[packet.stream] = stream.time(packet.timestamp)
    }
    queues[packet.stream]?.append(packet, within: Self.mostBytes)
    return true
  }

  private func follow(_ packet: FFmpegPacket) {
    guard let followed else { return }
    let begin = followed.time(packet.timestamp) ?? followedEnd
    guard let begin else { return }
    followedEnd = max(followedEnd ?? begin, begin + (followed.time(packet.duration) ?? .zero))
  }
}

/// Packets in the order that they came.
private struct PacketQueue {
  private var packets: [FFmpegPacket] = []
  private var start = 0
  private(set) var bytes = 0

  var first: FFmpegPacket? { start < packets.count ? packets[start] : nil }

  mutating func append(_ packet: FFmpegPacket, within limit: Int) {
    packets.append(packet)
    bytes += packet.sizeBytes
    // A large picture is one packet, and all there is.
    while bytes > limit, packets.count - start > 1, take() != nil {}
  }

  mutating func take() -> FFmpegPacket? {
    guard let packet = first else { return nil }
    start += 1
    bytes -= packet.sizeBytes
    if start == packets.count || start > 256 {
      packets.removeSubrange(..<start)
      start = 0
    }
    return packet
  }
}
