/// Which story plays, and what happens next: events in, effects out. It does no I/O and has no
/// clock; it knows the stories by their number in the order of playing.
///
/// Every play has a generation. What comes late from an earlier play carries an older
/// generation and is dropped.
public struct Stage: Sendable {
  /// One play of one story.
  public struct Play: Equatable, Sendable {
    /// The story's number, counted over all reels from 0.
    public let story: Int
    /// Grows with every play.
    public let generation: Int

    public init(story: Int, generation: Int) {
      self.story = story
      self.generation = generation
    }
  }

  /// What the viewer or the player says.
  public enum Event: Equatable, Sendable {
    case start
    case next
    case previous
    case nextReel
    case previousReel
    case restart
    /// Straight to the end card.
    case end
    /// From the end card: everything again.
    case replay
    /// A story of the current reel, counted from 0.
    case goTo(storyInReel: Int)
    case togglePause
    /// A mouse button goes down or up: paused while it is held.
    case hold(Bool)
    /// The story's first picture is on the screen.
    case began(generation: Int)
    /// The story has played to its end.
    case finished(generation: Int)
    case failed(generation: Int, reason: String)
    /// The time for reading an error is over.
    case errorRead(generation: Int)
    /// This story is not played any more: it was seen as often as allowed, or it has expired. If it is
    /// on the screen, it plays to its end.
    case exhausted(story: Int)
  }

  /// What the player must do.
  public enum Effect: Equatable, Sendable {
    /// End what plays, and play this from its beginning.
    case play(Play)
    /// Show the reason and say `errorRead` when it could be read.
    case showError(Play, reason: String)
    case pause(Bool)
    case showEndCard
    /// There is nothing (more) to show: end the program.
    case finish
  }

  /// How the stage behaves at the edges.
  public struct Options: Equatable, Sendable {
    /// Wait for a key at the end of each story.
    public var manual = false
    /// Never wait: no error pause, no end card.
    public var untimed = false

    public init(manual: Bool = false, untimed: Bool = false) {
      self.manual = manual
      self.untimed = untimed
    }
  }

  private enum Phase: Equatable {
    /// Before `start`.
    case idle
    /// A story is being loaded or plays.
    case playing
    /// It has played to its end, and a key is awaited (manual).
    case ended
    /// Its error is on the screen.
    case failed
    case endCard
    case finished
  }

  /// The stories of each reel, as ranges of story numbers.
  public let reels: [Range<Int>]
  public let options: Options
  /// The current play.
  public private(set) var current: Play
  /// Paused by a key; a held button pauses too.
  public private(set) var isPausedByKey = false
  public private(set) var isHeld = false
  /// Whether any story has shown a picture so far.
  public private(set) var hasBegunAny = false
  private var phase = Phase.idle
  /// Stories that have failed.
  private var failed: Set<Int> = []
  /// Stories that are not played any more.
  private var exhausted: Set<Int> = []
  /// Whether the current play has shown a picture.
  private var hasBegun = false
  /// Whether the viewer came to the current story by going back.
  private var wentBack = false
  private let first: Int

  /// A stage for reels of these sizes; reels without stories are left out.
  ///
  /// - Parameter first: the story to begin with.
  public init(reelSizes: [Int], options: Options = Options(), first: Int = 0) {
    var reels: [Range<Int>] = []
    for size in reelSizes where size > 0 {
      let start = reels.last?.upperBound ?? 0
      reels.append(start..<start + size)
    }
    self.reels = reels
    self.options = options
    self.first = first
    current = Play(story: 0, generation: 0)
  }

  public var storyCount: Int { reels.last?.upperBound ?? 0 }
  public var isPaused: Bool { isPausedByKey || isHeld }
  public var isAtEndCard: Bool { phase == .endCard }
  /// Waiting for a key after a story's end.
  public var isWaiting: Bool { phase == .ended }

  /// The number of the reel that holds a story. O(log reels).
  public func reel(of story: Int) -> Int {
    var low = 0
    var high = reels.count
    while low + 1 < high {
      let middle = (low + high) / 2
      if reels[middle].lowerBound <= story { low = middle } else { high = middle }
    }
    return low
  }

  /// The stories that a single key leads to from here, nearest first: what to keep ready.
  public var neighbours: [Int] {
    guard phase != .finished, phase != .idle else { return [] }
    if phase == .endCard { return playable(before: storyCount).map { [$0] } ?? [] }
    let story = current.story
    var near: [Int] = []
    if let next = playable(from: story + 1) { near.append(next) }
    if let previous = playable(before: story) { near.append(previous) }
    let nextReel = playable(from: reels[reel(of: story)].upperBound)
    if let nextReel, !near.contains(nextReel) { near.append(nextReel) }
    return near
  }

  /// The story that plays by itself when the current one ends.
  public var successor: Int? {
    guard phase == .playing, !options.manual || options.untimed else { return nil }
    return playable(from: current.story + 1)
  }

  /// Whether a story may still be played.
  public func isPlayable(_ story: Int) -> Bool { !exhausted.contains(story) }

  /// Whether no story may be played any more: no key leads to one.
  public var isExhausted: Bool { exhausted.count == storyCount }

