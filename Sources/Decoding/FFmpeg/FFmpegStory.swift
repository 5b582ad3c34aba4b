import CFFmpeg
import DecoderLink

/// Tells whatever FFmpeg demuxes and decodes as moving pictures.
final class FFmpegStory: MediaDecoder {
  private(set) var info: MediaInfo
  private(set) var ends = StoryEnds()
  private let input: FFmpegInput
  private let video: FFmpegStream
  private let codec: FFmpegCodec
  private let scaler = FFmpegScaler()
  private let frame: FFmpegFrame
  private let zero: Duration
  private var held = false
  private var dropBefore: Duration?
  private var lastTime: Duration?
  private var draining = false

  init(_ stream: ResourceStream, connection: PlayerConnection, soundRate: UInt32?)
    throws(DecodingError)
  {
    let input = try FFmpegInput(stream)
    self.input = input
    input.findStreamInfo()
    let candidates = input.streams.filter { $0.isVideo && !$0.isAttachedPicture }
    guard let video = candidates.first(where: \.isDefault) ?? candidates.first else {
      throw .nothingToShow
    }
    self.video = video
    codec = try FFmpegCodec(video)
    frame = try FFmpegFrame()
    zero = input.start ?? .zero
    let sound = input.streams.first { $0.isSound }
    for other in input.streams where other.index != video.index && other.index != sound?.index {
      other.discard(true)
    }
    info = MediaInfo(
      kind: .video, isStill: false, container: input.container, pictureCodec: video.codecName,
      soundCodec: sound?.codecName, displayWidth: 1, displayHeight: 1,
      frameRate: video.frameRate, duration: input.duration)
    held = try decode()
    guard held else { throw .nothingToShow }
    let (width, height) = displaySize
    info.displayWidth = UInt32(width)
    info.displayHeight = UInt32(height)
  }

  private var orientation: Orientation { frame.orientation ?? video.orientation }

  private var displaySize: (width: Int, height: Int) {
    let aspect = sane(video.raw.pointee.sample_aspect_ratio) ?? frame.pixelAspect ?? 1
    let width = max(1, Int((Double(frame.width) * aspect).rounded()))
    return orientation.seen(width: width, height: frame.height)
  }

  func advance(_ effort: Effort) throws(DecodingError) -> PictureTiming? {
    codec.skipNonReference(effort == .hurried)
    while true {
      if !held { held = try decode() }
      guard held else { return nil }
      held = false
      let timing = self.timing
      ends.pictures = timing.time + (timing.duration ?? .zero)
      if let dropBefore, ends.pictures ?? .zero <= dropBefore { continue }
      dropBefore = nil
      return timing
    }
  }

  private var timing: PictureTiming {
    let raw = frame.raw.pointee
    let duration =
      raw.pkt_duration > 0
      ? video.time(raw.pkt_duration)
      : video.frameRate.map { .nanoseconds(Int64(1_000_000_000 / $0)) }
    let derived = ends.pictures ?? .zero
    var time = video.time(raw.best_effort_timestamp).map { max(.zero, $0 - zero) } ?? derived
    if let lastTime, dropBefore == nil { time = max(time, lastTime) }
    lastTime = time
    return PictureTiming(time: time, duration: duration)
  }

  private func decode() throws(DecodingError) -> Bool {
    while true {
      switch try codec.receive(into: frame) {
      case .frame: return true
      case .end: return false
      case .needsPacket:
        if draining { return false }
        let packet = try nextVideoPacket()
        draining = packet == nil
        try codec.send(packet)
      }
    }
  }

  private func nextVideoPacket() throws(DecodingError) -> FFmpegPacket? {
    while let packet = try input.read() {
      if packet.stream == video.index { return packet }
      note(packet)
    }
    return nil
  }

  private func note(_ packet: FFmpegPacket) {
    let raw = packet.raw.pointee
    let stream = input.streams[packet.stream]
    guard let time = stream.time(raw.pts) else { return }
    ends.sound = max(
      ends.sound ?? .zero, time + (stream.time(raw.duration) ?? .zero) - zero)
  }

  func picture(for shape: PictureRequest) throws(DecodingError) -> PixelGrid {
    let (displayWidth, displayHeight) = displaySize
    let fitted = shape.fitted(
      displayWidth: UInt32(displayWidth), displayHeight: UInt32(displayHeight))
    let turn = orientation
    let target = turn.seen(width: Int(fitted.width), height: Int(fitted.height))
    let share = turn.seen(width: fitted.visibleWidth, height: fitted.visibleHeight)
    let grid = try scaler.scale(
      frame, width: target.width, height: target.height, share: share)
    codec.skipLoopFilter(frame.width >= target.width * 4 && frame.height >= target.height * 4)
    return turn.apply(to: grid)
  }

  func sound(before limit: Duration) throws(DecodingError) -> SoundRun? { nil }

  func seek(to position: Duration) throws(DecodingError) {
    _ = input.seek(stream: video, to: video.timestamp(position + zero))
    codec.flush()
    draining = false
    held = false
    lastTime = nil
    dropBefore = position
  }
}
