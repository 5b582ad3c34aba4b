import Pictures
import Player
import Stories
import Resources
import System

/// What the command line asks for.
struct Invocation {
  enum Verb: String, CaseIterable {
    case play, show, list, history, stats, cache, serve, doctor

    /// Those that an option may be for.
    static let all = Set(allCases)
    static let players: Set<Verb> = [.play]
    static let drawers: Set<Verb> = [.play, .show]
    static let readers: Set<Verb> = [.play, .show, .list, .cache]
    static let keepers: Set<Verb> = readers.union([.stats, .doctor])

    /// What it does, for a sentence.
    var words: String { self == .play ? "playing" : rawValue }
  }

  /// What `serve` alone understands.
  struct Serve {
    var listen: ListenAddress?
    var tokenFile: String?
    var export: String?
  }

  var verb = Verb.play
  var sources: [String] = []
  var play = PlayOptions()
  var network = NetworkOptions(cacheDirectory: CacheDirectory.standardPath)
  var size: (columns: Int, rows: Int)?
  var at = Duration.zero
  var serve = Serve()
  var json = false
  var text = false
  var help = false
  var version = false
  var logFile: String?
  var configFile: String?
  /// What the user should know about the configuration.
  var warnings: [String] = []

  /// What a command of several verbs is to do, by its first word; complains where it has none of
  /// that name.
  func subverb<Verb: RawRepresentable<String> & CaseIterable>(
    of command: String, otherwise usual: Verb
  ) -> Verb? {
    guard let word = sources.first else { return usual }
    if let verb = Verb(rawValue: word) { return verb }
    let verbs = Verb.allCases.map(\.rawValue)
    complain(
      "\(command) takes \(verbs.joined(separator: ", ")), not '\(word)'"
        + Spelling.hint(for: word, among: verbs))
    return nil
  }
}

/// A command line that cannot be understood, in one line.
struct UsageError: Error {
  let words: String
}

/// One row of the option table: the command line is read by it, and `--help` is written from it.
struct OptionRow: Sendable {
  var name: String
  var letter: Character?
  /// What the help calls the argument; nil for an option without one.
  var argument: String?
  var explanation: String
  /// Whether the configuration file may hold it; the others belong to one call.
  var isSetting: Bool
  /// The commands that it means something to; on the command line of others it is a mistake.
  var verbs: Set<Invocation.Verb>
  var apply: @Sendable (inout Invocation, String) throws -> Void

  init(
    _ name: String, letter: Character? = nil, argument: String? = nil, help explanation: String,
    isSetting: Bool = true, for verbs: Set<Invocation.Verb> = Invocation.Verb.players,
    apply: @escaping @Sendable (inout Invocation, String) throws -> Void
  ) {
    self.name = name
    self.letter = letter
    self.argument = argument
    self.explanation = explanation
    self.isSetting = isSetting
    self.verbs = verbs
    self.apply = apply
  }
}

