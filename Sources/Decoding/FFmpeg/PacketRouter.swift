/// Reads a container once for several users of its streams, and corrects times where the clock jumps.
/// The parts of a playlist follow each other as if they were one container.
final class PacketRouter {
  private(set) var input: FFmpegInput
  private var queues: [Int: PacketQueue] = [:]
  /// A sound stream that is not decoded: only its end is noted.
  let followed: FFmpegStream?
  /// The streams in use, by their numbers in the first part; the values are those of the current part.
  private var streams: [Int: FFmpegStream] = [:]
  private let kinds: [Int: Bool]
  private var firstTimes: [Int: Duration] = [:]
  private(set) var isAtEnd = false
  /// The end of the followed sound so far, on its stream's clock.
  private(set) var followedEnd: Duration?
  private var timeline = Timeline()
  /// Packets after a possible jump, kept until it is decided whether it is one.
  private var held: [FFmpegPacket] = []
  private var heldBytes = 0
  private var lookahead: Timeline.Lookahead?
  private var parts: PartTimes
  private let map: SeekMap?

  /// The most bytes that wait for the users of other streams while one stream is searched; more means
  /// that the streams lie far apart.
  private static let mostBytes = 24 << 20
  /// The most bytes to read ahead to decide between a jump and a gap.
  private static let mostHeld = 8 << 20

  /// Whether the container is an MP4 (ISO 14496-12) or similar.
  var isOfMP4: Bool { input.isMP4 }

  /// - Parameter map: where times lie in a file whose clock jumps.
  init(
    _ input: FFmpegInput, streams: [FFmpegStream], following followed: FFmpegStream?,
    map: SeekMap? = nil
  ) {
    self.input = input
    self.followed = followed
    self.map = map
    parts = PartTimes(input.partLengths)
    for stream in streams { queues[stream.index] = PacketQueue() }
    for stream in streams + [followed].compactMap(\.self) { self.streams[stream.index] = stream }
    kinds = self.streams.mapValues(\.isVideo)
    discardOthers()
  }

  private func discardOthers() {
    let wanted = Set(streams.values.map(\.index))
    for stream in input.streams { stream.discard(!wanted.contains(stream.index)) }
  }

  /// The current part's stream for a number of the first part.
  func stream(_ number: Int) -> FFmpegStream? { streams[number] }

  /// The stream's next packet, nil at the end. Packets of other streams are queued; the oldest are
  /// dropped if there are too many. Streams are numbered as in the first part.
  func next(of stream: Int) throws(DecodingError) -> FFmpegPacket? {
    while true {
      if let packet = queues[stream]?.take() { return packet }
      guard try readOne() else { return nil }
    }
  }

  /// As `next`, but gives up with nil instead of dropping queued packets.
  func nextKeepingOthers(of stream: Int) throws(DecodingError) -> FFmpegPacket? {
    while true {
      if let packet = queues[stream]?.take() { return packet }
      let waiting = queues.values.reduce(0) { $0 + $1.bytes }
      guard waiting < Self.mostBytes, try readOne() else { return nil }
    }
  }

  /// The first packet of a stream, which stays queued; reads at most `packets` packets.
  func peek(_ stream: Int, within packets: Int) throws(DecodingError) -> FFmpegPacket? {
    for _ in 0..<packets {
      if let packet = queues[stream]?.first { return packet }
      guard try readOne() else { return nil }
    }
    return queues[stream]?.first
  }

  /// The start of a stream on its own clock; reads at most `packets` packets.
  func start(of stream: Int, within packets: Int) throws(DecodingError) -> Duration? {
    for _ in 0..<packets {
      if let time = firstTimes[stream] { return time }
      guard try readOne() else { break }
    }
    return firstTimes[stream]
  }

  /// Seeks to the last key picture at or before a time and drops the queues; false if the container
  /// cannot seek.
  func seek(_ stream: Int, to time: Duration) -> Bool {
    guard let offset = move(stream, to: time) else { return false }
    timeline.restart(offset: offset)
    for index in queues.keys { queues[index] = PacketQueue() }
    held = []
    lookahead = nil
    isAtEnd = false
    return true
  }

  /// Seeks in the container; returns the offset that is added to times there.
  private func move(_ stream: Int, to time: Duration) -> Duration? {
    if parts.count > 1 {
      noteBeginning()
      guard timeline.jumps == 0, let number = parts.number(at: time), open(number) else {
        return nil
      }
      let offset = parts.offset
      // The beginning can be reached without a search.
      let isNear = time < (parts.start(of: number) ?? .zero) + .milliseconds(200)
      guard !isNear, let stream = streams[stream] else { return offset }
      return input.seek(stream: stream, to: stream.timestamp(time - offset)) ? offset : nil
    }
    if let map {
      guard let point = map.point(atOrBefore: time), input.seek(toByte: point.byteOffset) else {
        return nil
      }
      return point.added
    }
    guard timeline.jumps == 0, let stream = streams[stream] else { return nil }
    return input.seek(stream: stream, to: stream.timestamp(time)) ? .zero : nil
  }

  /// Whether a `SeekMap` is needed before a seek, and can be made.
  var needsMap: Bool { map == nil && parts.count < 2 && timeline.jumps > 0 && input.canBeSearched }

  // MARK: Reading

  private func readOne() throws(DecodingError) -> Bool {
    while !isAtEnd {
      guard let packet = try input.read() else {
        if lookahead != nil {
          release(as: lookahead?.alone ?? .gap)
          return true
        }
        if try openNext() { continue }
        break
      }
      guard let number = streams.first(where: { $0.value.index == packet.stream })?.key else {
        return true
      }
      if lookahead != nil {
        held.append(packet)
        heldBytes += packet.sizeBytes
        let verdict = lookahead?.look(look(packet, number))
        guard verdict != nil || heldBytes > Self.mostHeld else { continue }
        release(as: verdict ?? lookahead?.alone ?? .gap)
        return true
      }
      if hand(packet, number, verdict: nil) { return true }
      held = [packet]
      heldBytes = packet.sizeBytes
      lookahead = Timeline.Lookahead(timeline, at: look(packet, number))
    }
    isAtEnd = true
    return false
  }

