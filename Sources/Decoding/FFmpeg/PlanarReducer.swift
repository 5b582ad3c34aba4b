import DecoderLink
import CFFmpeg

/// Reduces frames with separate luma and chroma planes by exact area means, each plane at its own
/// resolution, before converting colours. Binding file: unsafe pointers.
final class PlanarReducer {
  private let bytes = BoxFilter<UInt8>()
  private let words = BoxFilter<UInt16>()
  private var axes: Axes?
  private var luma: [Float] = []
  private var cb: [Float] = []
  private var cr: [Float] = []

  /// The axes of luma and chroma for one geometry.
  private struct Axes {
    var key: Key
    var luma: (across: BoxAxis, down: BoxAxis)
    var chroma: (across: BoxAxis, down: BoxAxis)
  }

  private struct Key: Equatable {
    var frame: [Int]
    var target: [Int]
    var share: [Double]
  }

  /// The middle of a frame, reduced to `width` x `height`; nil if this frame or reduction is not
  /// supported.
  func reduce(
    _ frame: FFmpegFrame, width: Int, height: Int, share: (width: Double, height: Double),
    _ colours: ColourKind
  ) -> Bitmap? {
    guard let layout = Layout(frame.raw),
      Double(frame.width) * share.width >= Double(2 * width),
      Double(frame.height) * share.height >= Double(2 * height)
    else { return nil }
    let axes = self.axes(layout, frame, width, height, share)
    guard axes.luma.across.widest <= BoxFilter<UInt8>.largestBox,
      axes.luma.down.widest <= BoxFilter<UInt8>.largestBox
    else { return nil }
    if luma.count != width * height {
      luma = [Float](repeating: 0, count: width * height)
      cb = luma
      cr = luma
    }
    fill(&luma, frame, 0, axes.luma, layout)
    fill(&cb, frame, 1, axes.chroma, layout)
    fill(&cr, frame, 2, axes.chroma, layout)
    let matrix = colours.colourMatrix(bits: layout.bits)
    let pixels =
      colours.transfer.map { $0.toneMapped(matrix.deep(luma: luma, cb: cb, cr: cr)) }
      ?? matrix.packed(luma: luma, cb: cb, cr: cr)
    return Bitmap(width: width, height: height, pixels: pixels)
  }

  private func fill(
    _ means: inout [Float], _ frame: FFmpegFrame, _ plane: Int32,
    _ axes: (across: BoxAxis, down: BoxAxis), _ layout: Layout
  ) {
    guard let start = ff_plane(frame.raw, plane) else { return }
    let stride = Int(ff_stride(frame.raw, plane))
    if layout.bits == 8 {
      bytes.reduce(
        start, strideSamples: stride, across: axes.across, down: axes.down, into: &means)
    } else {
      start.withMemoryRebound(to: UInt16.self, capacity: 1) {
        words.reduce(
          $0, strideSamples: stride / 2, across: axes.across, down: axes.down, into: &means)
      }
    }
  }

  private func axes(
    _ layout: Layout, _ frame: FFmpegFrame, _ width: Int, _ height: Int,
    _ share: (width: Double, height: Double)
  ) -> Axes {
    let key = Key(
      frame: [frame.width, frame.height, layout.shiftX, layout.shiftY], target: [width, height],
      share: [share.width, share.height])
    if let axes, axes.key == key { return axes }
    func axis(_ available: Int, _ share: Double, _ count: Int, _ shift: Int) -> BoxAxis {
      let length = Double(available) * share
      let scale = 1 / Double(1 << shift)
      return BoxAxis(
        start: (Double(available) - length) / 2 * scale, length: length * scale, count: count,
        available: (available + (1 << shift) - 1) >> shift)
    }
    let new = Axes(
      key: key,
      luma: (
        axis(frame.width, share.width, width, 0), axis(frame.height, share.height, height, 0)
      ),
      chroma: (
        axis(frame.width, share.width, width, layout.shiftX),
        axis(frame.height, share.height, height, layout.shiftY)
      ))
    axes = new
    return new
  }

  /// The properties of a pixel format with three planes.
  private struct Layout {
    var bits: Int
    var shiftX: Int
    var shiftY: Int

    init?(_ raw: UnsafeMutablePointer<AVFrame>) {
      guard let description = av_pix_fmt_desc_get(AVPixelFormat(raw.pointee.format)) else {
        return nil
      }
      let about = description.pointee
      let others =
        AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM
        | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_ALPHA
        | AV_PIX_FMT_FLAG_FLOAT
      let parts = [about.comp.0, about.comp.1, about.comp.2]
      guard about.nb_components == 3, about.flags & UInt64(others) == 0,
        about.flags & UInt64(AV_PIX_FMT_FLAG_PLANAR) != 0,
        parts.map(\.plane) == [0, 1, 2], parts.allSatisfy({ $0.shift == 0 && $0.offset == 0 }),
        parts.allSatisfy({ $0.depth == parts[0].depth }), (8...14).contains(parts[0].depth),
        parts.allSatisfy({ $0.step == ($0.depth == 8 ? 1 : 2) }),
        (0..<Int32(3)).allSatisfy({ ff_stride(raw, $0) > 0 })
      else { return nil }
      bits = Int(parts[0].depth)
      shiftX = Int(about.log2_chroma_w)
      shiftY = Int(about.log2_chroma_h)
    }
  }
}

extension ColourKind {
  /// The matrix of these colours for numbers of so many bits.
  fileprivate func colourMatrix(bits: Int) -> ColourMatrix {
    let weights: (red: Float, blue: Float) =
      switch matrix {
      case SWS_CS_ITU709: (0.2126, 0.0722)
      case SWS_CS_BT2020: (0.2627, 0.0593)
      case SWS_CS_FCC: (0.30, 0.11)
      case SWS_CS_SMPTE240M: (0.212, 0.087)
      default: (0.299, 0.114)
      }
    return ColourMatrix(
      red: weights.red, blue: weights.blue, isFullRange: isFullRange, bits: bits)
  }
}
