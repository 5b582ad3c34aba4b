import Pictures
import Stories
import Stories

/// How to play.
public struct PlayOptions: Sendable {
  public enum Fit: String, CaseIterable, Sendable { case contain, cover }

  public var mode = PictureMode.half
  /// nil: as the terminal can.
  public var colour: ColourDepth?
  public var fit = Fit.contain
  /// How long a still picture stays.
  public var imageTime = Duration.seconds(5)
  public var manual = false
  /// As fast as possible, once, without waiting for anyone.
  public var untimed = false
  public var mouse = true
  /// Whether anything is heard.
  public var sound = true
  /// How loud, 0 to 100; nil: as it was left.
  public var volume: Int?
  public var reduceMotion = false
  /// Where reactions come from instead of where the feed says.
  public var animations: AnimationEndpoint?
  /// Whether neighbours of the story that plays are fetched and made ready.
  public var preload = true
  /// Which stories are told, and in which order.
  public var rules = ViewingRules()
  /// Go on where the last run of the same sources stopped.
  public var resume = false
  /// Whether anything of this run is remembered for the next, or known from earlier ones.
  public var keepsHistory = true
  /// Where the JSON metrics go.
  public var report: String?
  /// Where what happens is noted.
  public var log: EventLog?
  public var keys = KeyTable()

  public init() {}
}

/// How a run of the player ended.
public enum PlayOutcome: Equatable, Sendable {
  case allPlayed
  case nothingPlayed
  case somePlayed

  /// The exit status that scripts rely on.
  public var status: Int32 {
    switch self {
    case .allPlayed: 0
    case .nothingPlayed: 2
    case .somePlayed: 3
    }
  }
}
