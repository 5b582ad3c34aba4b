import DecoderLink
import Playback
import Resources
import Stories
import System

/// The player's side of what is remembered across runs: it asks before the first telling what the
/// rules depend on, counts what is seen, and never waits for the disk while stories are told.
public final class History {
  /// How long the start may wait for what was seen before.
  private static let openingPatience = Duration.milliseconds(1_500)

  private let rules: ViewingRules
  private let resumes: Bool
  private let isUntimed: Bool
  /// What the last run of the same sources is found by.
  private var sources: String
  /// nil where nothing may be remembered.
  private let directory: String?
  private var thread: HistoryThread?
  private var ownNotice: String?
  private var hasLookedUp = false
  /// What is told, in its order.
  private(set) var stories: [Story] = []
  private var viewings = Viewings(Feed(title: ""))
  /// Where to begin; nil for the beginning.
  private(set) var start: (story: Int, position: Duration)?
  /// Whether all of the current reel had been seen when it was come to.
  private var reelWasSeen = false
  private var reel: Range<Int>?
  private var showing = Showing()
  private var story = 0
  private var shownSince: Instant?
  private var wasSeenBefore = false
  /// Until then the current story may be one of those that are only passed by.
  private var placeDue: Instant?
  /// Where the current story began.
  private var beginning = Duration.zero
  private var hasBegun = false
  /// Whether all there was is told: then there is no place to go on at.
  private var isThrough = false
  /// Left before its end; for itself once more that is no skip.
  private var isLeft = false
  /// Whether no telling is under way.
  private var isClosed = true

  /// - Parameter sources: what the viewer named, for the place where the last run of them stopped.
  public init(sources: [String], options: PlayOptions) {
    rules = options.rules
    resumes = options.resume
    isUntimed = options.untimed
    self.sources = sources.map { source in
      source.contains("://") ? Story.Source.url(source).visible : Paths.canonical(source) ?? source
    }.joined(separator: "\n")
    directory = options.keepsHistory ? StateFolder.path : nil
    if options.keepsHistory, directory == nil { ownNotice = "no history: HOME is not set" }
    // Opened while the sources are read, where the first telling depends on it.
    if rules.unseenFirst || resumes { prepare() }
  }

  /// What standard input listed: two lists are not the same sources.
  public func listed(_ bytes: [UInt8]) {
    sources += "\n" + SHA256.hex(of: bytes)
  }

  private func prepare() {
    guard thread == nil, let directory else { return }
    do {
      thread = try HistoryThread(directory: directory)
    } catch {
      ownNotice = ownNotice ?? "no history: \(error.description)"
    }
  }

  // MARK: - Before the first telling

  /// What of a feed is told, in which order.
  public func select(from feed: Feed) -> ViewingRules.Selection {
    let whole = feed.reels.flatMap(\.stories)
    var findings = HistoryFindings()
    if resumes || rules.needsPast(of: feed) {
      prepare()
      findings = past(of: whole)
    }
    let selection = rules.select(from: feed, past: Past(findings), now: WallClock.seconds)
    stories = selection.numbers.map { $0.map { whole[$0] } } ?? whole
    viewings = Viewings(selection.feed, past: selection.past)
    if let point = findings.resumePoint {
      start = History.start(at: point, among: selection.numbers)
    }
    return selection
  }

  /// Where to begin: at the remembered story, or where it is told no more at the next one that is.
  private static func start(
    at point: ResumePoint, among numbers: [Int]?
  ) -> (story: Int, position: Duration)? {
    guard let numbers else { return (point.story, point.position) }
    // Not in their order where reels with something unseen come first.
    let next = numbers.lazy.filter { $0 >= point.story }.min()
    guard let next, let story = numbers.firstIndex(of: next) else { return nil }
    return (story, next == point.story ? point.position : .zero)
  }

  /// What is known of a feed's stories, by their numbers counted over all reels, for a list.
  public static func past(of feed: Feed, options: PlayOptions) -> Past {
    guard options.keepsHistory, let path = StateFolder.path else { return Past() }
    let stories = feed.reels.flatMap(\.stories)
    let found = try? HistoryDirectory(path).lookUp(count: stories.count) { stories[$0].id }
    return Past(found ?? HistoryFindings())
  }

  /// Waits for what is known; nothing where that takes too long.
  private func past(of stories: [Story]) -> HistoryFindings {
    guard let thread else { return HistoryFindings() }
    hasLookedUp = true
    thread.lookUp(count: stories.count, sources: resumes ? sources : nil) { stories[$0].id }
    let deadline = Instant.now + History.openingPatience
    while Instant.now < deadline {
      _ = try? awaitReadiness(of: [Interest(thread.descriptor)], until: deadline)
      for case .found(let findings) in thread.take() { return findings }
    }
    ownNotice = ownNotice ?? "no history: another process holds it"
    return HistoryFindings()
  }

  // MARK: - On the player's loop

  /// What to wait for; nil where nothing comes.
  var interest: Interest? { thread.map { Interest($0.descriptor) } }

  /// The moment at which the current story will have been seen, or is where the run is.
  var nextMoment: Instant? {
    // Where nothing is waited for, what is shown tells.
    let isDue = showing.isBecomingSeen && !isUntimed
    let seen = isDue ? shownSince.map { $0 + Showing.least } : nil
    return [seen, placeDue].compactMap(\.self).min()
  }

  /// Remembers the current story where it has stayed for a while, whether or not it is shown yet.
  func keepPlace(now: Instant) {
    guard let due = placeDue, now >= due else { return }
    setPlace(story, beginning)
  }

