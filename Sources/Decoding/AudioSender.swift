import DecoderLink

/// Sends a story's sound as far as there is credit for it.
struct AudioSender {
  private let connection: PlayerConnection
  private let decoder: any MediaDecoder
  /// Frames a second.
  private let rate: UInt32
  private var serial: UInt32 = 0
  /// Decoded, but there was no credit left.
  private var waiting: SoundRun?
  /// All sound before this time has been sent.
  private var sentUntil: Duration?
  private var isEnded = false

  init(_ decoder: any MediaDecoder, to connection: PlayerConnection, rate: UInt32) {
    self.decoder = decoder
    self.connection = connection
    self.rate = rate
  }

  /// Drops what is left of before a seek.
  mutating func restart(serial: UInt32) {
    self.serial = serial
    waiting = nil
    sentUntil = nil
    isEnded = false
  }

  /// Sends the sound that begins before `limit`, or all of it for nil, and reports where the sound has
  /// a gap or ends. False if the credit was used up or a seek has come.
  mutating func send(before limit: Duration?) throws(DecodingError) -> Bool {
    while let run = try next(before: limit) {
      guard connection.soundCredits > 0 else {
        waiting = run
        return false
      }
      let (head, rest) = run.cut(
        after: Int(clamping: connection.soundCredits), rate: Int(rate))
      waiting = rest
      send(head)
      connection.receiveWaiting()
      if connection.hasSeek { return false }
    }
    if waiting == nil, decoder.isSoundOver {
      if !isEnded { connection.send(.soundEnded(serial: serial, at: sentUntil ?? .zero)) }
      isEnded = true
    } else if let limit, sentUntil.map({ $0 < limit }) ?? true {
      send(SoundRun(time: limit, samples: []))
    }
    return true
  }

  private mutating func next(before limit: Duration?) throws(DecodingError) -> SoundRun? {
    let limit = limit ?? .seconds(1 << 32)
    if waiting == nil { waiting = try decoder.sound(before: limit) }
    guard let run = waiting, run.time < limit else { return nil }
    waiting = nil
    return run
  }

  private mutating func send(_ run: SoundRun) {
    connection.send(.sound(DecodedSound(serial: serial, time: run.time, samples: run.samples)))
    sentUntil = run.time + run.length(rate: Int(rate))
  }
}

extension SoundRun {
  /// How long it lasts.
  func length(rate: Int) -> Duration {
    .nanoseconds(Int64(samples.count / 2) * 1_000_000_000 / Int64(rate))
  }

  /// Its first `frames` frames, and the rest, where there is one.
  package func cut(after frames: Int, rate: Int) -> (head: SoundRun, rest: SoundRun?) {
    guard frames < samples.count / 2 else { return (self, nil) }
    let head = SoundRun(time: time, samples: Array(samples.prefix(frames * 2)))
    let rest = SoundRun(
      time: time + head.length(rate: rate), samples: Array(samples.dropFirst(frames * 2)))
    return (head, rest)
  }
}
