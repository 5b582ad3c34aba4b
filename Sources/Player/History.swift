import DecoderLink
import Playback
import Resources
import Stories
import System

/// The player's side of what is remembered across runs: it asks before the first story plays what the
/// rules depend on, counts what is seen, and never waits for the disk while stories play.
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
  /// What is played, in its order.
  private(set) var stories: [Story] = []
  /// Where to begin; nil for the beginning.
  private(set) var start: (story: Int, position: Duration)?
  private var counter = ViewCounter(Viewings(Feed(title: "")))

  /// - Parameter sources: what the viewer named, to find where the last run of them stopped.
  public init(sources: [String], options: PlayOptions) {
    rules = options.rules
    resumes = options.resume
    isUntimed = options.untimed
    self.sources = sources.map { source in
      source.contains("://") ? Story.Source.url(source).visible : Paths.canonical(source) ?? source
    }.joined(separator: "\n")
    directory = options.keepsHistory ? StateFolder.path : nil
    if options.keepsHistory, directory == nil { ownNotice = "no history: HOME is not set" }
    // Opened while the sources are read, where the first story depends on it.
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

  // MARK: - Before the first story

  /// What of a feed is played, in which order.
  public func select(from feed: Feed) -> ViewingRules.Selection {
    let whole = feed.reels.flatMap(\.stories)
    var findings = HistoryFindings()
    if resumes || rules.needsPast(of: feed) {
      prepare()
      findings = past(of: whole)
    }
    let selection = rules.select(from: feed, past: SeenRecords(findings), now: WallClock.seconds)
    stories = selection.numbers.map { $0.map { whole[$0] } } ?? whole
    if let point = findings.resumePoint {
      start = History.start(at: point, among: selection.numbers)
    }
    counter = ViewCounter(
      Viewings(selection.feed, past: selection.past), isUntimed: isUntimed, start: start)
    return selection
  }

  /// Where to begin: at the remembered story, or where that is not played any more, at the next one that is.
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
  public static func past(of feed: Feed, options: PlayOptions) -> SeenRecords {
    guard options.keepsHistory, let path = StateFolder.path else { return SeenRecords() }
    let stories = feed.reels.flatMap(\.stories)
    let found = try? HistoryDirectory(path).lookUp(count: stories.count) { stories[$0].id }
    return SeenRecords(found ?? HistoryFindings())
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

  // MARK: - What the rules say

  /// Whether the rules forbid a story now.
  func forbids(_ story: Int, now: Int64) -> Bool {
    isExhausted(story) || rules.refusal(of: stories[story], completions: 0, now: now) != nil
  }

  /// Whether a story was played to its end as often as allowed.
  func isExhausted(_ story: Int) -> Bool { counter.viewings.isExhausted(story) }

  /// Whether a story will play if it comes next: no other player can use up its views, and its time is
  /// not about to end.
  func isSure(_ story: Int) -> Bool {
    !counter.viewings.isLimited(story)
      && rules.refusal(of: stories[story], completions: 0, now: WallClock.seconds + 2) == nil
  }

  /// Whether all of a story's reel had been seen when the viewer came to it.
  func wasSeen(reelOf story: Int) -> Bool { counter.wasSeen(reelOf: story) }

  /// Asks whether others have used up a story's views meanwhile; false where nothing is to ask.
  func asks(about story: Int) -> Bool {
    guard let thread, counter.viewings.isLimited(story) else { return false }
    thread.check(story: story, id: stories[story].id)
    return true
  }

  /// Takes in what was answered.
  ///
  /// - Returns: the stories that `asks` was true for.
  func takeAnswers() -> [Int] {
    guard let thread else { return [] }
    var answered: [Int] = []
    for event in thread.take() {
      switch event {
      case .found(let findings): counter.learn(from: SeenRecords(findings))
      case .counted(let story, let completions):
        if let completions { counter.learn(completions: completions, of: story) }
        answered.append(story)
      }
    }
    return answered
  }

  /// Does what the counter wants.
  private func execute(_ effects: [ViewCounter.Effect]) {
    for effect in effects {
      switch effect {
      case .add(let counts, let number):
        let story = stories[number]
        thread?.add(
          counts,
          to: HistorySubject(
            id: story.id, source: story.visibleSource, title: story.caption,
            isLimited: story.maxViews != nil))
      case .setResumePoint(let story, let position):
        prepare()
        thread?.setResumePoint(of: sources, story: stories[story].id, position: position)
      case .clearResumePoint: thread?.clearResumePoint(of: sources)
      }
    }
  }

  /// What only decorates the screen is read once there is something on it.
  private func lookUpLate() {
    guard !hasLookedUp else { return }
    hasLookedUp = true
    prepare()
    let stories = stories
    thread?.lookUp(count: stories.count, sources: nil) { stories[$0].id }
  }

  // MARK: - Afterwards

  /// Waits until all is written. Once.
  public func close() { thread?.close() }

  /// What the viewer should know of it, in one line; complete after `close`.
  public var notice: String? { ownNotice ?? thread?.notice }
}

extension History: LoopSource, JournalReader {
  var interest: Interest? { thread.map { Interest($0.descriptor) } }
  var deadline: Instant? { counter.deadline }

  func service(_ readiness: Readiness, now: Instant) { execute(counter.tick(at: now)) }

  func read(_ event: Journal.Event, at now: Instant) {
    execute(counter.handle(event, at: now))
    if case .pictureShown = event { lookUpLate() }
  }
}

extension SeenRecords {
  fileprivate init(_ findings: HistoryFindings) {
    self.init()
    // The last first: room for all is made at once.
    for known in findings.known.reversed() {
      self[Int(known.story)] = SeenRecord(
        isSeen: known.views > 0, completions: known.completions)
    }
  }
}
