/// What a story's decoder may send: it is given credit here and nowhere else.
struct DecoderCredit: Equatable, Sendable {
  /// Frames of sound that it may still send.
  private(set) var soundFrames = 0
  /// Whether it may go on after the first picture.
  private var isPrepared = false
  /// The end of its sound is known, and is near the end of the story.
  private var knowsEnd = false

  /// Pictures a decoder may be ahead: enough to ride out a slow one, few enough to be cheap.
  private static let picturesAhead = 4
  /// Further pictures at the end, so that it is known before the sound device has all samples.
  private static let picturesAtEnd = 12

  /// The first picture, and half a second of sound.
  mutating func open(soundRate: Int?) -> [Playback.Effect] {
    guard let soundRate else { return [.allowPictures(1)] }
    soundFrames += soundRate / 2
    return [.allowPictures(1), .allowSound(frames: soundRate / 2)]
  }

  /// What follows the first picture.
  mutating func prepare() -> [Playback.Effect] {
    guard !isPrepared else { return [] }
    isPrepared = true
    return [.allowPictures(DecoderCredit.picturesAhead - 1)]
  }

  /// The sound of the story ends about where the story does.
  mutating func soundEnded(isBegun: Bool) -> [Playback.Effect] {
    guard !knowsEnd else { return [] }
    knowsEnd = true
    return isBegun ? [.allowPictures(DecoderCredit.picturesAtEnd)] : []
  }

  mutating func used(soundFrames frames: Int) { soundFrames -= frames }

  /// Lets the decoder go on as far as there is room for samples: a second of a story that has begun,
  /// half of that for one that is kept ready.
  mutating func allowSound(stored: Int, isBegun: Bool, rate: Int) -> [Playback.Effect] {
    let room = isBegun ? rate : rate / 2
    let missing = room - soundFrames - stored
    guard missing > 0, missing >= room / 8 else { return [] }
    soundFrames += missing
    return [.allowSound(frames: missing)]
  }
}
