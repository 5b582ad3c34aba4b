import System

/// The frame of the timeline that is being played, extrapolated from the device's last position.
package struct SoundClock {
  private let frame: Int
  private let said: Instant

  /// At `said` this frame was played; negative while the device has not reached the first frame.
  package init(frame: Int, said: Instant) {
    self.frame = frame
    self.said = said
  }

  /// The frame that is played at a moment, no later than the last one written.
  package func frame(at now: Instant, written: Int) -> Int {
    min(written, frame + SoundFormat.frames(max(.zero, now - said)))
  }
}
