import Playback
import Stories
import System
import Testing

@Suite struct DirectorTests {
  /// A run whose shell answers at once: the rules forbid nothing but these.
  struct Run {
    var director: Director
    var now = Instant.now
    var forbidden: [Int] = []
    /// Stories whose first picture is kept ready.
    var ready: Set<Int> = []
    /// Stories that are asked about: the answer comes later.
    var limited: Set<Int> = []
    /// Stories that cannot be opened.
    var broken: Set<Int> = []
    var deadline: Instant?

    init(reels: [Int] = [3, 2], manual: Bool = false, looksAhead: Bool = true) {
      director = Director(
        stage: Stage(reelSizes: reels, options: Stage.Options(manual: manual)),
        looksAhead: looksAhead)
    }

    /// Gives it an input, and the answers to what it asks; returns what is to be done.
    @discardableResult
    mutating func send(_ input: Director.Input, after milliseconds: Int = 0) -> [Director.Effect] {
      now = now + .milliseconds(milliseconds)
      var inputs = [input]
      var effects: [Director.Effect] = []
      while !inputs.isEmpty {
        let output = director.handle(inputs.removeFirst(), at: now)
        deadline = output.deadline
        for effect in output.effects {
          switch effect {
          case .judge(let play):
            inputs.append(
              .judged(
                play, forbidden: forbidden.contains(play.story) ? forbidden : [],
                opensAtOnce: ready.contains(play.story)))
          case .checkViews(let story) where !limited.contains(story):
            inputs.append(.viewsChecked(story: story, isForbidden: false))
          case .play(let play) where broken.contains(play.story):
            inputs.append(.failed(generation: play.generation, reason: "broken"))
          default: effects.append(effect)
          }
        }
      }
      return effects
    }

    var wait: Int? { deadline.map { Int((($0 - now) / .milliseconds(1)).rounded()) } }
    var generation: Int { director.stage.current.generation }

    /// The current story's first picture is shown.
    mutating func shown() { send(.pictureShown(isFirst: true, generation: generation)) }
  }

  private func playing(
    _ story: Int, _ generation: Int, slide: Director.Slide? = nil
  ) -> [Director.Effect] {
    [
      .leave(keepsSound: false), .enter(story: story, slide: slide),
      .play(Stage.Play(story: story, generation: generation)),
    ]
  }

  @Test func start_playsTheFirstStory_andLooksAheadAfterAMoment() {
    var run = Run()
    #expect(run.send(.command(.start)) == playing(0, 1))
    #expect(run.director.entry == .playing && run.wait == 150)
    #expect(run.send(.lookAhead(isAllowed: true), after: 149) == [])
    #expect(run.send(.lookAhead(isAllowed: false), after: 1) == [])
    // Now it waits for what plays.
    #expect(run.deadline == nil)
    #expect(run.send(.lookAhead(isAllowed: true), after: 5) == [.keepReady([1, 3])])
    #expect(run.send(.lookAhead(isAllowed: true), after: 5) == [])
  }

  @Test func lookAhead_makesTheStoryThatWasLeft_readyLast() {
    var run = Run()
    run.send(.command(.start))
    run.send(.lookAhead(isAllowed: true), after: 150)
    run.send(.jump(.next), after: 1000)
    #expect(run.send(.lookAhead(isAllowed: true), after: 150) == [.keepReady([2, 3], later: 0)])
    #expect(run.wait == 1000)
    #expect(run.send(.lookAhead(isAllowed: true), after: 999) == [])
    #expect(run.send(.lookAhead(isAllowed: true), after: 1) == [.keepReady([2, 0, 3])])
    #expect(run.wait == nil)
    // Going back, the one after it is the one that was left.
    run.send(.jump(.previous), after: 1000)
    #expect(run.send(.lookAhead(isAllowed: true), after: 150) == [.keepReady([3], later: 1)])
    #expect(run.send(.lookAhead(isAllowed: true), after: 1000) == [.keepReady([1, 3])])
    // A story that plays again was not left for another one.
    run.send(.jump(.restart), after: 1000)
    #expect(run.send(.lookAhead(isAllowed: true), after: 150) == [.keepReady([1, 3])])
  }

