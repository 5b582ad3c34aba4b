import DecoderLink

/// The cover of a sound file.
final class Cover {
  private let frame: FFmpegFrame
  private let scaler = FFmpegScaler()
  let codecName: String

  /// The best cover that can be decoded; nil if there is none.
  /// - Parameter note: called with the reason if there is a cover that cannot be decoded.
  static func best(
    of input: FFmpegInput, note: (String) -> Void
  ) throws(DecodingError) -> Cover? {
    let pictures = input.streams.filter { $0.isVideo && $0.isAttachedPicture }
      .map { (stream: $0, rank: CoverRank($0.pictureNames)) }
    var failure: DecodingError?
    for rank in CoverRank.allCases {
      for picture in pictures where picture.rank == rank {
        do throws(DecodingError) {
          return try Cover(picture.stream)
        } catch {
          if error == .outOfMemory { throw error }
          failure = failure ?? error
        }
      }
    }
    if let failure { note(failure.ofCover) }
    return nil
  }

  private init(_ stream: FFmpegStream) throws(DecodingError) {
    codecName = stream.codecName
    frame = try FFmpegFrame()
    let codec = try FFmpegCodec(stream)
    try codec.send(stream.attachedPicture())
    try codec.send(nil)
    guard try codec.receive(into: frame) == .frame else { throw .damaged(codec: codecName) }
  }

  private var orientation: Orientation { frame.orientation ?? .upright }

  var displaySize: (width: Int, height: Int) {
    frame.displaySize(pixelAspect: frame.pixelAspect ?? 1, orientation: orientation)
  }

  func picture(for shape: PictureRequest) throws(DecodingError) -> Bitmap {
    try scaler.picture(
      of: frame, displaySize: displaySize, orientation: orientation, shape: shape)
  }
}

/// The kinds of pictures in a sound file, the best cover first.
package enum CoverRank: CaseIterable {
  /// Picture type 3 (ID3v2.4.0 frames, 4.14; FLAC's picture block has the same types), or called
  /// `cover` (RFC 9559, 21.2: attached cover art of Matroska).
  case front
  /// The wide form of the front (`cover_land` of Matroska).
  case wideFront
  /// Type 0, or no type is given.
  case other
  /// The back, the artist, a page of the booklet and all other types.
  case rest
  /// Types 1 and 2, and the small forms of Matroska's covers.
  case icon

  /// - Parameter names: the picture's type in FFmpeg's words, the name of its file, or both, in lower
  ///   case.
  package init(_ names: [String]) {
    self = .other
    for name in names {
      let stem = name.split(separator: ".").first.map(String.init) ?? ""
      switch name {
      case "cover (front)", "cover art (front)": self = .front
      case "other": self = .other
      case _ where name.contains("file icon"), _ where stem.hasPrefix("small_cover"): self = .icon
      case _ where stem == "cover": self = .front
      case _ where stem == "cover_land": self = .wideFront
      case _ where !name.contains("."): self = .rest
      default: continue
      }
      return
    }
  }
}