  /// This story or the nearest after it that may still be played.
  public func playable(from story: Int) -> Int? {
    (story..<max(story, storyCount)).first(where: isPlayable)
  }

  /// The nearest before it that may still be played.
  private func playable(before story: Int) -> Int? {
    (0..<story).last(where: isPlayable)
  }

  /// Takes one event and says what to do about it.
  public mutating func handle(_ event: Event) -> [Effect] {
    if phase == .finished { return [] }
    switch event {
    case .start:
      return phase == .idle ? go(to: first) : []
    case .began(let generation):
      guard isCurrent(generation), phase == .playing else { return [] }
      hasBegunAny = true
      hasBegun = true
      return []
    case .finished(let generation):
      guard isCurrent(generation), phase == .playing else { return [] }
      guard options.manual, !options.untimed else { return go(to: current.story + 1) }
      phase = .ended
      return []
    case .failed(let generation, let reason):
      guard isCurrent(generation), phase == .playing else { return [] }
      return fail(reason)
    case .errorRead(let generation):
      guard isCurrent(generation), phase == .failed else { return [] }
      return go(to: current.story + 1)
    case .togglePause:
      return setPaused { $0.isPausedByKey.toggle() }
    case .hold(let down):
      return setPaused { $0.isHeld = down }
    case .exhausted(let story):
      return exhaust(story)
    default:
      return navigate(event)
    }
  }

  private mutating func navigate(_ event: Event) -> [Effect] {
    guard phase != .idle else { return [] }
    let story = current.story
    let reel = reel(of: story)
    if phase == .endCard {
      switch event {
      case .previous, .previousReel, .restart: return goBack(before: storyCount)
      case .replay: return playable(from: 0).map { go(to: $0) } ?? []
      default: return []
      }
    }
    switch event {
    case .next: return go(to: story + 1)
    case .previous: return goBack(before: story)
    case .nextReel: return go(to: reels[reel].upperBound)
    case .previousReel: return goBackAReel()
    case .restart: return isPlayable(story) ? go(to: story) : []
    case .goTo(let number):
      guard (0..<reels[reel].count).contains(number) else { return [] }
      let target = reels[reel].lowerBound + number
      return isPlayable(target) ? go(to: target) : []
    case .end: return go(to: storyCount)
    default: return []
    }
  }

  /// To the nearest story before; on the very first, to its beginning.
  private mutating func goBack(before story: Int) -> [Effect] {
    if let target = playable(before: story) { return go(to: target, back: true) }
    return story < storyCount && isPlayable(story) ? go(to: story, back: true) : []
  }

  /// To the first story of the nearest reel before that has any; in the very first, to its own.
  private mutating func goBackAReel() -> [Effect] {
    let reel = reel(of: current.story)
    for earlier in reels[...max(0, reel - 1)].reversed() {
      if let target = earlier.first(where: isPlayable) { return go(to: target, back: true) }
    }
    return reels[reel].first(where: isPlayable).map { go(to: $0, back: true) } ?? []
  }

  /// A story that is about to play gives way to the next one, or to the one before if the viewer goes
  /// back.
  private mutating func exhaust(_ story: Int) -> [Effect] {
    guard (0..<storyCount).contains(story) else { return [] }
    exhausted.insert(story)
    guard story == current.story, phase == .playing, !hasBegun else { return [] }
    if wentBack, let before = playable(before: story) { return go(to: before, back: true) }
    return go(to: story + 1)
  }

  private func isCurrent(_ generation: Int) -> Bool { generation == current.generation }

  private mutating func setPaused(_ change: (inout Stage) -> Void) -> [Effect] {
    guard phase == .playing else {
      if isHeld { isHeld = false }
      return []
    }
    let before = isPaused
    change(&self)
    return isPaused == before ? [] : [.pause(isPaused)]
  }

  /// Plays this story, or the next one that may be played; after the last comes the card.
  private mutating func go(to wanted: Int, back: Bool = false) -> [Effect] {
    isPausedByKey = false
    isHeld = false
    hasBegun = false
    wentBack = back
    guard let story = playable(from: wanted) else {
      phase = options.untimed || nothingPlays ? .finished : .endCard
      // At the end card the last story is the current one, whatever played before.
      current = Play(story: max(0, storyCount - 1), generation: current.generation)
      return [phase == .finished ? .finish : .showEndCard]
    }
    current = Play(story: story, generation: current.generation + 1)
    phase = .playing
    return [.play(current)]
  }

  /// Whether every story has failed or may not be played any more, and none was ever seen.
  private var nothingPlays: Bool {
    !hasBegunAny && exhausted.union(failed).count == storyCount
  }

  /// A failed story's reason stays for a while; but where nothing could be played and nothing is
  /// left to try there is no one to show it to, and the program ends at once.
  private mutating func fail(_ reason: String) -> [Effect] {
    failed.insert(current.story)
    if options.untimed || (!hasBegunAny && playable(from: current.story + 1) == nil) {
      return go(to: current.story + 1)
    }
    phase = .failed
    isPausedByKey = false
    isHeld = false
    return [.showError(current, reason: reason)]
  }
}
