import Stories
import Testing

@Suite struct StageTests {
  /// Reels of 2, 3 and 1 stories, started.
  private func started(_ options: Stage.Options = .init()) -> Stage {
    var stage = Stage(reelSizes: [2, 3, 1], options: options)
    #expect(stage.handle(.start) == [.tell(.init(story: 0, generation: 1))])
    return stage
  }

  /// A stage that tells this story, with something shown before.
  private func telling(_ story: Int, _ options: Stage.Options = .init()) -> Stage {
    var stage = started(options)
    _ = stage.handle(.began(generation: 1))
    for _ in 0..<story { _ = stage.handle(.next) }
    #expect(stage.current == .init(story: story, generation: story + 1))
    return stage
  }

  @Test(arguments: [
    (0, Stage.Event.next, 1), (1, .next, 2), (4, .next, 5),
    (5, .previous, 4), (2, .previous, 1), (0, .previous, 0),
    (0, .nextReel, 2), (3, .nextReel, 5),
    (4, .previousReel, 0), (1, .previousReel, 0), (5, .previousReel, 2),
    (3, .restart, 3), (3, .goTo(storyInReel: 0), 2), (2, .goTo(storyInReel: 2), 4),
  ])
  func navigation_fromAStory_tellsTheRightOne(from: Int, event: Stage.Event, to: Int) {
    var stage = telling(from)
    #expect(stage.handle(event) == [.tell(.init(story: to, generation: from + 2))])
  }

  @Test(arguments: [Stage.Event.next, .nextReel, .end])
  func navigation_pastTheLast_showsTheEndCard(event: Stage.Event) {
    var stage = telling(5)
    #expect(stage.handle(event) == [.showEndCard])
    #expect(stage.isAtEndCard)
    #expect(stage.handle(.next) == [])
    #expect(stage.handle(.previous) == [.tell(.init(story: 5, generation: 7))])
  }

  @Test func end_fromAnEarlyStory_standsBehindTheLast() {
    var stage = telling(0)
    #expect(stage.handle(.end) == [.showEndCard])
    #expect(stage.current.story == 5)
    #expect(stage.handle(.previous) == [.tell(.init(story: 5, generation: 2))])
  }

  @Test func keys_beforeAnyPicture_neverEndTheProgram() {
    var stage = started()
    for _ in 0..<5 { _ = stage.handle(.next) }
    #expect(stage.handle(.next) == [.showEndCard])
  }

  @Test func replay_atTheEndCard_beginsAgain() {
    var stage = telling(5)
    _ = stage.handle(.end)
    #expect(stage.handle(.replay) == [.tell(.init(story: 0, generation: 7))])
  }

  @Test func goTo_outsideTheReel_doesNothing() {
    var stage = telling(0)
    #expect(stage.handle(.goTo(storyInReel: 2)) == [])
    #expect(stage.handle(.goTo(storyInReel: -1)) == [])
  }

  @Test func finished_advances_andStaleNewsAreDropped() {
    var stage = telling(0)
    #expect(stage.handle(.finished(generation: 0)) == [])
    #expect(stage.handle(.finished(generation: 1)) == [.tell(.init(story: 1, generation: 2))])
    #expect(stage.handle(.failed(generation: 1, reason: "late")) == [])
  }

  @Test func finished_whenManual_waitsForAKey() {
    var stage = telling(0, .init(manual: true))
    #expect(stage.handle(.finished(generation: 1)) == [])
    #expect(stage.isWaiting)
    #expect(stage.handle(.next) == [.tell(.init(story: 1, generation: 2))])
    #expect(!stage.isWaiting)
  }

