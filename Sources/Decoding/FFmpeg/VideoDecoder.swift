import DecoderLink

/// Decodes videos, animated pictures and stills with FFmpeg, and the sound of videos.
final class VideoDecoder: MediaDecoder {
  /// What kind of story the pictures make.
  enum Style {
    case video
    /// An animated picture, if there is more than one.
    case animation
    /// Only the first picture is shown.
    case still
  }

  private(set) var info: MediaInfo
  private let style: Style
  private let open: () throws(DecodingError) -> FFmpegInput
  private let soundRate: UInt32?
  /// Reports what is wrong with the story.
  private let note: (String) -> Void
  private var parts: Parts
  private let scaler = FFmpegScaler()
  /// The current picture, and the next one if it had to be decoded to find the current one's end.
  private var current: FFmpegFrame
  private var following: FFmpegFrame
  private var currentTiming: PictureTiming?
  private var followingTiming: PictureTiming?
  private var clock: PictureClock
  private var effort = Effort.full
  /// The story's start on its streams' clock.
  private let zero: Duration
  private var firstTime = Duration.zero
  /// Where times lie if the clock jumps.
  private var map: SeekMap?
  /// The orientation that the file gives and FFmpeg does not read.
  private let tagged: Orientation?

  /// The parts that are replaced when the container cannot seek and is opened anew.
  private struct Parts {
    var router: PacketRouter
    /// The numbers of the streams.
    var indices: (video: Int, sound: Int?)
    var video: VideoTrack
    /// Opened when sound is first requested, so that the first picture does not wait for it.
    var sound: SoundTrack?
    var isSoundOpen = false
    /// The sound cannot be decoded; the story ends as if it had none.
    var isSoundless = false
    /// The start of playback in the sound.
    var soundStart = Duration.zero
  }

  /// Opens the video of a container and decodes its first picture.
  init(
    _ input: FFmpegInput, style: Style, reopen: @escaping () throws(DecodingError) -> FFmpegInput,
    video: FFmpegStream, sound: FFmpegStream?, soundRate: UInt32?, shape: PictureRequest,
    note: @escaping (String) -> Void
  ) throws(DecodingError) {
    self.style = style
    self.note = note
    open = reopen
    self.soundRate = soundRate
    let map = try SeekMap.ifNeeded(for: input, video: video, sound: sound, open: reopen)
    self.map = map
    let router = PacketRouter(
      input, streams: [video] + (soundRate == nil ? [] : [sound].compactMap(\.self)),
      following: sound, map: map)
    try Self.refuseTooLarge(
      video, try style == .video ? nil : router.peek(video.index, within: 1))
    let zero = try Self.zero(input, router, video: video, sound: sound)
    self.zero = zero
    parts = Parts(
      router: router, indices: (video.index, sound?.index),
      video: try Self.track(video, router, style, scaler))
    current = try FFmpegFrame()
    following = try FFmpegFrame()
    // The fourth byte of a BMP's pixel is usually unused rather than alpha.
    current.isOpaque = video.codecName == "bmp"
    clock = PictureClock(zero: zero, step: video.frameDuration)
    tagged =
      style == .video
      ? nil
      : try router.peek(video.index, within: 1)?.withBytes { Exif.orientation(ofPicture: $0) }
    info = MediaInfo(
      kind: style == .video ? .video : .picture, isStill: style == .still,
      container: input.container, pictureCodec: video.codecName, soundCodec: sound?.codecName,
      displayWidth: 1, displayHeight: 1, frameRate: style == .still ? nil : video.frameRate,
      duration: style == .still
        ? nil
        : FFmpegInput.plausible(map.map { $0.end - zero })
          ?? input.plausibleDuration(of: [video, sound], zero: zero), isLive: input.isLive)
    try begin(shape)
  }

  private static func track(
    _ video: FFmpegStream, _ router: PacketRouter, _ style: Style, _ scaler: FFmpegScaler
  ) throws(DecodingError) -> VideoTrack {
    // Of others few pictures are shown.
    try VideoTrack(video, router: router, bands: style == .video ? scaler.bands : nil)
  }

