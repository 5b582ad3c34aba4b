import Synchronization
import System

/// What the player's loop and the sound thread share, and the wakers by which they wake each other.
package final class SpeakerState: Sendable {
  enum Device: Equatable {
    /// Nothing was to be heard so far.
    case unopened
    case open
    case absent
  }

  struct Shared {
    var line = AudioTimeline()
    /// Grows whenever the line ends: what the device still has is not to be heard.
    var cuts = 0
    /// Something is to be heard, also while there is no device.
    var isWanted = false
    var isPaused = false
    var isEnding = false
    var device = Device.unopened
    /// Known while the device plays the present line.
    var clock: SoundClock?
    /// The device has something that is heard or will be.
    var isSounding = false
    /// The thread waits for samples.
    var isHungry = false
    var notices: [SoundNotice] = []
    /// Since when the thread has been at work on the device; nil while it waits.
    var busySince: Instant?
    /// It was said that the device keeps the thread.
    var isStuck = false

    mutating func play(_ voice: Int, from position: Int) {
      cut()
      line.play(voice, from: position)
      isWanted = true
    }

    /// The thread comes from the device, whether or not it was kept there.
    mutating func endStep() {
      busySince = nil
      // Said once, until there is a device that answers.
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
  /// Wakes the loop: the sound began, or something is to be said.
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

/// What a viewer is told of the sound device.
public enum SoundNotice: Equatable, Sendable {
  /// There is none, or no longer; the reason in words.
  case lost(String)
  /// It is there again.
  case back
}
