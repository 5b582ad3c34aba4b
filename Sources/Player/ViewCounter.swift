import Playback
import Resources
import Stories
import System

/// Counts what is seen of the stories in this run, and decides where a later run goes on:
/// events in, effects out. It touches no disk.
struct ViewCounter {
  enum Effect: Equatable {
    case add(HistoryCounts, story: Int)
    /// The run is at this story now.
    case setResumePoint(story: Int, position: Duration)
    /// There is nothing to go on with.
    case clearResumePoint
  }

  private struct Play {
    let story: Int
    var showing = Showing()
    var shownSince: Instant?
    var wasSeenBefore = false
  }

  /// What is known of the stories, from earlier runs and this one.
  private(set) var viewings: Viewings
  /// Whether nobody watches: then nothing is counted beyond this run.
  private let isUntimed: Bool
  /// Where the first story begins, if it is this one.
  private var start: (story: Int, position: Duration)?
  private var play: Play?
  /// A story that was left before its end: if it plays again next, that is no skip.
  private var left: Int?
  /// Where a later run goes on, once the story has stayed for a moment.
  private var pendingResumePoint: (story: Int, position: Duration, due: Instant)?
  /// All there was has played: then a later run has nothing to go on with.
  private var isThrough = false
  /// The reel of the current story, and whether all of it had been seen when the viewer came to it.
  private var reel: (stories: Range<Int>, wasSeen: Bool)?

  /// - Parameter start: where the run begins; nil for the beginning.
  init(
    _ viewings: Viewings, isUntimed: Bool = false, start: (story: Int, position: Duration)? = nil
  ) {
    self.viewings = viewings
    self.isUntimed = isUntimed
    self.start = start
  }

  /// When `tick` has something to do.
  var deadline: Instant? {
    var next = Earliest(pendingResumePoint?.due)
    // Where nobody watches, what is shown decides.
    if !isUntimed, let play, play.showing.isBecomingSeen {
      next.add(play.shownSince.map { $0 + Showing.least })
    }
    return next.moment
  }

  /// Time has passed.
  mutating func tick(at now: Instant) -> [Effect] {
    var effects: [Effect] = []
    if let point = pendingResumePoint, now >= point.due {
      effects += setResumePoint(point.story, point.position)
    }
    if !isUntimed, let since = play?.shownSince { effects += reached(now - since) }
    return effects
  }

  mutating func handle(_ event: Journal.Event, at now: Instant) -> [Effect] {
    switch event {
    case .began(let story, _, _): return begin(story, at: now)
    case .withdrawn: play = nil
    case .pictureShown:
      play?.showing.pictureShown()
      if play?.shownSince == nil { play?.shownSince = now }
    case .watched(let reading):
      if isUntimed { return reached(reading.position) }
    case .ended(let how, _, let summary): return end(how, summary)
    case .endCard, .allPlayed:
      isThrough = true
      pendingResumePoint = nil
      return countSkip() + [.clearResumePoint]
    case .stopped(let story, let position): return countSkip() + setResumePoint(story, position)
    case .keyPressed, .posterShown, .newPicture, .painted, .drained, .firstPicture, .noted,
      .stalled, .resumed, .failed:
      break
    }
    return []
  }

  // MARK: - What others have seen

  /// Takes in what earlier runs have seen.
  mutating func learn(from past: SeenRecords) {
    viewings.learn(from: past)
    if let reel { self.reel?.wasSeen = reel.stories.allSatisfy { past[$0].isSeen } }
  }

  /// Takes in how often a story was played to its end in all, by other players too.
  mutating func learn(completions: Int, of story: Int) {
    viewings.learn(completions: completions, of: story)
  }

  /// Whether all of a story's reel had been seen when the viewer came to it.
  func wasSeen(reelOf story: Int) -> Bool {
    if let reel, reel.stories.contains(story) { return reel.wasSeen }
    return viewings.isReelSeen(of: story)
  }

  // MARK: - A play

  private mutating func begin(_ story: Int, at now: Instant) -> [Effect] {
    // The same one once more is no skip.
    if left == story { left = nil }
    let effects = countSkip()
    play = Play(story: story)
    isThrough = false
    let position = start?.story == story ? start?.position : nil
    start = nil
    // Until then it may be one of those that are only passed by.
    pendingResumePoint = (story, position ?? .zero, now + Director.calm)
    let stories = viewings.stories(inReelOf: story)
    if stories != reel?.stories {
      reel = stories.map { ($0, viewings.isReelSeen(of: story)) }
    }
    return effects
  }

  private mutating func reached(_ time: Duration) -> [Effect] {
    count(play?.showing.reached(time) ?? [])
  }

  private mutating func end(_ how: Showing.End, _ summary: PlaybackSummary?) -> [Effect] {
    var counts = HistoryCounts()
    if let summary, summary.stalls > 0 {
      counts = HistoryCounts(waits: summary.stalls, waited: summary.stalled)
    }
    let effects = count(play?.showing.end(how) ?? [], in: counts)
    play = nil
    return effects
  }

  /// Counts that the story was left for another one, or for the end.
  private mutating func countSkip() -> [Effect] {
    guard let story = left else { return [] }
    left = nil
    return isUntimed ? [] : [.add(HistoryCounts(skips: 1), story: story)]
  }

  private mutating func count(
    _ marks: [Showing.Mark], in counts: HistoryCounts = HistoryCounts()
  ) -> [Effect] {
    guard let play else { return [] }
    var counts = counts
    for mark in marks {
      switch mark {
      case .seen:
        self.play?.wasSeenBefore = viewings.isSeen(play.story)
        viewings.markSeen(play.story)
        counts.views += 1
      case .completed:
        viewings.markCompleted(play.story)
        counts.completions += 1
      case .skipped: left = play.story
      case .takenBack:
        if !play.wasSeenBefore { viewings.unmarkSeen(play.story) }
        counts.views -= 1
      }
    }
    // Nobody has watched what a machine ran through.
    return isUntimed || counts == HistoryCounts() ? [] : [.add(counts, story: play.story)]
  }

  private mutating func setResumePoint(_ story: Int, _ position: Duration) -> [Effect] {
    pendingResumePoint = nil
    return isThrough ? [] : [.setResumePoint(story: story, position: position)]
  }
}
