import CFFmpeg
import DecoderLink

/// Owns one AVPacket. Binding file: unsafe pointers.
final class FFmpegPacket {
  /// Valid while this object lives.
  let raw: UnsafeMutablePointer<AVPacket>

  init() throws(DecodingError) {
    guard let raw = av_packet_alloc() else { throw .outOfMemory }
    self.raw = raw
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVPacket>? = raw
    av_packet_free(&pointer)
  }

  var stream: Int { Int(raw.pointee.stream_index) }
  var sizeBytes: Int { Int(raw.pointee.size) }
  var isKey: Bool { raw.pointee.flags & AV_PKT_FLAG_KEY != 0 }
  /// It is decoded because other packets refer to it, but never shown.
  var isDiscarded: Bool { raw.pointee.flags & AV_PKT_FLAG_DISCARD != 0 }
  var timestamp: Int64? { known(raw.pointee.pts) }
  /// Its decoding time on its stream's clock.
  var decodingTimestamp: Int64? { known(raw.pointee.dts) }
  /// Its offset in the file in bytes, if known.
  var byteOffset: Int64? { raw.pointee.pos >= 0 ? raw.pointee.pos : nil }
  /// Its stream, and the input that owns the stream; nil before a router has read it.
  private(set) var source: FFmpegStream?
  private(set) var owner: FFmpegInput?

  /// The offset that was added to its times.
  private(set) var added = Duration.zero

  /// Adds an offset to its times, and keeps its stream and input alive.
  func join(_ stream: FFmpegStream, of input: FFmpegInput, adding time: Duration) {
    source = stream
    owner = input
    added = time
    guard time != .zero else { return }
    let offset = stream.timestamp(time)
    if timestamp != nil { raw.pointee.pts &+= offset }
    if decodingTimestamp != nil { raw.pointee.dts &+= offset }
  }

  var duration: Int64? { raw.pointee.duration > 0 ? raw.pointee.duration : nil }

  /// Whether its bytes are encrypted.
  var isProtected: Bool {
    av_packet_get_side_data(raw, AV_PKT_DATA_ENCRYPTION_INFO, nil) != nil
  }

  /// Lends its bytes.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(start: raw.pointee.data, count: sizeBytes))
  }
}

/// A timestamp, nil where FFmpeg has none.
func known(_ timestamp: Int64) -> Int64? { timestamp == ff_no_time() ? nil : timestamp }

/// Owns an opened container.
final class FFmpegInput {
  /// Valid while this object lives.
  let context: UnsafeMutablePointer<AVFormatContext>
  private let bytes: FFmpegBytes
  private let opener: FFmpegOpener
  private let resource: ResourceStream
  /// Opens a part of a playlist.
  private let openPart: (_ number: Int) throws(DecodingError) -> FFmpegInput
  /// The declared lengths of the parts of a playlist with discontinuities; empty for anything else.
  let partLengths: [Duration]
  /// The story whose playlist this is; nil for anything else.
  let playlist: PlaylistStory?

  /// The name of the playlist that the HLS demuxer opens first.
  static let name = "list"

  /// - Parameters:
  ///   - format: the demuxer; nil to detect it.
  ///   - codec: the codec of a picture without a container.
  ///   - contents: a repaired copy of the resource's bytes.
  ///   - playlist: the story whose playlist is in the resource.
  ///   - part: which part of a playlist with discontinuities to open.
  init(
    _ stream: ResourceStream, connection: PlayerConnection, format: String? = nil,
    codec: AVCodecID? = nil, contents: [UInt8]? = nil, playlist: PlaylistStory? = nil,
    part: Int = 0
  ) throws(DecodingError) {
    let text = contents ?? playlist?.text(ofPart: part)
    let bytes = try FFmpegBytes(text.map { MemoryStream($0) } ?? stream)
    self.bytes = bytes
    self.playlist = playlist
    resource = stream
    opener = FFmpegOpener(connection, playlist: playlist, part: part)
    partLengths = playlist?.partLengths ?? []
    let length = stream.length
    openPart = { number throws(DecodingError) in
      do throws(DecodingError) {
        let input = try FFmpegInput(
          ResourceStream(connection, resource: 0, length: length), connection: connection,
          playlist: playlist, part: number)
        if input.needsStreamInfo { input.findStreamInfo() }
        return input
      } catch {
        connection.send(.note("a part of it is missing: \(error.reason)"))
        throw error
      }
    }
    guard let allocated = avformat_alloc_context() else { throw .outOfMemory }
    allocated.pointee.pb = bytes.context
    allocated.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
    if let codec { allocated.pointee.video_codec_id = codec }
    opener.serve(allocated)
    var options = Self.options()
    defer { av_dict_free(&options) }
    var opened: UnsafeMutablePointer<AVFormatContext>? = allocated
    let code = avformat_open_input(
      &opened, Self.name, (playlist == nil ? format : "hls").flatMap { av_find_input_format($0) },
      &options)
    guard code >= 0, let opened else {
      throw stream.failure ?? opener.failure ?? DecodingError(ffmpeg: code, else: .notMedia)
    }
    context = opened
  }

