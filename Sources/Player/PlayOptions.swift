import Pictures
import Stories
import System

/// How to play.
public struct PlayOptions: Sendable {
  /// How a picture of another shape than the screen is shown: whole, or filling it with its edges
  /// cut off.
  public enum Fit: String, CaseIterable, Sendable { case contain, cover }

  /// What the cells of the terminal draw with.
  public var mode = PictureMode.usual
  /// How many colours; nil: as many as the terminal can.
  public var colour: ColourDepth?
  /// How pictures fill the screen.
  public var fit = Fit.contain
  /// How long a still picture stays.
  public var imageTime = Duration.seconds(5)
  /// Whether stories wait at their end for a key.
  public var manual = false
  /// Whether all is played once as fast as possible, without waiting for anyone.
  public var untimed = false
  /// Whether clicks and the wheel are taken.
  public var mouse = true
  /// Whether anything is heard.
  public var sound = true
  /// How loud, 0 to 100; nil: as it was left.
  public var volume: Int?
  /// The most bytes of pictures that the terminal gets in a second; nil for as many as it takes.
  public var bandwidth: Int?
  /// Whether just the first picture of each story is shown, and nothing moves.
  public var reduceMotion = false
  /// Where reactions come from instead of where the feed says.
  public var animations: AnimationEndpoint?
  /// Whether neighbours of the story that plays are fetched and made ready.
  public var preload = true
  /// Which stories are played, and in which order.
  public var rules = ViewingRules()
  /// Whether to go on where the last run of the same sources stopped.
  public var resume = false
  /// Whether anything of this run is remembered for the next, or known from earlier ones.
  public var keepsHistory = true
  /// Where the JSON metrics go.
  public var report: String?
  /// Where what happens is noted.
  public var log = Log.off
  /// What each key does.
  public var keys = KeyTable()

  /// The options where the viewer gives none.
  public init() {}

  /// Whether stories are made ready before their turn: where nobody watches, nobody waits.
  var looksAhead: Bool { preload && !untimed }
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
