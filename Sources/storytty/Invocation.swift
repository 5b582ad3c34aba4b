import Player
import Resources
import System

/// What the command line requests.
struct Invocation {
  enum Verb: String, CaseIterable {
    case play, show, list, history, stats, cache, serve, doctor

    /// The commands that an option may be for.
    static let all = Set(allCases)
    static let players: Set<Verb> = [.play]
    static let drawers: Set<Verb> = [.play, .show]
    /// Those to which the size of pictures matters: `cache prefetch` chooses variants by it.
    static let sizers: Set<Verb> = [.play, .show, .cache]
    static let readers: Set<Verb> = [.play, .show, .list, .cache]
    static let keepers: Set<Verb> = readers.union([.stats, .doctor])

    /// The command in a sentence.
    var words: String { self == .play ? "playing" : rawValue }
  }

  /// Options of `serve` alone.
  struct Serve {
    var listen: ListenAddress?
    var tokenFile: String?
    var export: String?
  }

  typealias Size = (columns: Int, rows: Int)

  var verb = Verb.play
  var sources: [String] = []
  var play = PlayOptions()
  var network = NetworkOptions(cacheDirectory: CacheDirectory.standardPath)
  /// Whether the cache is used, wherever its directory is.
  var usesCache = true
  /// The cache's directory; setting it also turns the cache on.
  var chosenCache: String? {
    get { network.cacheDirectory }
    set {
      network.cacheDirectory = newValue
      usesCache = true
    }
  }
  var size: Size?
  var at = Duration.zero
  var serve = Serve()
  var json = false
  var durations = false
  var text = false
  var help = false
  var version = false
  var logFile: String?
  var configFile: String?
  /// Warnings about the configuration.
  var warnings: [String] = []

  /// The subcommand that the first source names; complains where there is none of that name.
  func subverb<Verb: RawRepresentable<String> & CaseIterable>(
    of command: String, otherwise usual: Verb
  ) -> Verb? {
    guard let word = sources.first else { return usual }
    if let verb = Verb(rawValue: word) { return verb }
    let verbs = Verb.allCases.map(\.rawValue)
    complain(
      "\(command) takes \(Spelling.alternatives(verbs)), not '\(word)'"
        + Spelling.hint(for: word, among: verbs))
    return nil
  }
}

/// A command line that cannot be understood, in one line.
struct UsageError: Error {
  let words: String
}
