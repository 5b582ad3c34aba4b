import Stories
import Testing

@Suite struct StageTests {
  /// Reels of 2, 3 and 1 stories, started.
  private func started(_ options: Stage.Options = .init()) -> Stage {
    var stage = Stage(reelSizes: [2, 3, 1], options: options)
    #expect(stage.handle(.start) == [.play(.init(story: 0, generation: 1))])
    return stage
  }

  /// A stage that plays this story, with something shown before.
  private func playing(_ story: Int, _ options: Stage.Options = .init()) -> Stage {
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
  func navigation_fromAStory_playsTheRightOne(from: Int, event: Stage.Event, to: Int) {
    var stage = playing(from)
    #expect(stage.handle(event) == [.play(.init(story: to, generation: from + 2))])
  }

  @Test func successor_isWhatFollowsTheStorysEnd() {
    for story in 0..<5 {
      var stage = playing(story)
      #expect(stage.successor == story + 1)
      let effects = stage.handle(.finished(generation: story + 1))
      #expect(effects == [.play(.init(story: story + 1, generation: story + 2))])
    }
    #expect(playing(5).successor == nil)
    #expect(playing(2, .init(manual: true)).successor == nil)
  }

  @Test(arguments: [Stage.Event.next, .nextReel, .end])
  func navigation_pastTheLast_showsTheEndCard(event: Stage.Event) {
    var stage = playing(5)
    #expect(stage.handle(event) == [.showEndCard])
    #expect(stage.isAtEndCard)
    #expect(stage.handle(.next) == [])
    #expect(stage.handle(.previous) == [.play(.init(story: 5, generation: 7))])
  }

  @Test func end_fromAnEarlyStory_standsBehindTheLast() {
    var stage = playing(0)
    #expect(stage.handle(.end) == [.showEndCard])
    #expect(stage.current.story == 5)
    #expect(stage.handle(.previous) == [.play(.init(story: 5, generation: 2))])
  }

  @Test func keys_beforeAnyPicture_neverEndTheProgram() {
    var stage = started()
    for _ in 0..<5 { _ = stage.handle(.next) }
    #expect(stage.handle(.next) == [.showEndCard])
  }

  @Test func replay_atTheEndCard_beginsAgain() {
    var stage = playing(5)
    _ = stage.handle(.end)
    #expect(stage.handle(.replay) == [.play(.init(story: 0, generation: 7))])
  }

  @Test func goTo_outsideTheReel_doesNothing() {
    var stage = playing(0)
    #expect(stage.handle(.goTo(storyInReel: 2)) == [])
    #expect(stage.handle(.goTo(storyInReel: -1)) == [])
  }

  @Test func finished_advances_andStaleNewsAreDropped() {
    var stage = playing(0)
    #expect(stage.handle(.finished(generation: 0)) == [])
    #expect(stage.handle(.finished(generation: 1)) == [.play(.init(story: 1, generation: 2))])
    #expect(stage.handle(.failed(generation: 1, reason: "late")) == [])
  }

  @Test func finished_whenManual_waitsForAKey() {
    var stage = playing(0, .init(manual: true))
    #expect(stage.handle(.finished(generation: 1)) == [])
    #expect(stage.isWaiting)
    #expect(stage.handle(.next) == [.play(.init(story: 1, generation: 2))])
    #expect(!stage.isWaiting)
  }

  @Test func failed_showsTheReasonThenGoesOn() {
    var stage = playing(1)
    let failed = Stage.Play(story: 1, generation: 2)
    #expect(
      stage.handle(.failed(generation: 2, reason: "broken"))
        == [.showError(failed, reason: "broken")])
    #expect(stage.handle(.errorRead(generation: 1)) == [])
    #expect(stage.handle(.errorRead(generation: 2)) == [.play(.init(story: 2, generation: 3))])
  }

