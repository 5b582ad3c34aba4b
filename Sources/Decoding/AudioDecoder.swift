import DecoderLink

/// Decodes a sound file: its pictures are its cover or, without one, a waveform that lights up.
///
/// Decoding for playback comes first. The waveform shows what has been scanned so far; playback never
/// waits for it, except where there is no sound to play.
final class AudioDecoder: MediaDecoder {
  private(set) var info: MediaInfo
  private let open: () throws(DecodingError) -> FFmpegInput
  private let soundRate: UInt32?
  /// Reports what is wrong with the story.
  private let note: (String) -> Void
  private let cover: Cover?
  private let scanner: WaveformScanner
  /// The sound for playback. It is opened when it is first requested, so that the first picture does
  /// not wait for it.
  private var voice: SoundTrack?
  private var isVoiceOpen = false
  /// Where playback begins in the sound.
  private var voiceStart = Duration.zero
  /// The sound of before a seek, which knows where in the file the new position lies.
  private var formerVoice: SoundTrack?
  private var wasCoverShown = false
  private var position: Duration = .zero
  /// The time of the current picture.
  private var shown: Duration = .zero
  private var picturesEnd: Duration?

  private static let step = Duration.milliseconds(100)

  init(
    _ input: FFmpegInput, reopen: @escaping () throws(DecodingError) -> FFmpegInput,
    sound: FFmpegStream, soundRate: UInt32?, shape: PictureRequest,
    note: @escaping (String) -> Void
  ) throws(DecodingError) {
    open = reopen
    self.soundRate = soundRate
    self.note = note
    cover = try Cover.best(of: input, note: note)
    scanner = try WaveformScanner(input, reopen: reopen, sound: sound, fillsHoles: cover == nil)
    if cover == nil { try scanner.begin() }
    let size = cover?.displaySize
    info = MediaInfo(
      kind: .sound, isStill: cover != nil, container: input.container,
      pictureCodec: cover?.codecName, soundCodec: sound.codecName,
      displayWidth: UInt32(size?.width ?? max(1, Int(Double(shape.width) * shape.pixelAspect))),
      displayHeight: UInt32(size?.height ?? Int(shape.height)),
      frameRate: cover == nil ? 10 : nil, duration: scanner.waveform.expected,
      isLive: input.isLive)
    if isSoundless { throw .damagedSound(codec: sound.codecName) }
  }

  var ends: StoryEnds { StoryEnds(pictures: picturesEnd, sound: soundEnd) }

  /// Whether sound can be decoded; only the beginning is tried.
  func findsSound() throws(DecodingError) -> Bool { try scanner.findsSound() }

  private var soundEnd: Duration? {
    if scanner.isHeard, let end = scanner.end { return end }
    if let voice, voice.isOver { return voice.end }
    return soundRate == nil && scanner.isOver ? scanner.waveform.expected ?? position : nil
  }

  /// Whether all of the file was decoded without any sound, and there is no cover.
  private var isSoundless: Bool {
    guard cover == nil, !scanner.isHeard else { return false }
    if scanner.end != nil { return true }
    return voiceStart == .zero && voice?.isOver == true && voice?.end == nil
  }

  private func openVoice() throws(DecodingError) {
    isVoiceOpen = true
    guard let soundRate else { return }
    let input = try open()
    guard let sound = input.streams.first(where: { $0.index == scanner.stream.index }) else {
      return
    }
    let track = try SoundTrack(alone: sound, in: input, rate: Int(soundRate))
    if voiceStart > .zero {
      formerVoice?.guide(input, sound, to: voiceStart)
      scanner.guide(input, sound, to: voiceStart)
      if !track.go(to: voiceStart) { track.restart(at: voiceStart) }
    }
    formerVoice = nil
    voice = track
  }

  func advance(_ effort: Effort, for shape: PictureRequest) throws(DecodingError) -> Progress {
    if cover != nil { return try advanceBesideCover() }
    try scanner.advance(waiting: false)
    if isSoundless { throw .damagedSound(codec: scanner.stream.codecName) }
    let isAllHeard = voice?.isOver == true && voice?.end == nil
    if let end = soundEnd ?? (isAllHeard ? position : nil), position >= end {
      picturesEnd = end
      return .over
    }
    if position > .zero, !scanner.isOver, !scanner.hasReached(position) {
      if soundRate == nil {
        try scanner.reach(position)
        return .working
      }
      if scanner.isWhole {
        try scanner.follow(to: position, waiting: false)
        return .working
      }
    }
    shown = position
    let step = min(Self.step, (soundEnd ?? .seconds(1 << 32)) - position)
    position += step
    return .picture(PictureTiming(time: shown, duration: step))
  }

  /// Sends the cover once. Without sound to play, the file is scanned for its length.
  private func advanceBesideCover() throws(DecodingError) -> Progress {
    if !wasCoverShown {
      wasCoverShown = true
      return .picture(PictureTiming(time: position, duration: nil))
    }
    guard soundRate == nil, scanner.end == nil, !scanner.isOver else { return .over }
    try scanner.advance(waiting: true)
    return .working
  }

  func picture(for shape: PictureRequest) throws(DecodingError) -> Bitmap {
    if let cover { return try cover.picture(for: shape) }
    return scanner.waveform.draw(
      width: Int(shape.width), height: Int(shape.height), position: shown)
  }

  func sound(before limit: Duration) throws(DecodingError) -> SoundRun? {
    if !isVoiceOpen { try openVoice() }
    let run = try voice?.next(before: limit)
    if let omission = voice?.omission { note(omission) }
    if let run, let voice, cover == nil, !scanner.isOver {
      scanner.waveform.hear(run, rate: voice.rate)
    }
    return run
  }

  var isSoundOver: Bool { isVoiceOpen && voice?.isOver ?? true }

  func seek(to position: Duration) throws(DecodingError) {
    self.position = position
    picturesEnd = nil
    wasCoverShown = false
    isVoiceOpen = false
    formerVoice = voice ?? formerVoice
    voice = nil
    voiceStart = position
    if cover == nil { try scanner.follow(to: position, waiting: soundRate == nil) }
  }

  /// Nothing is scanned before a picture is requested: the story may only be buffered as a neighbour. A
  /// cover whose sound plays needs no scan.
  func rest() -> Bool { cover == nil || soundRate == nil }
}
