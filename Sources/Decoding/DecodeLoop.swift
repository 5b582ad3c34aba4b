import DecoderLink

/// Decodes a story and sends it: pictures and sound as far as there is credit for each, and seeks.
struct DecodeLoop {
  private let connection: PlayerConnection
  private let decoder: any MediaDecoder
  private var sound: AudioSender?
  private var serial: UInt32 = 0
  private var isOpened = false
  /// The decoder's progress that has not been sent yet.
  private var state = Progress.working
  /// The time of the last picture that was decoded.
  private var position = Duration.zero
  private var isEndSent = false
  /// The decoder gave memory back and is not called before a picture may be sent.
  private var isResting = false
  /// How far ahead of the picture sound is sent.
  private static let soundLead = Duration.milliseconds(500)

  /// - Parameter soundRate: frames of sound a second, nil for a story without any.
  init(_ decoder: any MediaDecoder, to connection: PlayerConnection, soundRate: UInt32?) {
    self.decoder = decoder
    self.connection = connection
    sound = soundRate.map { AudioSender(decoder, to: connection, rate: $0) }
  }

  /// Sends all of it, and then waits for seeks; ends only with an error or with the socket.
  mutating func run() throws(DecodingError) -> Never {
    while true {
      connection.receivePending()
      if let seek = connection.takeSeek() { try go(to: seek) }
      try step()
    }
  }

  private mutating func go(to seek: PlayerConnection.Seek) throws(DecodingError) {
    serial = seek.serial
    state = .working
    position = max(.zero, seek.position)
    isEndSent = false
    isResting = false
    sound?.restart(serial: serial)
    try decoder.seek(to: position)
  }

  private mutating func step() throws(DecodingError) {
    if isEndSent { return connection.receive() }
    switch state {
    case .working:
      if isResting, connection.picturesAllowed == 0 { return try awaitPictureCredit() }
      isResting = false
      try advance()
    case .picture(let timing):
      guard connection.picturesAllowed > 0 else { return try awaitPictureCredit() }
      // The picture is sent before its sound, so that a first picture does not wait.
      try send(timing)
      state = .working
      _ = try sound?.send(before: position + Self.soundLead)
      isResting = connection.picturesAllowed == 0 && decoder.rest()
    case .over:
      let isComplete = try sound?.send(before: nil) ?? true
      if connection.hasSeek { return }
      guard isComplete else { return connection.receive() }
      let ends = decoder.ends
      connection.send(
        .ended(
          serial: serial, picturesEnd: Self.bounded(ends.pictures),
          soundEnd: Self.bounded(ends.sound)))
      isEndSent = true
    }
  }

  private mutating func advance() throws(DecodingError) {
    state = try decoder.advance(connection.effort, for: connection.shape)
    if case .picture(let timing) = state {
      guard timing.time <= .longestStory else { throw .absurdTime }
      position = timing.time
    }
    if state == .working {
      _ = try sound?.send(before: position + Self.soundLead)
    } else if !isOpened {
      isOpened = true
      connection.send(.opened(decoder.info))
    }
  }

  /// Sends sound as far as there is credit, and waits for the player's next message.
  private mutating func awaitPictureCredit() throws(DecodingError) {
    _ = try sound?.send(before: position + Self.soundLead)
    // Sending sound also receives messages.
    if connection.picturesAllowed == 0, !connection.hasSeek { connection.receive() }
  }

  private func send(_ timing: PictureTiming) throws(DecodingError) {
    let bitmap = try decoder.picture(for: connection.shape)
    connection.send(
      .picture(
        DecodedPicture(
          serial: serial, time: timing.time, duration: Self.bounded(timing.duration),
          skipped: timing.skipped, bitmap: bitmap)))
  }

  private static func bounded(_ time: Duration?) -> Duration? {
    time.map { min(max(.zero, $0), .longestStory) }
  }
}
