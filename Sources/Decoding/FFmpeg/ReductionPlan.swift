import CFFmpeg

/// How frames of one size and pixel format become pictures of one size: which samples each pixel
/// covers, in each plane at its own resolution. Binding file: unsafe pointers.
final class ReductionPlan {
  /// What a plan is made for.
  struct Key: Equatable {
    var layout: PlanarLayout
    /// Of the frame as it is shown, in luma samples.
    var width: Int
    var height: Int
    /// Of the picture, in pixels.
    var pixelsAcross: Int
    var pixelsDown: Int
    /// The visible part of the frame, in its middle.
    var shareAcross: Double
    var shareDown: Double
  }

  /// How one plane is divided.
  struct Division {
    let across: BoxAxis
    let down: BoxAxis
  }

  let key: Key
  let luma: Division
  let chroma: Division

  /// Nil for a reduction that `BoxFilter` does not do: less than to a half, or one with too large boxes.
  init?(_ key: Key) {
    guard Double(key.width) * key.shareAcross >= Double(2 * key.pixelsAcross),
      Double(key.height) * key.shareDown >= Double(2 * key.pixelsDown)
    else { return nil }
    func division(_ shiftX: Int, _ shiftY: Int) -> Division {
      Division(
        across: Self.axis(key.width, key.shareAcross, key.pixelsAcross, shiftX),
        down: Self.axis(key.height, key.shareDown, key.pixelsDown, shiftY))
    }
    self.key = key
    luma = division(0, 0)
    chroma = division(key.layout.shiftX, key.layout.shiftY)
    guard luma.across.widest <= BoxFilter<UInt8>.largestBox,
      luma.down.widest <= BoxFilter<UInt8>.largestBox
    else { return nil }
  }

  private static func axis(_ available: Int, _ share: Double, _ count: Int, _ shift: Int) -> BoxAxis
  {
    let length = Double(available) * share
    let scale = 1 / Double(1 << shift)
    return BoxAxis(
      start: (Double(available) - length) / 2 * scale, length: length * scale, count: count,
      available: (available + (1 << shift) - 1) >> shift)
  }
}

/// A pixel format of luma and two chroma planes, with samples of 8 to 14 bits in this machine's order.
struct PlanarLayout: Equatable {
  let format: Int32
  let bits: Int
  /// Chroma is halved so often in each direction.
  let shiftX: Int
  let shiftY: Int

  /// The layout of a frame; nil if it has another one.
  init?(_ frame: AVFrame) {
    guard let description = av_pix_fmt_desc_get(AVPixelFormat(frame.format)) else { return nil }
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
      parts.allSatisfy({ $0.step == ($0.depth == 8 ? 1 : 2) })
    else { return nil }
    format = frame.format
    bits = Int(parts[0].depth)
    shiftX = Int(about.log2_chroma_w)
    shiftY = Int(about.log2_chroma_h)
  }
}

/// The planes of a frame in memory; valid while the frame is.
struct FramePlanes: Equatable {
  let luma: UnsafeMutablePointer<UInt8>
  let cb: UnsafeMutablePointer<UInt8>
  let cr: UnsafeMutablePointer<UInt8>
  /// From one row to the next, in bytes.
  let lumaStride: Int
  let cbStride: Int
  let crStride: Int

  /// Nil if a plane is missing or upside down.
  init?(_ frame: AVFrame) {
    guard let luma = frame.data.0, let cb = frame.data.1, let cr = frame.data.2,
      frame.linesize.0 > 0, frame.linesize.1 > 0, frame.linesize.2 > 0
    else { return nil }
    self.luma = luma
    self.cb = cb
    self.cr = cr
    lumaStride = Int(frame.linesize.0)
    cbStride = Int(frame.linesize.1)
    crStride = Int(frame.linesize.2)
  }
}
