import CFFmpeg
import Glibc

/// Owns one AVFrame. Binding file: unsafe pointers.
final class FFmpegFrame {
  /// Valid while this object lives.
  let raw: UnsafeMutablePointer<AVFrame>
  /// The alpha channel of its format is to be ignored.
  var isOpaque = false

  init() throws(DecodingError) {
    guard let raw = av_frame_alloc() else { throw .outOfMemory }
    self.raw = raw
  }

  /// A frame with memory for a picture; the pixels are not initialised.
  convenience init(width: Int, height: Int, format: AVPixelFormat) throws(DecodingError) {
    try self.init()
    raw.pointee.width = Int32(width)
    raw.pointee.height = Int32(height)
    raw.pointee.format = format.rawValue
    guard av_frame_get_buffer(raw, 0) >= 0 else { throw .outOfMemory }
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVFrame>? = raw
    av_frame_free(&pointer)
  }

  var width: Int { Int(raw.pointee.width) }
  var height: Int { Int(raw.pointee.height) }
  /// Its presentation time on its stream's clock, as well as FFmpeg can determine it.
  var timestamp: Int64? { known(raw.pointee.best_effort_timestamp) }
  var duration: Int64? { raw.pointee.pkt_duration > 0 ? raw.pointee.pkt_duration : nil }

  /// Drops the samples after so much time.
  func keepSound(for time: Duration) {
    let samples = (time / .seconds(1) * Double(raw.pointee.sample_rate)).rounded()
    if samples < Double(raw.pointee.nb_samples) { raw.pointee.nb_samples = Int32(samples) }
  }

  /// The order of bytes in packed pixels.
  enum PackedPixels {
    case redGreenBlue
    case redGreenBlueAlpha
    case redGreenBlueUnused
    case blueGreenRed

    fileprivate var format: AVPixelFormat {
      switch self {
      case .redGreenBlue: AV_PIX_FMT_RGB24
      case .redGreenBlueAlpha: AV_PIX_FMT_RGBA
      case .redGreenBlueUnused: AV_PIX_FMT_RGB0
      case .blueGreenRed: AV_PIX_FMT_BGR0
      }
    }
  }

  /// Points to pixels that somebody else owns, which must outlive the frame's use of them.
  func lend(
    _ pixels: UnsafeMutablePointer<UInt8>, strideBytes: Int, width: Int, height: Int,
    pixels order: PackedPixels
  ) {
    av_frame_unref(raw)
    raw.pointee.data.0 = pixels
    raw.pointee.linesize.0 = Int32(strideBytes)
    raw.pointee.width = Int32(width)
    raw.pointee.height = Int32(height)
    raw.pointee.format = order.format.rawValue
  }

  /// The picture's own display matrix (FFmpeg makes one from a JPEG's EXIF orientation).
  var orientation: Orientation? {
    guard let side = av_frame_get_side_data(raw, AV_FRAME_DATA_DISPLAYMATRIX),
      side.pointee.size >= 36, let data = side.pointee.data
    else { return nil }
    return Orientation(matrix: data)
  }

  /// The displayed size, in square pixels.
  func displaySize(pixelAspect: Double, orientation: Orientation) -> (width: Int, height: Int) {
    let wide = max(1, Int((Double(width) * pixelAspect).rounded()))
    return orientation.displaySize(width: wide, height: max(1, height))
  }

  /// Width over height of a stored pixel; nil if the picture gives none or an absurd one.
  var pixelAspect: Double? { sane(raw.pointee.sample_aspect_ratio) }
}

/// Owns an opened decoder.
final class FFmpegCodec {
  private let context: UnsafeMutablePointer<AVCodecContext>
  /// Who is given finished rows; FFmpeg has a pointer to it.
  private let bands: BandReducer?

