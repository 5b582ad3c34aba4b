import Synchronization
import System

/// The state that the player's loop and the sound thread share, and the wakers by which they wake each
/// other.
package final class SpeakerState: Sendable {
  enum Device: Equatable {
    /// There was nothing to play so far.
    case unopened
    case open
    case absent
  }

  struct Shared {
    var line = AudioTimeline()
    /// Grows whenever the timeline is cut: what the device has buffered must not be played.
    var cuts = 0
    /// There is something to play, even without a device.
    var isWanted = false
    var isPaused = false
    var isEnding = false
    var device = Device.unopened
    /// Known while the device plays the present timeline.
    var clock: SoundClock?
    /// The device has buffered something to play.
    var isSounding = false
    /// The thread waits for samples.
    var isHungry = false
    var notices: [SoundNotice] = []
    /// Since when the thread has been inside a call to the device; nil while it is not.
    var busySince: Instant?
    /// It was reported that the device blocks the thread.
    var isStuck = false

    mutating func play(_ voice: Int, from position: Int) {
      cut()
      line.play(voice, from: position)
      isWanted = true
    }

    /// The thread has returned from the device.
    mutating func endStep() {
      busySince = nil
      // Reported once, until a device answers again.
      guard isStuck, device == .open else { return }
      isStuck = false
      if notices.last != .back { notices.append(.back) }
    }

    mutating func cut() {
      line.cut()
      clock = nil
      cuts += 1
    }
  }

  private let shared = Mutex(Shared())
  /// Wakes the loop: the sound has started, or there is a notice.
  let loopWaker: Waker
  /// Wakes the thread: there is something to do.
  let threadWaker: Waker
  /// Wakes when the thread has ended.
  let endWaker: Waker

  package init() throws(SystemError) {
    loopWaker = try Waker()
    threadWaker = try Waker()
    endWaker = try Waker()
  }

  func withLock<Result>(_ body: (inout Shared) -> sending Result) -> sending Result {
    shared.withLock { body(&$0) }
  }
}

/// A notice to the viewer about the sound device.
public enum SoundNotice: Equatable, Sendable {
  /// There is no device, or no longer; the reason in words.
  case lost(String)
  /// It is there again.
  case back
}
