/// Why a story cannot be played, in words that follow "cannot play NAME: ".
package struct DecodingError: Error, Equatable {
  package enum Kind {
    /// Something is wrong with the bytes themselves.
    case damage
    /// The picture is too large.
    case tooLarge
    case other
  }

  package let reason: String
  /// Decides whether the story is opened in another way.
  let kind: Kind

  package init(_ reason: String, _ kind: Kind = .other) {
    self.reason = reason
    self.kind = kind
  }

  static let outOfMemory = DecodingError("not enough memory")
  static let empty = DecodingError("the file is empty")
  static let notMedia = DecodingError("not a media file")
  static let incomplete = DecodingError("damaged or incomplete: it cannot be opened", .damage)
  static let text = DecodingError("a text file, not a media file")
  static let page = DecodingError("a web page, not a media file")
  static let noAnimation = DecodingError("JSON, but not an animation")
  static let tooLongAnimation = DecodingError("the animation is too large: more than 8 MiB")
  static let tooComplex = DecodingError("the animation is too complex to be drawn")
  static let protected = DecodingError("protected content")
  static let unknownPixels = DecodingError("its pixel format is not supported")
  static let absurdTime = damaged("its timestamps are absurd")
  static let endless = DecodingError("damaged or cut off: decoding does not end", .damage)
  static let notUnpackable = DecodingError("damaged or cut off: it cannot be unpacked", .damage)
  static let nothingToShow = DecodingError("it contains neither pictures nor sound")

  static func tooLarge(width: Int, height: Int) -> DecodingError {
    DecodingError("the picture is too large: \(width)x\(height)", .tooLarge)
  }

  static func damaged(_ what: String) -> DecodingError {
    DecodingError("damaged: \(what)", .damage)
  }

  static func damaged(codec: String) -> DecodingError {
    damaged("no picture can be decoded (\(codec))")
  }

  static func damagedSound(codec: String) -> DecodingError {
    damaged("no sound can be decoded (\(codec))")
  }

  /// As a note on a story that plays without its sound, its pictures or its cover.
  var ofSound: String { "its sound cannot be played: \(reason)" }
  var ofPictures: String { "its pictures cannot be shown: \(reason)" }
  var ofCover: String { "its cover cannot be shown: \(reason)" }

  static func noDecoder(codec: String) -> DecodingError {
    DecodingError("no decoder for codec '\(codec)'")
  }
}
