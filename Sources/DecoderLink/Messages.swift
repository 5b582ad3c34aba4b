/// What the player tells a decoder. One decoder process tells one story at a time.
public enum PlayerMessage: Equatable, Sendable {
  /// Begin: the story's bytes are resource 0.
  case open(OpenRequest)
  /// The answer to a `read`: none at the end of the resource, fewer than asked for where no more are at
  /// hand.
  case bytes(request: UInt32, [UInt8])
  /// A `read` or an `openResource` that the player will not or could not answer, with the reason in words.
  case refused(request: UInt32, reason: String)
  /// The answer to an `openResource`: its number, and its length in bytes where that is known.
  case resource(request: UInt32, id: UInt32, length: UInt64?)
  /// The answer to `queryAvailable`: the bytes from its offset to `end` are at hand, none where it is no further.
  case availableUntil(request: UInt32, end: UInt64)
  /// Another grid from now on; pictures already sent keep theirs.
  case shape(PictureRequest)
  /// So many more pictures may be sent. A decoder starts with none.
  case credit(pictures: UInt32)
  /// So many more frames of sound (a sample for each channel) may be sent. A decoder starts with none.
  case soundCredit(frames: UInt32)
  /// Go to a position; what follows carries the new serial.
  case seek(serial: UInt32, to: Duration)
  /// How hard to try.
  case effort(Effort)
}

/// What a decoder tells the player. All of it is a stranger's word: the player checks every value.
public enum DecoderMessage: Equatable, Sendable {
  /// Bytes `offset ..< offset + length` of a resource are needed; one answer is awaited at a time.
  case read(request: UInt32, resource: UInt32, offset: UInt64, length: UInt32)
  /// How far can a resource be read from an offset on without waiting for a network? It fetches nothing.
  case queryAvailable(request: UInt32, resource: UInt32, offset: UInt64)
  /// A playlist names another resource; the player decides whether it may be opened.
  case openResource(request: UInt32, url: String)
  /// A resource is no longer needed.
  case closeResource(UInt32)
  /// The story can be told; comes once, before its first picture.
  case opened(MediaInfo)
  /// One decoded picture.
  case picture(DecodedPicture)
  /// Samples for the sound device; without any, there are none before its time.
  case sound(DecodedSound)
  /// No samples follow for this serial: the sound ends, or there is none.
  case soundEnded(serial: UInt32, at: Duration)
  /// Nothing more comes for this serial: when its pictures and its sound end, where it has any.
  case ended(serial: UInt32, picturesEnd: Duration?, soundEnd: Duration?)
  /// Something of the story is not as it should be, but it plays: in words that follow "NAME: ", such as
  /// "its sound cannot be played: no decoder for codec 'xyz'". It may come at any time.
  case note(String)
  /// The story cannot be told (further), in words that follow "cannot play NAME: ".
  case failed(reason: String)
}

/// How a decoder begins.
public struct OpenRequest: Equatable, Sendable {
  /// Length of resource 0 in bytes, where known.
  public var length: UInt64?
  /// What the pictures must fit into.
  public var shape: PictureRequest
  /// Samples per second for `sound` messages (interleaved stereo), nil for none.
  public var soundRate: UInt32?
  /// What a version of a story that comes in several should take at most, in bits a second; nil for
  /// any.
  public var mostBitsPerSecond: UInt64?
  /// What its name ends with, in small letters without the dot: a hint for the few kinds that no mark
  /// tells. Empty where there is none.
  public var ending: String

  public init(
    length: UInt64?, shape: PictureRequest, soundRate: UInt32? = nil,
    mostBitsPerSecond: UInt64? = nil, ending: String = ""
  ) {
    self.length = length
    self.shape = shape
    self.soundRate = soundRate
    self.mostBitsPerSecond = mostBitsPerSecond
    self.ending = ending
  }
}

/// The pixel grid that a picture is scaled into.
public struct PictureRequest: Equatable, Sendable {
  /// The largest picture that can be shown, in grid pixels.
  public var width: UInt32
  public var height: UInt32
  /// Width over height of one grid pixel on the viewer's screen; 1 for half blocks in 1:2 cells.
  public var pixelAspect: Double
  public var fit: Fit
  /// An animation's pictures are not put over a backdrop, but keep what can be seen through:
  /// premultiplied 0xAARRGGBB. Other media have none of it.
  public var keepsAlpha: Bool

  public enum Fit: UInt8, Sendable {
    /// All of the picture is seen, with bars.
    case contain
    /// All of the grid is filled, the picture is cropped around its middle.
    case cover
  }

  public init(
    width: UInt32, height: UInt32, pixelAspect: Double = 1, fit: Fit = .contain,
    keepsAlpha: Bool = false
  ) {
    self.width = width
    self.height = height
    self.pixelAspect = pixelAspect
    self.fit = fit
    self.keepsAlpha = keepsAlpha
  }
}

/// How hard a decoder tries.
public enum Effort: UInt8, Sendable {
  /// Every picture.
  case full
  /// Pictures that no other one refers to are skipped: the player is late.
  case hurried
}

/// What a story turned out to be.
public struct MediaInfo: Equatable, Sendable {
  public enum Kind: UInt8, Sendable {
    case video
    /// A still or animated picture; `isStill` tells.
    case picture
    case sound
    case animation
  }
  public var kind: Kind
  /// One picture and no more follows (also a cover shown for a sound).
  public var isStill: Bool
  /// Short names, as FFmpeg has them: "mov", "h264", "aac".
  public var container: String
  public var pictureCodec: String?
  public var soundCodec: String?
  /// The size a viewer must see, in square pixels, after pixel aspect and rotation.
  public var displayWidth: UInt32
  public var displayHeight: UInt32
  /// Pictures per second, where it is known and sane.
  public var frameRate: Double?
  /// The container's word on the length, where it is sane; the end is where the frames end.
  public var duration: Duration?

  public init(
    kind: Kind, isStill: Bool, container: String, pictureCodec: String? = nil,
    soundCodec: String? = nil, displayWidth: UInt32, displayHeight: UInt32,
    frameRate: Double? = nil, duration: Duration? = nil
  ) {
    self.kind = kind
    self.isStill = isStill
    self.container = container
    self.pictureCodec = pictureCodec
    self.soundCodec = soundCodec
    self.displayWidth = displayWidth
    self.displayHeight = displayHeight
    self.frameRate = frameRate
    self.duration = duration
  }
}

/// One picture, scaled to the grid.
public struct DecodedPicture: Equatable, Sendable {
  /// The serial of the last `seek`, 0 before one.
  public var serial: UInt32
  /// Presentation time from the story's start.
  public var time: Duration
  /// How long it is to stay, where the stream says so.
  public var duration: Duration?
  public var bitmap: Bitmap

  public init(serial: UInt32, time: Duration, duration: Duration?, bitmap: Bitmap) {
    self.serial = serial
    self.time = time
    self.duration = duration
    self.bitmap = bitmap
  }
}

/// A run of interleaved stereo samples.
public struct DecodedSound: Equatable, Sendable {
  public var serial: UInt32
  /// When the first sample is to be heard, from the story's start.
  public var time: Duration
  /// Left, right, left, right ...
  public var samples: [Int16]

  public init(serial: UInt32, time: Duration, samples: [Int16]) {
    self.serial = serial
    self.time = time
    self.samples = samples
  }

  /// How many moments it holds: a sample for each channel.
  public var frames: Int { samples.count / 2 }
}
