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
  let invocation: Invocation
  let start: Instant

  func run() -> Int32 {
    // A stream that is no terminal gets words instead of pictures.
    guard isatty(STDOUT_FILENO) == 1 else { return ListCommand(invocation: invocation).run() }
    guard !invocation.json else {
      complain("--json is an option of list, history, stats and cache, not of playing")
      return Status.usage
    }
    let isDumb = TerminalAbilities.detect()?.isDumb ?? true
    if invocation.text || isDumb {
      return TextCommand(invocation: invocation).run()
    }
    guard let pool = openPool(invocation.play) else {
      writeReport(Player.emptyReport)
      return Status.usage
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
    return play(selection.feed, history, StoryBytes(network), pool: pool)
  }

  private func close(_ history: History, _ log: EventLog? = nil) {
    history.close()
    if let notice = history.notice { complain(notice) }
    if let failure = log?.failure { complain(failure) }
  }

  private func play(
    _ feed: Feed, _ history: History, _ bytes: StoryBytes, pool: DecoderPool
  ) -> Int32 {
    var options = invocation.play
    if let path = invocation.logFile {
      do {
        options.log = try EventLog(path: path)
      } catch {
        complain(error.description)
        writeReport(Player.emptyReport)
        close(history)
        return Status.usage
      }
    }
    let outcome: (result: Player.Result, report: JSON)
    do {
      let signals = try Signals()
      let terminal = try TerminalSession(
        TerminalSession.Options(
          mouse: invocation.play.mouse, colour: invocation.play.colour, size: invocation.size))
      defer { terminal.close() }
      let player = Player(
        feed: feed, options: options, history: history, bytes: bytes, terminal: terminal,
        signals: signals, pool: pool, processStart: start)
      let result = try player.run()
      outcome = (result, player.report)
    } catch {
      complain("\(error)")
      writeReport(Player.emptyReport)
      close(history, options.log)
      return Status.usage
    }
    close(history, options.log)
    complain(all: outcome.result.complaints)
    if outcome.result.outcome == .nothingPlayed, outcome.result.complaints.isEmpty {
      complain("nothing left to play: another player has used up the views")
    }
    complain(skipped: feed.skipped)
    let reportFailed = !writeReport(outcome.report)
    if let signal = outcome.result.endedBy { Signals.die(of: signal) }
    if reportFailed { return Status.usage }
    let status = outcome.result.outcome.status
    return status == 0 && feed.isIncomplete ? PlayOutcome.somePlayed.status : status
  }

  /// False where a report is wanted and could not be written.
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
