import Playback
import Resources
import Stories
import Support
import System
import Testing

@testable import Player

@Suite struct ViewCounterTests {
  private let start = Instant.now

  private func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

  /// Reels of these sizes; a story may have a limit of views.
  private func counter(
    _ sizes: [Int] = [3, 2], limits: [Int: Int32] = [:], isUntimed: Bool = false,
    start: (story: Int, position: Duration)? = nil
  ) -> ViewCounter {
    var number = 0
    let reels = sizes.map { size in
      Reel(
        name: "",
        stories: (0..<size).map { _ in
          defer { number += 1 }
          return Story(source: .file("/\(number)"), maxViews: limits[number])
        })
    }
    var feed = Feed(title: "")
    feed.reels = reels
    return ViewCounter(Viewings(feed), isUntimed: isUntimed, start: start)
  }

  private func began(_ story: Int) -> Journal.Event {
    .began(number: story, Story(source: .file("/\(story)")), slide: nil)
  }

  private func ended(_ how: Showing.End, _ summary: PlaybackSummary? = nil) -> Journal.Event {
    .ended(how, pictures: 1, summary)
  }

  /// What happens after so many milliseconds, and what is counted: views, completions, skips.
  private enum Step {
    case begin(Int)
    case picture
    case wait(Int)
    case end(Showing.End)
  }

  private func counts(
    _ steps: [Step], in counter: inout ViewCounter
  ) -> [Int: HistoryCounts] {
    var now = 0
    var all: [Int: HistoryCounts] = [:]
    for step in steps {
      let effects: [ViewCounter.Effect]
      switch step {
      case .begin(let story): effects = counter.handle(began(story), at: at(now))
      case .picture: effects = counter.handle(.pictureShown, at: at(now))
      case .end(let how): effects = counter.handle(ended(how), at: at(now))
      case .wait(let time):
        now += time
        effects = counter.tick(at: at(now))
      }
      for case .add(let counts, let story) in effects {
        all[story] = (all[story] ?? HistoryCounts()) + counts
      }
    }
    return all
  }

  @Test(
    arguments: [
      ([.begin(0), .wait(900), .end(.skipped), .begin(1)], [:]),
      ([.begin(0), .picture, .wait(199), .end(.skipped), .begin(1)], [:]),
      (
        [.begin(0), .picture, .wait(200), .end(.skipped), .begin(1)],
        [0: HistoryCounts(views: 1, skips: 1)]
      ),
      ([.begin(0), .picture, .wait(200), .end(.stopped)], [0: HistoryCounts(views: 1)]),
      (
        [.begin(0), .picture, .wait(5_000), .end(.ended), .begin(1), .end(.skipped), .begin(0)],
        [0: HistoryCounts(views: 1, completions: 1)]
      ),
      // A short one is seen all the same.
      ([.begin(0), .picture, .wait(50), .end(.ended)], [0: .init(views: 1, completions: 1)]),
      // One that fails is not marked, however much of it was shown.
      ([.begin(0), .picture, .wait(900), .end(.failed)], [0: HistoryCounts()]),
      ([.begin(0), .end(.failed)], [:]),
      // Again and again.
      (
        [
          .begin(2), .picture, .wait(300), .end(.ended), .begin(2), .picture, .wait(300),
          .end(.ended),
        ], [2: .init(views: 2, completions: 2)]
      ),
    ] as [([Step], [Int: HistoryCounts])])
  private func play_isCounted(steps: [Step], expected: [Int: HistoryCounts]) {
    var counter = counter()
    #expect(counts(steps, in: &counter) == expected)
  }

  @Test func story_leftForItself_isNoSkip() {
    var counter = counter()
    let counted = counts(
      [
        .begin(0), .picture, .wait(300), .end(.skipped), .begin(0), .picture, .wait(300),
        .end(.skipped), .begin(1),
      ], in: &counter)
    #expect(counted == [0: HistoryCounts(views: 2, skips: 1)])
  }

