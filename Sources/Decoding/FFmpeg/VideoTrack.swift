/// Decodes the pictures of one stream in the order that they are shown.
final class VideoTrack {
  /// What is decoded now: another stream in each part of a playlist.
  private(set) var stream: FFmpegStream
  /// What it lives in.
  private var owner: FFmpegInput?
  /// Its number in the first part.
  private let number: Int
  private let router: PacketRouter
  private var codec: FFmpegCodec?
  /// The first packet of the next part, until the decoder has given all it has of this one.
  private var changed: FFmpegPacket?
  private var isDraining = false
  private var isFresh = true
  /// The packet whose picture was shown before its time, to be given again to an empty decoder.
  private var replay: FFmpegPacket?
  private var shownEarly: Int64?
  private var skipsLoopFilter = false
  private var skipsNonReference = false

  init(_ stream: FFmpegStream, router: PacketRouter) throws(DecodingError) {
    self.stream = stream
    owner = router.input
    number = stream.index
    self.router = router
    codec = try FFmpegCodec(stream)
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

  /// A decoder that reorders holds its first picture back until it has seen what follows. Told that
  /// nothing follows, it gives it at once; the packet is given again afterwards.
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
      if let packet, packet.source?.raw != stream.raw {
        changed = packet
        try codec.send(nil)
      } else {
        isDraining = packet == nil
        try codec.send(packet)
      }
    }
  }

  /// The next part of a playlist begins, coded in a way of its own.
  private func change(to packet: FFmpegPacket) throws(DecodingError) {
    changed = nil
    codec = nil
    if let source = packet.source { stream = source }
    owner = packet.owner
    try opened().send(packet)
  }

  /// Begins anew: the container was moved.
  func restart() {
    codec?.flush()
    isDraining = false
    isFresh = false
    changed = nil
    replay = nil
    shownEarly = nil
  }

  /// Gives the decoder's memory back where it is to begin anew in any case; whether it did.
  func rest() -> Bool {
    guard replay != nil, codec != nil else { return false }
    codec = nil
    return true
  }

  /// Leaves out the loop filter: its traces vanish in a large reduction.
  func skipLoopFilter(_ skip: Bool) {
    skipsLoopFilter = skip
    codec?.skipLoopFilter(skip)
  }

  /// Leaves out pictures that no other refers to.
  func skipNonReference(_ skip: Bool) {
    skipsNonReference = skip
    codec?.skipNonReference(skip)
  }

  private func opened() throws(DecodingError) -> FFmpegCodec {
    if let codec { return codec }
    let new = try FFmpegCodec(stream)
    new.skipLoopFilter(skipsLoopFilter)
    new.skipNonReference(skipsNonReference)
    codec = new
    return new
  }
}
