import CFFmpeg
import DecoderLink

/// Opens a file with FFmpeg; where that fails, with libjpeg, libwebp or from a repaired copy. PNGs that
/// are too large for FFmpeg are opened with libpng.
func openWithFallbacks(
  _ request: OpenRequest, _ stream: ResourceStream, _ connection: PlayerConnection, _ head: [UInt8]
) throws(DecodingError) -> any MediaDecoder {
  let decoder: any MediaDecoder
  do {
    if let large = largePNG(head) {
      decoder = try PNGStill.open(stream, size: large)
    } else {
      decoder = try openFFmpeg(request, stream, connection, head)
    }
  } catch {
    guard let other = try openOtherwise(request, stream, connection, head, after: error) else {
      throw error
    }
    decoder = other
  }
  noteIfCut(head, stream, connection)
  return decoder
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
func noteIfCut(_ head: [UInt8], _ stream: ResourceStream, _ connection: PlayerConnection) {
  guard let length = stream.length.flatMap({ Int64(exactly: $0) }), stream.isAllAvailable,
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
    return try fallback { () throws(DecodingError) in try JPEGStill.open(stream) }
  }
  // TGA has no signature, so the name counts too.
  if failure == .notMedia, request.ending == "tga", TargaHeader.fits(head) {
    return try openFFmpeg(
      request, stream, connection, head, format: "image2pipe", codec: AV_CODEC_ID_TARGA)
  }
  if head.starts(with: Array("RIFF".utf8)), head.dropFirst(8).starts(with: Array("WEBP".utf8)),
    failure.kind == .damage || failure.kind == .tooLarge
  {
    return try fallback { () throws(DecodingError) in try WebPStill.open(stream) }
  }
  guard failure.kind == .damage,
    head.starts(with: [0x89, 0x50, 0x4E, 0x47]) || head.starts(with: Array("GIF8".utf8))
  else { return nil }
  return try fallback { () throws(DecodingError) in
    guard let mended = CutOff.mended(try PinnedBytes(stream).copied) else { return nil }
    return try openFFmpeg(request, stream, connection, head, contents: mended)
  }
}

/// What `open` gives; nil if it fails, since FFmpeg's reason is reported then, except for reasons that
/// only this decoder finds.
private func fallback(
  _ open: () throws(DecodingError) -> (any MediaDecoder)?
) throws(DecodingError) -> (any MediaDecoder)? {
  do {
    return try open()
  } catch {
    if error == .outOfMemory || error.kind == .tooLarge { throw error }
    return nil
  }
}
