import CFFmpeg
import DecoderLink

/// Scales frames: with `PlanarReducer` where it can, which is faster, else with swscale. Binding file:
/// unsafe pointers.
final class FFmpegScaler {
  /// One context for each step.
  private var contexts: [OpaquePointer?] = []
  private var flattening: OpaquePointer?
  private let planar = PlanarReducer()

  /// Reduces the frames that follow a scaled one while they are decoded, if it is told of their rows.
  var bands: BandReducer { planar.bands }

  deinit {
    for context in contexts { sws_freeContext(context) }
    sws_freeContext(flattening)
  }

  /// A frame as it is displayed, fitted into a shape.
  func picture(
    of frame: FFmpegFrame, displaySize: (width: Int, height: Int), orientation: Orientation,
    shape: PictureRequest
  ) throws(DecodingError) -> Bitmap {
    let fitted = shape.fitted(
      displayWidth: UInt32(displaySize.width), displayHeight: UInt32(displaySize.height))
    let target = orientation.displaySize(width: Int(fitted.width), height: Int(fitted.height))
    let share = orientation.displaySize(width: fitted.visibleWidth, height: fitted.visibleHeight)
    let source = frame.hasAlpha ? try flatten(frame) : frame
    let stored = try scale(source, width: target.width, height: target.height, share: share)
    return orientation.apply(to: stored)
  }

  /// Scales the middle of a frame to `width` x `height`; `share` is the visible part of it.
  private func scale(
    _ frame: FFmpegFrame, width: Int, height: Int, share: (width: Double, height: Double)
  ) throws(DecodingError) -> Bitmap {
    let colours = ColourKind(frame.raw.pointee)
    if let reduced = planar.reduce(frame, width: width, height: height, share: share, colours) {
      return reduced
    }
    if let transfer = colours.transfer {
      let wide = try convert(
        frame, to: AV_PIX_FMT_RGB48LE, words: UInt16.self, perPixel: 3, width: width,
        height: height, share: share, colours)
      return Bitmap(width: width, height: height, pixels: transfer.toneMapped(wide))
    }
    var pixels = try convert(
      frame, to: AV_PIX_FMT_BGR0, words: UInt32.self, perPixel: 1, width: width, height: height,
      share: share, colours)
    for index in pixels.indices { pixels[index] &= 0xFF_FFFF }
    return Bitmap(width: width, height: height, pixels: pixels)
  }

  private func convert<Word: FixedWidthInteger>(
    _ frame: FFmpegFrame, to format: AVPixelFormat, words: Word.Type, perPixel: Int, width: Int,
    height: Int, share: (width: Double, height: Double), _ colours: ColourKind
  ) throws(DecodingError) -> [Word] {
    var source = try SourcePlanes(frame, share: share)
    var held = frame
    var step = 0
    while source.width > width * Self.steepest || source.height > height * Self.steepest {
      let part = try FFmpegFrame(
        width: max(width, source.width / Self.steepest),
        height: max(height, source.height / Self.steepest), format: format)
      let context = try self.context(
        step, source, part.width, part.height, format, step == 0 ? colours : nil)
      var planes = [part.raw.pointee.data.0, nil, nil, nil]
      let strides = [part.raw.pointee.linesize.0, 0, 0, 0]
      guard
        sws_scale(
          context, source.data, source.strides, 0, Int32(source.height), &planes, strides) > 0
      else { throw .unknownPixels }
      held = part
      source = try SourcePlanes(held, share: (1, 1))
      step += 1
    }
    let context = try context(step, source, width, height, format, step == 0 ? colours : nil)
    // swscale may write whole vectors past the end of a row.
    let strideWords = width * perPixel + 64
    var out = [Word](repeating: 0, count: strideWords * height)
    let code = out.withUnsafeMutableBytes { target in
      var planes = [target.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, nil, nil]
      let strides = [Int32(strideWords * MemoryLayout<Word>.size), 0, 0, 0]
      return sws_scale(
        context, source.data, source.strides, 0, Int32(source.height), &planes, strides)
    }
    withExtendedLifetime(held) {}
    guard code > 0 else { throw .unknownPixels }
    var tight: [Word] = []
    tight.reserveCapacity(width * perPixel * height)
    for row in 0..<height {
      tight.append(contentsOf: out[row * strideWords..<row * strideWords + width * perPixel])
    }
    return tight
  }

  /// The largest reduction in one step: swscale's weights are coarse, and many of them do not add up to
  /// one. Above 150:1 red becomes brown.
  private static let steepest = 64

  /// Without the last flag, chroma is taken from pairs of pixels, which is wrong for the last pixel of
  /// an odd row.
  private static let exact = SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP

  /// The context for a step of a reduction; `colours` are those of the original frame, nil for an
  /// intermediate one.
  private func context(
    _ step: Int, _ source: SourcePlanes, _ width: Int, _ height: Int, _ format: AVPixelFormat,
    _ colours: ColourKind?
  ) throws(DecodingError) -> OpaquePointer {
    while contexts.count <= step { contexts.append(nil) }
    let flags = source.width >= width && source.height >= height ? SWS_AREA : SWS_BICUBIC
    contexts[step] = sws_getCachedContext(
      contexts[step], Int32(source.width), Int32(source.height), source.format, Int32(width),
      Int32(height), format, flags | Self.exact, nil, nil, nil)
    guard let context = contexts[step] else { throw .unknownPixels }
    colours?.apply(to: context)
    return context
  }

