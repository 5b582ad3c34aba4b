import DecoderLink

/// Tells one story picture by picture. One for each family of media; `openMedia` chooses.
protocol MediaDecoder: AnyObject {
  /// What the story turned out to be; final before the first picture is taken.
  var info: MediaInfo { get }

  /// Goes to the next picture; nil after the last one.
  func advance(_ effort: Effort) throws(DecodingError) -> PictureTiming?

  /// The picture gone to, scaled for a shape.
  func picture(for shape: PictureRequest) throws(DecodingError) -> PixelGrid

  /// The next run of samples that begins before `limit`; nil where there is none (now).
  func sound(before limit: Duration) throws(DecodingError) -> SoundRun?

  /// Goes to the picture that is shown at `position`; `advance` then gives it.
  func seek(to position: Duration) throws(DecodingError)

  /// When pictures and sound end, known once `advance` gave nil.
  var ends: StoryEnds { get }
}

/// When a picture is shown, from the story's start.
struct PictureTiming: Equatable {
  var time: Duration
  var duration: Duration?
}

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
