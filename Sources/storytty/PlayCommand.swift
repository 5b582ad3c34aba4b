import Decoders
import Glibc
import Pictures
import Player
import Resources
import Stories
import System
import Terminal

/// Plays the sources on the terminal.
struct PlayCommand {
  private var invocation: Invocation
  private let start: Instant
  private var logFile: LogFile?

  init(invocation: Invocation, start: Instant) {
    self.invocation = invocation
    self.start = start
  }

  mutating func run() -> Int32 {
    // Output that is no terminal gets a list instead of pictures.
    guard isatty(STDOUT_FILENO) == 1 else { return ListCommand(invocation: invocation).run() }
    guard !invocation.json else {
      complain("--json is an option of list, history, stats and cache, not of playing")
      return Status.failure
    }
    let isDumb = TerminalAbilities.detect()?.isDumb ?? true
    if invocation.text || isDumb {
      return TextCommand(invocation: invocation).run()
    }
    let logFailure: SystemError?
    do {
      logFailure = try openLog()
    } catch {
      complain(error.words)
      writeReport(Player.emptyReport)
      return Status.failure
    }
    guard let pool = openPool(invocation.play) else {
      writeReport(Player.emptyReport)
      return Status.failure
    }
    let history = History(sources: invocation.sources, options: invocation.play)
    guard let network = openNetwork(invocation.network),
      let feed = readFeed(invocation.sources, network, listed: history.listed)
    else {
      writeReport(Player.emptyReport)
      close(history)
      return Status.nothingPlayed
    }
    if let animations = invocation.play.animations { network.note(named: animations.place.text) }
    let selection = history.select(from: feed)
    guard selection.feed.storyCount > 0 else {
      complain(selection.wordsForNothing)
      complain(skipped: feed.skipped)
      writeReport(Player.emptyReport)
      close(history)
      return Status.nothingPlayed
    }
    if let logFailure {
      complain(logFailure.description)
      writeReport(Player.emptyReport)
      close(history)
      return Status.failure
    }
    return play(selection.feed, history, StoryBytes(network), pool: pool)
  }

  /// Opens the requested log and passes it to all parts that log. Gives the error where that fails.
  private mutating func openLog() throws(UsageError) -> SystemError? {
    guard let path = invocation.logFile else { return nil }
    let categories = try PlayCommand.logCategories()
    do throws(SystemError) {
      let file = try LogFile(path: path, categories: categories)
      logFile = file
      invocation.play.log = file.log
      invocation.network.log = file.log
      return nil
    } catch {
      return error
    }
  }

  /// What the log records, as the environment says. A list that names nothing would silence it.
  private static func logCategories() throws(UsageError) -> Set<Log.Category> {
    // An empty variable is as good as none.
    guard let list = EnvironmentVariable.value(of: "STORYTTY_LOG"), !list.isEmpty else {
      return LogFile.usualCategories
    }
    let (categories, unknown) = LogFile.categories(in: list)
    guard unknown != nil || categories.isEmpty else { return categories }
    let wrong = unknown ?? list
    let names = Log.Category.allCases.map(\.rawValue)
    throw UsageError(
      words: "STORYTTY_LOG takes \(Spelling.alternatives(names)), or several with commas between, "
        + "not '\(wrong)'\(Spelling.hint(for: wrong, among: names))")
  }

  private func close(_ history: History) {
    history.close()
    if let notice = history.notice { complain(notice) }
    if let failure = logFile?.failure { complain(failure) }
  }

  private func play(
    _ feed: Feed, _ history: History, _ bytes: StoryBytes, pool: DecoderPool
  ) -> Int32 {
    let outcome: (result: Player.Result, report: JSON)
    do {
      let signals = try Signals()
      let terminal = try TerminalSession(
        TerminalSession.Options(
          mouse: invocation.play.mouse, colour: invocation.play.colour, size: invocation.size))
      defer { terminal.close() }
      let player = Player(
        feed: feed, options: invocation.play, history: history, bytes: bytes, terminal: terminal,
        signals: signals, pool: pool, processStart: start)
      let result = try player.run()
      outcome = (result, player.report)
    } catch {
      complain("\(error)")
      writeReport(Player.emptyReport)
      close(history)
      return Status.failure
    }
    close(history)
    complain(all: outcome.result.complaints)
    if outcome.result.outcome == .nothingPlayed, outcome.result.complaints.isEmpty {
      complain("nothing left to play: another player has used up the views")
    }
    complain(skipped: feed.skipped)
    let reportFailed = !writeReport(outcome.report)
    if let signal = outcome.result.endedBy { Signals.die(of: signal) }
    if reportFailed { return Status.failure }
    let status = outcome.result.outcome.status
    return status == 0 && feed.isIncomplete ? PlayOutcome.somePlayed.status : status
  }

  /// False where a report was requested and cannot be written.
  @discardableResult
  private func writeReport(_ report: JSON) -> Bool {
    guard let path = invocation.play.report else { return true }
    do {
      try PrivateFile.replace(path, with: Array((report.description + "\n").utf8))
      return true
    } catch {
      complain("cannot write the report \(path): \(error.reason)")
      return false
    }
  }
}
