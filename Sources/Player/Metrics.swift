import Resources
import Stories
import System

/// What became of one play of a story.
struct StoryMetrics {
  var source: String
  var kind: String?
  /// nil while it plays.
  var status: Showing.End?
  var error: String?
  /// What was not as it should be although it played.
  var notes: [String] = []
  /// From the begin of the play to its first picture on the screen.
  var firstPictureMs: Double?
  var framesDecoded = 0
  var framesShown = 0
  var framesDropped = 0
  var bytesToTerminal = 0
  var presentedMs: Double = 0
  /// How often and how long it stood still for want of bytes once it had begun.
  var waits = 0
  var waitedMs: Double = 0
  var durationMs: Double?
  /// How far each picture was from the sound beside it when it was on the screen.
  var soundOffsets = Samples()

  mutating func take(_ summary: PlaybackSummary) {
    kind = summary.kind ?? kind
    framesDecoded = summary.framesDecoded
    framesDropped = summary.framesDropped
    presentedMs = summary.presented.milliseconds
    durationMs = summary.length?.milliseconds
    waits = summary.stalls
    waitedMs = summary.stalled.milliseconds
  }

  var json: JSON {
    .object([
      ("source", .text(source)),
      ("kind", .optional(kind)),
      ("status", .optional(status?.rawValue)),
      ("error", .optional(error)),
      ("notes", .array(notes.map { .text($0) })),
      ("firstPictureMs", .optional(firstPictureMs)),
      ("framesDecoded", .integer(framesDecoded)),
      ("framesShown", .integer(framesShown)),
      ("framesDropped", .integer(framesDropped)),
      ("bytesToTerminal", .integer(bytesToTerminal)),
      ("presentedMs", .number(presentedMs)),
      ("durationMs", .optional(durationMs)),
      ("waits", .integer(waits)),
      ("waitedMs", .number(waitedMs)),
      ("avOffsetMsP50", .optional(soundOffsets.percentile(50))),
      ("avOffsetMsP99", .optional(soundOffsets.percentile(99))),
    ])
  }
}

/// Durations in milliseconds, for percentiles by nearest rank.
package struct Samples {
  private var values: [Double] = []

  package init() {}

  package var count: Int { values.count }

  package mutating func add(_ duration: Duration) { values.append(duration.milliseconds) }

  /// The smallest value that at least `percent` of all values do not exceed; nil without values.
  package func percentile(_ percent: Int) -> Double? {
    guard !values.isEmpty else { return nil }
    let rank = (values.count * percent + 99) / 100
    return values.sorted()[max(0, rank - 1)]
  }
}

/// What a run measured; written as JSON by `--report`.
struct Metrics {
  var stories: [StoryMetrics] = []
  /// Key read to the last byte of the answering story's picture.
  var keyLatencies = Samples()
  /// Last picture of a story to the first of the next, where it went on by itself.
  var transitionGaps = Samples()
  var startToFirstPicture: Duration?
  /// The largest resident set of any decoder, in KiB.
  var decoderPeakKibibytes = 0
  var network: (requests: UInt64, bytes: UInt64) = (0, 0)
  var saving = Saving()
  var wakeUps = WakeUps()

  /// What a picture of the last story has cost on the way to the terminal.
  var bytesPerPicture: Int {
    stories.last.map { $0.framesShown > 0 ? $0.bytesToTerminal / $0.framesShown : 0 } ?? 0
  }

  var json: JSON {
    let own = ResourceUsage.own
    let decoders = ResourceUsage.reapedChildren
    return .object([
      ("stories", .array(stories.map(\.json))),
      (
        "keys",
        .object([
          ("count", .integer(keyLatencies.count)),
          ("latencyMsP50", .optional(keyLatencies.percentile(50))),
          ("latencyMsP99", .optional(keyLatencies.percentile(99))),
        ])
      ),
      (
        "transitions",
        .object([
          ("count", .integer(transitionGaps.count)),
          ("gapMsP50", .optional(transitionGaps.percentile(50))),
          ("gapMsP99", .optional(transitionGaps.percentile(99))),
        ])
      ),
      (
        "network",
        .object([
          ("requests", .integer(Int(network.requests))), ("bytes", .integer(Int(network.bytes))),
        ])
      ),
      (
        "cache",
        .object([
          ("hits", .integer(Int(saving.hits))), ("misses", .integer(Int(saving.misses))),
          ("bytesServed", .integer(Int(saving.served))),
          ("bytesFetched", .integer(Int(saving.fetched))),
        ])
      ),
      (
        "cpuMs",
        .object([
          ("player", .integer(own.processorMilliseconds)),
          ("decoders", .integer(decoders.processorMilliseconds)),
        ])
      ),
      (
        "maxRssKiB",
        .object([
          ("player", .integer(own.peakKibibytes)), ("decoders", .integer(decoderPeakKibibytes)),
        ])
      ),
      ("startToFirstPictureMs", .optional(startToFirstPicture?.milliseconds)),
      ("wakeUps", wakeUps.json),
    ])
  }
}

extension Duration {
  /// The duration in milliseconds, with fractions.
  package var milliseconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) * 1e3 + Double(attoseconds) / 1e15
  }

  /// The duration in seconds, with fractions.
  var inSeconds: Double { milliseconds / 1000 }
}