  /// Its server may be back by now.
  @Test func failed_isTriedAgainWheneverTheViewerComesBack() {
    var stage = playing(1)
    for generation in [2, 4, 6, 8] {
      #expect(stage.current == .init(story: 1, generation: generation))
      _ = stage.handle(.failed(generation: generation, reason: "it is away"))
      #expect(stage.handle(.next) == [.play(.init(story: 2, generation: generation + 1))])
      #expect(stage.handle(.previous) == [.play(.init(story: 1, generation: generation + 2))])
    }
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
      #expect(stage.handle(event) == [.play(.init(story: story, generation: story + 1))])
    }
    #expect(stage.handle(.finished(generation: 6)) == [.finish])
  }

  @Test func pause_byKeyAndByHolding_adds() {
    var stage = playing(0)
    #expect(stage.handle(.togglePause) == [.pause(true)])
    #expect(stage.handle(.hold(true)) == [])
    #expect(stage.handle(.togglePause) == [])
    #expect(stage.handle(.hold(false)) == [.pause(false)])
    #expect(!stage.isPaused)
  }

  @Test func pause_endsWithTheStory() {
    var stage = playing(0)
    _ = stage.handle(.togglePause)
    _ = stage.handle(.next)
    #expect(!stage.isPaused)
  }

  @Test(arguments: [(0, [1, 2]), (1, [2, 0]), (2, [3, 1, 5]), (4, [5, 3]), (5, [4])])
  func neighbours_areWhatOneKeyReaches(story: Int, expected: [Int]) {
    #expect(playing(story).neighbours == expected)
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

  // MARK: - Stories that are not played any more

  @Test(arguments: [
    (0, Stage.Event.next, 2), (3, .previous, 0), (2, .previous, 0), (0, .nextReel, 3),
    (5, .previousReel, 3),
  ])
  func exhausted_isPassedBy(from: Int, event: Stage.Event, to: Int) {
    var stage = playing(from)
    // Of three reels of 2, 3 and 1 stories: 1 where it lies between, 2 where it begins a reel.
    for story in [1, 2] where story != to && story != from {
      #expect(stage.handle(.exhausted(story: story)) == [])
    }
    #expect(stage.handle(event) == [.play(.init(story: to, generation: from + 2))])
  }

  @Test func exhausted_onTheScreen_staysToItsEnd() {
    var stage = started()
    _ = stage.handle(.began(generation: 1))
    #expect(stage.handle(.exhausted(story: 0)) == [])
    #expect(stage.handle(.restart) == [])
    #expect(stage.handle(.previous) == [])
    #expect(stage.handle(.finished(generation: 1)) == [.play(.init(story: 1, generation: 2))])
    #expect(stage.handle(.previous) == [.play(.init(story: 1, generation: 3))])
  }

  @Test func exhausted_beforeItsFirstPicture_givesWayInTheDirectionOfGoing() {
    var stage = playing(3)
    #expect(stage.handle(.previous) == [.play(.init(story: 2, generation: 5))])
    #expect(stage.handle(.exhausted(story: 2)) == [.play(.init(story: 1, generation: 6))])
    _ = stage.handle(.began(generation: 6))
    #expect(stage.handle(.next) == [.play(.init(story: 3, generation: 7))])
    #expect(stage.handle(.exhausted(story: 3)) == [.play(.init(story: 4, generation: 8))])
  }

  @Test func exhausted_firstInGoingBack_givesWayForward() {
    var stage = playing(1)
    #expect(stage.handle(.previous) == [.play(.init(story: 0, generation: 3))])
    #expect(stage.handle(.exhausted(story: 0)) == [.play(.init(story: 1, generation: 4))])
  }

  @Test func exhausted_all_leavesTheEndCardOrEndsTheProgram() {
    var stage = playing(0)
    for story in 0..<6 {
      #expect(!stage.isExhausted)
      #expect(stage.handle(.exhausted(story: story)) == [])
    }
    #expect(stage.isExhausted)
    #expect(stage.neighbours == [])
    #expect(stage.handle(.finished(generation: 1)) == [.showEndCard])
    for event in [Stage.Event.replay, .previous, .previousReel, .restart] {
      #expect(stage.handle(event) == [])
    }
    var unseen = Stage(reelSizes: [1, 1])
    _ = unseen.handle(.start)
    #expect(unseen.handle(.exhausted(story: 0)) == [.play(.init(story: 1, generation: 2))])
    #expect(unseen.handle(.exhausted(story: 1)) == [.finish])
  }

  @Test func exhausted_outsideTheFeed_isNothing() {
    var stage = playing(0)
    #expect(stage.handle(.exhausted(story: 6)) == [])
    #expect(stage.handle(.exhausted(story: -1)) == [])
    #expect(stage.isPlayable(0))
  }

  @Test func start_atAPlace_beginsThere() {
    var stage = Stage(reelSizes: [2, 3, 1], first: 4)
    #expect(stage.handle(.start) == [.play(.init(story: 4, generation: 1))])
    #expect(stage.handle(.previous) == [.play(.init(story: 3, generation: 2))])
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
