import DecoderLink
import System

/// Goes through a sound ahead of what is heard, to draw it and to know its end: what is being heard
/// first, then on to the end, then what was left out.
final class SoundSurvey {
  let waveform: Waveform
  let stream: FFmpegStream
  /// Where the sound ends, once that was found.
  private(set) var end: Duration?
  private let open: () throws(DecodingError) -> FFmpegInput
  /// What a seek left out is gone through as well.
  private let isWhole: Bool
  private var input: FFmpegInput
  private var track: SoundTrack
  /// Where the part begins that is gone through now.
  private var start = Duration.zero
  private var isFillingHoles = false
  /// Whether the container can be moved, as far as is known.
  private var isMovable = true
  /// Nothing is left to go through.
  private(set) var isOver = false
  /// So much is gone through at a time: less where that takes long.
  private var stride = SoundSurvey.shortest

  private static let shortest = Duration.seconds(1)
  private static let longest = Duration.seconds(20)
  /// Whoever waits for a picture or for sound does not wait longer for this.
  private static let patience = Duration.milliseconds(25)

  /// - Parameter isWhole: all of it is wanted, not its end alone.
  init(
    _ input: FFmpegInput, reopen: @escaping () throws(DecodingError) -> FFmpegInput,
    sound: FFmpegStream, isWhole: Bool
  ) throws(DecodingError) {
    self.input = input
    open = reopen
    stream = sound
    self.isWhole = isWhole
    track = try SoundTrack(alone: sound, in: input, rate: nil)
    waveform = Waveform(expected: input.plausibleDuration)
    try lookThrough(until: Self.longest)
  }

  /// Whether any sound was found.
  var isHeard: Bool { track.end != nil }

  /// Whether it is known that there is sound at a time, or none any more.
  func hasReached(_ time: Duration) -> Bool {
    end != nil || waveform.isKnown(at: time) || (start <= time && time < position)
  }

  private var position: Duration { max(start, track.position ?? .zero) }

  /// Goes on for a little while.
  func advance() throws(DecodingError) {
    guard !isOver else { return }
    let begun = Instant.now
    try lookThrough(until: position + stride)
    let isQuick = Instant.now - begun < Self.patience
    stride = isQuick ? min(Self.longest, stride * 2) : max(Self.shortest, stride / 2)
  }

  private func lookThrough(until limit: Duration) throws(DecodingError) {
    while let run = try track.next(before: limit) {
      waveform.add(run, rate: track.rate)
    }
    if track.isOver, track.position == nil, start > .zero, end == nil { return try reopen() }
    if track.isOver, end == nil {
      end = track.end ?? .zero
      waveform.finish(at: end ?? .zero)
    }
    // The next tenth of a second: the last one was noted just now.
    if track.isOver || isMovable && waveform.isKnown(at: position + .milliseconds(100)) {
      try chooseNextPart()
    }
  }

  /// Goes to what is not known yet.
  private func chooseNextPart() throws(DecodingError) {
    if end == nil { return try move(to: waveform.unknown(after: position)) }
    if isFillingHoles, let hole = waveform.hole, hole.lowerBound <= start + .milliseconds(50) {
      // Where there is no sound, none is looked for again.
      let tried = track.isOver ? hole.upperBound : max(position, start + .milliseconds(100))
      waveform.giveUp(until: tried)
    }
    guard isWhole, isMovable, let hole = waveform.hole else { return isOver = true }
    isFillingHoles = true
    if !moveTrack(to: hole.lowerBound) { isOver = true }
  }

  /// What is heard now is at `time`: goes on from there, where that is not known.
  func follow(to time: Duration) throws(DecodingError) {
    stride = Self.shortest
    let isNear = start <= time && time < position + Self.longest
    if isMovable, !hasReached(time), !isNear { try move(to: time) }
  }

  private func move(to time: Duration) throws(DecodingError) {
    if moveTrack(to: time) { return waveform.leaveOut(until: time) }
    try reopen()
  }

  /// A container that cannot be moved is gone through from its start.
  private func reopen() throws(DecodingError) {
    isMovable = false
    start = .zero
    input = try open()
    guard let sound = input.streams.first(where: { $0.index == stream.index }) else { return }
    track = try SoundTrack(alone: sound, in: input, rate: nil)
  }

  private func moveTrack(to time: Duration) -> Bool {
    guard track.go(to: time, in: input) else { return false }
    start = time
    return true
  }

  /// Tells a container of the same bytes where that time lies, as far as that is known here.
  func guide(_ other: FFmpegInput, _ sound: FFmpegStream, to time: Duration) {
    track.guide(other, sound, to: time)
  }
}