  /// Opens another part of the same playlist.
  func part(_ number: Int) throws(DecodingError) -> FFmpegInput { try openPart(number) }

  /// Whether more of it comes while it is read.
  var isLive: Bool { playlist?.isLive ?? false }

  /// Whether its format allows a clock to jump.
  var mayJump: Bool {
    context.pointee.iformat.map { $0.pointee.flags & AVFMT_TS_DISCONT != 0 } ?? false
  }

  /// Whether samples show that the clock of a transport stream jumps.
  func clockJumps(of stream: FFmpegStream) -> Bool {
    guard demuxer == "mpegts", let size = resource.length, let length = Int64(exactly: size),
      length <= Self.longestSearched
    else { return false }
    return TransportClock.jumps(length: length, stream: stream.number, read: resource.peek)
  }

  /// Whether its packets may be scanned to build a `SeekMap`: it can seek, is not too long, and all of
  /// it is available.
  var canBeSearched: Bool {
    demuxer == "mpegts" && isAllAvailable
      && resource.length.map { $0 <= UInt64(Self.longestSearched) } ?? false
  }

  /// Longer files are not scanned for jumps, in bytes.
  private static let longestSearched: Int64 = 512 << 20

  /// Seeks to the offset of a packet.
  func seek(toByte offset: Int64) -> Bool {
    av_seek_frame(context, -1, offset, AVSEEK_FLAG_BYTE) >= 0
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVFormatContext>? = context
    avformat_close_input(&pointer)
  }

  /// For HLS: the player decides what may be opened, so file extensions are not checked, and FFmpeg
  /// manages no connections.
  private static func options() -> OpaquePointer? {
    var options: OpaquePointer?
    let values = [
      ("allowed_extensions", "ALL"), ("allowed_segment_extensions", "ALL"),
      ("extension_picky", "0"), ("http_persistent", "0"), ("http_multiple", "0"),
      // What grows is waited for when it is opened, and it has been cut where it is to begin.
      ("live_start_index", "0"), ("max_reload", "2147483647"),
      ("m3u8_hold_counters", "2147483647"),
    ]
    for (name, value) in values { av_dict_set(&options, name, value, 0) }
    return options
  }

  /// The sound for a video: from the same programme if there are several, and one that can be decoded
  /// if there is any.
  func sound(beside video: FFmpegStream?) -> FFmpegStream? {
    let all = streams.filter(\.isSound)
    let decodable = all.filter(\.hasDecoder)
    let sounds = decodable.isEmpty ? all : decodable
    if context.pointee.nb_programs > 1, let video {
      let index = av_find_best_stream(
        context, AVMEDIA_TYPE_AUDIO, -1, Int32(video.index), nil, 0)
      if let best = sounds.first(where: { $0.index == Int(index) }) { return best }
    }
    return sounds.first(where: \.isDefault) ?? sounds.first
  }

  /// The video to play: the one that the container prefers.
  var video: FFmpegStream? {
    let videos = streams.filter { $0.isVideo && !$0.isAttachedPicture && !$0.isEmpty }
    return videos.first(where: \.isDefault) ?? videos.first
  }

  /// Whether the headers lack something that decoding needs. Those of MP4 do not; in other containers
  /// an H.264 decoder must know how far pictures are reordered, or it drops some of the first.
  var needsStreamInfo: Bool {
    if style != .video || container == "mov" { return false }
    guard container == "matroska" else { return true }
    let plain = [AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1, AV_CODEC_ID_HEVC]
    return streams.contains { $0.isVideo && !plain.contains($0.codec) }
  }

  /// What kind of story its pictures make.
  var style: VideoDecoder.Style {
    let name = demuxer
    if name.hasSuffix("_pipe") || name.hasPrefix("image2") || name == "ico" { return .still }
    if name == "gif" || name == "apng" { return .animation }
    guard name == "mov", let brand = av_dict_get(context.pointee.metadata, "major_brand", nil, 0)
    else { return .video }
    return ["avis", "msf1", "hevc"].contains(String(cString: brand.pointee.value))
      ? .animation : .video
  }

  /// Reads packets to find what the headers do not say.
  func findStreamInfo() { _ = avformat_find_stream_info(context, nil) }

  var streams: [FFmpegStream] {
    (0..<Int(context.pointee.nb_streams)).compactMap { index in
      context.pointee.streams[index].map { FFmpegStream(raw: $0) }
    }
  }

  /// Whether it is an MP4 or one of its kind (ISO 14496-12).
  var isMP4: Bool { demuxer.hasPrefix("mov") }

  /// The short name of the container; the first one if the demuxer has several.
  var container: String { String(demuxer.split(separator: "_pipe").first ?? "") }

  private var demuxer: String {
    guard let name = context.pointee.iformat?.pointee.name else { return "" }
    return String(String(cString: name).prefix { $0 != "," })
  }

