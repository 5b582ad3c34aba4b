import DecoderLink
import System

extension Playback {
  /// What the viewer wants of a story.
  public struct Options: Equatable, Sendable {
    public var durations: DisplayDurations
    /// Frames a second of its sound; nil where nothing is to be heard.
    public var soundRate: Int?
    /// Every picture as fast as it comes: nobody watches.
    public var isUntimed: Bool
    /// Only the first picture is shown, for as long as the story lasts.
    public var showsOnlyFirst: Bool

    public init(
      durations: DisplayDurations, soundRate: Int? = nil, isUntimed: Bool = false,
      showsOnlyFirst: Bool = false
    ) {
      self.durations = durations
      self.soundRate = soundRate
      self.isUntimed = isUntimed
      self.showsOnlyFirst = showsOnlyFirst
    }
  }

  /// What happens to a story.
  public enum Input: Equatable, Sendable {
    /// Its decoder has been started.
    case open
    /// Its turn comes in a moment: what follows its first picture is to be here in time.
    case prepare
    /// Its turn has come: it plays from a position on.
    case begin(at: Duration)
    case pause
    case play
    /// To another position of it.
    case seek(to: Duration)
    /// Its pictures are wanted in another size.
    case reshape(PictureRequest)
    case decoder(DecoderEvent)
    /// How it is with its bytes.
    case buffer(BufferReport)
    /// So many frames of its sound are here and not yet heard, from `clockTime` on.
    case soundStored(frames: Int)
    /// What is heard of it. It comes before each tick of a story that has sound.
    case sound(SoundReport)
    /// The answer to `SoundEffect.queue`: whether it will be heard, and what is heard now.
    case soundQueued(Bool, SoundReport)
    /// The screen can take a picture. A `lead` lets the story end earlier by as much as its
    /// successor's first picture takes to get to the screen.
    case tick(lead: Duration)
  }

  /// What its decoder says.
  public enum DecoderEvent: Equatable, Sendable {
    case opened(MediaInfo)
    case picture(DecodedPicture)
    /// So many frames of sound have come.
    case sound(frames: Int)
    /// No more sound comes: it ends at a time, or there is none.
    case soundEnded(at: Duration)
    /// Nothing more comes: when its pictures and its sound end, where it has any.
    case ended(pictures: Duration?, sound: Duration?)
    /// It cannot be played (further): the reason in words that follow "cannot play NAME: ".
    case failed(reason: String)
  }

  /// What is to be done.
  public enum Effect: Equatable, Sendable {
    /// This picture comes on the screen, and counts as shown.
    case show(DecodedPicture)
    /// The decoder may send so many more pictures.
    case allowPictures(Int)
    /// The decoder may send so many more frames of sound.
    case allowSound(frames: Int)
    case seekDecoder(to: Duration)
    /// The decoder is to send pictures of the new size.
    case reshapeDecoder(PictureRequest)
    case setEffort(Effort)
    case sound(SoundEffect)
    /// It has played to its end. Once.
    case finished
    /// It cannot be played (further). Once, instead of `finished`.
    case failed(reason: String)
  }

  /// The answer to an input.
  public struct Output: Equatable, Sendable {
    /// What is to be done now, in this order.
    public var effects: [Effect]
    /// When the next tick must come at the latest; nil where nothing is due without other inputs.
    public var deadline: Instant?
  }
}
