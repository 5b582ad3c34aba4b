import Pictures
import Player
import Resources
import Stories
import System

/// Prints the stories as text, one line each: for terminals that cannot move a cursor, and for
/// screen readers.
struct TextCommand {
  let invocation: Invocation

  func run() -> Int32 {
    guard let network = openNetwork(invocation.network) else { return Status.failure }
    defer { network.close() }
    guard let feed = readFeed(invocation.sources, network) else { return Status.nothingPlayed }
    let now = WallClock.seconds
    var lines: [String] = []
    let selection = invocation.play.rules.select(
      from: feed, past: History.past(of: feed, options: invocation.play), now: now)
    guard selection.feed.storyCount > 0 else {
      complain(selection.wordsForNothing)
      return Status.nothingPlayed
    }
    for reel in selection.feed.reels {
      for (number, story) in reel.stories.enumerated() {
        lines.append(
          DisplayText.line(
            Format.line(
              for: story, number: number + 1, of: reel.stories.count, reel: reel.name, now: now)))
      }
    }
    guard Output.write(lines.joined(separator: "\n") + "\n") else { return Status.failure }
    complain(skipped: feed.skipped)
    return feed.isIncomplete ? PlayOutcome.somePlayed.status : Status.success
  }
}