enum OptionTable {
  static let rows: [OptionRow] = [
    OptionRow(
      "mode", letter: "m", argument: "MODE", help: "how pictures are drawn: half, ascii",
      for: Invocation.Verb.drawers
    ) {
      $0.play.mode = try choice(PictureMode.self, $1, option: "mode")
    },
    OptionRow(
      "color", argument: "DEPTH", help: "auto, true, 256, 16 or never", for: Invocation.Verb.drawers
    ) {
      $0.play.colour = $1 == "auto" ? nil : try choice(ColourDepth.self, $1, option: "color")
    },
    OptionRow(
      "fit", argument: "FIT", help: "contain: all of a picture; cover: fill the screen",
      for: Invocation.Verb.drawers
    ) {
      $0.play.fit = try choice(PlayOptions.Fit.self, $1, option: "fit")
    },
    OptionRow(
      "size", argument: "COLSxROWS", help: "use this size instead of the terminal's",
      isSetting: false, for: Invocation.Verb.drawers
    ) {
      $0.size = try size($1)
    },
    OptionRow(
      "image-time", argument: "TIME", help: "how long a picture stays (8, 1:30, 2min; default 5)"
    ) {
      $0.play.imageTime = try Quantity.time($1, option: "image-time")
      guard $0.play.imageTime > .zero else {
        throw UsageError(words: "--image-time must be above 0")
      }
    },
    OptionRow(
      "animations", argument: "URL|DIR", help: "where reactions come from, instead of the feed's"
    ) {
      let isWeb = ["http://", "https://"].contains(where: $1.lowercased().hasPrefix)
      $0.play.animations = AnimationEndpoint(place: isWeb ? .url($1) : .file(Paths.absolute($1)))
    },
    OptionRow("manual", help: "wait for a key after each story") { options, _ in
      options.play.manual = true
    },
    OptionRow("untimed", help: "play once, as fast as possible, and exit", isSetting: false) {
      options, _ in
      options.play.untimed = true
    },
    OptionRow(
      "at", argument: "TIME", help: "show: the moment to show (12, 1:05, 0:01:05.5, 2min)",
      isSetting: false, for: [.show]
    ) {
      $0.at = try Quantity.time($1, option: "at")
    },
    OptionRow(
      "json", help: "list, history, stats, cache: write JSON", isSetting: false,
      for: [.play, .list, .history, .stats, .cache]
    ) {
      options, _ in
      options.json = true
    },
    OptionRow("text", help: "tell the stories in words, one line each", isSetting: false) {
      options, _ in
      options.text = true
    },
    OptionRow(
      "unseen-first", help: "begin with the reels that hold something unseen", for: [.play, .list]
    ) {
      options, _ in
      options.play.rules.unseenFirst = true
    },
    OptionRow("resume", help: "go on where the last run of the same sources stopped") {
      options, _ in
      options.play.resume = true
    },
    OptionRow(
      "max-age", argument: "TIME", help: "leave out what was published before (36h, 7d, 2w)",
      for: [.play, .list]
    ) {
      $0.play.rules.maxAgeS = try Quantity.age($1, option: "max-age")
    },
    OptionRow(
      "no-history", help: "neither remember what is seen nor use what was",
      for: [.play, .show, .list]
    ) {
      options, _ in
      options.play.keepsHistory = false
    },
    OptionRow("no-mouse", help: "leave the mouse to the terminal") { options, _ in
      options.play.mouse = false
    },
    OptionRow("reduce-motion", help: "first pictures only, nothing moves") { options, _ in
      options.play.reduceMotion = true
    },
    OptionRow("no-sound", help: "play silently") { options, _ in options.play.sound = false },
    OptionRow("volume", argument: "PERCENT", help: "how loud, 0 to 100 (default: as it was left)") {
      guard let percent = Int($1), (0...100).contains(percent) else {
        throw UsageError(words: "--volume takes 0 to 100, not '\($1)'")
      }
      $0.play.volume = percent
    },
    OptionRow("no-preload", help: "open a story only when its turn comes") { options, _ in
      options.play.preload = false
    },
    OptionRow(
      "no-cache", help: "keep nothing from the network on disk", for: Invocation.Verb.keepers
    ) { options, _ in
      options.network.cacheDirectory = nil
    },
    OptionRow(
      "cache-dir", argument: "DIR", help: "where the cache is (~/.cache/storytty)",
      for: Invocation.Verb.keepers
    ) {
      $0.network.cacheDirectory = Paths.absolute($1)
    },
    OptionRow(
      "cache-size", argument: "SIZE", help: "the most that it holds (default 2 GiB)",
      for: Invocation.Verb.keepers
    ) {
      $0.network.limits.bytes = try Quantity.bytes($1, option: "cache-size")
    },
    OptionRow(
      "cache-stories", argument: "N", help: "the most entries that it holds (500)",
      for: Invocation.Verb.keepers
    ) {
      $0.network.limits.entries = try Quantity.count($1, option: "cache-stories")
    },
    OptionRow(
      "cache-days", argument: "N", help: "days unused after which an entry goes (30)",
      for: Invocation.Verb.keepers
    ) {
      $0.network.limits.days = try Quantity.count($1, option: "cache-days")
    },
    OptionRow(
      "cache-fresh", argument: "DAYS", help: "days without asking its server again (7)",
      for: Invocation.Verb.keepers
    ) {
      $0.network.freshSeconds = 86_400 * Int64(try Quantity.count($1, option: "cache-fresh"))
    },
    OptionRow(
      "cache-reserve", argument: "SIZE", help: "what the disk keeps free (1 GiB, at most 5 %)",
      for: Invocation.Verb.keepers
    ) {
      $0.network.limits.reserve = try Quantity.bytes($1, option: "cache-reserve")
    },
    OptionRow(
      "ca-file", argument: "FILE", help: "trust these certificates, not the system's",
      for: Invocation.Verb.readers
    ) {
      $0.network.certificates = Paths.absolute($1)
    },
    OptionRow(
      "listen", argument: "ADDR:PORT", help: "serve: where (default 127.0.0.1:8080)", for: [.serve]
    ) {
      guard let address = ListenAddress($1) else {
        throw UsageError(
          words: "--listen takes ADDR:PORT, such as 127.0.0.1:8080 or [::1]:0, not '\($1)'")
      }
      $0.serve.listen = address
    },
    OptionRow(
      "token-file", argument: "FILE", help: "serve: only to those who show the token in FILE",
      for: [.serve]
    ) {
      $0.serve.tokenFile = $1
    },
    OptionRow(
      "export", argument: "OUT", help: "serve: write a folder for a web server, and exit",
      isSetting: false, for: [.serve]
    ) {
      $0.serve.export = $1
    },
    OptionRow(
      "report", argument: "FILE", help: "on exit, write measurements as JSON", isSetting: false
    ) {
      $0.play.report = $1
    },
    OptionRow("log", argument: "FILE", help: "append what happens, line by line", isSetting: false)
    {
      $0.logFile = $1
    },
    OptionRow(
      "config", argument: "FILE", help: "read this configuration instead of the user's own",
      isSetting: false, for: Invocation.Verb.all
    ) { $0.configFile = $1 },
    OptionRow("help", letter: "h", help: "this text", isSetting: false, for: Invocation.Verb.all) {
      options, _ in
      options.help = true
    },
    OptionRow("version", help: "the version", isSetting: false, for: Invocation.Verb.all) {
      options, _ in
      options.version = true
    },
  ]