  /// Opens the decoder of a stream.
  ///
  /// - Parameters:
  ///   - bands: is given finished rows while the loop filter is skipped; not with several threads.
  ///   - threads: at most so many are used, if the decoder can use them.
  init(
    _ stream: FFmpegStream, bands: BandReducer? = nil, threads: Int = 1
  ) throws(DecodingError) {
    if stream.isProtected { throw .protected }
    guard let codec = Self.decoder(for: stream) else {
      throw .noDecoder(codec: stream.codecName)
    }
    guard let context = avcodec_alloc_context3(codec) else { throw .outOfMemory }
    self.context = context
    self.bands = threads == 1 && stream.codec == AV_CODEC_ID_H264 ? bands : nil
    context.pointee.thread_count = Int32(threads)
    context.pointee.pkt_timebase = stream.raw.pointee.time_base
    context.pointee.max_pixels = Int64(PictureLimits.pixels(of: stream.codec))
    if stream.codec == AV_CODEC_ID_MJPEG { context.pointee.get_buffer2 = grayBuffer }
    if let bands = self.bands {
      // The context does not outlive this object, which keeps it.
      context.pointee.opaque = Unmanaged.passUnretained(bands).toOpaque()
      context.pointee.get_buffer2 = numberedBuffer
      context.pointee.slice_flags = SLICE_FLAG_CODED_ORDER
    }
    var code = avcodec_parameters_to_context(context, stream.raw.pointee.codecpar)
    if code >= 0 { code = avcodec_open2(context, codec, nil) }
    guard code >= 0 else {
      throw DecodingError(ffmpeg: code, else: .noDecoder(codec: stream.codecName))
    }
  }

  /// The most threads that are of use: the processor time that a decoder may use is for two.
  static var mostThreads: Int { min(2, Int(av_cpu_count())) }

  /// Whether it can use several threads.
  var canBeParallel: Bool {
    let ways =
      AV_CODEC_CAP_FRAME_THREADS | AV_CODEC_CAP_SLICE_THREADS | AV_CODEC_CAP_OTHER_THREADS
    return (context.pointee.codec?.pointee.capabilities ?? 0) & Int32(ways) != 0
  }

  /// Whether it uses several threads.
  var isParallel: Bool { canBeParallel && context.pointee.thread_count > 1 }

  /// FFmpeg's own decoders of VP8 and VP9 do not decode alpha; those of libvpx do.
  private static func decoder(for stream: FFmpegStream) -> UnsafePointer<AVCodec>? {
    let alpha: UnsafePointer<AVCodec>? =
      switch stream.codec {
      case AV_CODEC_ID_VP8 where stream.hasAlphaBeside: avcodec_find_decoder_by_name("libvpx")
      case AV_CODEC_ID_VP9 where stream.hasAlphaBeside: avcodec_find_decoder_by_name("libvpx-vp9")
      default: nil
      }
    return alpha ?? avcodec_find_decoder(stream.codec)
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVCodecContext>? = context
    avcodec_free_context(&pointer)
  }

  /// The result of `receive`.
  enum Outcome {
    case frame
    case needsPacket
    case end
  }

  /// Decodes the next picture or run of samples into `frame`.
  func receive(into frame: FFmpegFrame) throws(DecodingError) -> Outcome {
    FFmpegLibrary.beginCall()
    let code = avcodec_receive_frame(context, frame.raw)
    if code >= 0 { return .frame }
    if code == ff_error_again() { return .needsPacket }
    if code == ff_error_memory() { throw .outOfMemory }
    return code == ff_error_eof() ? .end : .needsPacket
  }

  /// Sends a packet to the decoder, nil for the end. A broken packet is skipped.
  func send(_ packet: FFmpegPacket?) throws(DecodingError) {
    FFmpegLibrary.beginCall()
    let code = avcodec_send_packet(context, packet?.raw)
    if code == ff_error_memory() { throw .outOfMemory }
  }

  /// Drops all decoding state, as before a seek.
  func flush() {
    avcodec_flush_buffers(context)
    bands?.flush()
  }

