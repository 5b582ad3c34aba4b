import DecoderLink
import System

/// Decides from how late pictures come how much the decoder must do about it: first a second thread,
/// and if that is not enough, it skips pictures.
public struct DecodingPace: Sendable {
  private var effort = Effort.full
  /// Since when pictures have been late, or the effort was last raised.
  private var lateSince: Instant?
  /// Since when pictures have been on time, or the effort was last lowered.
  private var onTimeSince: Instant?

  public init() {}

  /// The effort to change to, nil to go on as it is.
  public mutating func effort(lateness: Duration, now: Instant) -> Effort? {
    lateness > .milliseconds(80) ? raised(now) : lowered(now)
  }

  private mutating func raised(_ now: Instant) -> Effort? {
    onTimeSince = nil
    let since = lateSince ?? now
    lateSince = since
    switch effort {
    case .full where now - since > .milliseconds(500): effort = .parallel
    // What is late already must be caught up with first.
    case .parallel where now - since > .seconds(2): effort = .hurried
    default: return nil
    }
    lateSince = now
    return effort
  }

  private mutating func lowered(_ now: Instant) -> Effort? {
    lateSince = nil
    let since = onTimeSince ?? now
    onTimeSince = since
    guard effort != .full, now - since > .seconds(5) else { return nil }
    effort = effort == .hurried ? .parallel : .full
    onTimeSince = now
    return effort
  }
}
