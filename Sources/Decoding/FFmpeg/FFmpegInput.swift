import CFFmpeg

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
}

/// Owns an opened container.
final class FFmpegInput {
  /// Valid while this object lives.
  let context: UnsafeMutablePointer<AVFormatContext>
  private let bytes: FFmpegBytes

  init(_ stream: ResourceStream) throws(DecodingError) {
    let bytes = try FFmpegBytes(stream)
    self.bytes = bytes
    guard let allocated = avformat_alloc_context() else { throw .outOfMemory }
    allocated.pointee.pb = bytes.context
    allocated.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
    var opened: UnsafeMutablePointer<AVFormatContext>? = allocated
    let code = avformat_open_input(&opened, nil, nil, nil)
    guard code >= 0, let opened else {
      throw stream.failure ?? DecodingError(ffmpeg: code, else: .notMedia)
    }
    context = opened
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVFormatContext>? = context
    avformat_close_input(&pointer)
  }

  /// Looks into the streams for what their headers do not say.
  func findStreamInfo() { _ = avformat_find_stream_info(context, nil) }

  var streams: [FFmpegStream] {
    (0..<Int(context.pointee.nb_streams)).compactMap { index in
      context.pointee.streams[index].map { FFmpegStream(raw: $0) }
    }
  }

  /// The short name of the container, the first where the demuxer has several.
  var container: String {
    guard let name = context.pointee.iformat?.pointee.name else { return "" }
    return String(String(cString: name).prefix { $0 != "," })
  }

  /// The length that the container claims, where it is positive.
  var duration: Duration? {
    let value = context.pointee.duration
    return value > 0 ? .microseconds(value) : nil
  }

  /// Where the earliest stream starts, on the streams' own clock.
  var start: Duration? {
    let value = context.pointee.start_time
    return value == ff_no_time() ? nil : .microseconds(value)
  }

  /// The next packet of any stream; nil at the end.
  func read() throws(DecodingError) -> FFmpegPacket? {
    let packet = try FFmpegPacket()
    let code = av_read_frame(context, packet.raw)
    if code >= 0 { return packet }
    if code == ff_error_memory() { throw .outOfMemory }
    if let failure = bytes.stream.failure { throw failure }
    return nil
  }

  /// Goes to the last key picture at or before a time of a stream's clock.
  func seek(stream: FFmpegStream, to timestamp: Int64) -> Bool {
    av_seek_frame(context, stream.raw.pointee.index, timestamp, AVSEEK_FLAG_BACKWARD) >= 0
  }
}

/// One stream of a container; valid while its input lives.
struct FFmpegStream {
  let raw: UnsafeMutablePointer<AVStream>

  var index: Int { Int(raw.pointee.index) }
  var parameters: AVCodecParameters { raw.pointee.codecpar.pointee }
  var isVideo: Bool { parameters.codec_type == AVMEDIA_TYPE_VIDEO }
  var isSound: Bool { parameters.codec_type == AVMEDIA_TYPE_AUDIO }
  var isAttachedPicture: Bool { raw.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 }
  var isDefault: Bool { raw.pointee.disposition & AV_DISPOSITION_DEFAULT != 0 }
  var codecName: String { String(cString: avcodec_get_name(parameters.codec_id)) }

  func discard(_ all: Bool) { raw.pointee.discard = all ? AVDISCARD_ALL : AVDISCARD_DEFAULT }

  /// A time of this stream's clock; nil where there is none.
  func time(_ timestamp: Int64) -> Duration? {
    guard timestamp != ff_no_time() else { return nil }
    let scaled = av_rescale_q(
      timestamp, raw.pointee.time_base, AVRational(num: 1, den: 1_000_000_000))
    return scaled == .min || scaled == .max ? nil : .nanoseconds(scaled)
  }

  /// The stream's clock at a time.
  func timestamp(_ time: Duration) -> Int64 {
    let (seconds, attoseconds) = time.components
    return av_rescale_q(
      seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000,
      AVRational(num: 1, den: 1_000_000_000), raw.pointee.time_base)
  }

  /// Pictures per second, where it is known and sane.
  var frameRate: Double? {
    for rate in [raw.pointee.avg_frame_rate, raw.pointee.r_frame_rate] {
      guard rate.num > 0, rate.den > 0 else { continue }
      let value = Double(rate.num) / Double(rate.den)
      if value <= 500 { return value }
    }
    return nil
  }

  /// The stream's display matrix.
  var orientation: Orientation {
    var size = 0
    guard let data = av_stream_get_side_data(raw, AV_PKT_DATA_DISPLAYMATRIX, &size), size >= 36
    else { return .upright }
    return Orientation(matrix: data)
  }
}

extension Orientation {
  /// Reads nine 32-bit numbers in this machine's byte order, as FFmpeg lends them.
  init(matrix data: UnsafePointer<UInt8>) {
    let raw = UnsafeRawPointer(data)
    func entry(_ index: Int) -> Int32 {
      raw.loadUnaligned(fromByteOffset: index * 4, as: Int32.self)
    }
    self.init(a: entry(0), b: entry(1), c: entry(3), d: entry(4))
  }
}

extension DecodingError {
  /// FFmpeg's code in words of ours where it has a meaning of its own.
  init(ffmpeg code: Int32, else other: DecodingError) {
    self = code == ff_error_memory() ? .outOfMemory : other
  }
}
