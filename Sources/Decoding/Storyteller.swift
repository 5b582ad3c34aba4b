import DecoderLink

/// Tells a story to the player: pictures as far as there is credit, sound beside them, seeks.
struct Storyteller {
  private let connection: PlayerConnection
  private let decoder: any MediaDecoder
  private var serial: UInt32 = 0
  /// Gone to but not sent for want of credit.
  private var waiting: PictureTiming?
  private var picturesOver = false
  private var told = false
  /// Sound is sent so far ahead of the picture beside it.
  private static let soundLead = Duration.milliseconds(500)

  init(_ decoder: any MediaDecoder, to connection: PlayerConnection) {
    self.decoder = decoder
    self.connection = connection
  }

  /// Tells it, and goes on waiting for seeks; returns never but by an error.
  mutating func tell(from start: Duration) throws(DecodingError) -> Never {
    if start > .zero { try decoder.seek(to: start) }
    waiting = try decoder.advance(connection.effort)
    picturesOver = waiting == nil
    connection.send(.opened(decoder.info))
    while true {
      connection.receiveWaiting()
      if let seek = connection.takeSeek() { try go(to: seek) }
      try step()
    }
  }

  private mutating func go(to seek: PlayerConnection.Seek) throws(DecodingError) {
    serial = seek.serial
    waiting = nil
    picturesOver = false
    told = false
    try decoder.seek(to: max(.zero, seek.position))
  }

  private mutating func step() throws(DecodingError) {
    if told { return connection.receive() }
    if waiting == nil, !picturesOver {
      waiting = try decoder.advance(connection.effort)
      picturesOver = waiting == nil
    }
    if let timing = waiting {
      try sendSound(before: timing.time + Self.soundLead)
      guard connection.credits > 0 else { return connection.receive() }
      try send(timing)
      waiting = nil
    } else if picturesOver {
      try sendSound(before: .seconds(1 << 32))
      if connection.hasSeek { return }
      connection.send(
        .ended(serial: serial, picturesEnd: decoder.ends.pictures, soundEnd: decoder.ends.sound))
      told = true
    }
  }

  private func send(_ timing: PictureTiming) throws(DecodingError) {
    let grid = try decoder.picture(for: connection.shape)
    connection.send(
      .picture(
        DecodedPicture(
          serial: serial, time: timing.time, duration: timing.duration,
          width: UInt32(grid.width), height: UInt32(grid.height), pixels: grid.pixels)))
  }

  private func sendSound(before limit: Duration) throws(DecodingError) {
    while let run = try decoder.sound(before: limit) {
      connection.send(.sound(DecodedSound(serial: serial, time: run.time, samples: run.samples)))
      connection.receiveWaiting()
      if connection.hasSeek { return }
    }
  }
}
