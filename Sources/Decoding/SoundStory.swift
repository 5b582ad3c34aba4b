import DecoderLink

/// Tells a sound: its cover as one still picture or, without one, a waveform that lights up.
final class SoundStory: MediaDecoder {
  private(set) var info: MediaInfo
  private(set) var ends = StoryEnds()
  private let open: () throws(DecodingError) -> FFmpegInput
  private let soundRate: UInt32?
  private let cover: Cover?
  private let survey: SoundSurvey
  /// What is heard: opened once it is wanted, so that the first picture need not wait for it.
  private var voice: SoundTrack?
  private var isVoiceOpen = false
  /// Where it begins.
  private var voiceStart = Duration.zero
  private var wasCoverShown = false
  private var position: Duration = .zero
  /// The time of the picture gone to.
  private var shown: Duration = .zero

  private static let step = Duration.milliseconds(100)

  init(
    _ input: FFmpegInput, reopen: @escaping () throws(DecodingError) -> FFmpegInput,
    sound: FFmpegStream, soundRate: UInt32?, shape: PictureRequest
  ) throws(DecodingError) {
    open = reopen
    self.soundRate = soundRate
    cover = try? Cover(in: input)
    survey = try SoundSurvey(input, reopen: reopen, sound: sound, isWhole: cover == nil)
    let size = cover?.displaySize
    info = MediaInfo(
      kind: .sound, isStill: cover != nil, container: input.container,
      pictureCodec: cover?.codecName, soundCodec: sound.codecName,
      displayWidth: UInt32(size?.width ?? max(1, Int(Double(shape.width) * shape.pixelAspect))),
      displayHeight: UInt32(size?.height ?? Int(shape.height)),
      frameRate: cover == nil ? 10 : nil, duration: survey.waveform.expected)
    ends.sound = survey.isHeard ? survey.end : nil
    if survey.end != nil, !survey.isHeard, cover == nil {
      throw .damagedSound(codec: sound.codecName)
    }
  }

  /// Whether any sound was found in what was looked through.
  var isHeard: Bool { survey.isHeard }

  private func openVoice() throws(DecodingError) {
    isVoiceOpen = true
    guard let soundRate else { return }
    let input = try open()
    guard let sound = input.streams.first(where: { $0.index == survey.stream.index }) else {
      return
    }
    let track = try SoundTrack(alone: sound, in: input, rate: Int(soundRate))
    if voiceStart > .zero {
      survey.guide(input, sound, to: voiceStart)
      if !track.go(to: voiceStart, in: input) { track.restart(at: voiceStart) }
    }
    voice = track
  }

  func advance(_ effort: Effort, for shape: PictureRequest) throws(DecodingError) -> Progress {
    if cover != nil, !wasCoverShown {
      wasCoverShown = true
      return .picture(PictureTiming(time: position, duration: nil))
    }
    try survey.advance()
    ends.sound = survey.isHeard ? survey.end : nil
    if cover != nil { return survey.end == nil ? .working : .over }
    if let end = ends.sound, position >= end {
      ends.pictures = end
      return .over
    }
    if !survey.hasReached(position) {
      try survey.follow(to: position)
      return .working
    }
    shown = position
    let step = min(Self.step, (ends.sound ?? .seconds(1 << 32)) - position)
    position += step
    return .picture(PictureTiming(time: shown, duration: step))
  }

  func picture(for shape: PictureRequest) throws(DecodingError) -> PixelGrid {
    if let cover { return try cover.picture(for: shape) }
    return survey.waveform.draw(
      width: Int(shape.width), height: Int(shape.height), position: shown)
  }

  func sound(before limit: Duration) throws(DecodingError) -> SoundRun? {
    if !isVoiceOpen { try openVoice() }
    return try voice?.next(before: limit)
  }

  var isSoundOver: Bool { isVoiceOpen && voice?.isOver ?? true }

  func seek(to position: Duration) throws(DecodingError) {
    self.position = position
    wasCoverShown = false
    isVoiceOpen = false
    voice = nil
    voiceStart = position
    try survey.follow(to: position)
  }

  func rest() -> Bool { false }
}

/// A picture that lies in a sound file.
private final class Cover {
  private let frame: FFmpegFrame
  private let scaler = FFmpegScaler()
  let codecName: String

  init(in input: FFmpegInput) throws(DecodingError) {
    guard let stream = input.streams.first(where: { $0.isVideo && $0.isAttachedPicture }) else {
      throw .nothingToShow
    }
    codecName = stream.codecName
    frame = try FFmpegFrame()
    let codec = try FFmpegCodec(stream)
    try codec.send(stream.attachedPicture())
    try codec.send(nil)
    guard try codec.receive(into: frame) == .frame else { throw .damaged(codec: codecName) }
  }

  private var orientation: Orientation { frame.orientation ?? .upright }

  var displaySize: (width: Int, height: Int) {
    frame.displaySize(pixelAspect: frame.pixelAspect ?? 1, orientation: orientation)
  }

  func picture(for shape: PictureRequest) throws(DecodingError) -> PixelGrid {
    try scaler.picture(
      of: frame, displaySize: displaySize, orientation: orientation, shape: shape)
  }
}
