import CFFmpeg

/// Owns one AVFrame. Binding file: unsafe pointers.
final class FFmpegFrame {
  /// Valid while this object lives.
  let raw: UnsafeMutablePointer<AVFrame>

  init() throws(DecodingError) {
    guard let raw = av_frame_alloc() else { throw .outOfMemory }
    self.raw = raw
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVFrame>? = raw
    av_frame_free(&pointer)
  }

  var width: Int { Int(raw.pointee.width) }
  var height: Int { Int(raw.pointee.height) }

  /// The picture's own display matrix (FFmpeg makes one of a JPEG's EXIF orientation).
  var orientation: Orientation? {
    guard let side = av_frame_get_side_data(raw, AV_FRAME_DATA_DISPLAYMATRIX),
      side.pointee.size >= 36, let data = side.pointee.data
    else { return nil }
    return Orientation(matrix: data)
  }

  /// Width over height of a stored pixel, where the picture says so and it is sane.
  var pixelAspect: Double? { sane(raw.pointee.sample_aspect_ratio) }
}

/// A pixel aspect that a picture can have.
func sane(_ ratio: AVRational) -> Double? {
  guard ratio.num > 0, ratio.den > 0 else { return nil }
  let value = Double(ratio.num) / Double(ratio.den)
  return (1 / 64...64).contains(value) ? value : nil
}

/// Owns an opened decoder.
final class FFmpegCodec {
  private let context: UnsafeMutablePointer<AVCodecContext>

  /// Opens the decoder of a stream.
  init(_ stream: FFmpegStream) throws(DecodingError) {
    let parameters = stream.parameters
    guard let codec = avcodec_find_decoder(parameters.codec_id) else {
      throw .noDecoder(codec: stream.codecName)
    }
    guard let context = avcodec_alloc_context3(codec) else { throw .outOfMemory }
    self.context = context
    context.pointee.thread_count = 1
    context.pointee.pkt_timebase = stream.raw.pointee.time_base
    context.pointee.max_pixels = Int64(PictureLimits.pixels)
    var code = avcodec_parameters_to_context(context, stream.raw.pointee.codecpar)
    if code >= 0 { code = avcodec_open2(context, codec, nil) }
    guard code >= 0 else {
      throw DecodingError(ffmpeg: code, else: .noDecoder(codec: stream.codecName))
    }
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVCodecContext>? = context
    avcodec_free_context(&pointer)
  }

  /// What became of asking for a picture.
  enum Outcome {
    case frame
    case needsPacket
    case end
  }

  /// Decodes the next picture or samples into `frame`.
  func receive(into frame: FFmpegFrame) throws(DecodingError) -> Outcome {
    let code = avcodec_receive_frame(context, frame.raw)
    if code >= 0 { return .frame }
    if code == ff_error_again() { return .needsPacket }
    if code == ff_error_memory() { throw .outOfMemory }
    return code == ff_error_eof() ? .end : .needsPacket
  }

  /// Gives the decoder a packet, nil for the end. A broken packet is skipped.
  func send(_ packet: FFmpegPacket?) throws(DecodingError) {
    let code = avcodec_send_packet(context, packet?.raw)
    if code == ff_error_memory() { throw .outOfMemory }
  }

  /// Forgets what it has; the next packet begins anew.
  func flush() { avcodec_flush_buffers(context) }

  /// Leaves out the loop filter: its traces vanish in a large reduction.
  func skipLoopFilter(_ skip: Bool) {
    context.pointee.skip_loop_filter = skip ? AVDISCARD_ALL : AVDISCARD_DEFAULT
  }

  /// Leaves out pictures that no other refers to.
  func skipNonReference(_ skip: Bool) {
    context.pointee.skip_frame = skip ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
  }
}

/// What a picture may be.
enum PictureLimits {
  static let pixels = 64 << 20
}
