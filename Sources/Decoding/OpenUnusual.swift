import CFFmpeg
import DecoderLink

/// Opens a story with FFmpeg; pictures that FFmpeg cannot decode as they are, in another way.
func openFound(
  _ request: OpenRequest, _ stream: ResourceStream, _ connection: PlayerConnection, _ head: [UInt8]
) throws(DecodingError) -> any MediaDecoder {
  let story: any MediaDecoder
  do {
    if let large = largePNG(head) {
      story = try PNGStill.open(stream, size: large)
    } else {
      story = try openFFmpeg(request, stream, connection, head)
    }
  } catch {
    guard let other = try openOtherwise(request, stream, connection, head, after: error) else {
      throw error
    }
    story = other
  }
  noteWhereCut(head, stream, connection)
  return story
}

/// The size of a PNG that is too large to be decoded whole; nil for other files.
private func largePNG(_ head: [UInt8]) -> (width: Int, height: Int)? {
  guard head.starts(with: [0x89, 0x50, 0x4E, 0x47]),
    let size = DeclaredSize.find(in: head), size.height > 0,
    size.width > PictureLimits.pixels / size.height
  else { return nil }
  return size
}

/// Sends a note if a file is truncated and that can be seen without waiting for a network.
func noteWhereCut(_ head: [UInt8], _ stream: ResourceStream, _ connection: PlayerConnection) {
  guard let length = stream.length.flatMap({ Int64(exactly: $0) }), stream.isWhole,
    CutOff.isCut(head, length: length, read: stream.peek)
  else { return }
  connection.send(.note("it is cut off"))
}

/// Opens a picture that FFmpeg failed to decode with another library or from a repaired copy; nil if
/// there is no other way.
private func openOtherwise(
  _ request: OpenRequest, _ stream: ResourceStream, _ connection: PlayerConnection, _ head: [UInt8],
  after failure: DecodingError
) throws(DecodingError) -> (any MediaDecoder)? {
  if failure == .outOfMemory || failure == .protected { return nil }
  if head.starts(with: [0xFF, 0xD8, 0xFF]) {
    do {
      return try JPEGStill.open(stream)
    } catch {
      // FFmpeg's reason is reported, except for reasons that only this decoder finds.
      if error == .outOfMemory || error.isTooLarge { throw error }
      return nil
    }
  }
  if failure == .notMedia, request.ending == "tga", TargaHeader.fits(head) {
    return try openFFmpeg(
      request, stream, connection, head, format: "image2pipe", codec: AV_CODEC_ID_TARGA)
  }
  if head.starts(with: Array("RIFF".utf8)), head.dropFirst(8).starts(with: Array("WEBP".utf8)),
    failure.isDamage || failure.isTooLarge
  {
    do {
      return try WebPStill.open(stream)
    } catch {
      if error == .outOfMemory || error.isTooLarge { throw error }
      return nil
    }
  }
  guard failure.isDamage, !failure.isTooLarge else { return nil }
  guard head.starts(with: [0x89, 0x50, 0x4E, 0x47]) || head.starts(with: Array("GIF8".utf8)),
    let mended = CutOff.mended(try WholeFile(stream).copied)
  else { return nil }
  return try? openFFmpeg(request, stream, connection, head, contents: mended)
}
