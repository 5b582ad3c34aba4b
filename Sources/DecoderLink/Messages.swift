/// What the player sends to a decoder. A decoder process decodes one story.
public enum PlayerMessage: Equatable, Sendable {
  /// Opens a story, whose bytes are resource 0.
  case open(OpenRequest)
  /// The answer to a `read`: no bytes at the end of the resource, and fewer than requested if no more
  /// are available yet.
  case bytes(request: UInt32, [UInt8])
  /// The answer to a `read` or an `openResource` that fails, with the reason in words.
  case refused(request: UInt32, reason: String)
  /// The answer to an `openResource`: its number, and its length in bytes if known.
  case resource(request: UInt32, id: UInt32, length: UInt64?)
  /// The answer to `queryAvailable`: bytes up to `end` can be read without waiting. It is at or before
  /// the offset if none can.
  case availableUntil(request: UInt32, end: UInt64)
  /// The grid from now on; pictures that are already sent have the former one.
  case shape(PictureRequest)
  /// Allows so many more pictures. A decoder starts with none.
  case credit(pictures: UInt32)
  /// Allows so many more frames of sound (a sample for each channel). A decoder starts with none.
  case soundCredit(frames: UInt32)
  /// Seeks to a position; later messages carry the new serial.
  case seek(serial: UInt32, to: Duration)
  /// Sets the effort.
  case effort(Effort)
  /// A playlist that is followed, as it is now. Sent after `follow`, and then whenever it has changed.
  case playlist(list: UInt32, [UInt8])
  /// A playlist that is followed brings nothing more, with the reason in words.
  case playlistLost(list: UInt32, reason: String)
}

/// What a decoder sends to the player. It may be under the control of a hostile file: the player checks
/// every value.
public enum DecoderMessage: Equatable, Sendable {
  /// Requests bytes `offset ..< offset + length` of a resource. There is one open request at a time.
  case read(request: UInt32, resource: UInt32, offset: UInt64, length: UInt32)
  /// Asks how far a resource can be read from an offset on without waiting for a network. Nothing is
  /// fetched for it.
  case queryAvailable(request: UInt32, resource: UInt32, offset: UInt64)
  /// Opens a resource that a playlist names; the player decides whether it may be opened.
  case openResource(request: UInt32, url: String)
  /// Closes a resource.
  case closeResource(UInt32)
  /// What a playlist's demuxer reads now and next, in the order in which it is needed; it replaces what
  /// was said before. `reachesEnd`: nothing follows.
  case needs([NeededPart], reachesEnd: Bool)
  /// Some of the parts that playing the story would open, where that was asked for; none of a story that
  /// is no playlist, or that is live. `isLast`: these are the last ones.
  case parts([NeededPart], isLast: Bool)
  /// From now on a playlist is reloaded at intervals (RFC 8216, section 6.3.4), as long as the story
  /// plays. Without a URL it is the story itself. Repeated when the interval changes.
  case follow(list: UInt32, url: String?, every: Duration)
  /// A playlist that was followed has said that nothing more comes: it is not reloaded any more.
  case unfollow(list: UInt32)
  /// Nothing goes on before a playlist that is followed has changed again; so many changes are known.
  case awaitPlaylist(list: UInt32, changes: UInt32)
  /// The story can be played. Sent once, before its first picture.
  case opened(MediaInfo)
  /// One decoded picture.
  case picture(DecodedPicture)
  /// Samples for the sound device. A run without samples says that there is no sound before its time.
  case sound(DecodedSound)
  /// No samples follow for this serial: the sound ends here, or there is none.
  case soundEnded(serial: UInt32, at: Duration)
  /// Nothing more follows for this serial. The ends of its pictures and of its sound, if it has any.
  case ended(serial: UInt32, picturesEnd: Duration?, soundEnd: Duration?)
  /// The story plays, but something is wrong with it, in words that follow "NAME: ", such as "its sound
  /// cannot be played: no decoder for codec 'xyz'". May come at any time.
  case note(String)
  /// The story cannot be played (further), in words that follow "cannot play NAME: ".
  case failed(reason: String)
}

/// A resource of a playlist, or a range of one, that will be opened.
public struct NeededPart: Hashable, Sendable {
  /// A message names no more than these.
  public static let most = 64

  public var url: String
  /// The first byte.
  public var offset: UInt64
  /// In bytes; nil for all that follows.
  public var length: UInt64?
  /// The media playlist that names it.
  public var rendition: UInt8
  /// The media time from which on it is needed.
  public var start: Duration
  /// The media time up to which it brings pictures or sound; nil for a key or an initialization section.
  public var end: Duration?

