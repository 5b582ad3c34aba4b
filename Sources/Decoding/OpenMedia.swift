import DecoderLink

/// Looks at the first bytes and chooses who decodes them.
func openMedia(
  _ request: OpenRequest, over connection: PlayerConnection
) throws(DecodingError) -> any MediaDecoder {
  let stream = ResourceStream(connection, resource: 0, length: request.length)
  if request.length == 0 { throw .empty }
  return try FFmpegStory(stream, connection: connection, soundRate: request.soundRate)
}