  /// Skips the loop filter: that cannot be seen in a much smaller picture. Without it rows are finished
  /// as soon as they are decoded, and handed out.
  func skipLoopFilter(_ skip: Bool) {
    context.pointee.skip_loop_filter = skip ? AVDISCARD_ALL : AVDISCARD_DEFAULT
    context.pointee.draw_horiz_band = skip && bands != nil ? takeBand : nil
  }

  /// Skips pictures that no other picture refers to.
  func skipNonReference(_ skip: Bool) {
    context.pointee.skip_frame = skip ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
  }
}

/// Numbers frames, so that what was made of one's rows is not taken for another's in the same memory.
private func numberedBuffer(
  _ context: UnsafeMutablePointer<AVCodecContext>?, _ frame: UnsafeMutablePointer<AVFrame>?,
  _ flags: Int32
) -> Int32 {
  if let bands = BandReducer.of(context) {
    frame?.pointee.opaque = UnsafeMutableRawPointer(bitPattern: bands.nextSerial())
  }
  return avcodec_default_get_buffer2(context, frame, flags)
}

/// Takes rows that a decoder has finished. Those of profiles in which slices come in any order (H.264,
/// 7.4.3, Baseline and Extended) are not used: the beginning of a row may follow its end.
private func takeBand(
  _ context: UnsafeMutablePointer<AVCodecContext>?, _ frame: UnsafePointer<AVFrame>?,
  _ offsets: UnsafeMutablePointer<Int32>?, _ y: Int32, _ structure: Int32, _ height: Int32
) {
  guard let bands = BandReducer.of(context), let context, let frame,
    context.pointee.profile != FF_PROFILE_H264_BASELINE,
    context.pointee.profile != FF_PROFILE_H264_EXTENDED
  else { return }
  // 1 and 2 are the fields of a frame.
  bands.add(frame, y: Int(y), height: Int(height), isWholeFrame: structure == 3)
}

extension BandReducer {
  fileprivate static func of(_ context: UnsafeMutablePointer<AVCodecContext>?) -> BandReducer? {
    context?.pointee.opaque.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }
}

/// Fills a JPEG's buffer with gray: the missing rest of a truncated picture is gray, as in other
/// programs, not green.
private func grayBuffer(
  _ context: UnsafeMutablePointer<AVCodecContext>?, _ frame: UnsafeMutablePointer<AVFrame>?,
  _ flags: Int32
) -> Int32 {
  let code = avcodec_default_get_buffer2(context, frame, flags)
  guard code >= 0, let frame else { return code }
  for plane in 0..<Int32(3) {
    guard let buffer = av_frame_get_plane_buffer(frame, plane) else { break }
    memset(buffer.pointee.data, 0x80, Int(buffer.pointee.size))
  }
  return code
}

/// The largest pictures that are decoded, in pixels.
enum PictureLimits {
  static let pixels = 64 << 20
  /// For pictures that are reduced while they are decoded, or whose decoder needs no memory beside the
  /// picture.
  static let reduciblePixels = 250_000_000

  /// The size that larger ones are reduced to while they are decoded: enough for any terminal, and for
  /// a still that is saved.
  static let reducedPixels = 24 << 20

  /// For HEIF, which is decoded whole, with its planes in memory beside it.
  static let wholePixels = 110_000_000

  /// The smallest whole number that both sides must be divided by to have at most `reducedPixels`.
  static func divisor(_ size: (width: Int, height: Int)) -> Int {
    var divisor = 1
    while (size.width + divisor - 1) / divisor * ((size.height + divisor - 1) / divisor)
      > reducedPixels
    {
      divisor += 1
    }
    return divisor
  }

  /// Codecs whose decoders need no memory beside the decoded picture.
  private static let plain: [AVCodecID] = [
    AV_CODEC_ID_PNG, AV_CODEC_ID_TIFF, AV_CODEC_ID_BMP, AV_CODEC_ID_PPM, AV_CODEC_ID_PGM,
    AV_CODEC_ID_PBM, AV_CODEC_ID_TARGA,
  ]

  static func pixels(of codec: AVCodecID) -> Int {
    plain.contains(codec) ? reduciblePixels : pixels
  }
}
