import DecoderLink

/// Decodes the pictures of one stream in presentation order.
final class VideoTrack {
  /// The stream that is decoded; each part of a playlist has its own.
  private(set) var stream: FFmpegStream
  /// The input that owns the stream.
  private var owner: FFmpegInput?
  /// The stream's number in the first part.
  private let number: Int
  private let router: PacketRouter
  private let bands: BandReducer?
  private var codec: FFmpegCodec?
  /// The first packet of the next part, kept until the decoder has finished the current part.
  private var changed: FFmpegPacket?
  private var isDraining = false
  private var isFresh = true
  /// The packet whose picture was taken early (`showFirst`); it is decoded again by a fresh decoder.
  private var replay: FFmpegPacket?
  private var shownEarly: Int64?
  private var skipsLoopFilter = false
  private var effort = Effort.full
  /// How many threads the next decoder may use. Once one was too slow, that remains so.
  private var threads = 1
  /// How many a decoder gets that is too slow.
  private var mostThreads = FFmpegCodec.mostThreads
  /// How many the present one was opened for.
  private var threadsUsed = 1

  /// - Parameter bands: reduces pictures while they are decoded.
  init(
    _ stream: FFmpegStream, router: PacketRouter, bands: BandReducer? = nil
  ) throws(DecodingError) {
    self.stream = stream
    self.bands = bands
    owner = router.input
    number = stream.index
    self.router = router
    codec = try FFmpegCodec(stream, bands: bands)
  }

  /// Decodes the next picture into `frame`; false at the end.
  func next(into frame: FFmpegFrame) throws(DecodingError) -> Bool {
    let codec = try opened()
    if isFresh {
      isFresh = false
      if try showFirst(into: frame, codec) { return true }
    }
    if let packet = replay {
      replay = nil
      codec.flush()
      try codec.send(packet)
    }
    while try decode(into: frame) {
      guard let early = shownEarly else { return true }
      shownEarly = nil
      if frame.timestamp != early { return true }
    }
    return false
  }

  /// Gets the first picture at once. A decoder that reorders keeps it back until it has seen what
  /// follows; told that nothing follows, it outputs it. The packet is sent again afterwards.
  private func showFirst(into frame: FFmpegFrame, _ codec: FFmpegCodec) throws(DecodingError)
    -> Bool
  {
    guard let packet = try router.peek(number, within: 64), packet.isKey, !packet.isDiscarded,
      packet.timestamp != nil, packet.source?.raw == stream.raw,
      let taken = try router.next(of: number)
    else { return false }
    try codec.send(taken)
    if try codec.receive(into: frame) == .frame { return true }
    try codec.send(nil)
    let hasPicture = try codec.receive(into: frame) == .frame
    replay = taken
    shownEarly = hasPicture ? frame.timestamp : nil
    return hasPicture
  }

  private func decode(into frame: FFmpegFrame) throws(DecodingError) -> Bool {
    while true {
      let codec = try opened()
      let outcome = try codec.receive(into: frame)
      if outcome == .frame { return true }
      if let packet = changed {
        try change(to: packet)
        continue
      }
      if outcome == .end || isDraining { return false }
      let packet = try router.next(of: number)
      if packet?.isProtected == true { throw .protected }
      if let packet, packet.source?.raw != stream.raw || isTurn(packet, of: codec) {
        changed = packet
        try codec.send(nil)
      } else {
        isDraining = packet == nil
        try codec.send(packet)
      }
    }
  }

  /// Whether a decoder with more threads takes over at a packet.
  private func isTurn(_ packet: FFmpegPacket, of codec: FFmpegCodec) -> Bool {
    threads > threadsUsed && packet.isKey && codec.canBeParallel
  }

  /// Continues with another decoder: that of a playlist's next part, or one with more threads.
  private func change(to packet: FFmpegPacket) throws(DecodingError) {
    changed = nil
    codec = nil
    if let source = packet.source { stream = source }
    owner = packet.owner
    try opened().send(packet)
  }

  /// Restarts after a seek in the container.
  func restart() {
    codec?.flush()
    isDraining = false
    isFresh = false
    changed = nil
    replay = nil
    shownEarly = nil
  }

  /// Frees the decoder if it must be opened anew in any case; returns whether it did.
  func rest() -> Bool {
    guard replay != nil, codec != nil else { return false }
    codec = nil
    bands?.flush()
    return true
  }

  /// Skips the loop filter: that cannot be seen in a much smaller picture.
  func skipLoopFilter(_ skip: Bool) {
    skipsLoopFilter = skip
    codec?.skipLoopFilter(skip)
  }

  /// Does what an effort demands, as far as it can be done now.
  func apply(_ effort: Effort) {
    self.effort = effort
    if effort != .full { threads = mostThreads }
    if let codec { applyEffort(to: codec) }
  }

  /// Begins with as many threads as the track before it had, of the same story.
  func takeThreads(of former: VideoTrack) { threads = former.threads }

  /// Whether pictures are left out to which no others refer.
  private(set) var isSkipping = false

  private func applyEffort(to codec: FFmpegCodec) {
    isSkipping = effort == .hurried || effort == .parallel && !codec.isParallel
    codec.skipNonReference(isSkipping)
  }

  private func opened() throws(DecodingError) -> FFmpegCodec {
    if let codec { return codec }
    let new: FFmpegCodec
    do throws(DecodingError) {
      new = try FFmpegCodec(stream, bands: bands, threads: threads)
    } catch  where threads > 1 {
      // There may be too little memory for another thread: slow is better than nothing.
      (threads, mostThreads) = (1, 1)
      new = try FFmpegCodec(stream, bands: bands, threads: threads)
    }
    threadsUsed = threads
    new.skipLoopFilter(skipsLoopFilter)
    applyEffort(to: new)
    codec = new
    return new
  }
}
