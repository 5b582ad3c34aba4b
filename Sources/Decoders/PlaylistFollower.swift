import System

/// When a playlist that grows is reloaded (RFC 8216, section 6.3.4), and when it is given up. It does
/// no I/O and has no clock.
struct PlaylistFollower: Equatable {
  enum Action: Equatable {
    case fetch
    /// It has changed.
    case deliver([UInt8])
    /// It brings nothing more, in words.
    case giveUp(String)
  }

  /// How long to wait after the start of a reload that has brought something new; half as long after
  /// any other.
  private(set) var interval: Duration
  private var bytes: [UInt8]?
  /// When the last reload began; nil before the first.
  private var began: Instant?
  private var isLoading = false
  private var brought = false
  /// Since when it has brought nothing new while it was wanted.
  private var since: Instant
  private var failure: String?
  /// Whether the story plays.
  private var isActive: Bool
  /// Whether it is not reloaded any more: it was given up, or is complete.
  private(set) var isOver = false

  private static let shortest = Duration.milliseconds(500)
  private static let longest = Duration.seconds(60)
  /// A playlist that brings nothing new for so long is given up, or for five of its intervals.
  private static let patience = Duration.seconds(30)

  init(every interval: Duration, isActive: Bool, at now: Instant) {
    self.interval = PlaylistFollower.sane(interval)
    self.isActive = isActive
    since = now
  }

  private static func sane(_ interval: Duration) -> Duration {
    min(max(interval, shortest), longest)
  }

  mutating func change(to interval: Duration) { self.interval = PlaylistFollower.sane(interval) }

  /// Whether the story plays: while it does not, nothing is reloaded.
  mutating func setActive(_ isActive: Bool, at now: Instant) {
    guard isActive != self.isActive else { return }
    self.isActive = isActive
    // The viewer's time is not the server's.
    if isActive { since = now }
  }

  private var patience: Duration { max(PlaylistFollower.patience, interval * 5) }

  /// When something is due; nil while nothing is.
  var deadline: Instant? {
    guard !isOver else { return nil }
    guard let began else { return isLoading ? nil : since }
    guard isActive else { return nil }
    let end = since + patience
    return isLoading ? end : min(end, began + max(PlaylistFollower.shortest, pause))
  }

  private var pause: Duration { brought ? interval : interval / 2 }

  /// What is due now.
  mutating func tick(at now: Instant) -> Action? {
    guard let deadline, now >= deadline else { return nil }
    if began != nil, now >= since + patience { return giveUp() }
    isLoading = true
    began = now
    return .fetch
  }

  /// A reload has ended.
  mutating func loaded(_ result: Result<[UInt8], FollowError>, at now: Instant) -> Action? {
    guard !isOver else { return nil }
    isLoading = false
    switch result {
    case .success(let new):
      failure = nil
      brought = new != bytes
      guard brought else { return nil }
      bytes = new
      since = now
      return .deliver(new)
    case .failure(let error):
      failure = error.reason
      brought = false
      // It was there a moment ago, or an old copy was.
      return bytes == nil ? giveUp() : nil
    }
  }

  /// It is complete.
  mutating func finish() { isOver = true }

  private mutating func giveUp() -> Action {
    isOver = true
    let seconds = patience.components.seconds
    return .giveUp(
      failure.map { "its live playlist cannot be fetched: \($0)" }
        ?? "the live story has stopped: nothing new has come for \(seconds) s")
  }
}

/// Why a playlist cannot be loaded.
struct FollowError: Error, Equatable {
  var reason: String
}
