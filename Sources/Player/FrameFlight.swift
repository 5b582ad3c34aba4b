import System

/// The bytes of a frame on their way to the terminal, one frame at a time. A terminal that is slow gets
/// coarser pictures.
struct FrameFlight {
  /// Differences of colour that are not rewritten while pictures move, of 255.
  static let tolerances = 2...24

  private var bytes: [UInt8] = []
  private var sent = 0
  private var began: Instant?
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

  /// The next frame.
  mutating func begin(_ bytes: [UInt8], at now: Instant) {
    precondition(!isBusy, "one frame in flight")
    self.bytes = bytes
    sent = 0
    began = now
  }

  /// Sends what the terminal takes.
  ///
  /// - Parameter write: returns how many bytes it took, 0 where it takes none now, and nil where it is
  ///   gone: then the rest is dropped.
  mutating func send(at now: Instant, write: (ArraySlice<UInt8>) -> Int?) {
    while isBusy {
      guard let count = write(bytes[sent...]) else {
        sent = bytes.count
        return
      }
      if count == 0 { break }
      sent += count
    }
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
