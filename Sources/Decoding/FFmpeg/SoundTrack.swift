/// Decodes the sound of one stream to interleaved stereo samples.
final class SoundTrack {
  /// What is decoded now: another stream in each part of a playlist.
  private(set) var stream: FFmpegStream
  /// What it lives in.
  private var owner: FFmpegInput?
  /// Its number in the first part.
  private let number: Int
  private let router: PacketRouter
  private var codec: FFmpegCodec
  /// The first packet of the next part, until the decoder has given all it has of this one.
  private var changed: FFmpegPacket?
  private let resampler: FFmpegResampler
  private let frame: FFmpegFrame
  private var isDraining = false
  private var isFlushed = false
  /// The story's start on the stream's clock.
  private let zero: Duration
  /// Samples before this time are not wanted.
  private var begin = Duration.zero
  /// Where the next sample belongs.
  private(set) var position: Duration?
  /// Where the last sample that was decoded ends.
  private(set) var end: Duration?
  /// Where the last packet that was taken begins: a sound of which nothing can be decoded is not
  /// looked through for some in haste.
  private var reached: Duration?
  /// So many packets were taken where sound is wanted.
  private var packets = 0
  /// Behind a seek, fewer packets than these may have nothing to be heard.
  private static let several = 8

  /// A gap or an overlap smaller than this is only an inexact timestamp.
  private static let tolerance = Duration.milliseconds(60)

  /// Decodes to `rate` samples a second, nil to leave the rate as it is.
  init(_ number: Int, router: PacketRouter, rate: Int?, zero: Duration) throws(DecodingError) {
    guard let stream = router.stream(number) else { throw .nothingToShow }
    self.stream = stream
    owner = router.input
    self.number = number
    self.router = router
    self.zero = zero
    codec = try FFmpegCodec(stream)
    frame = try FFmpegFrame()
    resampler = FFmpegResampler(rate: rate)
  }

  /// Decodes the only stream of a container that counts.
  convenience init(alone stream: FFmpegStream, in input: FFmpegInput, rate: Int?)
    throws(DecodingError)
  {
    let router = PacketRouter(input, streams: [stream], following: nil)
    var zero = input.start ?? stream.start
    if zero == nil { zero = try router.start(of: stream.index, within: 16) }
    try self.init(stream.index, router: router, rate: rate, zero: zero ?? .zero)
  }

  /// Samples a second of the last run.
  var rate: Int { resampler.rate ?? 1 }

  /// Nothing more comes.
  var isOver: Bool { isFlushed }

  /// All of it was gone through, and nothing of what it holds could be decoded.
  var isVain: Bool { isFlushed && end == nil && packets >= (begin == .zero ? 1 : Self.several) }

  /// What is not heard of it, in words; nil where all of it is.
  var omission: String? { resampler.omission }

  /// The next run of samples that begins before `limit`; nil where there is none (now).
  func next(before limit: Duration) throws(DecodingError) -> SoundRun? {
    while !isFlushed, position ?? reached ?? .zero < limit {
      var samples: [Int16]
      let outcome = try codec.receive(into: frame)
      if outcome != .frame, let packet = changed {
        try change(to: packet)
        continue
      }
      switch outcome {
      case .frame:
        place(frame)
        dropPadding(of: frame)
        do throws(DecodingError) {
          samples = try resampler.convert(frame)
        } catch {
          // A frame that is unlike all others is a damaged one.
          guard end != nil else { throw error }
          continue
        }
      case .end:
        isFlushed = true
        samples = try resampler.flush()
      case .needsPacket:
        if isDraining {
          isFlushed = true
          continue
        }
        guard try feed() else { return nil }
        continue
      }
      if let run = placed(&samples) { return run }
    }
    return nil
  }

  private func feed() throws(DecodingError) -> Bool {
    let packet = try router.nextWithoutHaste(of: number)
    if packet == nil, !router.isAtEnd { return false }
    if packet?.isProtected == true { throw .protected }
    if let packet, packet.source?.raw != stream.raw {
      changed = packet
      try codec.send(nil)
      return true
    }
    try take(packet)
    return true
  }

  /// The next part of a playlist begins, coded in a way of its own.
  private func change(to packet: FFmpegPacket) throws(DecodingError) {
    changed = nil
    if let source = packet.source {
      codec = try FFmpegCodec(source)
      stream = source
    }
    owner = packet.owner
    try take(packet)
  }

  private func take(_ packet: FFmpegPacket?) throws(DecodingError) {
    isDraining = packet == nil
    if let packet {
      let time = stream.time(packet.timestamp).map { $0 - zero } ?? reached ?? .zero
      reached = time
      if time >= begin { packets += 1 }
    }
    try codec.send(packet)
  }

  /// Takes a frame's timestamp for the position where it tells of more than rounding.
  private func place(_ frame: FFmpegFrame) {
    guard let time = stream.time(frame.timestamp).map({ $0 - zero }) else { return }
    if let position, time < position + Self.tolerance { return }
    position = time
  }

  /// An MP4 says where its sound ends: its last frame may go on with what is only there to fill it.
  private func dropPadding(of frame: FFmpegFrame) {
    guard router.isOfMP4, let start = stream.start, let length = stream.duration else { return }
    let rest = start + length - zero - (position ?? .zero)
    if rest > .zero { frame.keepSound(for: rest) }
  }

  /// Gives samples their time, without those that are not wanted.
  private func placed(_ samples: inout [Int16]) -> SoundRun? {
    guard let rate = resampler.rate, !samples.isEmpty else { return nil }
    var time = position ?? .zero
    let length = SoundRun(time: time, samples: samples).length(rate: rate)
    position = time + length
    end = max(end ?? .zero, time + length)
    if time < begin {
      let seconds = (begin - time) / .seconds(1)
      let unwanted = min(samples.count, 2 * Int((seconds * Double(rate)).rounded()))
      samples.removeFirst(unwanted)
      time = begin
    }
    return samples.isEmpty ? nil : SoundRun(time: time, samples: samples)
  }

  /// Moves the container, of which this is the only stream that counts, and begins anew there;
  /// false where it cannot be moved.
  func go(to position: Duration) -> Bool {
    guard router.seek(number, to: time(before: position)) else { return false }
    restart(at: position)
    return true
  }

  /// Some codecs need a little of what comes before.
  private func time(before position: Duration) -> Duration {
    max(.zero, position - .milliseconds(200)) + zero
  }

  /// Tells another container of the same bytes, and its stream, where a position lies.
  func guide(_ input: FFmpegInput, _ other: FFmpegStream, to position: Duration) {
    if let entry = stream.entry(before: stream.timestamp(time(before: position))) {
      input.note(entry, of: other)
    }
  }

  /// Begins anew at a position: the container was moved.
  func restart(at position: Duration) {
    codec.flush()
    changed = nil
    resampler.restart()
    isDraining = false
    isFlushed = false
    begin = position
    self.position = nil
    reached = nil
    packets = 0
  }
}
