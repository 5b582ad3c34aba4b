import DecoderLink

/// Tells one story picture by picture. One for each family of media; `openMedia` chooses.
protocol MediaDecoder: AnyObject {
  /// What the story turned out to be; final before the first picture is sent.
  var info: MediaInfo { get }

  /// Works towards the next picture. The shape tells how much detail is wanted.
  func advance(_ effort: Effort, for shape: PictureRequest) throws(DecodingError) -> Progress

  /// The picture gone to, scaled for a shape.
  func picture(for shape: PictureRequest) throws(DecodingError) -> Bitmap

  /// The next run of samples that begins before `limit`; nil where there is none (now).
  func sound(before limit: Duration) throws(DecodingError) -> SoundRun?

  /// Whether no run of samples follows.
  var isSoundOver: Bool { get }

  /// Goes to the picture that is shown at `position`; `advance` then gives it.
  func seek(to position: Duration) throws(DecodingError)

  /// Nothing is wanted for a while: gives memory back that is quickly had again. Whether it is not
  /// to be called upon until another picture is.
  func rest() -> Bool

  /// When pictures and sound end; known once nothing more comes.
  var ends: StoryEnds { get }
}

extension MediaDecoder {
  /// Most tell pictures alone.
  var isSoundOver: Bool { true }
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
package struct PictureTiming: Equatable {
  package var time: Duration
  package var duration: Duration?

  package init(time: Duration, duration: Duration?) {
    self.time = time
    self.duration = duration
  }
}

/// Where a story ends.
package struct StoryEnds: Equatable {
  package var pictures: Duration?
  package var sound: Duration?
}

/// Interleaved stereo samples.
package struct SoundRun: Equatable {
  package var time: Duration
  package var samples: [Int16]
}
