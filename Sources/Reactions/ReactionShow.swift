import DecoderLink
import Decoders
import Pictures
import System

/// One reaction on its way to the screen or on it: decoded now, or kept from the last time.
package final class ReactionShow {
  enum Step: Equatable {
    case nothing
    /// Its first frame, and how long it lasts.
    case began(Bitmap, length: Duration)
    case frame(Bitmap)
    case over
    case failed(String)
  }

  let ticket: Int
  let id: String
  /// Decodes it; nil while its bytes are awaited, and where it was kept.
  private(set) var run: AnimationRun?
  /// What was kept, or is to be.
  private(set) var clip: AnimationClip
  private let isKept: Bool
  private var began: Instant?
  private var shownIndex: Int?

  /// A longer one is cut off, because it covers the story.
  static let longest = Duration.seconds(15)
  /// How long one is shown that does not move.
  private static let stillTime = Duration.seconds(2)
  private static let mostKept = 4 << 20

  init(ticket: Int, id: String, kept clip: AnimationClip? = nil) {
    self.ticket = ticket
    self.id = id
    self.clip = clip ?? AnimationClip()
    isKept = clip != nil
  }

  func begin(_ run: AnimationRun) { self.run = run }

  func close() {
    run?.close()
    run = nil
  }

  /// nil while nothing is decoded.
  package var interest: Interest? { run?.interest }
  /// When its decoder counts as hanging.
  package var deadline: Instant? { run?.deadline }

  /// Takes in what its decoder sends.
  package func service(_ readiness: Readiness, now: Instant) {
    run?.service(readiness, now: now)
  }

  /// When `step` has something to do without an event from outside.
  func nextStep(at now: Instant) -> Instant? {
    // What came before it failed is shown first.
    if let run, run.failure != nil, !run.hasFrame { return now }
    guard let began else { return run?.hasFrame == true || isKept ? now : nil }
    let next = isKept ? nextKept(at: now) : run?.nextTime
    return [next.map { began + $0 }, began + length].compactMap { $0 }.min()
  }

  private func nextKept(at now: Instant) -> Duration? {
    guard let shownIndex, shownIndex + 1 < clip.frames.count else { return nil }
    return clip.frames[shownIndex + 1].time
  }

  private var length: Duration {
    guard let info = run?.info else { return min(clip.length, ReactionShow.longest) }
    return info.isStill
      ? ReactionShow.stillTime
      : min(info.duration ?? ReactionShow.longest, ReactionShow.longest)
  }

  /// What is kept for the next time; nil where that is not all of it.
  var keptClip: AnimationClip? {
    guard !isKept, run?.hasEnded == true, run?.hasFrame == false, !clip.isCut,
      run?.info?.isStill == false
    else { return nil }
    return clip
  }

  func step(at now: Instant) -> Step {
    if let failure = run?.failure, run?.hasFrame != true { return .failed(failure) }
    let time = began.map { now - $0 } ?? .zero
    if began != nil, time >= length { return .over }
    guard let frame = isKept ? takeKept(at: time) : takeComing(at: time) else {
      return .nothing
    }
    guard began == nil else { return .frame(frame) }
    began = now
    return .began(frame, length: length)
  }

  private func takeKept(at time: Duration) -> Bitmap? {
    guard let index = clip.index(at: time), index != shownIndex else { return nil }
    shownIndex = index
    return clip.frames[index].bitmap
  }

  private func takeComing(at time: Duration) -> Bitmap? {
    var newest: DecodedPicture?
    // Frames are taken one by one: those that come too late are kept for the next time all the same.
    while let next = run?.nextTime, next <= time, let frame = run?.takeFrame(at: next) {
      clip.add(frame, most: ReactionShow.mostKept)
      newest = frame
    }
    return newest?.bitmap
  }
}
