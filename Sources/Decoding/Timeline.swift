/// Corrects the times of packets where their clock jumps: recordings were concatenated, or a clock
/// wrapped around or restarted. All packets of all streams pass through it in the order of the file.
///
/// The other streams show whether it is a jump or a gap. After a gap in one stream (a slide show, a
/// silence), the other streams have gone on meanwhile; a jump leads beyond all of them, and they jump
/// too. A stream that is alone is judged by the pace of its earlier packets.
package struct Timeline {
  /// The properties of a packet that matter here; times are those of the container.
  package struct Packet: Equatable {
    package var stream: Int
    /// When it is decoded.
    package var time: Duration?
    /// When it is shown or heard.
    package var shown: Duration?
    package var duration: Duration?
    package var isVideo: Bool
    /// Decoding can begin with it.
    package var isKey: Bool

    package init(
      stream: Int, time: Duration?, shown: Duration? = nil, duration: Duration?, isVideo: Bool,
      isKey: Bool
    ) {
      self.stream = stream
      self.time = time ?? shown
      self.shown = shown ?? time
      self.duration = duration
      self.isVideo = isVideo
      self.isKey = isKey
    }
  }

  package enum Verdict {
    case jump
    case gap
  }

  private struct Stream {
    var offset: Duration
    /// When its next packet is expected, in the story's time.
    var next: Duration?
    var step: Duration?
    /// How many packets in a row came at the same pace.
    var regular = 0
  }

  private var streams: [Int: Stream] = [:]
  /// Added to times since the last jump.
  package private(set) var offset: Duration
  /// The latest decoding time so far, in the story's time.
  private var front: Duration?
  /// The end of everything read so far, by presentation time in the story.
  package private(set) var end: Duration?
  package private(set) var jumps = 0
  /// The time of the first packet, if only that is known.
  private var beginning: Duration?

  /// Muxers do not let streams drift further apart than this.
  private static let furthest = Duration.seconds(10)
  /// Usual distance of streams in a file.
  private static let apart = Duration.seconds(2)
  private static let steady = 12

  package init(offset: Duration = .zero) { self.offset = offset }

  /// After a seek to where so much is added to times.
  package mutating func restart(offset: Duration) {
    streams = [:]
    front = nil
    end = nil
    beginning = nil
    self.offset = offset
  }

  /// Another file follows: its first packet belongs at `time`.
  package mutating func restart(at time: Duration) {
    restart(offset: .zero)
    beginning = time
  }

  /// The offset for a packet's times. Nil after a jump or a gap if only later packets can show which of
  /// them it is: then ask `Lookahead`.
  package mutating func place(_ packet: Packet, verdict: Verdict? = nil) -> Duration? {
    guard let time = packet.time else { return streams[packet.stream]?.offset ?? offset }
    if let beginning {
      offset = beginning - (packet.shown ?? time)
      self.beginning = nil
    }
    var stream = streams[packet.stream] ?? Stream(offset: offset)
    let front = self.front ?? time + stream.offset
    if let next = stream.next {
      let placed = time + stream.offset
      let few = Self.few(packet)
      if placed < next - few || placed > max(next, front) + few {
        if let known = knownOffset(time, but: stream.offset, front: front) {
          stream.offset = known
        } else if placed < next || verdict == .jump || placed - front > Self.furthest
          || isAlone(packet.stream) && isBreak(packet, stream)
        {
          // Decoding times may be ahead of presentation times, as they were before.
          offset = (end ?? front) - (packet.shown ?? time)
          stream.offset = offset
          jumps += 1
        } else if verdict == nil, !isAlone(packet.stream) {
          return nil
        }
        stream.regular = 0
      }
    }
    note(packet, at: time + stream.offset, &stream)
    streams[packet.stream] = stream
    self.front = max(front, stream.next ?? front)
    let shown = (packet.shown ?? time) + stream.offset + (stream.step ?? .zero)
    end = max(end ?? shown, shown)
    return stream.offset
  }

  /// More than a few frames.
  fileprivate static func few(_ packet: Packet) -> Duration {
    min(max(.milliseconds(200), (packet.duration ?? .zero) * 4), .seconds(1))
  }

  private func note(_ packet: Packet, at placed: Duration, _ stream: inout Stream) {
    let step = packet.duration ?? stream.step ?? .milliseconds(40)
    if let next = stream.next, let usual = stream.step {
      let isRegular = abs((placed - next) / .seconds(1)) < usual / .seconds(1)
      stream.regular = isRegular ? stream.regular + 1 : 0
    }
    stream.step = step
    stream.next = max(placed + step, stream.next ?? placed)
  }

  /// The offset of another stream that has already jumped as far as this one.
  private func knownOffset(_ time: Duration, but own: Duration, front: Duration) -> Duration? {
    ([offset] + streams.values.map(\.offset)).first { other in
      other != own && abs((time + other - front) / .seconds(1)) < Self.apart / .seconds(1)
    }
  }

  /// Whether no other stream has packets at the same time.
  private func isAlone(_ number: Int) -> Bool {
    guard let front else { return true }
    return !streams.contains { other, stream in
      other != number && stream.next.map { $0 > front - Self.apart } ?? false
    }
  }

  /// Whether pictures that came at one pace stop and others begin.
  private func isBreak(_ packet: Packet, _ stream: Stream) -> Bool {
    packet.isVideo && packet.isKey && stream.regular >= Self.steady
  }

  /// Decides by the packets that follow whether it is a jump or a gap.
  package struct Lookahead {
    private var timeline: Timeline
    private let first: Packet
    private let front: Duration
    private var packets = 0

    private static let enough = Duration.milliseconds(500)
    private static let most = 400

    /// - Parameter first: the packet that `place` could not decide.
    package init(_ timeline: Timeline, at first: Packet) {
      self.timeline = timeline
      self.first = first
      front = timeline.front ?? .zero
    }

    /// The verdict, once the packets so far allow one.
    package mutating func look(_ packet: Packet) -> Verdict? {
      packets += 1
      if packets > Self.most { return alone }
      guard packet.stream != first.stream, let time = packet.time,
        var stream = timeline.streams[packet.stream], let next = stream.next
      else { return nil }
      let placed = time + stream.offset
      if placed < next - Timeline.few(packet) { return .jump }
      if placed > max(next, front) + Timeline.few(packet) { return .jump }
      timeline.note(packet, at: placed, &stream)
      timeline.streams[packet.stream] = stream
      return placed > front + Self.enough ? .gap : nil
    }

    /// The verdict at the end of the file.
    package var alone: Verdict {
      timeline.streams[first.stream].map { timeline.isBreak(first, $0) } ?? false ? .jump : .gap
    }
  }
}