  /// Blends a frame with alpha with black.
  private func flatten(_ frame: FFmpegFrame) throws(DecodingError) -> FFmpegFrame {
    let flat = try FFmpegFrame(width: frame.width, height: frame.height, format: AV_PIX_FMT_BGRA)
    let raw = flat.raw
    let source = try SourcePlanes(frame, share: (1, 1))
    flattening = sws_getCachedContext(
      flattening, Int32(frame.width), Int32(frame.height), source.format, Int32(frame.width),
      Int32(frame.height), AV_PIX_FMT_BGRA, SWS_POINT | Self.exact, nil,
      nil, nil)
    guard let flattening, let pixels = raw.pointee.data.0 else { throw .unknownPixels }
    ColourKind(frame.raw.pointee).apply(to: flattening)
    var planes = [pixels, nil, nil, nil]
    let strides = [raw.pointee.linesize.0, 0, 0, 0]
    guard
      sws_scale(
        flattening, source.data, source.strides, 0, Int32(frame.height), &planes, strides) > 0
    else { throw .unknownPixels }
    for y in 0..<frame.height {
      let row = pixels + y * Int(raw.pointee.linesize.0)
      for x in 0..<frame.width {
        let alpha = UInt32(row[4 * x + 3])
        if alpha == 255 { continue }
        for part in 4 * x..<4 * x + 3 { row[part] = UInt8((UInt32(row[part]) * alpha + 127) / 255) }
      }
    }
    raw.pointee.format = AV_PIX_FMT_BGR0.rawValue
    return flat
  }
}

/// The visible part of a frame in memory; valid while the frame is.
private struct SourcePlanes {
  let format: AVPixelFormat
  let width: Int
  let height: Int
  var data: [UnsafePointer<UInt8>?] = []
  var strides: [Int32] = []

  init(_ frame: FFmpegFrame, share: (width: Double, height: Double)) throws(DecodingError) {
    format = AVPixelFormat(frame.raw.pointee.format)
    guard let description = av_pix_fmt_desc_get(format) else { throw .unknownPixels }
    let shiftX = Int(description.pointee.log2_chroma_w)
    let shiftY = Int(description.pointee.log2_chroma_h)
    let across = Self.middle(of: frame.width, share: share.width, shift: shiftX)
    let down = Self.middle(of: frame.height, share: share.height, shift: shiftY)
    width = across.count
    height = down.count
    var steps: [Int32] = [0, 0, 0, 0]
    av_image_fill_max_pixsteps(&steps, nil, description)
    let hasPalette = description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_PAL) != 0
    for plane in 0..<4 {
      let stride = ff_stride(frame.raw, Int32(plane))
      let isChroma = plane == 1 || plane == 2
      let x = isChroma ? across.lowerBound >> shiftX : across.lowerBound
      let y = isChroma ? down.lowerBound >> shiftY : down.lowerBound
      let offset = hasPalette && plane == 1 ? 0 : y * Int(stride) + x * Int(steps[plane])
      data.append(ff_plane(frame.raw, Int32(plane)).map { UnsafePointer($0 + offset) })
      strides.append(stride)
    }
  }

  /// The middle part of a length, beginning at a whole chroma sample.
  private static func middle(of length: Int, share: Double, shift: Int) -> Range<Int> {
    guard share < 1 else { return 0..<length }
    let seen = max(1, Int((Double(length) * share).rounded()))
    let start = (((length - seen) / 2) >> shift) << shift
    return start..<min(length, start + seen)
  }
}

/// How the numbers in a frame stand for colours.
struct ColourKind: Equatable {
  /// swscale's number for the matrix.
  var matrix: Int32
  var isFullRange: Bool
  /// The coding of a high dynamic range; nil for a common display's.
  var transfer: HighDynamicRange?

  init(_ frame: AVFrame) {
    switch frame.colorspace {
    case AVCOL_SPC_BT709: matrix = SWS_CS_ITU709
    case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M: matrix = SWS_CS_ITU601
    case AVCOL_SPC_FCC: matrix = SWS_CS_FCC
    case AVCOL_SPC_SMPTE240M: matrix = SWS_CS_SMPTE240M
    case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: matrix = SWS_CS_BT2020
    // Untagged: the matrix that is usual for such sizes.
    default: matrix = frame.height >= 720 ? SWS_CS_ITU709 : SWS_CS_ITU601
    }
    let full = [
      AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P,
      AV_PIX_FMT_YUVJ411P,
    ]
    isFullRange =
      frame.color_range == AVCOL_RANGE_JPEG || full.contains(AVPixelFormat(frame.format))
    switch frame.color_trc {
    case AVCOL_TRC_SMPTE2084: transfer = .perceptualQuantizer
    case AVCOL_TRC_ARIB_STD_B67: transfer = .hybridLogGamma
    default: transfer = nil
    }
  }

  /// Passes them to swscale.
  fileprivate func apply(to context: OpaquePointer) {
    let coefficients = sws_getCoefficients(matrix)
    sws_setColorspaceDetails(
      context, coefficients, isFullRange ? 1 : 0, coefficients, 1, 0, 1 << 16, 1 << 16)
  }
}

extension FFmpegFrame {
  /// Whether parts of it may be transparent.
  fileprivate var hasAlpha: Bool {
    guard !isOpaque, let description = av_pix_fmt_desc_get(AVPixelFormat(raw.pointee.format))
    else { return false }
    return description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0
  }
}