  /// Takes in what was answered.
  ///
  /// - Returns: the stories that `asks` was true for.
  func take() -> [Int] {
    guard let thread else { return [] }
    var answered: [Int] = []
    for event in thread.take() {
      switch event {
      case .found(let findings): learn(findings)
      case .counted(let story, let completions):
        if let completions { viewings.learn(completions: completions, of: story) }
        answered.append(story)
      }
    }
    return answered
  }

  private func learn(_ findings: HistoryFindings) {
    let past = Past(findings)
    viewings.learn(past)
    if let reel { reelWasSeen = reel.allSatisfy { past[$0].isSeen } }
  }

  /// Whether the rules forbid a story now.
  func forbids(_ story: Int, now: Int64) -> Bool {
    viewings.isExhausted(story)
      || rules.refusal(of: stories[story], completions: 0, now: now) != nil
  }

  /// Whether a story will be told if it comes next: no other player can use up its views, and its
  /// time is not about to end.
  func isSure(_ story: Int) -> Bool {
    !viewings.isLimited(story)
      && rules.refusal(of: stories[story], completions: 0, now: WallClock.seconds + 2) == nil
  }

  /// Whether all of a story's reel had been seen when it was come to.
  func wasSeen(reelOf story: Int) -> Bool {
    reel?.contains(story) ?? false ? reelWasSeen : viewings.isReelSeen(of: story)
  }

  /// Asks whether others have used up a story's views meanwhile; false where nothing is to ask.
  func asks(about story: Int) -> Bool {
    guard let thread, viewings.isLimited(story) else { return false }
    thread.check(story: story, id: stories[story].id)
    return true
  }

  func begin(_ story: Int) {
    if story == self.story { isLeft = false }
    countSkip()
    self.story = story
    showing = Showing()
    shownSince = nil
    isClosed = false
    isThrough = false
    placeDue = .now + Director.calm
    // Until it is left, it is where the last run was.
    beginning = hasBegun || start?.story != story ? .zero : start?.position ?? .zero
    hasBegun = true
    let next = viewings.reel(of: story)
    if next != reel { reelWasSeen = viewings.isReelSeen(of: story) }
    reel = next
  }

  func pictureShown(now: Instant) {
    showing.pictureShown()
    shownSince = shownSince ?? now
    guard !hasLookedUp else { return }
    // What only decorates the screen is read once there is something on it.
    hasLookedUp = true
    prepare()
    let stories = stories
    thread?.lookUp(count: stories.count, sources: nil) { stories[$0].id }
  }

  /// Takes note of how long the current story is seen by now.
  func watch(_ slot: StorySlot, now: Instant) {
    guard showing.isBecomingSeen, let since = shownSince else { return }
    add(counts(of: showing.reached(isUntimed ? slot.playback.position(at: now) : now - since)))
  }

  /// The current telling is over.
  ///
  /// - Returns: whether the story is told no more.
  @discardableResult
  func end(_ how: Showing.End, _ slot: StorySlot?) -> Bool {
    countSkip()
    var counts = counts(of: showing.end(how))
    if !isClosed, let waits = slot?.playback.stalls(at: .now), waits.count > 0 {
      counts.waits = waits.count
      counts.waited = waits.length(at: .now)
    }
    isClosed = true
    add(counts)
    return viewings.isExhausted(story)
  }

  /// Counts that the story was left for another one, or for the end.
  private func countSkip() {
    guard isLeft else { return }
    isLeft = false
    add(HistoryCounts(skips: 1))
  }

  private func counts(of marks: [Showing.Mark]) -> HistoryCounts {
    var counts = HistoryCounts()
    for mark in marks {
      switch mark {
      case .seen:
        wasSeenBefore = viewings.isSeen(story)
        viewings.noteSeen(story)
        counts.views += 1
      case .completed:
        viewings.noteCompleted(story)
        counts.completions += 1
      case .skipped: isLeft = true
      case .takenBack:
        if !wasSeenBefore { viewings.forget(story) }
        counts.views -= 1
      }
    }
    return counts
  }

  private func add(_ counts: HistoryCounts) {
    // Nobody has watched what a machine ran through.
    guard !isUntimed, let thread, counts != HistoryCounts() else { return }
    let subject = stories[story]
    thread.add(
      counts,
      to: HistorySubject(
        id: subject.id, source: subject.visibleSource, title: subject.caption,
        isLimited: subject.maxViews != nil))
  }

  /// Remembers where this run is.
  func setPlace(_ story: Int, _ position: Duration) {
    placeDue = nil
    guard stories.indices.contains(story), !isThrough else { return }
    prepare()
    thread?.setResumePoint(of: sources, story: stories[story].id, position: position)
  }

  /// There is nothing to go on with.
  func clearPlace() {
    countSkip()
    isThrough = true
    placeDue = nil
    thread?.clearResumePoint(of: sources)
  }

  // MARK: - Afterwards

  /// Waits until all is written. Once.
  public func close() { thread?.close() }

  /// What the viewer should know of it, in one line; complete after `close`.
  public var notice: String? { ownNotice ?? thread?.notice }
}

extension Past {
  fileprivate init(_ findings: HistoryFindings) {
    self.init()
    // The last first: room for all is made at once.
    for known in findings.known.reversed() {
      self[Int(known.story)] = Sighting(
        isSeen: known.views > 0, completions: known.completions)
    }
  }
}
