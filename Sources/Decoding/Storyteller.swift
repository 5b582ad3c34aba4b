import DecoderLink

/// Tells a story to the player: pictures as far as there is credit, sound beside them, seeks.
struct Storyteller {
  private let connection: PlayerConnection
  private let decoder: any MediaDecoder
  private var serial: UInt32 = 0
  private var isOpened = false
  /// What the decoder last came to and was not told yet.
  private var state = Progress.working
  /// The last picture that was gone to.
  private var position = Duration.zero
  private var isTold = false
  /// The decoder gave memory back: it is not called upon before a picture may be sent.
  private var isResting = false
  /// Sound is sent so far ahead of the picture beside it.
  private static let soundLead = Duration.milliseconds(500)

  init(_ decoder: any MediaDecoder, to connection: PlayerConnection) {
    self.decoder = decoder
    self.connection = connection
  }

  /// Tells it, and goes on waiting for seeks; ends only with an error or with the socket.
  mutating func tell(from start: Duration) throws(DecodingError) -> Never {
    if start > .zero { try decoder.seek(to: start) }
    while true {
      connection.receiveWaiting()
      if let seek = connection.takeSeek() { try go(to: seek) }
      try step()
    }
  }

  private mutating func go(to seek: PlayerConnection.Seek) throws(DecodingError) {
    serial = seek.serial
    state = .working
    position = max(.zero, seek.position)
    isTold = false
    isResting = false
    try decoder.seek(to: position)
  }

  private mutating func step() throws(DecodingError) {
    if isTold { return connection.receive() }
    switch state {
    case .working:
      if isResting, connection.credits == 0 { return connection.receive() }
      isResting = false
      state = try decoder.advance(connection.effort, for: connection.shape)
      if case .picture(let timing) = state { position = timing.time }
      if state == .working {
        try sendSound(before: position + Self.soundLead)
      } else if !isOpened {
        isOpened = true
        connection.send(.opened(decoder.info))
      }
    case .picture(let timing):
      try sendSound(before: timing.time + Self.soundLead)
      if connection.hasSeek { return }
      guard connection.credits > 0 else { return connection.receive() }
      try send(timing)
      state = .working
      isResting = connection.credits == 0 && decoder.rest()
    case .over:
      try sendSound(before: .seconds(1 << 32))
      if connection.hasSeek { return }
      let ends = decoder.ends
      connection.send(
        .ended(serial: serial, picturesEnd: ends.pictures, soundEnd: ends.sound))
      isTold = true
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
