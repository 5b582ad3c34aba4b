/// The format that every story's sound is converted to: 16-bit stereo, interleaved.
public enum SoundFormat {
  /// Frames a second. A frame is one sample for each channel.
  public static let rate = 48_000
  static let channels = 2

  /// The frame nearest to a time.
  package static func frames(_ time: Duration) -> Int {
    let (seconds, attoseconds) = time.components
    let limited = max(-1 << 40, min(1 << 40, seconds))
    let scaled = Int(attoseconds / 1_000_000_000) * rate
    let half = scaled < 0 ? -500_000_000 : 500_000_000
    return Int(limited) * rate + (scaled + half) / 1_000_000_000
  }

  /// The duration of frames.
  package static func duration(_ frames: Int) -> Duration {
    .seconds(frames / rate) + .nanoseconds(frames % rate * 1_000_000_000 / rate)
  }
}