  @Test func failed_showsTheReasonThenGoesOn() {
    var stage = telling(1)
    let failed = Stage.Telling(story: 1, generation: 2)
    #expect(
      stage.handle(.failed(generation: 2, reason: "broken"))
        == [.showError(failed, reason: "broken")])
    #expect(stage.handle(.errorRead(generation: 1)) == [])
    #expect(stage.handle(.errorRead(generation: 2)) == [.tell(.init(story: 2, generation: 3))])
  }

  @Test func failed_twice_isNotTriedAgain() {
    var stage = telling(1)
    _ = stage.handle(.failed(generation: 2, reason: "first"))
    _ = stage.handle(.next)
    #expect(stage.handle(.previous) == [.tell(.init(story: 1, generation: 4))])
    _ = stage.handle(.failed(generation: 4, reason: "second"))
    _ = stage.handle(.next)
    #expect(
      stage.handle(.previous)
        == [.showError(.init(story: 1, generation: 6), reason: "second")])
    #expect(stage.handle(.errorRead(generation: 6)) == [.tell(.init(story: 2, generation: 7))])
  }

  @Test func failed_whereNothingElseIsLeft_finishesAtOnce() {
    var stage = Stage(reelSizes: [1, 1])
    _ = stage.handle(.start)
    #expect(
      stage.handle(.failed(generation: 1, reason: "a"))
        == [.showError(.init(story: 0, generation: 1), reason: "a")])
    _ = stage.handle(.errorRead(generation: 1))
    #expect(stage.handle(.failed(generation: 2, reason: "b")) == [.finish])
    #expect(stage.handle(.next) == [])
  }

  @Test func untimed_neverWaits() {
    var stage = started(.init(manual: true, untimed: true))
    _ = stage.handle(.began(generation: 1))
    for story in 1..<6 {
      let event: Stage.Event =
        story.isMultiple(of: 2)
        ? .failed(generation: story, reason: "x") : .finished(generation: story)
      #expect(stage.handle(event) == [.tell(.init(story: story, generation: story + 1))])
    }
    #expect(stage.handle(.finished(generation: 6)) == [.finish])
  }

  @Test func pause_byKeyAndByHolding_adds() {
    var stage = telling(0)
    #expect(stage.handle(.togglePause) == [.pause(true)])
    #expect(stage.handle(.hold(true)) == [])
    #expect(stage.handle(.togglePause) == [])
    #expect(stage.handle(.hold(false)) == [.pause(false)])
    #expect(!stage.isPaused)
  }

  @Test func pause_endsWithTheStory() {
    var stage = telling(0)
    _ = stage.handle(.togglePause)
    _ = stage.handle(.next)
    #expect(!stage.isPaused)
  }

  @Test(arguments: [(0, [1, 2]), (1, [2, 0]), (2, [3, 1, 5]), (4, [5, 3]), (5, [4])])
  func neighbours_areWhatOneKeyReaches(story: Int, expected: [Int]) {
    #expect(telling(story).neighbours == expected)
  }

  @Test func reel_ofEveryStory_isFound() {
    let stage = Stage(reelSizes: [2, 0, 3, 1])
    #expect((0..<6).map(stage.reel(of:)) == [0, 0, 1, 1, 1, 2])
    #expect(stage.storyCount == 6)
  }

  @Test func start_withoutStories_finishes() {
    var stage = Stage(reelSizes: [0])
    #expect(stage.handle(.start) == [.finish])
  }

  /// Whatever happens in whatever order, the current story is one of the feed's, generations only
  /// grow, and what is told is what is current.
  @Test func anyEvents_keepTheStageConsistent() {
    var random = Seeded(state: 7)
    for _ in 0..<200 {
      let sizes = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        Int.random(in: 0...4, using: &random)
      }
      var stage = Stage(
        reelSizes: sizes,
        options: .init(manual: Bool.random(using: &random)))
      var generation = 0
      _ = stage.handle(.start)
      for _ in 0..<500 {
        let effects = stage.handle(randomEvent(for: stage, using: &random))
        for case .tell(let telling) in effects { #expect(telling == stage.current) }
        #expect(stage.current.generation >= generation)
        generation = stage.current.generation
        #expect(stage.storyCount == 0 || (0..<stage.storyCount).contains(stage.current.story))
        #expect(stage.neighbours.allSatisfy { (0..<stage.storyCount).contains($0) })
        #expect(Set(stage.neighbours).count == stage.neighbours.count)
      }
    }
  }

  private func randomEvent(for stage: Stage, using random: inout Seeded) -> Stage.Event {
    let generation = stage.current.generation - Int.random(in: 0...1, using: &random)
    let events: [Stage.Event] = [
      .start, .next, .previous, .nextReel, .previousReel, .restart, .end, .replay,
      .goTo(storyInReel: Int.random(in: -1...5, using: &random)), .togglePause,
      .hold(Bool.random(using: &random)), .began(generation: generation),
      .finished(generation: generation), .failed(generation: generation, reason: "r"),
      .errorRead(generation: generation),
    ]
    return events[Int.random(in: 0..<events.count, using: &random)]
  }
}

/// SplitMix64: the same numbers for the same seed.
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
