import CFFmpeg

/// Reduces frames while they are decoded: a decoder hands out the rows that it has finished
/// (`draw_horiz_band`), and they are reduced while they are still in the processor's cache. Binding
/// file: unsafe pointers.
///
/// It is a guess that never matters: a frame whose rows did not all come, once each and from the top
/// down, or which is wanted in another way after all, is reduced as a whole. The means are the same.
///
/// Rows of one frame come one after the other, and on the thread that decodes: it is not used with
/// decoders of several threads.
final class BandReducer {
  /// How the next frames are to be reduced: as the last one was. Nil if they cannot be.
  var plan: ReductionPlan?
  /// Whether the frames that are decoded now will be shown; others are not reduced.
  var isWanted = true

  /// Of the frames that were given memory.
  private var serial = 0
  /// The frame whose rows come now, and how many have come.
  private var present = 0
  private var rows = 0
  /// Nil once the present frame is complete, or cannot be reduced in this way.
  private var current: Reduction?
  /// Frames that wait for their turn to be shown.
  private var waiting: [Reduction] = []
  private var spare: [PlaneMeans] = []
  private let filter = PlaneFilter()
  /// More frames than a decoder of H.264 keeps back; those that are never shown must not add up.
  private static let mostWaiting = 20

  private struct Reduction {
    let serial: Int
    let plan: ReductionPlan
    let planes: FramePlanes
    let means: PlaneMeans
  }

  /// A number for a frame that is given memory; the frame keeps it as its `opaque`.
  func nextSerial() -> Int {
    serial += 1
    return serial
  }

  /// Takes in rows that are finished. Frame and numbers may be those of a hostile file: only rows that
  /// the frame has, and that have come, are read.
  func add(_ frame: UnsafePointer<AVFrame>, y: Int, height: Int, isWholeFrame: Bool) {
    // Rows that are cut off at the bottom come with a height of 0 or less.
    guard isWanted, height > 0, let plan else { return }
    let serial = Int(bitPattern: frame.pointee.opaque)
    if serial != present {
      leave()
      present = serial
      rows = 0
      current = begin(frame, serial, plan)
    } else if current == nil {
      // Rows that come again replace others.
      forget(serial)
    }
    guard let reduction = current else { return }
    guard isWholeFrame, y == rows, height <= Int(frame.pointee.height) - y else { return leave() }
    rows += height
    filter.reduce(
      reduction.planes, upTo: min(rows, reduction.plan.key.height), reduction.plan,
      into: reduction.means)
    guard rows >= reduction.plan.key.height else { return }
    current = nil
    waiting.append(reduction)
    if waiting.count > Self.mostWaiting { giveBack(waiting.removeFirst().means) }
  }

  private func begin(
    _ frame: UnsafePointer<AVFrame>, _ serial: Int, _ plan: ReductionPlan
  ) -> Reduction? {
    guard serial != 0, frame.pointee.format == plan.key.layout.format,
      Int(frame.pointee.width) >= plan.key.width, Int(frame.pointee.height) >= plan.key.height,
      let planes = FramePlanes(frame.pointee)
    else { return nil }
    let means = spare.popLast() ?? PlaneMeans()
    means.begin(plan)
    return Reduction(serial: serial, plan: plan, planes: planes, means: means)
  }

  /// The means of a decoded frame, if they are there and it was not mended afterwards.
  func take(_ frame: FFmpegFrame, _ planes: FramePlanes) -> PlaneMeans? {
    let raw = frame.raw.pointee
    let serial = Int(bitPattern: raw.opaque)
    guard let index = waiting.firstIndex(where: { $0.serial == serial }) else { return nil }
    let reduction = waiting.remove(at: index)
    guard reduction.plan === plan, reduction.planes == planes, raw.decode_error_flags == 0,
      raw.flags & AV_FRAME_FLAG_CORRUPT == 0
    else {
      giveBack(reduction.means)
      return nil
    }
    return reduction.means
  }

  /// Takes back means, whose memory is used again.
  func giveBack(_ means: PlaneMeans) {
    if spare.count < 4 { spare.append(means) }
  }

  /// Forgets all frames, as when the decoder does, and frees their memory.
  func flush() {
    leave()
    waiting = []
    spare = []
  }

  private func leave() {
    if let means = current?.means { giveBack(means) }
    current = nil
  }

  private func forget(_ serial: Int) {
    guard let index = waiting.firstIndex(where: { $0.serial == serial }) else { return }
    giveBack(waiting.remove(at: index).means)
  }
}
