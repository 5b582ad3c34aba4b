import DecoderLink
import System

/// Decides from how late pictures come whether the decoder must skip some.
public struct DecodingPace: Sendable {
  private var isHurried = false
  private var lateSince: Instant?
  private var onTimeSince: Instant?

  public init() {}

  /// The effort to change to, nil to go on as it is.
  public mutating func effort(lateness: Duration, now: Instant) -> Effort? {
    let isLate = lateness > .milliseconds(80)
    if isLate {
      onTimeSince = nil
      let since = lateSince ?? now
      lateSince = since
      guard !isHurried, now - since > .milliseconds(500) else { return nil }
      isHurried = true
      return .hurried
    }
    lateSince = nil
    let since = onTimeSince ?? now
    onTimeSince = since
    guard isHurried, now - since > .seconds(5) else { return nil }
    isHurried = false
    return .full
  }
}
