import Pictures
import Player
import Resources
import Stories
import System

/// All options.
enum OptionTable {
  /// In the order of the help.
  static let rows: [OptionRow] = [
    .value(
      "mode", letter: "m", "MODE",
      help: PictureMode.allCases.map { "\($0.rawValue): \($0.help)" }.joined(separator: "; "),
      for: Invocation.Verb.sizers, \.play.mode, choice),
    .value(
      "color", "DEPTH", help: "auto, true, 256, 16 or never", for: Invocation.Verb.drawers,
      \.play.colour
    ) { (word, option) throws(UsageError) in
      word == "auto" ? nil : try choice(word, option, besides: ["auto"])
    },
    .value(
      "fit", "FIT", help: "contain: all of a picture; cover: fill the screen",
      for: Invocation.Verb.sizers, \.play.fit, choice),
    .value(
      "size", "COLSxROWS", help: "use this size instead of the terminal's", isSetting: false,
      for: Invocation.Verb.sizers, \.size, size),
    .value(
      "image-time", "TIME", help: "how long a picture stays (8, 1:30, 2min; default 5)",
      \.play.imageTime
    ) { (word, option) throws(UsageError) in
      let time = try Quantity.time(word, option: option)
      guard time > .zero else { throw UsageError(words: "--\(option) must be above 0") }
      return time
    },
    .value(
      "animations", "URL|DIR", help: "where reactions come from, instead of the feed's",
      \.play.animations
    ) { (word, _) throws(UsageError) in
      let isWeb = ["http://", "https://"].contains(where: word.lowercased().hasPrefix)
      return AnimationEndpoint(place: isWeb ? .url(word) : .file(Paths.absolute(word)))
    },
    .value(
      "bandwidth", "BYTES", help: "the most that the terminal gets in a second, such as 200k",
      \.play.bandwidth
    ) { (word, option) throws(UsageError) in
      let bytes = try Quantity.bytes(word, option: option)
      guard (1_000...1_000_000_000).contains(bytes) else {
        throw UsageError(words: "--\(option) takes 1 kB or more, not '\(word)'")
      }
      return Int(bytes)
    },
    .flag("manual", help: "wait for a key after each story", \.play.manual),
    .flag(
      "untimed", help: "play once, as fast as possible, and exit", isSetting: false, \.play.untimed),
    .value(
      "at", "TIME", help: "show: the moment to show (12, 1:05, 0:01:05.5, 2min)", isSetting: false,
      for: [.show], \.at, Quantity.time),
    .flag(
      "json", help: "list, history, stats, cache: write JSON", isSetting: false,
      for: [.play, .list, .history, .stats, .cache], \.json),
    .flag(
      "durations", help: "list: find out how long stories last, where their feed does not say it",
      isSetting: false, for: [.list], \.durations),
    .flag(
      "text", help: "print one line for each story, and play nothing", isSetting: false, \.text),
    .flag(
      "unseen-first", help: "begin with the reels that hold something unseen", for: [.play, .list],
      \.play.rules.unseenFirst),
    .flag(
      "resume", help: "go on where the last run of the same sources stopped", \.play.resume),
    .value(
      "max-age", "TIME", help: "leave out stories that are older (36h, 7d, 2w)",
      for: [.play, .list], \.play.rules.maxAgeS, Quantity.age),
    .flag(
      "no-history", help: "neither write nor use the history of what was seen",
      for: [.play, .show, .list], \.play.keepsHistory),
    .flag("no-mouse", help: "leave the mouse to the terminal", \.play.mouse),
    .flag("reduce-motion", help: "first pictures only, nothing moves", \.play.reduceMotion),
    .flag("no-sound", help: "play silently", \.play.sound),
    .value(
      "volume", "PERCENT", help: "how loud, 0 to 100 (default: as last time)", \.play.volume
    ) { (word, option) throws(UsageError) in
      guard let percent = Int(word), (0...100).contains(percent) else {
        throw UsageError(words: "--\(option) takes 0 to 100, not '\(word)'")
      }
      return percent
    },
    .flag("no-preload", help: "open a story only when its turn comes", \.play.preload),
    .flag(
      "no-cache", help: "keep nothing from the network on disk", for: Invocation.Verb.keepers,
      \.usesCache),
    .value(
      "cache-dir", "DIR", help: "where the cache is (~/.cache/storytty)",
      for: Invocation.Verb.keepers, \.chosenCache, path),
    .value(
      "cache-size", "SIZE", help: "the most that it holds (default 2 GiB)",
      for: Invocation.Verb.keepers, \.network.limits.bytes, Quantity.bytes),
    .value(
      "cache-stories", "N", help: "the most entries that it holds (500)",
      for: Invocation.Verb.keepers, \.network.limits.entries, Quantity.count),
    .value(
      "cache-days", "N", help: "days unused after which an entry goes (30)",
      for: Invocation.Verb.keepers, \.network.limits.days, Quantity.count),
    .value(
      "cache-fresh", "DAYS", help: "days before a server is asked again (7)",
      for: Invocation.Verb.keepers, \.network.freshSeconds
    ) { (word, option) throws(UsageError) in
      86_400 * Int64(try Quantity.count(word, option: option))
    },
    .value(
      "cache-reserve", "SIZE", help: "disk space to leave free (1 GiB, at most 5 %)",
      for: Invocation.Verb.keepers, \.network.limits.reserve, Quantity.bytes),
    .value(
      "ca-file", "FILE", help: "trust these certificates, not the system's",
      for: Invocation.Verb.readers, \.network.certificates, path),
    .value(
      "listen", "ADDR:PORT", help: "serve: where (default 127.0.0.1:8080)", for: [.serve],
      \.serve.listen
    ) { (word, option) throws(UsageError) in
      guard let address = ListenAddress(word) else {
        throw UsageError(
          words: "--\(option) takes ADDR:PORT, such as 127.0.0.1:8080 or [::1]:0, not '\(word)'")
      }
      return address
    },
    .value(
      "token-file", "FILE", help: "serve: only to those who show the token in FILE", for: [.serve],
      \.serve.tokenFile, asItIs),
    .value(
      "export", "OUT", help: "serve: write a folder for a web server, and exit", isSetting: false,
      for: [.serve], \.serve.export, asItIs),
    .value(
      "report", "FILE", help: "on exit, write measurements as JSON", isSetting: false,
      \.play.report, asItIs),
    .value(
      "log", "FILE", help: "append what happens and why", isSetting: false,
      \.logFile, asItIs),
    .value(
      "config", "FILE", help: "read this configuration instead of the user's own",
      isSetting: false, for: Invocation.Verb.all, \.configFile, asItIs),
    .flag(
      "help", letter: "h", help: "this text", isSetting: false, canBeUndone: false,
      for: Invocation.Verb.all, \.help),
    .flag(
      "version", help: "the version", isSetting: false, canBeUndone: false,
      for: Invocation.Verb.all, \.version),
  ]

  // MARK: - Parsers of arguments

  private static let asItIs: @Sendable (String, String) -> String = { word, _ in word }
  private static let path: @Sendable (String, String) -> String = { word, _ in
    Paths.absolute(word)
  }

  @Sendable
  private static func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ word: String, _ option: String
  ) throws(UsageError) -> Value {
    try choice(word, option, besides: [])
  }

  /// - Parameter others: words that it takes besides the values' own.
  private static func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ word: String, _ option: String, besides others: [String]
  ) throws(UsageError) -> Value {
    if let value = Value(rawValue: word) { return value }
    let all = Spelling.alternatives(others + Value.allCases.map(\.rawValue))
    throw UsageError(words: "--\(option) takes \(all), not '\(word)'")
  }

  @Sendable
  private static func size(
    _ word: String, _ option: String
  ) throws(UsageError) -> Invocation.Size? {
    let parts = word.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let columns = parts[0], let rows = parts[1],
      (1...WindowSize.mostColumns).contains(columns), (1...WindowSize.mostRows).contains(rows)
    else {
      throw UsageError(words: "--\(option) takes COLSxROWS, such as 80x24, not '\(word)'")
    }
    return (columns, rows)
  }
}