  public init(
    url: String, offset: UInt64 = 0, length: UInt64? = nil, rendition: UInt8 = 0, start: Duration,
    end: Duration?
  ) {
    self.url = url
    self.offset = offset
    self.length = length
    self.rendition = rendition
    self.start = start
    self.end = end
  }
}

/// A request to open a story.
public struct OpenRequest: Equatable, Sendable {
  /// The length of resource 0 in bytes, if known.
  public var length: UInt64?
  /// The grid that pictures must fit into.
  public var shape: PictureRequest
  /// Samples a second for `sound` messages (interleaved stereo); nil for no sound.
  public var soundRate: UInt32?
  /// The most bits a second of a variant, for a story that comes in several; nil for any.
  public var mostBitsPerSecond: UInt64?
  /// The extension of its name, in lower case without the dot, or empty: a hint for the few formats
  /// without a signature.
  public var ending: String
  /// Whether libheif may be needed, which must be loaded before the sandbox closes.
  public var mayNeedHeif: Bool
  /// Whether it is not to be played: of a playlist all parts are named that playing it would open.
  public var listsParts: Bool

  public init(
    length: UInt64?, shape: PictureRequest, soundRate: UInt32? = nil,
    mostBitsPerSecond: UInt64? = nil, ending: String = "", mayNeedHeif: Bool = false,
    listsParts: Bool = false
  ) {
    self.length = length
    self.shape = shape
    self.soundRate = soundRate
    self.mostBitsPerSecond = mostBitsPerSecond
    self.ending = ending
    self.mayNeedHeif = mayNeedHeif
    self.listsParts = listsParts
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
  /// Whether an animation's pictures keep their transparency (premultiplied 0xAARRGGBB) instead of
  /// getting a background. Other media have none.
  public var keepsAlpha: Bool

  public enum Fit: UInt8, Sendable {
    /// The whole picture is shown, with bars.
    case contain
    /// The whole grid is filled; the picture is cropped around its middle.
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

/// How much a decoder decodes.
public enum Effort: UInt8, Sendable {
  /// Every picture is decoded, with one thread until more was once needed.
  case full
  /// The player is late: a second thread is used from the next key picture on. Until then, and where
  /// none can be used, pictures that no other picture refers to are skipped.
  case parallel
  /// The player stays late: those pictures are skipped in any case.
  case hurried
}

/// What a story turned out to be.
public struct MediaInfo: Equatable, Sendable {
  public enum Kind: UInt8, Sendable {
    case video
    /// A still or animated picture, by `isStill`.
    case picture
    case sound
    case animation
  }
  public var kind: Kind
  /// There is only one picture, such as a cover of a sound.
  public var isStill: Bool
  /// Short names as in FFmpeg: "mov", "h264", "aac".
  public var container: String
  public var pictureCodec: String?
  public var soundCodec: String?
  /// The displayed size in square pixels, after pixel aspect and rotation.
  public var displayWidth: UInt32
  public var displayHeight: UInt32
  /// Pictures a second; nil if unknown or absurd.
  public var frameRate: Double?
  /// The length by the container; nil if unknown or absurd. The story ends where its pictures and sound
  /// end.
  public var duration: Duration?
  /// More of it comes while it plays, and nobody knows how long it will be. It has no positions.
  public var isLive: Bool

  public init(
    kind: Kind, isStill: Bool, container: String, pictureCodec: String? = nil,
    soundCodec: String? = nil, displayWidth: UInt32, displayHeight: UInt32,
    frameRate: Double? = nil, duration: Duration? = nil, isLive: Bool = false
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
    self.isLive = isLive
  }
}

/// One picture, scaled to the grid.
public struct DecodedPicture: Equatable, Sendable {
  /// The serial of the last `seek`, 0 before one.
  public var serial: UInt32
  /// The presentation time from the story's start.
  public var time: Duration
  /// How long it is shown, if the stream says so.
  public var duration: Duration?
  /// How many pictures before it were skipped because the player was late (`Effort`).
  public var skipped: UInt16
  public var bitmap: Bitmap

  public init(
    serial: UInt32, time: Duration, duration: Duration?, skipped: UInt16 = 0, bitmap: Bitmap
  ) {
    self.serial = serial
    self.time = time
    self.duration = duration
    self.skipped = skipped
    self.bitmap = bitmap
  }
}

/// A run of interleaved stereo samples.
public struct DecodedSound: Equatable, Sendable {
  public var serial: UInt32
  /// When the first sample is played, from the story's start.
  public var time: Duration
  /// Left, right, left, right ...
  public var samples: [Int16]

  public init(serial: UInt32, time: Duration, samples: [Int16]) {
    self.serial = serial
    self.time = time
    self.samples = samples
  }

  /// The number of frames: a frame is a sample for each channel.
  public var frames: Int { samples.count / 2 }
}
