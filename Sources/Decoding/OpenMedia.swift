import DecoderLink

/// Looks at the first bytes and chooses who decodes them: the content decides, not a name.
func openMedia(
  _ request: OpenRequest, over connection: PlayerConnection
) throws(DecodingError) -> any MediaDecoder {
  let stream = ResourceStream(connection, resource: 0, length: request.length)
  let head = try stream.head(HeadOfFile.length)
  switch HeadOfFile.kind(of: head) {
  case .empty: throw .empty
  case .animation:
    let story = try AnimationStory(stream)
    if let note = story.note { connection.send(.note(note)) }
    return story
  case .heifStill: return try HeifStory(stream)
  case .animatedWebP: return try WebPStory(stream)
  case .text:
    do { return try openFFmpeg(request, stream, connection, head) } catch .notMedia { throw .text }
  case .page: throw .page
  case .unknown: return try openFFmpeg(request, stream, connection, head)
  }
}

private func openFFmpeg(
  _ request: OpenRequest, _ stream: ResourceStream, _ connection: PlayerConnection,
  _ head: [UInt8]
) throws(DecodingError) -> any MediaDecoder {
  let open = { () throws(DecodingError) -> FFmpegInput in
    let input = try FFmpegInput(
      ResourceStream(connection, resource: 0, length: request.length), connection: connection,
      format: HeadOfFile.format(of: head))
    if input.needsStreamInfo { input.findStreamInfo() }
    return input
  }
  let input: FFmpegInput
  do {
    input = try open()
  } catch {
    if error == .notMedia {
      if HeadOfFile.isProtected(head) { throw .protected }
      if HeadOfFile.isMedia(head) { throw .incomplete }
    }
    throw error
  }
  return try chooseStory(input, open, request)
}

private func chooseStory(
  _ input: FFmpegInput, _ open: @escaping () throws(DecodingError) -> FFmpegInput,
  _ request: OpenRequest
) throws(DecodingError) -> any MediaDecoder {
  let video = input.video(for: request.shape)
  let sound = input.sound(beside: video)
  var failure: DecodingError?
  if let video {
    do {
      return try VideoStory(
        input, style: input.style, reopen: open, video: video,
        sound: input.style == .video ? sound : nil, soundRate: request.soundRate,
        shape: request.shape)
    } catch {
      if error == .protected || error == .outOfMemory || sound == nil { throw error }
      failure = error
    }
  }
  guard let sound else { throw failure ?? (input.streams.isEmpty ? .notMedia : .nothingToShow) }
  let story: SoundStory
  do {
    story = try SoundStory(
      failure == nil ? input : open(), reopen: open, sound: sound, soundRate: request.soundRate,
      shape: request.shape)
  } catch {
    throw failure ?? error
  }
  // A film that lost its pictures is no silent sound with a cover.
  if let failure, try !story.findsSound() { throw failure }
  return story
}
