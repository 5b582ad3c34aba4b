import Resources
import Stories
import System

/// Keeps the account of a run: an entry for each play of a story, and how long the viewer waited.
final class RunAccount: JournalReader {
  private(set) var metrics = Metrics()
  /// A line for each story that failed, in the order of their first failures.
  private(set) var complaints: [String] = []
  private var complained: Set<String> = []
  private let processStart: Instant

  /// - Parameter processStart: when the program started, for the time to the first picture.
  init(processStart: Instant) { self.processStart = processStart }

  var outcome: PlayOutcome {
    // Another player may have used up the last views since the start.
    if metrics.stories.isEmpty { return .nothingPlayed }
    if complaints.isEmpty { return .allPlayed }
    return metrics.stories.contains { $0.framesShown > 0 } ? .somePlayed : .nothingPlayed
  }

  func noteDecoders(peakKibibytes: Int) { metrics.decoderPeakKibibytes = peakKibibytes }

  /// - Parameters:
  ///   - count: how often the loop has woken up in a turn.
  ///   - state: what it slept over.
  ///   - time: how long the turn took.
  func noteWakeUps(_ count: Int, in state: WakeUps.State, over time: Duration) {
    metrics.wakeUps.add(count, in: state, over: time)
  }

  func noteNetwork(_ network: Network) {
    metrics.network = network.traffic
    metrics.saving = network.saving
  }

  func read(_ event: Journal.Event, at now: Instant) {
    switch event {
    case .began(_, let story, _):
      metrics.stories.append(
        StoryMetrics(source: story.visibleSource, kind: story.kind?.rawValue))
    case .withdrawn: metrics.stories.removeLast()
    case .newPicture: change { $0.framesShown += 1 }
    case .painted(let bytes): change { $0.bytesToTerminal += bytes }
    case .drained(let lead):
      if let lead { change { $0.soundOffsets.add(lead < .zero ? .zero - lead : lead) } }
    case .firstPicture(let first): add(first, at: now)
    case .noted(let words): change { $0.notes.append("\($0.source.lastPart): \(words)") }
    case .failed(let reason):
      let name = metrics.stories.last?.source.lastPart ?? ""
      let line = "cannot play \(name): \(reason)"
      if complained.insert(line).inserted { complaints.append(line) }
      change { $0.error = line }
    case .ended(let how, _, let summary):
      change {
        $0.status = how
        if let summary { $0.take(summary) }
      }
    case .keyPressed, .posterShown, .pictureShown, .watched, .stalled, .resumed, .endCard,
      .allPlayed, .stopped:
      break
    }
  }

  private func add(_ first: Journal.FirstPicture, at now: Instant) {
    change { $0.firstPictureMs = first.wait.milliseconds }
    if metrics.startToFirstPicture == nil { metrics.startToFirstPicture = now - processStart }
    if let wait = first.sinceKey { metrics.keyLatencies.add(wait) }
    if let gap = first.gap { metrics.transitionGaps.add(gap) }
  }

  /// Changes the entry of the play that began last.
  private func change(_ change: (inout StoryMetrics) -> Void) {
    guard !metrics.stories.isEmpty else { return }
    change(&metrics.stories[metrics.stories.count - 1])
  }
}
