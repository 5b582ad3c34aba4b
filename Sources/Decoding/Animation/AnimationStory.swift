import DecoderLink

/// Draws a Lottie animation with rlottie, from beginning to end.
final class AnimationStory: MediaDecoder {
  let info: MediaInfo
  /// What is not drawn, in words that follow "NAME: "; nil if everything is.
  let note: String?
  private(set) var ends = StoryEnds()
  private let outline: LottieOutline
  private let animation: LottieAnimation
  private var kept = KeptFrames()
  private var next = 0
  /// How many frames before the next one are not shown.
  private var leftOut: UInt16 = 0
  /// The current frame.
  private var current = 0

  /// Processor time for loading: a second more than any sensible animation needs.
  private static let loadingMilliseconds = 2_000
  /// Processor time for a frame of up to `framePixels` pixels; larger frames get accordingly more.
  private static let frameMilliseconds = 250
  private static let framePixels = 512 * 512

  init(_ stream: ResourceStream) throws(DecodingError) {
    let file = try AnimationFile(Self.wholeFile(stream))
    let lottie = try NormalisedLottie(file.text, archive: file.archive)
    let outline = try LottieOutline(lottie.text)
    note = lottie.note
    LottieAnimation.keepThreadsSmall()
    let loaded = TimeLimit.within(milliseconds: Self.loadingMilliseconds) {
      LottieAnimation(text: lottie.text, key: "story")
    }
    guard let loaded else { throw .damaged("the animation cannot be read") }
    animation = loaded
    self.outline = outline
    info = MediaInfo(
      kind: .animation, isStill: outline.frameCount == 1, container: file.packing.rawValue,
      pictureCodec: "lottie", displayWidth: UInt32(outline.width),
      displayHeight: UInt32(outline.height), frameRate: outline.rate, duration: outline.duration)
  }

  /// The whole file, packed or not; files longer than an animation may be are refused.
  private static func wholeFile(_ stream: ResourceStream) throws(DecodingError) -> [UInt8] {
    let limit = LottieOutline.Limit.bytes
    if let length = stream.length, length > UInt64(limit) { throw .tooLongAnimation }
    stream.move(to: 0)
    var bytes: [UInt8] = []
    while true {
      let part = try stream.read(256 << 10)
      if part.isEmpty { return bytes }
      bytes += part
      guard bytes.count <= limit else { throw .tooLongAnimation }
    }
  }

  func advance(_ effort: Effort, for shape: PictureRequest) throws(DecodingError) -> Progress {
    guard next < outline.frameCount else {
      ends.pictures = outline.duration
      return .over
    }
    current = next
    var timing = outline.timing(of: current)
    timing.skipped = leftOut
    leftOut = effort == .full ? 0 : 1
    next += 1 + Int(leftOut)
    return .picture(timing)
  }

  func picture(for shape: PictureRequest) throws(DecodingError) -> Bitmap {
    kept.begin(shape)
    if let frame = kept.frames[current] { return frame }
    let plan = RenderPlan(shape, displayWidth: outline.width, displayHeight: outline.height)
    let share = max(1, plan.renderWidth * plan.renderHeight / Self.framePixels)
    let pixels = TimeLimit.within(milliseconds: Self.frameMilliseconds * share) {
      animation.render(frame: current, width: plan.renderWidth, height: plan.renderHeight)
    }
    let result = plan.resample(pixels)
    let frame = Bitmap(
      width: plan.width, height: plan.height,
      pixels: shape.keepsAlpha ? result : Backdrop.put(under: result))
    kept.add(frame, as: current)
    return frame
  }

  func sound(before limit: Duration) throws(DecodingError) -> SoundRun? { nil }

  func seek(to position: Duration) throws(DecodingError) {
    next = outline.frame(at: position)
    leftOut = 0
  }

  func rest() -> Bool { false }
}

/// Frames that were already drawn, since animations are usually repeated.
private struct KeptFrames {
  private var shape: PictureRequest?
  private(set) var frames: [Int: Bitmap] = [:]
  private var bytes = 0
  private static let mostBytes = 16 << 20

  /// Drops frames of another shape.
  mutating func begin(_ shape: PictureRequest) {
    guard shape != self.shape else { return }
    self.shape = shape
    frames = [:]
    bytes = 0
  }

  mutating func add(_ bitmap: Bitmap, as frame: Int) {
    let size = bitmap.pixels.count * 4
    guard bytes + size <= Self.mostBytes else { return }
    bytes += size
    frames[frame] = bitmap
  }
}