  @Test(arguments: [.endCard, .allPlayed, .stopped(story: 1, position: .zero)] as [Journal.Event])
  func skip_isCounted_whereNoStoryFollows(event: Journal.Event) {
    var counter = counter()
    _ = counts([.begin(0), .picture, .wait(300), .end(.skipped)], in: &counter)
    let effects = counter.handle(event, at: at(400))
    #expect(effects.first == .add(HistoryCounts(skips: 1), story: 0))
    #expect(effects.count == 2)
  }

  @Test func stalls_areCounted_whereThereAreAny() {
    var counter = counter()
    _ = counter.handle(began(1), at: start)
    var summary = PlaybackSummary()
    #expect(counter.handle(ended(.skipped, summary), at: start) == [])
    _ = counter.handle(began(1), at: start)
    summary.stalls = 2
    summary.stalled = .milliseconds(700)
    #expect(
      counter.handle(ended(.skipped, summary), at: start) == [
        .add(HistoryCounts(waits: 2, waited: .milliseconds(700)), story: 1)
      ])
  }

  @Test func play_thatIsOver_countsNothingMore() {
    var counter = counter()
    _ = counts([.begin(0), .picture, .wait(300), .end(.ended)], in: &counter)
    #expect(counter.handle(.pictureShown, at: at(400)) == [])
    #expect(counter.tick(at: at(900)) == [])
    #expect(counter.handle(ended(.skipped), at: at(900)) == [])
  }

  @Test func withdrawnPlay_isNotCounted() {
    var counter = counter()
    _ = counter.handle(began(0), at: start)
    _ = counter.handle(.pictureShown, at: start)
    _ = counter.handle(.withdrawn, at: start)
    let effects = counter.tick(at: at(900))
    #expect(effects == [.setResumePoint(story: 0, position: .zero)])
    #expect(!counter.viewings.isSeen(0))
  }

  @Test func untimedRun_marksWhatItShows_butCountsNothing() {
    var counter = counter([2], limits: [0: 1], isUntimed: true)
    _ = counter.handle(began(0), at: start)
    _ = counter.handle(.pictureShown, at: start)
    #expect(counter.deadline == at(150))
    let far = PlaybackReading(position: .milliseconds(199))
    #expect(counter.handle(.watched(far), at: at(1)) == [])
    #expect(!counter.viewings.isSeen(0))
    _ = counter.handle(.watched(PlaybackReading(position: .milliseconds(200))), at: at(2))
    #expect(counter.viewings.isSeen(0))
    #expect(counter.handle(ended(.ended, PlaybackSummary(stalls: 1)), at: at(3)) == [])
    #expect(counter.viewings.isExhausted(0))
  }

  // MARK: - The place

  @Test func place_isRemembered_onceTheStoryHasStayed() {
    var counter = counter()
    _ = counter.handle(began(1), at: start)
    #expect(counter.deadline == at(150))
    #expect(counter.tick(at: at(149)) == [])
    #expect(counter.tick(at: at(150)) == [.setResumePoint(story: 1, position: .zero)])
    #expect(counter.tick(at: at(151)) == [] && counter.deadline == nil)
  }

  @Test func place_isNotRemembered_ofStoriesThatArePassedBy() {
    var counter = counter()
    for story in 0..<4 {
      _ = counter.handle(began(story), at: at(story * 100))
      #expect(counter.tick(at: at(story * 100 + 99)) == [])
    }
    #expect(counter.tick(at: at(450)) == [.setResumePoint(story: 3, position: .zero)])
  }

  /// A run that goes on within a story stays there until the story is left.
  @Test func place_whereTheLastRunWas_isKept() {
    var counter = counter(start: (2, .seconds(40)))
    _ = counter.handle(began(2), at: start)
    #expect(counter.tick(at: at(150)) == [.setResumePoint(story: 2, position: .seconds(40))])
    _ = counter.handle(ended(.skipped), at: at(200))
    _ = counter.handle(began(2), at: at(200))
    #expect(counter.tick(at: at(350)) == [.setResumePoint(story: 2, position: .zero)])
  }

  @Test func place_ofAnotherFirstStory_isItsBeginning() {
    var counter = counter(start: (2, .seconds(40)))
    _ = counter.handle(began(0), at: start)
    #expect(counter.tick(at: at(150)) == [.setResumePoint(story: 0, position: .zero)])
    _ = counter.handle(began(2), at: at(200))
    #expect(counter.tick(at: at(350)) == [.setResumePoint(story: 2, position: .zero)])
  }

  @Test func place_isForgotten_onceAllHasPlayed() {
    var counter = counter()
    _ = counter.handle(began(4), at: start)
    #expect(counter.handle(.endCard, at: at(10)) == [.clearResumePoint])
    #expect(counter.deadline == nil && counter.tick(at: at(500)) == [])
    let stop = Journal.Event.stopped(story: 4, position: .seconds(1))
    #expect(counter.handle(stop, at: at(500)) == [])
    // The viewer goes back from the card.
    _ = counter.handle(began(4), at: at(600))
    #expect(counter.handle(stop, at: at(700)) == [.setResumePoint(story: 4, position: .seconds(1))])
  }

  // MARK: - Reels

  @Test func reel_isSeen_asItWasWhenTheViewerCameToIt() {
    var counter = counter([2, 1])
    func play(_ story: Int, at milliseconds: Int) {
      _ = counter.handle(began(story), at: at(milliseconds))
      _ = counter.handle(.pictureShown, at: at(milliseconds))
      _ = counter.tick(at: at(milliseconds + 300))
      _ = counter.handle(ended(.ended), at: at(milliseconds + 300))
    }
    play(0, at: 0)
    play(1, at: 1_000)
    // Both were seen meanwhile, but not when the viewer came.
    #expect(!counter.wasSeen(reelOf: 0) && !counter.wasSeen(reelOf: 1))
    play(2, at: 2_000)
    #expect(!counter.wasSeen(reelOf: 2))
    #expect(counter.wasSeen(reelOf: 0))
    play(0, at: 3_000)
    #expect(counter.wasSeen(reelOf: 1) && counter.wasSeen(reelOf: 2))
  }

  @Test func reel_isSeen_whereEarlierRunsSayLater() {
    var counter = counter([2, 1])
    _ = counter.handle(began(0), at: start)
    #expect(!counter.wasSeen(reelOf: 0))
    var past = SeenRecords()
    for story in 0..<2 { past[story] = SeenRecord(isSeen: true, completions: 1) }
    counter.learn(from: past)
    #expect(counter.wasSeen(reelOf: 0) && !counter.wasSeen(reelOf: 2))
  }

  @Test func completions_ofOthers_exhaustAStory() {
    var counter = counter([2], limits: [1: 2])
    counter.learn(completions: 1, of: 1)
    #expect(!counter.viewings.isExhausted(1))
    _ = counts([.begin(1), .picture, .wait(10), .end(.ended)], in: &counter)
    #expect(counter.viewings.isExhausted(1) && !counter.viewings.isExhausted(0))
  }

  /// Whatever happens in whatever order: no story has more completions than views, nothing is taken
  /// back that was not counted, and a deadline that has passed is not given again.
  @Test(arguments: 0..<100 as Range<UInt64>)
  func anyOrder_countsSoundly(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var counter = counter([2, 3])
    var totals: [Int: HistoryCounts] = [:]
    var now = 0
    for _ in 0..<300 {
      now += Int.random(in: 0...150, using: &random)
      let hows: [Showing.End] = [.ended, .skipped, .failed, .stopped]
      let events: [Journal.Event] = [
        began(Int.random(in: 0..<5, using: &random)), .pictureShown, .withdrawn, .endCard,
        ended(hows.randomElement(using: &random) ?? .ended, PlaybackSummary(stalls: 1)),
      ]
      var effects = counter.tick(at: at(now))
      if let deadline = counter.deadline { #expect(deadline > at(now)) }
      if let event = events.randomElement(using: &random) {
        effects += counter.handle(event, at: at(now))
      }
      for case .add(let counts, let story) in effects {
        totals[story] = (totals[story] ?? HistoryCounts()) + counts
      }
      for total in totals.values {
        #expect(total.views >= total.completions && total.completions >= 0)
        #expect(total.skips >= 0 && total.views >= total.skips)
      }
    }
    #expect(!totals.isEmpty)
  }
}
