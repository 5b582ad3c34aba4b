import DecoderLink
import System

/// Scans a sound for its waveform and its length, ahead of playback: first from the playback position
/// to the end, then the holes. Scanning does not wait for the network; it uses the bytes that are
/// available.
final class WaveformScanner {
  let waveform: Waveform
  let stream: FFmpegStream
  /// The end of the sound, once it was found.
  private(set) var end: Duration?
  private let open: () throws(DecodingError) -> FFmpegInput
  /// Whether holes that a seek left are scanned, too.
  private let fillsHoles: Bool
  private var input: FFmpegInput
  private var track: SoundTrack
  /// The start of the part that is being scanned.
  private var start = Duration.zero
  private var isFillingHoles = false
  /// Whether the container can seek; false once it failed to.
  private var isMovable = true
  /// Everything was scanned, or the rest is not available.
  private(set) var isOver = false
  /// All bytes are available.
  private(set) var isWhole = false
  /// How much is scanned at a time: less if that is slow.
  private var stride = WaveformScanner.shortest

  private static let shortest = Duration.seconds(1)
  private static let longest = Duration.seconds(20)
  /// Pictures and sound must not wait longer than this for scanning.
  private static let patience = Duration.milliseconds(25)

  /// - Parameter fillsHoles: whether everything is scanned, or only the end is needed.
  init(
    _ input: FFmpegInput, reopen: @escaping () throws(DecodingError) -> FFmpegInput,
    sound: FFmpegStream, fillsHoles: Bool
  ) throws(DecodingError) {
    self.input = input
    open = reopen
    stream = sound
    self.fillsHoles = fillsHoles
    track = try SoundTrack(alone: sound, in: input, rate: nil)
    waveform = Waveform(expected: input.plausibleDuration)
  }

  /// Whether any sound was found.
  var isHeard: Bool { track.end != nil }

  /// Whether the scan covers a time, or the sound has ended before it.
  func hasReached(_ time: Duration) -> Bool {
    end != nil || waveform.isKnown(at: time) || (start <= time && time < position)
  }

  private var position: Duration { max(start, track.position ?? .zero) }

  /// Scans the beginning, as far as it is available.
  func begin() throws(DecodingError) { try goOn(until: Self.longest, waiting: false) }

  /// Scans a little more; `waiting` allows waiting for bytes.
  func advance(waiting: Bool) throws(DecodingError) {
    guard !isOver else { return }
    let begun = Instant.now
    try goOn(until: position + stride, waiting: waiting)
    let isQuick = Instant.now - begun < Self.patience
    stride = isQuick ? min(Self.longest, stride * 2) : max(Self.shortest, stride / 2)
  }

  /// Scans at `time`, the position of a playback without sound, and waits for the bytes.
  func reach(_ time: Duration) throws(DecodingError) {
    try follow(to: time, waiting: true)
    if !isWhole { try lookThrough(until: position + Self.shortest, waiting: true) }
  }

  /// Scans the beginning; returns whether there is sound.
  func findsSound() throws(DecodingError) -> Bool {
    if !isHeard { try goOn(until: Self.longest, waiting: true) }
    return isHeard
  }

  /// Ends the scan if bytes cannot be read.
  private func goOn(until limit: Duration, waiting: Bool) throws(DecodingError) {
    do {
      try lookThrough(until: limit, waiting: waiting)
    } catch {
      guard input.hasFailed else { throw error }
      isOver = true
    }
  }

  private func lookThrough(until limit: Duration, waiting: Bool) throws(DecodingError) {
    isWhole = isWhole || input.isAllAvailable
    while waiting || isWhole || input.isAvailable, let run = try track.next(before: limit) {
      waveform.add(run, rate: track.rate)
    }
    if track.isOver, track.position == nil, start > .zero, end == nil { return try reopen() }
    if track.isOver, end == nil {
      end = track.end ?? .zero
      waveform.finish(at: end ?? .zero)
    }
    // The next bucket is checked, since the last one was just written.
    let isDone = track.isOver || isMovable && waveform.isKnown(at: position + .milliseconds(100))
    if isDone, isWhole || track.isOver && !fillsHoles { try chooseNextPart() }
  }

  /// Seeks to the next part that was not scanned.
  private func chooseNextPart() throws(DecodingError) {
    if end == nil { return try move(to: waveform.unknown(after: position)) }
    if isFillingHoles, let hole = waveform.hole, hole.lowerBound <= start + .milliseconds(50) {
      // A part without sound is not scanned again.
      let tried = track.isOver ? hole.upperBound : max(position, start + .milliseconds(100))
      waveform.giveUp(until: tried)
    }
    guard fillsHoles, isMovable, let hole = waveform.hole else { return finish() }
    isFillingHoles = true
    if !moveTrack(to: hole.lowerBound) { finish() }
  }

  private func finish() {
    isOver = true
    waveform.close()
  }

  /// Continues the scan at `time`, the playback position, unless that is known; `waiting` allows
  /// waiting for bytes.
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

  /// Opens the container anew and scans from its start, since it cannot seek.
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

  /// Passes what is known about the place of that time to another container of the same bytes.
  func guide(_ other: FFmpegInput, _ sound: FFmpegStream, to time: Duration) {
    track.guide(other, sound, to: time)
  }
}
