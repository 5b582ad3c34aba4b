import Decoders
import Pictures
import Player
import Resources
import Stories
import System

/// `storytty list`: prints the stories of the sources.
struct ListCommand {
  let invocation: Invocation

  /// How long stories last whose feed does not say it, in seconds.
  private typealias Durations = [Story.Source: Double]

  func run() -> Int32 {
    var pool: DecoderPool?
    if invocation.durations {
      pool = openPool(invocation.play)
      guard pool != nil else { return Status.failure }
    }
    defer { pool?.close() }
    guard let network = openNetwork(invocation.network) else { return Status.failure }
    defer { network.close() }
    guard let feed = readFeed(invocation.sources, network) else { return Status.nothingPlayed }
    var durations: Durations = [:]
    if let pool {
      do {
        durations = try findDurations(feed, network, pool)
      } catch {
        complain("\(error)")
        return Status.failure
      }
    }
    let text = invocation.json ? json(inOrder(feed), durations) : lines(feed, durations)
    return Output.write(text + "\n") ? Status.success : Status.failure
  }

  /// Asks decoders for the durations that are not named, and complains of stories that have none to tell.
  private func findDurations(
    _ feed: Feed, _ network: Network, _ pool: DecoderPool
  ) throws(SystemError) -> Durations {
    var asked: Set<Story.Source> = []
    let stories = feed.reels.flatMap(\.stories).filter {
      $0.durationS == nil && $0.kind != .picture && asked.insert($0.source).inserted
    }
    let run = DurationRun(of: stories, bytes: StoryBytes(network), pool: pool)
    var durations: Durations = [:]
    for (story, finding) in zip(stories, try run.findings()) {
      switch finding {
      case .success(let duration): durations[story.source] = duration.map { $0 / .seconds(1) }
      case .failure(let error):
        complain("cannot tell how long \(story.shortName) lasts: \(error.reason)")
      }
    }
    return durations
  }

  /// The feed with its reels in the order in which they play. The history is read only if that
  /// order depends on it.
  private func inOrder(_ feed: Feed) -> Feed {
    let rules = invocation.play.rules
    guard rules.unseenFirst else { return feed }
    let past = History.past(of: feed, options: invocation.play)
    return rules.arrange(feed, past: past, now: WallClock.seconds).feed
  }

  private func lines(_ feed: Feed, _ durations: Durations) -> String {
    let now = WallClock.seconds
    let arranged = invocation.play.rules.arrange(
      feed, past: History.past(of: feed, options: invocation.play), now: now)
    let (feed, past) = (arranged.feed, arranged.past)
    var lines: [String] = []
    var number = 0
    for reel in feed.reels where !reel.stories.isEmpty {
      let name = DisplayText.line(reel.name.isEmpty ? feed.title : reel.name)
      let numbers = number..<number + reel.stories.count
      let marks = zip(numbers, reel.stories).map { mark($1, past[$0], now: now) }
      let isSeen = !marks.contains(nil) && numbers.contains { past[$0].isSeen }
      lines.append(isSeen ? name + "  (all seen)" : name)
      for (story, mark) in zip(reel.stories, marks) {
        lines.append(line(story, mark, story.durationS ?? durations[story.source]))
      }
      number = numbers.upperBound
    }
    for skipped in feed.skipped {
      let word = skipped.costsStories ? "left out" : "note"
      lines.append(DisplayText.line("\(word): \(skipped.source): \(skipped.reason)"))
    }
    return lines.joined(separator: "\n")
  }

  /// Why a story is not played any more, or that it was seen; nil for a new one.
  private func mark(_ story: Story, _ past: SeenRecord, now: Int64) -> String? {
    let refusal = invocation.play.rules.refusal(
      of: story, completions: Int(past.completions), now: now)
    return refusal?.words ?? (past.isSeen ? "seen" : nil)
  }

  private func line(_ story: Story, _ mark: String?, _ seconds: Double?) -> String {
    let kind = story.kind?.rawValue ?? "unknown"
    let padded = kind + String(repeating: " ", count: max(1, 10 - kind.count))
    let caption = story.caption.map { "  " + $0 } ?? ""
    let length = seconds.map { Format.length(.seconds($0)) } ?? ""
    let time =
      invocation.durations
      ? String(repeating: " ", count: max(0, 8 - length.count)) + length + "  " : ""
    return "  \(padded)\(time)\(DisplayText.line(story.visibleSource + caption))"
      + (mark.map { "  (\($0))" } ?? "")
  }

  private func json(_ feed: Feed, _ durations: Durations) -> String {
    let reels = feed.reels.filter { !$0.stories.isEmpty }.map { reel in
      JSON.object([
        ("name", .text(reel.name)), ("stories", .array(reel.stories.map { json($0, durations) })),
      ])
    }
    let skipped = feed.skipped.map {
      JSON.object([("source", .text($0.source)), ("reason", .text($0.reason))])
    }
    return JSON.object([
      ("title", .text(feed.title)), ("reels", .array(reels)), ("skipped", .array(skipped)),
    ]).description
  }

  private func json(_ story: Story, _ durations: Durations) -> JSON {
    .object([
      ("id", .text(story.listedID)),
      ("source", .text(story.visibleSource)),
      ("kind", .optional(story.kind?.rawValue)),
      ("title", .optional(story.caption)),
      ("durationS", .optional(story.durationS ?? durations[story.source])),
      ("maxViews", .optional(story.maxViews.map(Int.init))),
      ("expires", .optional(story.expires.map { WallClock.text(secondsSince1970: $0) })),
    ])
  }
}
