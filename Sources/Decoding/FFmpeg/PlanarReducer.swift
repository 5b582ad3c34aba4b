import CFFmpeg
import DecoderLink

/// Reduces frames with separate luma and chroma planes by exact area means, each plane at its own
/// resolution, before converting colours. Binding file: unsafe pointers.
final class PlanarReducer {
  /// Reduces the frames that follow while they are decoded.
  let bands = BandReducer()
  private let filter = PlaneFilter()
  private var plan: ReductionPlan?
  /// What a whole frame is reduced to: scratch memory.
  private let whole = PlaneMeans()

  /// The middle of a frame, reduced to `width` x `height`; nil if this frame or reduction is not
  /// supported.
  func reduce(
    _ frame: FFmpegFrame, width: Int, height: Int, share: (width: Double, height: Double),
    _ colours: ColourKind
  ) -> Bitmap? {
    guard let layout = PlanarLayout(frame.raw.pointee),
      let planes = FramePlanes(frame.raw.pointee)
    else {
      bands.plan = nil
      return nil
    }
    let key = ReductionPlan.Key(
      layout: layout, width: frame.width, height: frame.height, pixelsAcross: width,
      pixelsDown: height, shareAcross: share.width, shareDown: share.height)
    if plan?.key != key { plan = ReductionPlan(key) }
    bands.plan = plan
    guard let plan else { return nil }
    if let means = bands.take(frame, planes) {
      defer { bands.giveBack(means) }
      return bitmap(means, key, colours)
    }
    whole.begin(plan)
    filter.reduce(planes, upTo: plan.key.height, plan, into: whole)
    return bitmap(whole, key, colours)
  }

  private func bitmap(
    _ means: PlaneMeans, _ key: ReductionPlan.Key, _ colours: ColourKind
  ) -> Bitmap {
    let matrix = colours.colourMatrix(bits: key.layout.bits)
    let pixels =
      colours.transfer.map {
        $0.toneMapped(matrix.deep(luma: means.luma, cb: means.cb, cr: means.cr))
      } ?? matrix.packed(luma: means.luma, cb: means.cb, cr: means.cr)
    return Bitmap(width: key.pixelsAcross, height: key.pixelsDown, pixels: pixels)
  }
}

/// The means of a frame's planes over the areas of pixels, from the top down.
final class PlaneMeans {
  fileprivate(set) var luma: [Float] = []
  fileprivate(set) var cb: [Float] = []
  fileprivate(set) var cr: [Float] = []
  /// The rows of pixels whose means are there.
  fileprivate(set) var lumaRows = 0
  fileprivate(set) var chromaRows = 0

  /// Forgets what is there and makes room for a plan's pixels.
  func begin(_ plan: ReductionPlan) {
    let count = plan.key.pixelsAcross * plan.key.pixelsDown
    if luma.count != count {
      luma = [Float](repeating: 0, count: count)
      cb = luma
      cr = luma
    }
    lumaRows = 0
    chromaRows = 0
  }

  /// Whether all means of a plan are there.
  func isComplete(_ plan: ReductionPlan) -> Bool {
    lumaRows == plan.key.pixelsDown && chromaRows == plan.key.pixelsDown
  }
}

/// Reduces the planes of frames. Binding file: unsafe pointers.
final class PlaneFilter {
  private let bytes = BoxFilter<UInt8>()
  private let words = BoxFilter<UInt16>()

  /// Adds the means of all pixels that lie within a frame's first `rows` rows of luma, and are not
  /// there yet. The frame must be at least as large as the plan says, and have its layout.
  func reduce(
    _ planes: FramePlanes, upTo rows: Int, _ plan: ReductionPlan, into means: PlaneMeans
  ) {
    let layout = plan.key.layout
    // Only the last row of chroma may stand for less than a whole number of luma rows.
    let chroma =
      rows >= plan.key.height
      ? (plan.key.height + (1 << layout.shiftY) - 1) >> layout.shiftY : rows >> layout.shiftY
    let luma = plan.luma.down.boxes(from: means.lumaRows, within: rows)
    if !luma.isEmpty {
      fill(&means.luma, planes.luma, planes.lumaStride, plan.luma, luma, layout.bits)
      means.lumaRows = luma.upperBound
    }
    let both = plan.chroma.down.boxes(from: means.chromaRows, within: chroma)
    if !both.isEmpty {
      fill(&means.cb, planes.cb, planes.cbStride, plan.chroma, both, layout.bits)
      fill(&means.cr, planes.cr, planes.crStride, plan.chroma, both, layout.bits)
      means.chromaRows = both.upperBound
    }
  }

  private func fill(
    _ means: inout [Float], _ plane: UnsafeMutablePointer<UInt8>, _ strideBytes: Int,
    _ division: ReductionPlan.Division, _ boxes: Range<Int>, _ bits: Int
  ) {
    if bits == 8 {
      bytes.reduce(
        plane, strideSamples: strideBytes, across: division.across, down: division.down,
        boxes: boxes, into: &means)
    } else {
      plane.withMemoryRebound(to: UInt16.self, capacity: 1) {
        words.reduce(
          $0, strideSamples: strideBytes / 2, across: division.across, down: division.down,
          boxes: boxes, into: &means)
      }
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
