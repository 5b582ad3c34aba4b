import DecoderLink

/// Tells one story picture by picture. One for each family of media; `openMedia` chooses.
protocol MediaDecoder: AnyObject {
  /// What the story turned out to be; final before the first picture is sent.
  var info: MediaInfo { get }

  /// Works towards the next picture. The shape tells how much detail is wanted.
  func advance(_ effort: Effort, for shape: PictureRequest) throws(DecodingError) -> Progress

  /// The picture gone to, scaled for a shape.
  func picture(for shape: PictureRequest) throws(DecodingError) -> PixelGrid

  /// The next run of samples that begins before `limit`; nil where there is none (now).
  func sound(before limit: Duration) throws(DecodingError) -> SoundRun?

  /// Goes to the picture that is shown at `position`; `advance` then gives it.
  func seek(to position: Duration) throws(DecodingError)

  /// Nothing is wanted for a while: memory that is quickly had again may be given back.
  func rest()

  /// When pictures and sound end; known once nothing more comes.
  var ends: StoryEnds { get }
}

/// How far a decoder came.
enum Progress: Equatable {
  /// A picture can be had.
  case picture(PictureTiming)
  /// Not yet: ask again, after a look at what the player wants.
  case working
  /// No further picture.
  case over
}

/// When a picture is shown, from the story's start.
struct PictureTiming: Equatable {
  var time: Duration
  var duration: Duration?
}

/// Where a story ends.
struct StoryEnds: Equatable {
  var pictures: Duration?
  var sound: Duration?
}

/// Interleaved stereo samples.
struct SoundRun: Equatable {
  var time: Duration
  var samples: [Int16]
}

/// A scaled picture: 0x00RRGGBB, row by row.
struct PixelGrid: Equatable {
  var width: Int
  var height: Int
  var pixels: [UInt32]
}