  private static func refuseTooLarge(
    _ video: FFmpegStream, _ packet: FFmpegPacket?
  ) throws(DecodingError) {
    let declared =
      packet?.withBytes { DeclaredSize.find(in: $0) } ?? (width: video.width, height: video.height)
    let most = PictureLimits.pixels(of: video.codec)
    guard declared.height == 0 || declared.width <= most / declared.height else {
      throw .tooLarge(width: declared.width, height: declared.height)
    }
  }

  private func begin(_ shape: PictureRequest) throws(DecodingError) {
    prepareEffort(.full, shape: shape)
    guard let timing = try decode(into: current) else {
      throw .damaged(codec: info.pictureCodec ?? "")
    }
    currentTiming = timing
    firstTime = timing.time
    if style == .animation {
      followingTiming = try decode(into: following)
      info.isStill = followingTiming == nil
    }
    let (width, height) = displaySize
    info.displayWidth = UInt32(width)
    info.displayHeight = UInt32(height)
  }

  private func openSound() {
    parts.isSoundOpen = true
    guard let soundRate, let sound = parts.router.followed else { return }
    do throws(DecodingError) {
      parts.sound = try SoundTrack(
        sound.index, router: parts.router, rate: Int(soundRate), zero: zero)
      if parts.soundStart > .zero { parts.sound?.restart(at: parts.soundStart) }
    } catch {
      giveUpSound(error)
    }
  }

  /// Gives up a sound that cannot be decoded; the pictures play on.
  private func giveUpSound(_ error: DecodingError) {
    parts.sound = nil
    parts.isSoundless = true
    note(error.ofSound)
  }

  /// The story's start on its streams' clock: the start of the earliest stream.
  private static func zero(
    _ input: FFmpegInput, _ router: PacketRouter, video: FFmpegStream, sound: FFmpegStream?
  ) throws(DecodingError) -> Duration {
    if let start = input.start { return start }
    var starts: [Duration] = []
    for stream in [video, sound].compactMap(\.self) {
      if let start = stream.start {
        starts.append(start)
      } else if let start = try router.start(of: stream.index, within: 64) {
        starts.append(start)
      }
    }
    return starts.min() ?? .zero
  }

  var ends: StoryEnds {
    StoryEnds(
      pictures: info.isStill ? nil : clock.end,
      sound: parts.isSoundless
        ? nil : parts.sound?.end ?? parts.router.followedEnd.map { $0 - zero })
  }

  func advance(_ effort: Effort, for shape: PictureRequest) throws(DecodingError) -> Progress {
    prepareEffort(effort, shape: shape)
    if let timing = currentTiming {
      currentTiming = nil
      return .picture(timing)
    }
    if style == .still { return .over }
    if let timing = followingTiming {
      followingTiming = nil
      swap(&current, &following)
      return .picture(timing)
    }
    guard let timing = try decode(into: current) else { return .over }
    return .picture(timing)
  }

  private func prepareEffort(_ effort: Effort, shape: PictureRequest) {
    self.effort = effort
    if style == .video { parts.video.apply(effort) }
    let stream = parts.video.stream
    let seen = (tagged ?? stream.orientation)
      .displaySize(width: UInt32(stream.width), height: UInt32(stream.height))
    let fitted = shape.fitted(displayWidth: seen.width, displayHeight: seen.height)
    parts.video.skipLoopFilter(
      seen.width >= fitted.width * 4 && seen.height >= fitted.height * 4)
  }

  private func decode(into frame: FFmpegFrame) throws(DecodingError) -> PictureTiming? {
    let wasSkipping = parts.video.isSkipping
    guard try parts.video.next(into: frame) else { return nil }
    let stream = parts.video.stream
    let duration = stream.time(frame.duration) ?? stream.frameDuration
    let expected = clock.end
    var timing = clock.next(
      timestamp: stream.time(frame.timestamp), duration: style == .still ? nil : duration)
    if wasSkipping, let expected, let step = stream.frameDuration ?? duration, step > .zero {
      let missing = ((timing.time - expected) / step).rounded()
      timing.skipped = UInt16(min(max(0, missing), 1_000))
    }
    return timing
  }

