import Resources
import System

/// An option as given on a command line.
private struct GivenOption {
  var row: OptionRow
  /// Whether its opposite is given.
  var isUndone: Bool
  var argument: String

  var name: String { isUndone ? row.undoing ?? row.name : row.name }
}

extension OptionTable {
  /// Reads a command line.
  static func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
    var invocation = Invocation()
    let mayBeOptions = arguments.prefix { $0 != "--" }
    let undoing = rows.filter { row in
      row.undoing.map { mayBeOptions.contains("--" + $0) } ?? false
    }
    // Opposites come last, and only if they are written out, so that they make no abbreviation
    // ambiguous.
    let rules =
      rows.map {
        OptionRule(name: $0.name, letter: $0.letter, takesArgument: $0.argument != nil)
      } + undoing.compactMap(\.undoing).map { OptionRule(name: $0) }
    let scanned: ScannedArguments
    do {
      scanned = try ScannedArguments(arguments, rules: rules)
    } catch {
      throw UsageError(
        words: error.isKnown
          ? "option \(error.option) needs an argument"
          : "unknown option \(error.option)\(suggestion(for: error.option))")
    }
    let given = scanned.options.map { option in
      let isUndone = option.rule >= rows.count
      return GivenOption(
        row: isUndone ? undoing[option.rule - rows.count] : rows[option.rule], isUndone: isUndone,
        argument: option.argument ?? "")
    }
    let config = given.last { $0.row.name == "config" }?.argument
    let configuration = try Configuration.read(named: config, into: &invocation)
    for option in given {
      try option.row.apply(option.argument, isUndone: option.isUndone, to: &invocation)
    }
    if !invocation.usesCache { invocation.network.cacheDirectory = nil }
    let named = Set(given.map(\.row.name))
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
      try check(given, for: invocation.verb)
    }
    return invocation
  }

  /// Refuses options of another command, which would silently have no effect.
  private static func check(
    _ given: [GivenOption], for verb: Invocation.Verb
  ) throws(UsageError) {
    guard let other = given.first(where: { !$0.row.verbs.contains(verb) }) else { return }
    let owners = Invocation.Verb.allCases.filter(other.row.verbs.contains).map(\.words)
    let all =
      owners.count < 2
      ? owners.joined() : owners.dropLast().joined(separator: ", ") + " and " + (owners.last ?? "")
    throw UsageError(words: "--\(other.name) is an option of \(all), not of \(verb.words)")
  }

  /// Whether the first operand is a verb: `storytty -- show` plays a file of that name; so does
  /// `./show`.
  private static func isVerb(_ verb: Invocation.Verb, among arguments: [String]) -> Bool {
    guard let dashes = arguments.firstIndex(of: "--") else { return true }
    return arguments.firstIndex(of: verb.rawValue).map { $0 < dashes } ?? false
  }

  private static func suggestion(for option: String) -> String {
    let word = option.drop { $0 == "-" }.prefix { $0 != "=" }
    // Any option is near to a single letter.
    guard word.count > 1 else { return "; see storytty --help" }
    return Spelling.nearest(to: word, among: rows.map(\.name)).map { "; did you mean --\($0)?" }
      ?? "; see storytty --help"
  }

  private static var logCategories: String {
    Log.Category.allCases.map(\.rawValue).joined(separator: ", ")
  }

  /// What `--help` prints.
  static var help: String {
    var text = """
      Usage: storytty [OPTION]... [SOURCE]...       play stories
             storytty show SOURCE... [OPTION]...    a still picture of each to standard output
             storytty list [SOURCE]... [--json]     what sources hold
             storytty history [list|clear]          what was seen
             storytty stats                         how often it was seen, and what the cache saved
             storytty cache status|list|verify|prefetch SOURCE...|clear|path
                                                    what the disk cache holds
             storytty serve DIR [OPTION]...         offer a folder to other players
             storytty doctor                        what this terminal and machine can do

      A SOURCE is a file, a directory (its sub-directories are reels), a feed (JSON Feed, RSS, Atom),
      a playlist (M3U, XSPF, PLS, HLS), the URL of any of these (of a directory on a WebDAV server,
      with / at its end), or - for a list of sources on standard input. Without one all feeds of the
      configuration play, or else the demo.

      Options:

      """
    for row in rows { text += row.helpLine + "\n" }
    return text + """

      An option without an argument is undone by a later opposite: --no-manual for --manual, --sound
      for --no-sound. STORYTTY_LOG chooses what --log records: \(logCategories).

      Press ? while a story plays to see the keys.

      """
  }
}