  @Test func lookAhead_whileStoriesAreSkipped_neverOpensTheOnesThatWereLeft() {
    var run = Run()
    run.send(.command(.start))
    run.send(.lookAhead(isAllowed: true), after: 150)
    for next in 1...2 {
      run.send(.jump(.next), after: 250)
      let expected = next == 1 ? [2, 3] : [3]
      #expect(
        run.send(.lookAhead(isAllowed: true), after: 150) == [.keepReady(expected, later: next - 1)]
      )
    }
  }

  @Test func lookAhead_keepsNothing_whereThatIsNotWanted() {
    var run = Run(looksAhead: false)
    run.send(.command(.start))
    #expect(run.send(.lookAhead(isAllowed: true), after: 150) == [.keepReady([])])
  }

  // MARK: - Hurry

  @Test func jumps_inAHurry_passStoriesBy_untilOneStays() {
    var run = Run()
    run.send(.command(.start))
    #expect(run.send(.jump(.next)) == [.countKey] + playing(1, 2))
    #expect(
      run.send(.jump(.next), after: 149) == [
        .countKey, .leave(keepsSound: false), .enter(story: 2, slide: nil), .showPoster(story: 2),
      ])
    #expect(run.wait == 150)
    #expect(run.send(.tick, after: 149) == [])
    #expect(run.send(.tick, after: 1) == [.play(Stage.Play(story: 2, generation: 3))])
  }

  @Test func jumps_inAHurry_playWhatIsReady() {
    var run = Run()
    run.ready = [2]
    run.send(.command(.start))
    run.send(.jump(.next))
    #expect(run.send(.jump(.next), after: 10) == [.countKey] + playing(2, 3))
  }

  @Test func jumps_withTime_playEachStory() {
    var run = Run()
    run.send(.command(.start))
    run.send(.jump(.next))
    #expect(run.send(.jump(.next), after: 150) == [.countKey] + playing(2, 3))
  }

  @Test func jump_thatLeadsNowhere_isNoJump() {
    var run = Run()
    run.send(.command(.start))
    #expect(run.send(.jump(.replay)) == [])
    #expect(run.send(.jump(.next)) == [.countKey] + playing(1, 2))
  }

  @Test func anotherReel_slidesIn() {
    var run = Run()
    run.send(.command(.start))
    #expect(run.send(.jump(.nextReel)) == [.countKey] + playing(3, 2, slide: .forward))
    #expect(
      run.send(.jump(.previousReel), after: 500) == [.countKey] + playing(0, 3, slide: .back))
  }

  // MARK: - Rules

  @Test func forbiddenStories_giveWay() {
    var run = Run()
    run.forbidden = [0, 1, 4]
    #expect(
      run.send(.command(.start)) == [.leave(keepsSound: false)] + playing(2, 2))
    #expect(!run.director.stage.isPlayable(4))
  }

  @Test func limitedStory_isAskedAbout_beforeItPlays() {
    var run = Run()
    run.limited = [1]
    run.send(.command(.start))
    #expect(
      run.send(.jump(.next)) == [
        .countKey, .leave(keepsSound: false), .enter(story: 1, slide: nil), .checkViews(story: 1),
      ])
    // It is about to be played: it is made ready with its neighbours.
    #expect(run.send(.lookAhead(isAllowed: true), after: 150) == [.keepReady([1, 2, 3], later: 0)])
    #expect(run.send(.lookAhead(isAllowed: true), after: 1000) == [.keepReady([1, 2, 0, 3])])
    #expect(run.send(.viewsChecked(story: 2, isForbidden: true)) == [])
    #expect(
      run.send(.viewsChecked(story: 1, isForbidden: false)) == [
        .play(Stage.Play(story: 1, generation: 2))
      ])
    #expect(run.send(.viewsChecked(story: 1, isForbidden: true)) == [])
  }

  @Test func storyWhoseViewsAreUsedUp_countsForNothing() {
    var run = Run()
    run.limited = [1]
    run.send(.command(.start))
    run.send(.jump(.next))
    #expect(
      run.send(.viewsChecked(story: 1, isForbidden: true)) == [.withdraw] + playing(2, 3))
  }

  @Test func answer_thatComesAfterAnotherJump_isDropped() {
    var run = Run()
    run.limited = [1]
    run.send(.command(.start))
    run.send(.jump(.next))
    run.send(.jump(.next), after: 500)
    #expect(run.send(.viewsChecked(story: 1, isForbidden: false)) == [])
    #expect(run.director.stage.current.story == 2)
  }

  // MARK: - The end of a story

  @Test func finished_playsTheNext_whileItsSoundIsHeard() {
    var run = Run()
    run.send(.command(.start))
    run.shown()
    #expect(
      run.send(.finished(generation: 1, isExhausted: false, isNextReady: true)) == [
        .leave(keepsSound: true), .enter(story: 1, slide: nil),
        .play(Stage.Play(story: 1, generation: 2)),
      ])
  }

  @Test func finished_storyWhoseViewsAreUsedUp_isNotGoneBackTo() {
    var run = Run()
    run.send(.command(.start))
    run.shown()
    run.send(.finished(generation: 1, isExhausted: true, isNextReady: false))
    run.shown()
    #expect(run.send(.jump(.previous), after: 500) == [.countKey] + playing(1, 3))
  }

  @Test func finished_whereAKeyIsAwaited_staysWhereItIs() {
    var run = Run(manual: true)
    run.send(.command(.start))
    run.shown()
    #expect(run.send(.finished(generation: 1, isExhausted: false, isNextReady: true)) == [])
    #expect(run.director.stage.isWaiting)
    // Its last picture in another size counts for nothing.
    #expect(run.send(.pictureShown(isFirst: false, generation: 1)) == [])
  }

  @Test func lead_isWhatATransitionTook() {
    var run = Run()
    run.send(.command(.start))
    run.shown()
    run.send(.firstPictureIsOnScreen, after: 4)
    #expect(run.director.lead == .milliseconds(4))
    run.send(.finished(generation: 1, isExhausted: false, isNextReady: true), after: 1000)
    run.now = run.now + .milliseconds(3)
    run.shown()
    run.send(.firstPictureIsOnScreen, after: 5)
    #expect(run.director.lead == .milliseconds(8))
  }

  @Test func lastStory_isFollowedByTheEndCard() {
    var run = Run(reels: [1])
    run.send(.command(.start))
    run.shown()
    #expect(
      run.send(.finished(generation: 1, isExhausted: false, isNextReady: false)) == [
        .leave(keepsSound: true), .showEndCard,
      ])
    #expect(run.send(.lookAhead(isAllowed: true)) == [.keepReady([0])])
    #expect(run.send(.jump(.replay), after: 500) == [.countKey] + playing(0, 2))
  }

  // MARK: - Failures

  @Test func failure_isShownForThreeSeconds() {
    var run = Run()
    run.send(.command(.start))
    run.shown()
    #expect(
      run.send(.failed(generation: 1, reason: "r")) == [.showError(story: 0, reason: "r")])
    #expect(run.director.showsError)
    run.send(.lookAhead(isAllowed: true), after: 1000)
    #expect(run.wait == 2000)
    #expect(run.send(.tick, after: 1999) == [])
    #expect(run.send(.tick, after: 1) == playing(1, 2))
    #expect(!run.director.showsError)
  }

  @Test func key_endsTheErrorEarly() {
    var run = Run()
    run.send(.command(.start))
    run.shown()
    run.send(.failed(generation: 1, reason: "r"))
    #expect(run.send(.jump(.next), after: 500) == [.countKey] + playing(1, 2))
    #expect(run.send(.tick, after: 3000) == [])
  }

  @Test func storyThatCannotBeOpened_fails() {
    var run = Run()
    run.broken = [1]
    run.send(.command(.start))
    run.shown()
    #expect(
      run.send(.jump(.next)) == [
        .countKey, .leave(keepsSound: false), .enter(story: 1, slide: nil),
        .showError(story: 1, reason: "broken"),
      ])
  }

  @Test func nothingThatPlays_quits() {
    var run = Run(reels: [1])
    run.broken = [0]
    #expect(
      run.send(.command(.start)) == [
        .leave(keepsSound: false), .enter(story: 0, slide: nil), .leave(keepsSound: false), .quit,
      ])
  }

  @Test func oldNews_areDropped() {
    var run = Run()
    run.send(.command(.start))
    run.send(.jump(.next), after: 500)
    let old = run.director.stage.current
    #expect(run.send(.finished(generation: 1, isExhausted: false, isNextReady: true)) == [])
    #expect(run.director.stage.current == old)
  }
}
