/// Where times lie in a file whose clock jumps. Such a file must be scanned once, since neither
/// timestamps nor byte offsets can be used to search it.
struct SeekMap {
  struct Point {
    /// The time of a key packet in the story.
    var time: Duration
    /// The packet's offset in the file, in bytes.
    var byteOffset: Int64
    /// What `Timeline` adds to times there, so that they go on where the clock jumps.
    var added: Duration
  }

  private let points: [Point]
  /// The end of the last packet in the story.
  let end: Duration

  /// Between two points: a seek decodes at most so much more than it must.
  private static let leastDistance = Duration.milliseconds(500)

  /// Scans a second container of a file if its clock jumps and all of its bytes are available. Nil if
  /// not, and for the reasons of `init(scanning:)`.
  static func ifNeeded(
    for input: FFmpegInput, video: FFmpegStream, sound: FFmpegStream?,
    open: () throws(DecodingError) -> FFmpegInput
  ) throws(DecodingError) -> SeekMap? {
    guard input.mayJump, input.isAllAvailable, input.clockJumps(of: video) else { return nil }
    return try SeekMap(scanning: open(), video: video.index, sound: sound?.index)
  }

  /// Scans the whole file. The sound is only followed to its end. Nil without such a video, or without
  /// key packets whose offset is known.
  init?(scanning input: FFmpegInput, video: Int, sound: Int?) throws(DecodingError) {
    let streams = input.streams
    guard let primary = streams.first(where: { $0.index == video }) else { return nil }
    let router = PacketRouter(
      input, streams: [primary], following: streams.first { $0.index == sound })
    var points: [Point] = []
    var end = Duration.zero
    while let packet = try router.next(of: video) {
      guard let time = primary.time(packet.timestamp) else { continue }
      end = max(end, time + (primary.time(packet.duration) ?? primary.frameDuration ?? .zero))
      guard packet.isKey, let offset = packet.byteOffset else { continue }
      if let last = points.last, time < last.time + Self.leastDistance { continue }
      points.append(Point(time: time, byteOffset: offset, added: packet.added))
    }
    guard !points.isEmpty else { return nil }
    self.points = points
    self.end = max(end, router.followedEnd ?? end)
  }

  /// The last key packet at or before a time, the first where there is none.
  func point(atOrBefore time: Duration) -> Point? {
    points.last { $0.time <= time } ?? points.first
  }
}
