import DecoderLink
import System

/// Goes through a sound ahead of what is heard, to draw it and to know its end: what is being heard
/// first, then on to the end, then what was left out. As long as some of its bytes still have to come
/// over a network it goes on with those that are at hand, and waits for none.
final class WaveformScanner {
  let waveform: Waveform
  let stream: FFmpegStream
  /// Where the sound ends, once that was found.
  private(set) var end: Duration?
  private let open: () throws(DecodingError) -> FFmpegInput
  /// What a seek left out is gone through as well.
  private let goesBack: Bool
  private var input: FFmpegInput
  private var track: SoundTrack
  /// Where the part begins that is gone through now.
  private var start = Duration.zero
  private var isFillingHoles = false
  /// Whether the container can be moved, as far as is known.
  private var isMovable = true
  /// Nothing is left to go through, or what is left cannot be had.
  private(set) var isOver = false
  /// All bytes are at hand.
  private(set) var isWhole = false
  /// So much is gone through at a time: less where that takes long.
  private var stride = WaveformScanner.shortest

  private static let shortest = Duration.seconds(1)
  private static let longest = Duration.seconds(20)
  /// Whoever waits for a picture or for sound does not wait longer for this.
  private static let patience = Duration.milliseconds(25)

  /// - Parameter goesBack: all of it is wanted, not its end alone.
  init(
    _ input: FFmpegInput, reopen: @escaping () throws(DecodingError) -> FFmpegInput,
    sound: FFmpegStream, goesBack: Bool
  ) throws(DecodingError) {
    self.input = input
    open = reopen
    stream = sound
    self.goesBack = goesBack
    track = try SoundTrack(alone: sound, in: input, rate: nil)
    waveform = Waveform(expected: input.plausibleDuration)
  }

  /// Whether any sound was found.
  var isHeard: Bool { track.end != nil }

  /// Whether it is known that there is sound at a time, or none any more.
  func hasReached(_ time: Duration) -> Bool {
    end != nil || waveform.isKnown(at: time) || (start <= time && time < position)
  }

  private var position: Duration { max(start, track.position ?? .zero) }

  /// Looks at the beginning, as far as it is at hand.
  func begin() throws(DecodingError) { try goOn(until: Self.longest, waiting: false) }

  /// Goes on for a little while; `waiting` says that bytes may be waited for.
  func advance(waiting: Bool) throws(DecodingError) {
    guard !isOver else { return }
    let begun = Instant.now
    try goOn(until: position + stride, waiting: waiting)
    let isQuick = Instant.now - begun < Self.patience
    stride = isQuick ? min(Self.longest, stride * 2) : max(Self.shortest, stride / 2)
  }

  /// What is told now is at `time`, and nothing is heard: goes on there, and waits for the bytes.
  func reach(_ time: Duration) throws(DecodingError) {
    try follow(to: time, waiting: true)
    if !isWhole { try lookThrough(until: position + Self.shortest, waiting: true) }
  }

  /// Looks for sound at the beginning; whether any was found.
  func findsSound() throws(DecodingError) -> Bool {
    if !isHeard { try goOn(until: Self.longest, waiting: true) }
    return isHeard
  }

  /// What cannot be had stays unknown.
  private func goOn(until limit: Duration, waiting: Bool) throws(DecodingError) {
    do {
      try lookThrough(until: limit, waiting: waiting)
    } catch {
      guard input.hasFailed else { throw error }
      isOver = true
    }
  }

  private func lookThrough(until limit: Duration, waiting: Bool) throws(DecodingError) {
    isWhole = isWhole || input.isWhole
    while waiting || isWhole || input.isAtHand, let run = try track.next(before: limit) {
      waveform.add(run, rate: track.rate)
    }
    if track.isOver, track.position == nil, start > .zero, end == nil { return try reopen() }
    if track.isOver, end == nil {
      end = track.end ?? .zero
      waveform.finish(at: end ?? .zero)
    }
    // The next tenth of a second: the last one was noted just now.
    let isDone = track.isOver || isMovable && waveform.isKnown(at: position + .milliseconds(100))
    if isDone, isWhole || track.isOver && !goesBack { try chooseNextPart() }
  }

  /// Goes to what is not known yet.
  private func chooseNextPart() throws(DecodingError) {
    if end == nil { return try move(to: waveform.unknown(after: position)) }
    if isFillingHoles, let hole = waveform.hole, hole.lowerBound <= start + .milliseconds(50) {
      // Where there is no sound, none is looked for again.
      let tried = track.isOver ? hole.upperBound : max(position, start + .milliseconds(100))
      waveform.giveUp(until: tried)
    }
    guard goesBack, isMovable, let hole = waveform.hole else { return finish() }
    isFillingHoles = true
    if !moveTrack(to: hole.lowerBound) { finish() }
  }

  private func finish() {
    isOver = true
    waveform.close()
  }

  /// What is told now is at `time`: goes on from there, where that is not known; `waiting` says that
  /// bytes may be waited for.
  func follow(to time: Duration, waiting: Bool) throws(DecodingError) {
    stride = Self.shortest
    guard isWhole || waiting else { return }
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
    guard track.go(to: time) else { return false }
    start = time
    return true
  }

  /// Tells a container of the same bytes where that time lies, as far as that is known here.
  func guide(_ other: FFmpegInput, _ sound: FFmpegStream, to time: Duration) {
    track.guide(other, sound, to: time)
  }
}
