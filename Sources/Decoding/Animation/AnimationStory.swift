import DecoderLink

/// Tells a Lottie animation with rlottie, once through.
final class AnimationStory: MediaDecoder {
  let info: MediaInfo
  /// What is not drawn of it, in words that follow "NAME: ".
  let note: String?
  private(set) var ends = StoryEnds()
  private let outline: LottieOutline
  private let animation: LottieAnimation
  private var kept = KeptFrames()
  private var next = 0
  /// The frame gone to.
  private var current = 0

  /// Processor time: a second more than any animation that is worth it needs.
  private static let loadingMilliseconds = 2_000
  /// For up to so many pixels, and accordingly more for more of them.
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
    guard let loaded else { throw DecodingError("damaged: the animation cannot be read") }
    animation = loaded
    self.outline = outline
    info = MediaInfo(
      kind: .animation, isStill: outline.frameCount == 1, container: file.packing.rawValue,
      pictureCodec: "lottie", displayWidth: UInt32(outline.width),
      displayHeight: UInt32(outline.height), frameRate: outline.rate, duration: outline.duration)
  }

  /// All of the file, packed or not; one that is longer than an animation may be is no animation.
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
    next += effort == .hurried ? 2 : 1
    return .picture(outline.timing(of: current))
  }

  func picture(for shape: PictureRequest) throws(DecodingError) -> Bitmap {
    kept.begin(shape)
    if let frame = kept.frames[current] { return frame }
    let plan = RenderPlan(shape, displayWidth: outline.width, displayHeight: outline.height)
    let share = max(1, plan.renderWidth * plan.renderHeight / Self.framePixels)
    let pixels = TimeLimit.within(milliseconds: Self.frameMilliseconds * share) {
      animation.render(frame: current, width: plan.renderWidth, height: plan.renderHeight)
    }
    let wanted = plan.reduce(pixels)
    let frame = Bitmap(
      width: plan.width, height: plan.height,
      pixels: shape.keepsAlpha ? wanted : Backdrop.put(under: wanted))
    kept.add(frame, as: current)
    return frame
  }

  func sound(before limit: Duration) throws(DecodingError) -> SoundRun? { nil }

  func seek(to position: Duration) throws(DecodingError) {
    next = outline.frame(at: position)
  }

  func rest() -> Bool { false }
}

/// Frames that were drawn once: an animation goes round and round.
private struct KeptFrames {
  private var shape: PictureRequest?
  private(set) var frames: [Int: Bitmap] = [:]
  private var bytes = 0
  private static let mostBytes = 16 << 20

  /// Frames of another shape are worth nothing.
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