  /// The length in the container's header, if it is positive.
  var duration: Duration? {
    let value = context.pointee.duration
    return value > 0 ? .microseconds(value) : nil
  }

  /// The container's length, if it is plausible.
  var plausibleDuration: Duration? { plausibleDuration(of: [], zero: .zero) }

  /// The longest of the given streams' lengths if their headers have them, else the container's; nil if
  /// it is not plausible.
  func plausibleDuration(of streams: [FFmpegStream?], zero: Duration) -> Duration? {
    let ends = streams.compactMap { stream in
      stream.flatMap { stream in
        stream.duration.map { $0 + (stream.start.map { $0 - zero } ?? .zero) }
      }
    }
    let listed = partLengths.isEmpty ? nil : partLengths.reduce(.zero, +)
    return Self.plausible(
      listed ?? ends.max() ?? duration ?? fragmentedDuration(of: streams))
  }

  /// Nil for a length that no media have.
  static func plausible(_ duration: Duration?) -> Duration? {
    duration.flatMap { $0 > .zero && $0 < .longestStory ? $0 : nil }
  }

  /// The length of a fragmented MP4, as far as it can be found without reading all of it.
  private func fragmentedDuration(of streams: [FFmpegStream?]) -> Duration? {
    guard isMP4, let size = resource.length, let length = Int64(exactly: size) else {
      return nil
    }
    let known = streams.compactMap(\.self)
    return (known.isEmpty ? self.streams.filter { $0.isVideo || $0.isSound } : known)
      .compactMap { $0.fragments(in: length, read: resource.peek) }
      .compactMap { $0.track.duration(from: $0.start, isAvailable: isAllAvailable) }.max()
  }

  /// The start of the earliest stream, on the streams' own clock; known after `findStreamInfo`. Nil if
  /// streams that are not played might be included.
  var start: Duration? {
    if context.pointee.nb_programs > 1 { return nil }
    return known(context.pointee.start_time).map { .microseconds($0) }
  }

  /// The next packet of any stream; nil at the end.
  func read() throws(DecodingError) -> FFmpegPacket? {
    let packet = try FFmpegPacket()
    let code = av_read_frame(context, packet.raw)
    if code >= 0 { return packet }
    if code == ff_error_memory() { throw .outOfMemory }
    if let failure = bytes.stream.failure ?? opener.failure ?? playlist?.loss { throw failure }
    return nil
  }

  /// Whether the next read can be answered without waiting for a network.
  var isAvailable: Bool {
    // The playlist itself may be available while its segments are not.
    isAllAvailable || container != "hls" && resource.isAvailable(Self.glimpse)
  }

  /// Whether all of it can be read without waiting for a network.
  var isAllAvailable: Bool { resource.isAllAvailable }

  /// Whether the last read failed.
  var hasFailed: Bool { bytes.stream.failure != nil || opener.failure != nil }

  /// Almost no packet of sound needs more bytes than this.
  private static let glimpse: UInt64 = 64 << 10

  /// Seeks to the last key picture at or before a time of a stream's clock.
  func seek(stream: FFmpegStream, to timestamp: Int64) -> Bool {
    if let entry = calculated(stream, before: timestamp) { note(entry, of: stream) }
    return bytes.search {
      av_seek_frame(context, stream.raw.pointee.index, timestamp, AVSEEK_FLAG_BACKWARD) >= 0
    }
  }

  /// Adds an entry to FFmpeg's index, which spares it reading everything before a place.
  func note(_ entry: FFmpegStream.IndexEntry, of stream: FFmpegStream) {
    guard let format = context.pointee.iformat?.pointee, format.flags & AVFMT_GENERIC_INDEX != 0
    else { return }
    av_add_index_entry(stream.raw, entry.offset, entry.timestamp, 0, 0, AVINDEX_KEYFRAME)
  }

  /// The calculated place of the frame at a timestamp in an MP3 of constant bit rate.
  private func calculated(_ stream: FFmpegStream, before timestamp: Int64)
    -> FFmpegStream.IndexEntry?
  {
    guard demuxer == "mp3", let first = stream.firstEntry, timestamp > first.timestamp,
      let constant = ConstantRateMP3(firstFrame: first.offset, read: resource.peek),
      let wanted = stream.time(timestamp - first.timestamp)
    else { return nil }
    let frame = Int64(wanted / .seconds(1) / constant.secondsPerFrame)
    guard let offset = constant.offset(ofFrame: frame) else { return nil }
    let time = av_rescale_q(
      frame * constant.samplesPerFrame, AVRational(num: 1, den: Int32(constant.rate)),
      stream.raw.pointee.time_base)
    return FFmpegStream.IndexEntry(timestamp: first.timestamp + time, offset: offset)
  }
}

extension DecodingError {
  /// The reason for one of FFmpeg's error codes; `other` for codes without a meaning of their own.
  init(ffmpeg code: Int32, else other: DecodingError) {
    self = code == ff_error_memory() ? .outOfMemory : other
  }
}