  private var orientation: Orientation {
    tagged ?? current.orientation ?? parts.video.stream.orientation
  }

  private var displaySize: (width: Int, height: Int) {
    let aspect = parts.video.stream.pixelAspect ?? current.pixelAspect ?? 1
    return current.displaySize(pixelAspect: aspect, orientation: orientation)
  }

  func picture(for shape: PictureRequest) throws(DecodingError) -> Bitmap {
    try scaler.picture(
      of: current, displaySize: displaySize, orientation: orientation, shape: shape)
  }

  func sound(before limit: Duration) throws(DecodingError) -> SoundRun? {
    if !parts.isSoundOpen { openSound() }
    guard let sound = parts.sound else { return nil }
    do throws(DecodingError) {
      let run = try sound.next(before: limit)
      if let omission = sound.omission { note(omission) }
      if sound.isUndecodable { giveUpSound(.damagedSound(codec: sound.stream.codecName)) }
      return run
    } catch {
      if error == .outOfMemory || parts.router.input.hasFailed { throw error }
      giveUpSound(error)
      return nil
    }
  }

  var isSoundOver: Bool { parts.isSoundOpen && parts.sound?.isOver ?? true }

  func rest() -> Bool {
    guard parts.video.rest(), let empty = try? FFmpegFrame() else { return false }
    current = empty
    FFmpegLibrary.giveBackMemory()
    return true
  }

  func seek(to position: Duration) throws(DecodingError) {
    // What a live story has shown cannot be read again: it goes on where it is.
    if info.isLive { return }
    // The very picture at that position is to be found, however late the player was before.
    effort = .full
    parts.video.apply(effort)
    if style != .video {
      try reopen()
      if try findPicture(shownAt: position) { return }
      return
    }
    var reach = position
    var margin = Duration.seconds(1)
    while true {
      try move(to: reach)
      if try findPicture(shownAt: position) { break }
      if reach <= .zero {
        // The position is before the first picture, and some containers cannot seek that far back.
        if currentTiming?.time == firstTime { break }
        try reopen()
        _ = try findPicture(shownAt: position)
        break
      }
      reach = max(.zero, reach - margin)
      margin *= 4
    }
    parts.soundStart = position
    parts.sound?.restart(at: position)
  }

  /// Seeks in the container, or opens it anew if it cannot seek.
  private func move(to position: Duration) throws(DecodingError) {
    if map == nil, parts.router.needsMap {
      let indices = parts.indices
      map = try SeekMap(scanning: open(), video: indices.video, sound: indices.sound)
      if map != nil { try reopen() }
    }
    guard parts.router.seek(parts.indices.video, to: position + zero) else { return try reopen() }
    parts.video.restart()
    restartClock()
  }

  private func restartClock() {
    currentTiming = nil
    followingTiming = nil
    clock = PictureClock(zero: zero, step: parts.video.stream.frameDuration)
  }

  private func reopen() throws(DecodingError) {
    let input = try open()
    guard let video = input.streams.first(where: { $0.index == parts.indices.video }) else {
      throw .damaged(codec: info.pictureCodec ?? "")
    }
    let sound = input.streams.first { $0.index == parts.indices.sound }
    let router = PacketRouter(
      input, streams: [video] + (soundRate == nil ? [] : [sound].compactMap(\.self)),
      following: sound, map: map)
    let track = try Self.track(video, router, style, scaler)
    track.takeThreads(of: parts.video)
    parts = Parts(router: router, indices: parts.indices, video: track)
    restartClock()
  }

  /// Decodes up to the picture that is shown at a time; false if the first one is later.
  private func findPicture(shownAt position: Duration) throws(DecodingError) -> Bool {
    // Only the last of these pictures is shown.
    scaler.bands.isWanted = false
    defer { scaler.bands.isWanted = true }
    guard var timing = try decode(into: current) else { return false }
    currentTiming = timing
    if timing.time > position { return false }
    if style == .still { return true }
    while timing.time < position, let next = try decode(into: following) {
      if next.time > position {
        followingTiming = next
        break
      }
      swap(&current, &following)
      timing = next
    }
    currentTiming = timing
    return true
  }
}
