import System

/// How much a story that plays from the network has buffered, compared with what it needs.
public struct BufferStatus: Equatable, Sendable {
  /// Whether nothing of it has to be fetched any more.
  public var isWhole: Bool
  /// The media time up to which its bytes are here, from its position on; nil where that is unknown.
  public var availableUntil: Duration?
  /// Of a playlist, of which it may be unknown what is here: for how long its decoder has not waited.
  public var calm: Duration?
  /// For how long more of it has been fetched without a break; nil while nothing is.
  public var fetching: Duration?
  /// The media time that plays, and the whole length; nil while unknown.
  public var position: Duration
  public var length: Duration?
  /// Whether it stands still, or has not begun, for want of bytes.
  public var isStalled: Bool

  /// With this much buffered the bytes of other stories are fetched.
  private static let comfortable = Duration.seconds(10)
  /// With less than this buffered, no bytes are fetched for its neighbours.
  private static let low = Duration.seconds(3)
  /// The same limit while nothing is fetched for it, as on a fast line.
  private static let least = Duration.milliseconds(500)
  /// A line that has been busy for longer is not a fast one.
  private static let quickFetch = Duration.seconds(1)
  /// A playlist whose decoder has not waited for so long has enough.
  private static let longestCalm = Duration.seconds(2)

  public init(
    isWhole: Bool, availableUntil: Duration?, calm: Duration? = nil, fetching: Duration?,
    position: Duration, length: Duration?, isStalled: Bool
  ) {
    self.isWhole = isWhole
    self.availableUntil = availableUntil
    self.calm = calm
    self.fetching = fetching
    self.position = position
    self.length = length
    self.isStalled = isStalled
  }

  /// Whether the next ten seconds need no bytes that are not here.
  public var isComfortable: Bool { !isStalled && lasts(BufferStatus.comfortable) }

  /// Whether neighbours may be made ready beside it.
  public var allowsPreloading: Bool { isComfortable || leavesBandwidth }

  /// Whether it must have all that the line gives; nil where that may stay as it is, so that what
  /// neighbours get is not broken off at every fetch of a fast line.
  public var needsAllBandwidth: Bool? {
    if isStalled { return true }
    if lasts(BufferStatus.low) || leavesBandwidth { return false }
    guard let fetching else { return true }
    return lasts(BufferStatus.least) && fetching < BufferStatus.quickFetch ? nil : true
  }

  private var leavesBandwidth: Bool {
    !isStalled && fetching == nil && lasts(BufferStatus.least)
  }

  /// Whether what comes next, or all that is left, needs no bytes that are not here.
  public func lasts(_ time: Duration) -> Bool {
    guard !isWhole else { return true }
    guard let availableUntil else {
      return calm.map { $0 >= min(time, BufferStatus.longestCalm) } ?? false
    }
    guard let length else { return calm != nil && availableUntil - position >= time }
    return length > .zero && (availableUntil - position >= time || availableUntil >= length)
  }
}

/// What is known of a story's bytes at a moment.
public struct BufferReport: Equatable, Sendable {
  /// What has come from the network.
  public struct Fetched: Equatable, Sendable {
    /// Whether nothing has to be fetched any more.
    public var isWhole: Bool
    /// The media time up to which bytes are here, from the story's position on; nil where that is
    /// unknown.
    public var availableUntil: Duration?

    public init(isWhole: Bool, availableUntil: Duration?) {
      self.isWhole = isWhole
      self.availableUntil = availableUntil
    }
  }

  /// Whether the story is a playlist, whose bytes come in parts.
  public var isPlaylist: Bool
  /// Whether its decoder waits for bytes that are not here.
  public var isWaiting: Bool
  /// Whether any server is asked for more of it.
  public var isFetching: Bool
  /// nil where nothing has to come.
  public var fetched: Fetched?

  public init(
    isPlaylist: Bool = false, isWaiting: Bool = false, isFetching: Bool = false,
    fetched: Fetched? = nil
  ) {
    self.isPlaylist = isPlaylist
    self.isWaiting = isWaiting
    self.isFetching = isFetching
    self.fetched = fetched
  }
}

/// The last report of a story's bytes, and for how long it has been so.
struct BufferHistory: Equatable, Sendable {
  private(set) var report = BufferReport()
  /// When the decoder last waited for bytes; at first when the story was opened.
  private(set) var waitedAt: Instant?
  /// Since when more of it has been fetched; nil while nothing is.
  private(set) var fetchingSince: Instant?

  mutating func note(_ report: BufferReport, at now: Instant) {
    self.report = report
    if report.isWaiting || waitedAt == nil { waitedAt = now }
    fetchingSince = report.isFetching ? fetchingSince ?? now : nil
  }
}

/// When a story stood still for want of bytes.
public struct StallStats: Equatable, Sendable {
  /// Since when it stands; nil while it plays.
  public private(set) var since: Instant?
  /// All stalls together, those for a seek among them.
  public private(set) var count = 0
  /// The stalls that came while it played by itself.
  public private(set) var stops = 0
  private var total = Duration.zero
  /// When the viewer went to another position, until the picture there is shown.
  public private(set) var soughtAt: Instant?
  /// Whether bytes of what was sought are missing.
  public private(set) var soughtInVain = false

  /// A seek that takes longer, for want of bytes, counts as a stall.
  private static let quickSeek = Duration.milliseconds(250)
  private static let resumeThresholds = [Duration.seconds(1), .seconds(2), .seconds(4)]

  public init() {}

  /// How much must be buffered before it goes on, and for how long it stands still at most once the
  /// next picture is here: a second, and twice as long each time that this was not enough.
  public var resumeThreshold: Duration {
    StallStats.resumeThresholds[max(0, min(stops, StallStats.resumeThresholds.count) - 1)]
  }

  /// It stops for want of bytes.
  public mutating func begin(at now: Instant) {
    guard since == nil else { return }
    since = now
    count += 1
    stops += 1
  }

  /// It plays on, or is paused: paused time is not a stall.
  public mutating func end(at now: Instant) {
    if let since { total += now - since }
    since = nil
  }

  /// Another picture than the next one is wanted; one that was wanted before has been waited for.
  public mutating func beginSeek(at now: Instant) {
    endSeek(at: now)
    soughtAt = now
  }

  /// The bytes of what is sought are missing.
  public mutating func noteMissing() { soughtInVain = soughtAt != nil }

  /// What was sought is here, or nothing lies there.
  public mutating func endSeek(at now: Instant) {
    if let soughtAt, soughtInVain, now - soughtAt > StallStats.quickSeek {
      count += 1
      total += now - soughtAt
    }
    soughtAt = nil
    soughtInVain = false
  }

  /// How long all of them took together.
  public func length(at now: Instant) -> Duration { total + (since.map { now - $0 } ?? .zero) }
}
