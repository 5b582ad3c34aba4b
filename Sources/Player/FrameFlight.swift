import Pictures
import System

/// The bytes of a frame on their way to the terminal, one frame at a time. A terminal that is slow gets
/// coarser pictures.
struct FrameFlight {
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
  private var coarseness = Coarseness()
  /// The most bytes that are sent in a second; nil for as many as the terminal takes.
  private let bandwidth: Double?
  /// Bytes that may be sent by now, and since when that is known.
  private var allowance: (bytes: Double, at: Instant)?
  /// How long the last frame was on its way.
  private var lastTook = Duration.zero

  /// - Parameter bandwidth: the most bytes that are sent in a second, at least 1.
  init(bandwidth: Int? = nil) { self.bandwidth = bandwidth.map { Double(max(1, $0)) } }

  /// What a frame may leave as it is at present.
  var tolerance: Int { coarseness.tolerance }

  /// How long a picture stays before the next one; nil where that is not known.
  mutating func setInterval(_ time: Duration?) { coarseness.setInterval(time) }

  /// Whether the terminal has not taken all of it.
  var isBusy: Bool { sent < bytes.count }

  /// Whether the terminal takes frames as fast as a movement over the whole screen needs.
  var isFast: Bool {
    lastTook < .milliseconds(15) && tolerance == Coarseness.tolerances.lowerBound
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
  /// - Parameters:
  ///   - isLimited: false to send what is left whatever the limit is.
  ///   - write: returns how many bytes it took, 0 where it takes none now, and nil where it is
  ///   gone: then the rest is dropped.
  mutating func send(
    at now: Instant, isLimited: Bool = true, write: (ArraySlice<UInt8>) -> Int?
  ) {
    while isBusy {
      let room = isLimited ? allowedBytes(at: now) : .max
      guard room > 0 else { break }
      guard let count = write(bytes.dropFirst(sent).prefix(room)) else {
        sent = bytes.count
        restDue = nil
        return
      }
      if count == 0 { break }
      sent += count
      allowance?.bytes -= Double(count)
    }
    noteRest(at: now)
    if isBusy, isLimited, let bandwidth, allowedBytes(at: now) == 0 {
      restDue = now + .seconds(Double(min(burst, bytes.count - sent)) / bandwidth)
    }
    guard let began else { return }
    let took = now - began
    if isBusy {
      coarseness.frameTakes(took)
    } else {
      self.began = nil
      lastTook = took
      coarseness.frameTook(took)
    }
  }

  /// The most bytes that go at once where there is a limit: those of a fiftieth of a second.
  private var burst: Int { max(256, Int((bandwidth ?? 0) / 50)) }

  private mutating func allowedBytes(at now: Instant) -> Int {
    guard let bandwidth else { return .max }
    var saved = Double(burst)
    if let allowance {
      saved = min(saved, allowance.bytes + (now - allowance.at).inSeconds * bandwidth)
    }
    allowance = (saved, now)
    return max(0, Int(saved))
  }
}