  private func look(_ packet: FFmpegPacket, _ number: Int) -> Timeline.Packet {
    let stream = streams[number]
    return Timeline.Packet(
      stream: number, time: stream?.time(packet.decodingTimestamp),
      shown: stream?.time(packet.timestamp),
      duration: stream?.time(packet.duration) ?? stream?.frameDuration,
      isVideo: stream?.isVideo ?? false, isKey: packet.isKey)
  }

  /// Passes on the packets that waited for a verdict.
  private func release(as verdict: Timeline.Verdict) {
    let packets = held
    held = []
    lookahead = nil
    for (index, packet) in packets.enumerated() {
      guard let number = streams.first(where: { $0.value.index == packet.stream })?.key else {
        continue
      }
      _ = hand(packet, number, verdict: index == 0 ? verdict : .gap)
    }
  }

  /// Queues a packet for its stream; false if it must wait for a verdict.
  private func hand(_ packet: FFmpegPacket, _ number: Int, verdict: Timeline.Verdict?) -> Bool {
    guard let stream = streams[number] else { return true }
    var offset = parts.offset
    if input.mayJump {
      guard let placed = timeline.place(look(packet, number), verdict: verdict) else {
        return false
      }
      offset = placed
    }
    packet.join(stream, of: input, adding: offset)
    if number == followed?.index { follow(packet, stream) }
    if firstTimes[number] == nil, !packet.isDiscarded {
      firstTimes[number] = stream.time(packet.timestamp)
    }
    queues[number]?.append(packet, within: Self.mostBytes)
    return true
  }

  private func follow(_ packet: FFmpegPacket, _ stream: FFmpegStream) {
    let begin = stream.time(packet.timestamp) ?? followedEnd
    guard let begin else { return }
    followedEnd = max(followedEnd ?? begin, begin + (stream.time(packet.duration) ?? .zero))
  }

  // MARK: Parts of a playlist

  /// Opens the next part that can be opened; false if there is none.
  private func openNext() throws(DecodingError) -> Bool {
    let start = timeline.end
    var failure: DecodingError?
    var number = parts.present
    while number + 1 < parts.count || input.playlist?.hasLivePart(number + 1) == true {
      number += 1
      let next = number
      do throws(DecodingError) {
        let other = try input.part(next)
        parts.note(start: start ?? parts.estimate(next), of: next)
        take(other, as: next)
        return true
      } catch {
        if error == .outOfMemory { throw error }
        failure = failure ?? error
      }
    }
    // If the last parts cannot be opened, the story has not ended but failed.
    if let failure { throw failure }
    return false
  }

  private func open(_ number: Int) -> Bool {
    guard let other = try? input.part(number) else { return false }
    take(other, as: number)
    return true
  }

  private func take(_ other: FFmpegInput, as number: Int) {
    noteBeginning()
    input = other
    let all = other.streams
    streams = [:]
    for (slot, isVideo) in kinds {
      let alike = all.filter { isVideo ? $0.isVideo && !$0.isAttachedPicture : $0.isSound }
      streams[slot] = alike.first { $0.index == slot } ?? alike.first
    }
    discardOthers()
    parts.present = number
    let begin = parts.start(of: number) ?? .zero
    if let start = start(of: other) {
      parts.offset = begin - start
      timeline.restart(offset: parts.offset)
    } else {
      timeline.restart(at: begin)
    }
  }

  /// Notes the start of the first part, which all times refer to.
  private func noteBeginning() {
    guard parts.present == 0, parts.start(of: 0) == nil else { return }
    parts.note(start: start(of: input) ?? firstTimes.values.min() ?? .zero, of: 0)
  }

  private func start(of input: FFmpegInput) -> Duration? {
    streams.values.compactMap(\.start).min() ?? input.start
  }
}

/// The positions of the parts of a playlist in the story.
private struct PartTimes {
  private let lengths: [Duration]
  /// The known starts.
  private var starts: [Int: Duration] = [:]
  var present = 0
  /// Added to the times of the current part.
  var offset = Duration.zero

  init(_ lengths: [Duration]) { self.lengths = lengths }

  var count: Int { lengths.count }

  func start(of number: Int) -> Duration? { starts[number] }

  mutating func note(start: Duration, of number: Int) { starts[number] = start }

  /// The estimated start of a part, from the lengths in the playlist.
  func estimate(_ number: Int) -> Duration {
    guard let known = starts.keys.filter({ $0 <= number }).max(), let start = starts[known] else {
      return lengths.prefix(number).reduce(.zero, +)
    }
    return start + lengths.prefix(number).dropFirst(known).reduce(.zero, +)
  }

  /// The part that contains a time; its start does not change any more.
  mutating func number(at time: Duration) -> Int? {
    let number = lengths.indices.last { estimate($0) <= time } ?? 0
    if starts[number] == nil { starts[number] = estimate(number) }
    return number
  }
}

/// A queue of packets.
private struct PacketQueue {
  private var packets: [FFmpegPacket] = []
  private var start = 0
  private(set) var bytes = 0

  var first: FFmpegPacket? { start < packets.count ? packets[start] : nil }

  mutating func append(_ packet: FFmpegPacket, within limit: Int) {
    packets.append(packet)
    bytes += packet.sizeBytes
    // A single packet is kept, however large it is.
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
