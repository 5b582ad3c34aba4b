/// Where times lie in a file whose clock jumps. Such a file must be scanned once, since neither
/// timestamps nor byte offsets can be used to search it.
struct SeekMap {
  struct Place {
    /// The time of a key packet in the story.
    var time: Duration
    /// The packet's offset in the file, in bytes.
    var offset: Int64
    /// What is added to times there.
    var added: Duration
  }

  private let places: [Place]
  /// The end of the last packet in the story.
  let end: Duration

  private static let apart = Duration.milliseconds(500)

  /// Nil if the clock does not jump, or not all bytes are available.
  init?(
    _ input: FFmpegInput, first: FFmpegStream, second: FFmpegStream?,
    open: () throws(DecodingError) -> FFmpegInput
  ) throws(DecodingError) {
    guard input.mayJump, input.isWhole, input.clockJumps(of: first) else { return nil }
    try self.init(open(), first: first.index, second: second?.index)
  }

  /// Scans the whole file.
  init?(_ input: FFmpegInput, first: Int, second: Int?) throws(DecodingError) {
    let streams = input.streams
    guard let primary = streams.first(where: { $0.index == first }) else { return nil }
    let router = PacketRouter(
      input, streams: [primary], following: streams.first { $0.index == second })
    var places: [Place] = []
    var end = Duration.zero
    while let packet = try router.next(of: first) {
      guard let time = primary.time(packet.timestamp) else { continue }
      end = max(end, time + (primary.time(packet.duration) ?? primary.frameDuration ?? .zero))
      guard packet.isKey, let offset = packet.place else { continue }
      if let last = places.last, time < last.time + Self.apart { continue }
      places.append(Place(time: time, offset: offset, added: packet.added))
    }
    guard !places.isEmpty else { return nil }
    self.places = places
    self.end = max(end, router.followedEnd ?? end)
  }

  /// The last key packet at or before a time, the first where there is none.
  func place(before time: Duration) -> Place? {
    places.last { $0.time <= time } ?? places.first
  }
}
