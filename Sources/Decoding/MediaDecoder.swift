import DecoderLink

/// Decodes one story. There is an implementation for each family of media; `openMedia` chooses.
protocol MediaDecoder: AnyObject {
  /// What the story turned out to be. It does not change once the first picture is sent.
  var info: MediaInfo { get }

  /// Decodes towards the next picture. The shape says how much detail is needed.
  func advance(_ effort: Effort, for shape: PictureRequest) throws(DecodingError) -> Progress

  /// The current picture, scaled for a shape.
  func picture(for shape: PictureRequest) throws(DecodingError) -> Bitmap

  /// The next run of samples that begins before `limit`; nil if there is none, or none yet.
  func sound(before limit: Duration) throws(DecodingError) -> SoundRun?

  /// Whether no run of samples follows.
  var isSoundOver: Bool { get }

  /// Seeks to the picture that is shown at `position`; the next `advance` gives it.
  func seek(to position: Duration) throws(DecodingError)

  /// Called when nothing is requested for a while: frees memory that can quickly be filled again.
  /// Returns whether the decoder must not be called before the next picture is requested.
  func rest() -> Bool

  /// When pictures and sound end; known after the last of them.
  var ends: StoryEnds { get }
}

extension MediaDecoder {
  /// Most decoders have no sound.
  var isSoundOver: Bool { true }
}

/// How far a decoder came.
enum Progress: Equatable {
  /// A picture can be had.
  case picture(PictureTiming)
  /// Not finished: call again after checking for messages from the player.
  case working
  /// No further picture.
  case over
}

/// When a picture is shown, from the story's start.
package struct PictureTiming: Equatable {
  package var time: Duration
  package var duration: Duration?
  /// How many pictures before it were skipped because the player is late.
  package var skipped: UInt16 = 0

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
