import DecoderLink

/// Sends a story's sound as far as there is credit for it.
struct AudioSender {
  private let connection: PlayerConnection
  private let decoder: any MediaDecoder
  /// Frames a second.
  private let rate: Int
  private var serial: UInt32 = 0
  /// Decoded, but there was no credit left.
  private var unsent: SoundRun?
  /// All sound before this time has been sent.
  private var sentUntil: Duration?
  private var isEnded = false
  /// Later than any sound.
  private static let unlimited = Duration.seconds(1 << 32)

  init(_ decoder: any MediaDecoder, to connection: PlayerConnection, rate: UInt32) {
    self.decoder = decoder
    self.connection = connection
    self.rate = Int(rate)
  }

  /// After a seek: drops what is left of before.
  mutating func restart(serial: UInt32) {
    self.serial = serial
    unsent = nil
    sentUntil = nil
    isEnded = false
  }

  /// Sends the sound that begins before `limit`, or all of it for nil, and reports where the sound has
  /// a gap or ends. False if the credit was used up or a seek has come.
  mutating func send(before limit: Duration?) throws(DecodingError) -> Bool {
    while let run = try next(before: limit) {
      guard connection.soundFramesAllowed > 0 else {
        unsent = run
        return false
      }
      let (head, rest) = run.cut(after: Int(clamping: connection.soundFramesAllowed), rate: rate)
      unsent = rest
      send(head)
      connection.receivePending()
      if connection.hasSeek { return false }
    }
    if unsent == nil, decoder.isSoundOver {
      if !isEnded { connection.send(.soundEnded(serial: serial, at: sentUntil ?? .zero)) }
      isEnded = true
    } else if let limit, sentUntil.map({ $0 < limit }) ?? true {
      // An empty run: there is no sound before its time, and the player must not wait for any.
      send(SoundRun(time: limit, samples: []))
    }
    return true
  }

  private mutating func next(before limit: Duration?) throws(DecodingError) -> SoundRun? {
    let limit = limit ?? Self.unlimited
    if unsent == nil { unsent = try decoder.sound(before: limit) }
    // What is left of an earlier run may be beyond the limit.
    guard let run = unsent, run.time < limit else { return nil }
    unsent = nil
    return run
  }

  private mutating func send(_ run: SoundRun) {
    connection.send(.sound(DecodedSound(serial: serial, time: run.time, samples: run.samples)))
    sentUntil = run.time + run.length(rate: rate)
  }
}
