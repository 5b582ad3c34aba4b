/// Why a story cannot be played, in words that follow "cannot play NAME: ".
package struct DecodingError: Error, Equatable {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }

  static let outOfMemory = DecodingError("not enough memory")
  static let empty = DecodingError("the file is empty")
  static let notMedia = DecodingError("not a media file")
  static let incomplete = DecodingError("damaged or incomplete: it cannot be opened")
  static let text = DecodingError("a text file, not a media file")
  static let page = DecodingError("a web page, not a media file")
  static let noAnimation = DecodingError("JSON, but not an animation")
  static let tooLongAnimation = DecodingError("the animation is too large: more than 8 MiB")
  static let tooComplex = DecodingError("the animation is too complex to be drawn")
  static let protected = DecodingError("protected content")
  static let unknownPixels = DecodingError("its pixel format is not supported")
  static let absurdTime = DecodingError("damaged: its timestamps are absurd")
  static let endless = DecodingError("damaged or cut off: decoding does not end")
  static let nothingToShow = DecodingError("it contains neither pictures nor sound")

  private static let largeness = "the picture is too large: "

  static func tooLarge(width: Int, height: Int) -> DecodingError {
    DecodingError("\(largeness)\(width)x\(height)")
  }

  var isTooLarge: Bool { reason.hasPrefix(DecodingError.largeness) }

  /// Whether something is wrong with the bytes themselves.
  var isDamage: Bool { reason.hasPrefix("damaged") }

  static func damaged(codec: String) -> DecodingError {
    DecodingError("damaged: no picture can be decoded (\(codec))")
  }

  static func damagedSound(codec: String) -> DecodingError {
    DecodingError("damaged: no sound can be decoded (\(codec))")
  }

  /// As a note on a story that plays without its sound, its pictures or its cover.
  var ofSound: String { "its sound cannot be played: \(reason)" }
  var ofPictures: String { "its pictures cannot be shown: \(reason)" }
  var ofCover: String { "its cover cannot be shown: \(reason)" }

  static func noDecoder(codec: String) -> DecodingError {
    DecodingError("no decoder for codec '\(codec)'")
  }
}
