import Decoders
import Feeds
import Glibc
import Pictures
import Player
import Resources
import Stories
import System
import Terminal

/// The program: reads the command line, runs the command, and returns the exit status.
struct Program {
  static let version = "0.1.0"

  let start: Instant

  func run(_ arguments: [String]) -> Int32 {
    OwnLimits.reapChildren()
    let invocation: Invocation
    do {
      invocation = try OptionTable.parse(arguments)
    } catch {
      complain(error.words)
      return Status.failure
    }
    for warning in invocation.warnings { complain(warning) }
    if invocation.help {
      return Output.write(OptionTable.help) ? Status.success : Status.failure
    }
    if invocation.version {
      return Output.write("storytty \(Program.version)\n") ? Status.success : Status.failure
    }
    switch invocation.verb {
    case .play:
      var command = PlayCommand(invocation: invocation, start: start)
      return command.run()
    case .show: return ShowCommand(invocation: invocation).run()
    case .list: return ListCommand(invocation: invocation).run()
    case .history: return HistoryCommand(invocation: invocation).run()
    case .stats: return StatsCommand(invocation: invocation).run()
    case .cache: return CacheCommand(invocation: invocation).run()
    case .serve: return ServeCommand(invocation: invocation).run()
    case .doctor:
      guard let first = invocation.sources.first else {
        return DoctorCommand(invocation: invocation).run()
      }
      complain("doctor takes no source, and '\(first)' was given")
      return Status.failure
    }
  }
}

/// Exit statuses that scripts rely on.
enum Status {
  static let success: Int32 = 0
  /// A wrong option, or something that the whole command needs did not work.
  static let failure: Int32 = 1
  static let nothingPlayed: Int32 = 2
  /// Something was wrong and has been repaired, or some stories failed.
  static let repaired: Int32 = 3
}

/// Writes one line to standard error; untrusted text in it is made harmless.
func complain(_ words: String) {
  let line = "storytty: \(DisplayText.line(words))\n"
  line.utf8.withContiguousStorageIfAvailable { bytes in
    _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count)
  }
}

/// Files that are installed with the program.
enum Installation {
  /// The running executable's own path.
  static let executable: String = Paths.canonical("/proc/self/exe") ?? "storytty"

  /// The decoder; nil where it is missing.
  static var decoder: DecoderProgram? {
    DecoderProgram.candidates(besideExecutable: executable)
      .first { Paths.isUsable($0, X_OK) }.map { DecoderProgram(path: $0) }
  }

  /// The demo feed: $STORYTTY_DEMO, else ../share/storytty/demo beside an installed program, else
  /// Resources/demo above a program in its build tree.
  static var demo: String? {
    let folder = String(executable[..<(executable.lastIndex(of: "/") ?? executable.startIndex)])
    let chosen = getenv("STORYTTY_DEMO").map { [String(cString: $0)] } ?? []
    let places =
      chosen + ["\(folder)/../share/storytty/demo/feed.json"]
      + (1...5).map { folder + String(repeating: "/..", count: $0) + "/Resources/demo/feed.json" }
    return places.first { Paths.isUsable($0, R_OK) }
  }
}

/// Makes the pool of decoders and starts their parent; complains where there is no decoder.
func openPool(_ options: PlayOptions) -> DecoderPool? {
  guard let program = Installation.decoder else {
    complain("the decoder program storytty-decoder is missing; install it beside storytty")
    return nil
  }
  let pool = DecoderPool(
    program: program,
    refusedAnimations: RefusedAnimations(
      path: options.keepsHistory ? RefusedAnimations.usualPath : nil),
    log: options.log)
  // Its libraries load while the sources are read and the screen is set up.
  try? pool.prepare()
  return pool
}

/// Opens the network with these options; complains where that fails.
func openNetwork(_ options: NetworkOptions) -> Network? {
  var options = options
  options.userAgent = "storytty/\(Program.version)"
  options.useNetrc()
  do {
    return try Network(options)
  } catch {
    complain(error.description)
    return nil
  }
}

/// Reads the sources of a command line; complains and returns nil where there is nothing to play.
///
/// - Parameter listed: gets the sources named on standard input, where they are asked for.
func readFeed(
  _ sources: [String], _ network: Network, listed: ([UInt8]) -> Void = { _ in }
) -> Feed? {
  var named = sources
  if named.isEmpty {
    guard let demo = Installation.demo else {
      complain("no source is given, and the demo is not installed; try storytty FILE")
      return nil
    }
    named = [demo]
  }
  do {
    let web = WebReader(network, waiting: WaitingLine.show)
    for source in named { network.note(named: source) }
    var head: [UInt8] = []
    if let place = named.firstIndex(of: "-") {
      head = StandardInput.head(MediaSignature.headBytes)
      if SniffedContent(head: head).isSource { named[place] = try inputFile(after: head) }
    }
    let feed = try FeedReader(web: web).read(named) {
      let bytes = StandardInput.all(after: head)
      let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      for line in lines { network.note(named: String(line.trimmed)) }
      listed(bytes)
      return bytes
    }
    if feed.storyCount > 0 { return feed }
    complain(skipped: feed.skipped)
    if feed.skipped.isEmpty { complain("cannot play \(named[0]): it holds no stories") }
  } catch {
    complain(error.description)
  }
  return nil
}

private func inputFile(after head: [UInt8]) throws(FeedError) -> String {
  do {
    return try StandardInput.file(after: head)
  } catch {
    throw .cannotPlay(source: "standard input", reason: error.description)
  }
}

/// A line on the terminal that shows what is waited for before the screen is set up.
enum WaitingLine {
  static func show(_ words: String?) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    let columns = WindowSize(descriptor: STDERR_FILENO)?.columns ?? 80
    let text = words.map { "storytty: waiting for " + DisplayText.safe($0) } ?? ""
    let line = Array("\r\u{1B}[K\(DisplayText.cut(text, to: columns - 1))".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}

/// Writes a line for each thing that was left out; of very many, only the first ones.
func complain(skipped: [Skipped]) {
  complain(
    all: skipped.map { "\($0.costsStories ? "cannot play " : "")\($0.source): \($0.reason)" })
}

/// Writes a line for each sentence; of very many, only the first ones.
func complain(all lines: [String]) {
  for line in lines.prefix(20) { complain(line) }
  if lines.count > 20 { complain("and \(lines.count - 20) more") }
}

/// Standard output.
enum Output {
  /// Writes text; false where that fails, with a complaint unless the reader has gone.
  static func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  static func write(_ bytes: [UInt8]) -> Bool {
    do {
      try Descriptor(adopting: dup(STDOUT_FILENO)).writeAll(bytes)
      return true
    } catch {
      if error.code != EPIPE { complain("cannot write: \(error.reason)") }
      return false
    }
  }
}
