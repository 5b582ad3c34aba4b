import System

/// Tells which frame of a line is heard, from what the device said last.
package struct SoundClock {
  private let frame: Int
  private let said: Instant

  /// At `said` this frame was heard; before the first one while the device has not come to it.
  package init(frame: Int, said: Instant) {
    self.frame = frame
    self.said = said
  }

  /// The frame that is heard at a moment, no later than the last one that was written.
  package func frame(at now: Instant, written: Int) -> Int {
    min(written, frame + SoundFormat.frames(max(.zero, now - said)))
  }
}
