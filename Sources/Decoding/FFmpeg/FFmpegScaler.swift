import CFFmpeg

/// Scales frames with swscale, keeping its tables between frames. Binding file: unsafe pointers.
final class FFmpegScaler {
  private var context: OpaquePointer?

  deinit { sws_freeContext(context) }

  /// Scales the middle of a frame to `width` x `height`; `share` is how much of it is seen.
  func scale(
    _ frame: FFmpegFrame, width: Int, height: Int, share: (width: Double, height: Double)
  ) throws(DecodingError) -> PixelGrid {
    let raw = frame.raw
    let format = AVPixelFormat(raw.pointee.format)
    guard let description = av_pix_fmt_desc_get(format) else { throw .nothingToShow }
    let crop = Crop(
      frame: frame, share: share, chromaShiftX: Int(description.pointee.log2_chroma_w),
      chromaShiftY: Int(description.pointee.log2_chroma_h))
    let reduces = crop.width >= width && crop.height >= height
    context = sws_getCachedContext(
      context, Int32(crop.width), Int32(crop.height), format, Int32(width), Int32(height),
      AV_PIX_FMT_BGR0,
      (reduces ? SWS_AREA : SWS_BICUBIC) | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nil, nil, nil)
    guard let context else { throw DecodingError("this kind of pixels cannot be shown") }
    setColours(context, raw)
    var pixels = [UInt32](repeating: 0, count: width * height)
    let code = pixels.withUnsafeMutableBytes { target -> Int32 in
      var source = planes(of: raw, from: crop, description: description)
      var out: [UnsafeMutablePointer<UInt8>?] = [
        target.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, nil, nil,
      ]
      var outStride = [Int32(width * 4), 0, 0, 0]
      return sws_scale(
        context, &source.data, &source.strides, 0, Int32(crop.height), &out, &outStride)
    }
    guard code > 0 else { throw DecodingError("this kind of pixels cannot be shown") }
    for index in pixels.indices { pixels[index] &= 0xFF_FFFF }
    return PixelGrid(width: width, height: height, pixels: pixels)
  }

  private func setColours(_ context: OpaquePointer, _ raw: UnsafeMutablePointer<AVFrame>) {
    let colours = ColourKind(raw.pointee)
    let matrix = sws_getCoefficients(colours.swsMatrix)
    sws_setColorspaceDetails(
      context, matrix, colours.fullRange ? 1 : 0, matrix, 1, 0, 1 << 16, 1 << 16)
  }

  private func planes(
    of raw: UnsafeMutablePointer<AVFrame>, from crop: Crop,
    description: UnsafePointer<AVPixFmtDescriptor>
  ) -> (data: [UnsafePointer<UInt8>?], strides: [Int32]) {
    var steps: [Int32] = [0, 0, 0, 0]
    av_image_fill_max_pixsteps(&steps, nil, description)
    var data: [UnsafePointer<UInt8>?] = []
    var strides: [Int32] = []
    for plane in 0..<4 {
      let stride = ff_stride(raw, Int32(plane))
      let isChroma = plane == 1 || plane == 2
      let x = isChroma ? crop.x >> Int(description.pointee.log2_chroma_w) : crop.x
      let y = isChroma ? crop.y >> Int(description.pointee.log2_chroma_h) : crop.y
      let start = ff_plane(raw, Int32(plane))
      let isPalette = plane == 1 && description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_PAL) != 0
      data.append(
        isPalette
          ? start.map { UnsafePointer($0) }
          : start.map { UnsafePointer($0 + y * Int(stride) + x * Int(steps[plane])) })
      strides.append(stride)
    }
    return (data, strides)
  }
}

/// The part of a stored frame that is seen, at whole chroma samples.
struct Crop: Equatable {
  var x: Int
  var y: Int
  var width: Int
  var height: Int

  init(
    frame: FFmpegFrame, share: (width: Double, height: Double), chromaShiftX: Int,
    chromaShiftY: Int
  ) {
    (x, width) = Self.middle(of: frame.width, share: share.width, shift: chromaShiftX)
    (y, height) = Self.middle(of: frame.height, share: share.height, shift: chromaShiftY)
  }

  private static func middle(of length: Int, share: Double, shift: Int) -> (Int, Int) {
    guard share < 1 else { return (0, length) }
    let seen = max(1, Int((Double(length) * share).rounded()))
    let start = (((length - seen) / 2) >> shift) << shift
    return (start, min(length - start, seen))
  }
}

/// How a frame's numbers mean colours.
struct ColourKind: Equatable {
  var swsMatrix: Int32
  var fullRange: Bool

  init(_ frame: AVFrame) {
    switch frame.colorspace {
    case AVCOL_SPC_BT709: swsMatrix = SWS_CS_ITU709
    case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M: swsMatrix = SWS_CS_ITU601
    case AVCOL_SPC_FCC: swsMatrix = SWS_CS_FCC
    case AVCOL_SPC_SMPTE240M: swsMatrix = SWS_CS_SMPTE240M
    case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: swsMatrix = SWS_CS_BT2020
    default: swsMatrix = frame.height >= 720 ? SWS_CS_ITU709 : SWS_CS_ITU601
    }
    let format = AVPixelFormat(frame.format)
    fullRange =
      frame.color_range == AVCOL_RANGE_JPEG || format == AV_PIX_FMT_YUVJ420P
      || format == AV_PIX_FMT_YUVJ422P || format == AV_PIX_FMT_YUVJ444P
      || format == AV_PIX_FMT_YUVJ440P || format == AV_PIX_FMT_YUVJ411P
  }
}
