import CFFmpeg
import DecoderLink
import System

/// Opens the decoder for a story. It is chosen by the content of the file, not by its name.
func openMedia(
  _ request: OpenRequest, over connection: PlayerConnection
) throws(DecodingError) -> any MediaDecoder {
  let stream = ResourceStream(connection, resource: 0, length: request.length)
  let head = try stream.head(HeadOfFile.length)
  if PlaylistMark.isPlaylist(head) == true {
    return try openPlaylist(request, stream, connection)
  }
  switch HeadOfFile.kind(of: head) {
  case .empty: throw .empty
  case .animation:
    let story = try AnimationStory(stream)
    if let note = story.note { connection.send(.note(note)) }
    return story
  case .heifStill: return try HeifStill.open(stream)
  case .animatedWebP:
    let story = try WebPStory(stream)
    noteIfCut(head, stream, connection)
    return story
  case .text:
    do { return try openFFmpeg(request, stream, connection, head) } catch .notMedia { throw .text }
  case .page: throw .page
  case .unknown: return try openWithFallbacks(request, stream, connection, head)
  }
}

/// - Parameters:
///   - format: FFmpeg's demuxer; nil to detect it.
///   - codec: the codec of a picture without a container.
///   - contents: bytes to read instead of the file, such as a repaired copy.
func openFFmpeg(
  _ request: OpenRequest, _ stream: ResourceStream, _ connection: PlayerConnection,
  _ head: [UInt8], format: String? = nil, codec: AVCodecID? = nil, contents: [UInt8]? = nil
) throws(DecodingError) -> any MediaDecoder {
  let open = { () throws(DecodingError) -> FFmpegInput in
    let input = try FFmpegInput(
      ResourceStream(connection, resource: 0, length: request.length), connection: connection,
      format: format ?? HeadOfFile.format(of: head), codec: codec, contents: contents)
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
  return try chooseStory(input, open, request, note: noting(over: connection))
}

/// Sends each note once.
private func noting(over connection: PlayerConnection) -> (String) -> Void {
  var said: Set<String> = []
  return { words in
    if said.insert(words).inserted { connection.send(.note(words)) }
  }
}

/// - Parameter wantsPictures: whether to fail rather than play a video without its pictures.
private func chooseStory(
  _ input: FFmpegInput, _ open: @escaping () throws(DecodingError) -> FFmpegInput,
  _ request: OpenRequest, wantsPictures: Bool = false, note: @escaping (String) -> Void
) throws(DecodingError) -> any MediaDecoder {
  let video = input.video
  let sound = input.sound(beside: video)
  var failure: DecodingError?
  if let video {
    do {
      return try VideoDecoder(
        input, style: input.style, reopen: open, video: video,
        sound: input.style == .video ? sound : nil, soundRate: request.soundRate,
        shape: request.shape, note: note)
    } catch {
      let isFatal = error == .protected || error == .outOfMemory || sound == nil
      if isFatal || wantsPictures { throw error }
      failure = error
    }
  }
  guard let sound else { throw failure ?? (input.streams.isEmpty ? .notMedia : .nothingToShow) }
  let story: AudioDecoder
  do throws(DecodingError) {
    // The failed decoder of its pictures has already read from the other input.
    let whole = try failure == nil ? input : open()
    let heard = whole.streams.first { $0.index == sound.index }
    guard let heard else { throw .nothingToShow }
    story = try AudioDecoder(
      whole, reopen: open, sound: heard, soundRate: request.soundRate, shape: request.shape,
      note: note)
  } catch {
    throw failure ?? error
  }
  // A video without its pictures is played only if its sound is found.
  if let failure {
    guard try story.findsSound() else { throw failure }
    note(failure.ofPictures)
  }
  return story
}

/// At most so many variants are tried.
private let mostVariants = 4

/// Opens one variant of an HLS playlist (RFC 8216).
private func openPlaylist(
  _ request: OpenRequest, _ stream: ResourceStream, _ connection: PlayerConnection
) throws(DecodingError) -> any MediaDecoder {
  let text = try PlaylistText(reading: stream)
  guard let master = MasterPlaylist(text) else {
    let story = try PlaylistStory(
      MediaPlaylist(text, mayBeEmpty: true), over: connection)
    return try openPlaylist(story, request, connection)
  }
  let choice = VariantChoice(shape: request.shape, mostBitsPerSecond: request.mostBitsPerSecond)
  let variants = choice.order(master.variants).prefix(mostVariants)
  var failure: DecodingError?
  for (index, variant) in variants.enumerated() {
    do throws(DecodingError) {
      let sound = request.soundRate == nil ? nil : master.soundURI(of: variant)
      let story = try openPlaylist(
        PlaylistStory(variant, sound: sound, over: connection), request, connection,
        wantsPictures: index < variants.count - 1)
      if let failure {
        connection.send(.note("another variant is played: \(failure.reason)"))
      }
      return story
    } catch {
      if error == .outOfMemory { throw error }
      failure = failure ?? error
    }
  }
  throw failure ?? DecodingError("a master playlist without variants")
}

private func openPlaylist(
  _ playlist: PlaylistStory, _ request: OpenRequest, _ connection: PlayerConnection,
  wantsPictures: Bool = false
) throws(DecodingError) -> any MediaDecoder {
  let open = { () throws(DecodingError) -> FFmpegInput in
    let input = try FFmpegInput(
      ResourceStream(connection, resource: 0, length: request.length), connection: connection,
      playlist: playlist)
    if input.needsStreamInfo { input.findStreamInfo() }
    return input
  }
  let note = noting(over: connection)
  let story = try chooseStory(open(), open, request, wantsPictures: wantsPictures, note: note)
  for words in playlist.notes { note(words) }
  connection.playlist = playlist
  return story
}
