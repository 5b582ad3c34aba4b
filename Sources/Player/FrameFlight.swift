import Pictures
import System

/// The bytes of a frame on their way to the terminal, one frame at a time. A terminal that is slow gets
/// coarser pictures.
struct FrameFlight {
  /// Differences of colour that are not rewritten while pictures move, of 255.
  static let tolerances = 2...24
  /// What a terminal takes in one piece when it has caught up: Linux keeps up to 64 KiB for one, less
  /// where it is read in small pieces.
  private static let mostRest = 32 << 10
  private static let restTime = Duration.milliseconds(2)

  /// Kept from frame to frame for its memory.
  private var bytes = EscapeBuffer()
  private var sent = 0
  private var began: Instant?
  /// When the rest is sent, where so little is left that the terminal will take it in one piece.
  ///
  /// Until then it is not asked whether it is ready: mostly something else wakes the loop before, and
  /// the rest goes with that.
  private(set) var restDue: Instant?
  /// Whether the rest has waited for that already.
  private var hasRested = false
  /// What a frame may leave as it is at present.
  private(set) var tolerance = FrameFlight.tolerances.lowerBound
  /// How long the last frame was on its way.
  private var lastTook = Duration.zero

  /// Whether the terminal has not taken all of it.
  var isBusy: Bool { sent < bytes.count }

  /// Whether the terminal takes frames as fast as a movement over the whole screen needs.
  var isFast: Bool {
    lastTook < .milliseconds(15) && tolerance == FrameFlight.tolerances.lowerBound
  }

  /// The next frame, which consists of what `write` leaves in an empty buffer. Returns how many bytes
  /// those are.
  ///
  /// - Parameter isUrgent: whether no part of it may wait for anything but the terminal.
  mutating func begin(
    at now: Instant, isUrgent: Bool = false, _ write: (inout EscapeBuffer) -> Void
  ) -> Int {
    precondition(!isBusy, "one frame in flight")
    bytes.removeAll()
    write(&bytes)
    sent = 0
    began = now
    restDue = nil
    hasRested = isUrgent
    return bytes.count
  }

  private mutating func noteRest(at now: Instant) {
    if let due = restDue, now < due, isBusy { return }
    let isRest = isBusy && !hasRested && bytes.count - sent <= FrameFlight.mostRest
    if restDue != nil { hasRested = true }
    restDue = isRest && !hasRested ? now + FrameFlight.restTime : nil
  }

  /// Sends what the terminal takes.
  ///
  /// - Parameter write: returns how many bytes it took, 0 where it takes none now, and nil where it is
  ///   gone: then the rest is dropped.
  mutating func send(at now: Instant, write: (ArraySlice<UInt8>) -> Int?) {
    while isBusy {
      guard let count = write(bytes.dropFirst(sent)) else {
        sent = bytes.count
        restDue = nil
        return
      }
      if count == 0 { break }
      sent += count
    }
    noteRest(at: now)
    guard let began else { return }
    let took = now - began
    if isBusy {
      if took > .milliseconds(50) {
        tolerance = min(FrameFlight.tolerances.upperBound, tolerance + 1)
      }
    } else {
      self.began = nil
      lastTook = took
      if took < .milliseconds(20) {
        tolerance = max(FrameFlight.tolerances.lowerBound, tolerance - 1)
      }
    }
  }
}
