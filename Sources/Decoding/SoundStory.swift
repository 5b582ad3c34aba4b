import DecoderLink

/// Tells a sound: its cover as one still picture or, without one, a waveform that lights up.
final class SoundStory: MediaDecoder {
  private(set) var info: MediaInfo
  private(set) var ends = StoryEnds()
  private let open: () throws(DecodingError) -> FFmpegInput
  private let soundRate: UInt32?
  private let cover: Cover?
  private let waveform: Waveform
  /// Goes through all of the sound ahead of what is shown, to draw it and to know its end.
  private var survey: SoundTrack
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
  /// So much is looked through for each picture, and before the first.
  private static let surveyed = Duration.seconds(20)

  init(
    _ input: FFmpegInput, reopen: @escaping () throws(DecodingError) -> FFmpegInput,
    sound: FFmpegStream, soundRate: UInt32?, shape: PictureRequest
  ) throws(DecodingError) {
    open = reopen
    self.soundRate = soundRate
    cover = try? Cover(in: input)
    survey = try Self.track(input, sound, rate: nil)
    waveform = Waveform(expected: input.plausibleDuration)
    let size = cover?.displaySize
    info = MediaInfo(
      kind: .sound, isStill: cover != nil, container: input.container,
      pictureCodec: cover?.codecName, soundCodec: sound.codecName,
      displayWidth: UInt32(size?.width ?? max(1, Int(Double(shape.width) * shape.pixelAspect))),
      displayHeight: UInt32(size?.height ?? Int(shape.height)),
      frameRate: cover == nil ? 10 : nil, duration: waveform.expected)
    try lookThrough(until: Self.surveyed)
    if survey.isOver, survey.end == nil, cover == nil {
      throw .damagedSound(codec: sound.codecName)
    }
  }

  /// Whether any sound was found in what was looked through.
  var isHeard: Bool { survey.end != nil }

  private static func track(
    _ input: FFmpegInput, _ sound: FFmpegStream, rate: Int?
  ) throws(DecodingError) -> SoundTrack {
    let router = PacketRouter(input, streams: [sound], following: nil)
    var zero = input.start ?? sound.start
    if zero == nil { zero = try router.start(of: sound, within: 16) }
    return try SoundTrack(sound, router: router, rate: rate, zero: zero ?? .zero)
  }

  private func openVoice() throws(DecodingError) {
    isVoiceOpen = true
    guard let soundRate else { return }
    let input = try open()
    guard let sound = input.streams.first(where: { $0.index == survey.stream.index }) else {
      return
    }
    let track = try Self.track(input, sound, rate: Int(soundRate))
    if voiceStart > .zero { track.go(to: voiceStart, in: input) }
    voice = track
  }

  private func lookThrough(until time: Duration) throws(DecodingError) {
    while let run = try survey.next(before: time) {
      waveform.add(run, rate: survey.rate)
    }
    if survey.isOver {
      waveform.finish(at: survey.end ?? .zero)
      ends.sound = survey.end
    }
  }

  func advance(_ effort: Effort, for shape: PictureRequest) throws(DecodingError) -> Progress {
    if !survey.isOver { try lookThrough(until: (survey.end ?? .zero) + Self.surveyed) }
    if cover != nil {
      if !wasCoverShown {
        wasCoverShown = true
        return .picture(PictureTiming(time: position, duration: nil))
      }
      return survey.isOver ? .over : .working
    }
    if let end = ends.sound, position >= end {
      ends.pictures = end
      return .over
    }
    if !survey.isOver, survey.end ?? .zero <= position { return .working }
    shown = position
    let step = min(Self.step, (ends.sound ?? .seconds(1 << 32)) - position)
    position += step
    return .picture(PictureTiming(time: shown, duration: step))
  }

  func picture(for shape: PictureRequest) throws(DecodingError) -> PixelGrid {
    if let cover { return try cover.picture(for: shape) }
    return waveform.draw(
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