  /// Reads a command line.
  static func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
    var invocation = Invocation()
    let rules = rows.map {
      OptionRule(name: $0.name, letter: $0.letter, takesArgument: $0.argument != nil)
    }
    let scanned: ScannedArguments
    do {
      scanned = try ScannedArguments(arguments, rules: rules)
    } catch {
      throw UsageError(
        words: error.isKnown
          ? "option \(error.option) needs an argument"
          : "unknown option \(error.option)\(suggestion(for: error.option))")
    }
    let config = scanned.options.last { rows[$0.rule].name == "config" }?.argument
    let configuration = try Configuration.read(named: config, into: &invocation)
    for option in scanned.options {
      do {
        try rows[option.rule].apply(&invocation, option.argument ?? "")
      } catch let error as UsageError {
        throw error
      } catch {
        throw UsageError(words: "\(error)")
      }
    }
    let named = Set(scanned.options.map { rows[$0.rule].name })
    for other in ["listen", "token-file"] where named.contains("export") && named.contains(other) {
      throw UsageError(words: "--export writes files and serves nothing: leave out --\(other)")
    }
    invocation.sources = scanned.operands
    if let first = scanned.operands.first, let verb = Invocation.Verb(rawValue: first),
      isVerb(verb, among: arguments)
    {
      invocation.verb = verb
      invocation.sources.removeFirst()
    }
    invocation.sources = configuration.sources(for: invocation)
    if !invocation.help, !invocation.version {
      try check(scanned.options.map { rows[$0.rule] }, for: invocation.verb)
    }
    return invocation
  }

  /// An option of another command would be left without effect, and nobody would know.
  private static func check(
    _ given: [OptionRow], for verb: Invocation.Verb
  ) throws(UsageError) {
    guard let other = given.first(where: { !$0.verbs.contains(verb) }) else { return }
    let owners = Invocation.Verb.allCases.filter(other.verbs.contains).map(\.words)
    let all =
      owners.count < 2
      ? owners.joined() : owners.dropLast().joined(separator: ", ") + " and " + (owners.last ?? "")
    throw UsageError(words: "--\(other.name) is an option of \(all), not of \(verb.words)")
  }

  /// `storytty -- show` plays a file of that name; so does `./show`.
  private static func isVerb(_ verb: Invocation.Verb, among arguments: [String]) -> Bool {
    guard let dashes = arguments.firstIndex(of: "--") else { return true }
    return arguments.firstIndex(of: verb.rawValue).map { $0 < dashes } ?? false
  }

  private static func suggestion(for option: String) -> String {
    let word = option.drop { $0 == "-" }.prefix { $0 != "=" }
    // A letter is near to any.
    guard word.count > 1 else { return "; see storytty --help" }
    return Spelling.nearest(to: word, among: rows.map(\.name)).map { "; did you mean --\($0)?" }
      ?? "; see storytty --help"
  }

  private static func choice<Value: RawRepresentable<String> & CaseIterable>(
    _: Value.Type, _ word: String, option: String
  ) throws(UsageError) -> Value {
    if let value = Value(rawValue: word) { return value }
    let all = Value.allCases.map(\.rawValue).joined(separator: ", ")
    throw UsageError(words: "--\(option) takes \(all), not '\(word)'")
  }

  private static func size(_ word: String) throws(UsageError) -> (columns: Int, rows: Int) {
    let parts = word.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let columns = parts[0], let rows = parts[1],
      (1...WindowSize.mostColumns).contains(columns), (1...WindowSize.mostRows).contains(rows)
    else { throw UsageError(words: "--size takes COLSxROWS, such as 80x24, not '\(word)'") }
    return (columns, rows)
  }

  /// What `--help` prints.
  static var help: String {
    var text = """
      Usage: storytty [OPTION]... [SOURCE]...       play stories
             storytty show SOURCE [OPTION]...       one still picture to standard output
             storytty list SOURCE [--json]          what a source holds
             storytty history [list|clear]          what was seen
             storytty stats                         how often it was, and what the cache spared
             storytty cache status|list|verify|prefetch SOURCE...|clear|path
                                                    what is kept of the network
             storytty serve DIR [OPTION]...         offer a folder to other players
             storytty doctor                        what this terminal and machine can do

      A SOURCE is a file, a directory (its sub-directories are reels), a feed (JSON Feed, RSS, Atom),
      a playlist (M3U, XSPF, PLS, HLS), the URL of any of these (of a directory on a WebDAV server,
      with / at its end), or - for a list of sources on standard input. Without one the demo plays.

      Options:

      """
    for row in rows {
      let letter = row.letter.map { "-\($0), " } ?? "    "
      let left = "  \(letter)--\(row.name)\(row.argument.map { " " + $0 } ?? "")"
      let gap = String(repeating: " ", count: max(2, 30 - left.count))
      text += left + gap + row.explanation + "\n"
    }
    return text + "\nPress ? while a story plays to see the keys.\n"
  }
}
