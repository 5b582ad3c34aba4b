/// Decodes the sound of one stream to interleaved stereo samples.
final class SoundTrack {
  /// The stream that is decoded; each part of a playlist has its own.
  private(set) var stream: FFmpegStream
  /// The input that owns the stream.
  private var owner: FFmpegInput?
  /// The stream's number in the first part.
  private let number: Int
  private let router: PacketRouter
  private var codec: FFmpegCodec
  /// The first packet of the next part, kept until the decoder has finished the current part.
  private var changed: FFmpegPacket?
  private let resampler: FFmpegResampler
  private let frame: FFmpegFrame
  private var isDraining = false
  private var isFlushed = false
  /// The story's start on the stream's clock.
  private let zero: Duration
  /// Samples before this time are dropped.
  private var begin = Duration.zero
  /// The time of the next sample.
  private(set) var position: Duration?
  /// The end of the last decoded sample.
  private(set) var end: Duration?
  /// The start of the last packet. It stands in for `position` until a sample is decoded: a sound that
  /// cannot be decoded is not read to its end at once.
  private var reached: Duration?
  /// How many packets were read from `begin` on.
  private var packets = 0
  /// After a seek, fewer packets than these may contain no sound.
  private static let several = 8

  /// Smaller gaps and overlaps are only inexact timestamps.
  private static let tolerance = Duration.milliseconds(60)

  /// - Parameter rate: samples a second of the output; nil for the source's rate.
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

  /// Decodes one stream of a container whose other streams are not used.
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

  /// Whether everything was decoded.
  var isOver: Bool { isFlushed }

  /// Whether everything was read and nothing could be decoded.
  var isUndecodable: Bool {
    isFlushed && end == nil && packets >= (begin == .zero ? 1 : Self.several)
  }

  /// The channels that are not heard, in words; nil if all are.
  var omission: String? { resampler.omission }

  /// The next run of samples that begins before `limit`; nil if there is none, or none yet.
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
          // A frame that cannot be converted although others were is damaged, and skipped.
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
    let packet = try router.nextKeepingOthers(of: number)
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

  /// Continues with the next part of a playlist, which has a decoder of its own.
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

  /// Moves the position to a frame's timestamp if they differ by more than rounding.
  private func place(_ frame: FFmpegFrame) {
    guard let time = stream.time(frame.timestamp).map({ $0 - zero }) else { return }
    if let position, time < position + Self.tolerance { return }
    position = time
  }

  /// Drops the padding at the end: an MP4 gives the exact length of its sound, and its last frame may
  /// be longer.
  private func dropPadding(of frame: FFmpegFrame) {
    guard router.isOfMP4, let start = stream.start, let length = stream.duration else { return }
    let rest = start + length - zero - (position ?? .zero)
    if rest > .zero { frame.keepSound(for: rest) }
  }

  /// Gives samples their time and drops those before `begin`.
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

  /// Seeks in a container whose other streams are not used, and restarts there; false if it cannot
  /// seek.
  func go(to position: Duration) -> Bool {
    guard router.seek(number, to: time(before: position)) else { return false }
    restart(at: position)
    return true
  }

  /// Some codecs must start decoding a little earlier.
  private func time(before position: Duration) -> Duration {
    max(.zero, position - .milliseconds(200)) + zero
  }

  /// Passes what is known about the place of a position to another container of the same bytes.
  func guide(_ input: FFmpegInput, _ other: FFmpegStream, to position: Duration) {
    if let entry = stream.entry(before: stream.timestamp(time(before: position))) {
      input.note(entry, of: other)
    }
  }

  /// Restarts at a position after a seek in the container.
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
