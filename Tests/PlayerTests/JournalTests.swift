import Playback
import Stories
import Support
import System
import Testing

@testable import Player

/// A reader that remembers what it has read.
private final class Recorder: JournalReader {
  var events: [Journal.Event] = []

  func read(_ event: Journal.Event, at now: Instant) { events.append(event) }

  func take() -> [Journal.Event] {
    defer { events = [] }
    return events
  }
}

@Suite struct JournalTests {
  private let start = Instant.now
  private let recorder = Recorder()
  private let journal: Journal
  private let story = Story(source: .file("/a.png"))

  init() { journal = Journal(readers: [recorder]) }

  private func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

  private func begin(_ number: Int = 0, at milliseconds: Int = 0) {
    journal.note(.began(number: number, story, slide: nil), at: at(milliseconds))
  }

  /// A picture comes and is on the screen a moment later.
  private func show(at milliseconds: Int, drained: Int) {
    journal.note(.pictureShown, at: at(milliseconds))
    journal.note(.drained(soundLead: nil), at: at(drained))
  }

  private var firstPictures: [Journal.FirstPicture] {
    recorder.events.compactMap { event in
      if case .firstPicture(let first) = event { first } else { nil }
    }
  }

  private func reading(
    _ position: Int, since: Int? = nil, isSeek: Bool = false, paused: Bool = false,
    facts: StallFacts = StallFacts()
  ) -> Journal.Event {
    let standing = since.map {
      PlaybackReading.Standing(since: at($0), isSeek: isSeek, facts: facts)
    }
    return .watched(
      PlaybackReading(position: .milliseconds(position), isPaused: paused, standing: standing))
  }

  @Test func readers_readEachEvent_oneAfterAnother() {
    let second = Recorder()
    let journal = Journal(readers: [recorder, second])
    journal.note(.began(number: 3, story, slide: .forward), at: start)
    journal.note(.painted(bytes: 7), at: start)
    let expected: [Journal.Event] = [
      .began(number: 3, story, slide: .forward), .painted(bytes: 7),
    ]
    #expect(recorder.events == expected && second.events == expected)
  }

  @Test(
    arguments: [
      .withdrawn, .posterShown, .pictureShown, .painted(bytes: 1), .drained(soundLead: .zero),
      .failed(reason: "r"), .watched(PlaybackReading(position: .zero)),
    ] as [Journal.Event])
  func whatConcernsAPlay_isDropped_whileThereIsNone(event: Journal.Event) {
    journal.note(event, at: start)
    #expect(recorder.events == [])
    begin()
    journal.end(.skipped, nil, at: start)
    _ = recorder.take()
    journal.note(event, at: start)
    #expect(recorder.events == [])
  }

  @Test(
    arguments: [.keyPressed, .endCard, .allPlayed, .stopped(story: 1, position: .zero)]
      as [Journal.Event])
  func whatConcernsTheRun_isAlwaysNoted(event: Journal.Event) {
    journal.note(event, at: start)
    #expect(recorder.events == [event])
  }

  @Test func play_endsOnce() {
    begin()
    let summary = PlaybackSummary(presented: .seconds(3))
    journal.end(.ended, summary, at: at(3_000))
    journal.end(.skipped, nil, at: at(3_001))
    journal.end(.stopped, nil, at: at(3_002))
    #expect(recorder.take().last == .ended(.ended, pictures: 0, summary))
    begin(at: 4_000)
    journal.end(.stopped, nil, at: at(4_001))
    #expect(recorder.events.last == .ended(.stopped, pictures: 0, nil))
  }

  @Test func withdrawnPlay_doesNotEnd() {
    begin()
    journal.note(.withdrawn, at: start)
    journal.end(.skipped, nil, at: start)
    #expect(recorder.events.last == .withdrawn)
  }

  // MARK: - Pictures

  @Test func pictures_areCounted() {
    begin()
    for frame in 0..<5 { show(at: frame * 40, drained: frame * 40 + 2) }
    journal.end(.skipped, nil, at: at(300))
    #expect(recorder.events.count { $0 == .newPicture } == 5)
    #expect(recorder.events.last == .ended(.skipped, pictures: 5, nil))
  }

  @Test func posterAndItsPicture_countOnce() {
    begin()
    journal.note(.posterShown, at: at(1))
    journal.note(.drained(soundLead: nil), at: at(4))
    #expect(firstPictures == [.init(wait: .milliseconds(4))])
    show(at: 200, drained: 203)
    #expect(recorder.events.count { $0 == .newPicture } == 1)
    show(at: 240, drained: 243)
    #expect(recorder.events.count { $0 == .newPicture } == 2)
    #expect(firstPictures.count == 1)
  }

  @Test func screen_isAwaited_fromEachNewPictureOn() {
    begin()
    #expect(!journal.awaitsScreen)
    journal.note(.pictureShown, at: at(1))
    #expect(journal.awaitsScreen)
    journal.note(.drained(soundLead: .milliseconds(3)), at: at(2))
    #expect(!journal.awaitsScreen)
    journal.note(.pictureShown, at: at(41))
    #expect(journal.awaitsScreen)
    journal.end(.skipped, nil, at: at(42))
    #expect(!journal.awaitsScreen)
  }

  // MARK: - What a first picture answers

  @Test func firstPicture_isMeasuredFromTheStorysTurn() {
    begin(at: 100)
    show(at: 130, drained: 145)
    show(at: 170, drained: 175)
    #expect(firstPictures == [.init(wait: .milliseconds(45))])
  }

  @Test func firstPicture_answersTheKey_once() {
    journal.note(.keyPressed, at: at(90))
    begin(at: 100)
    show(at: 130, drained: 145)
    begin(at: 200)
    show(at: 210, drained: 215)
    #expect(
      firstPictures == [
        .init(wait: .milliseconds(45), sinceKey: .milliseconds(55)),
        .init(wait: .milliseconds(15)),
      ])
  }

  @Test func lastKey_counts_whereStoriesArePassedBy() {
    for number in 0..<5 {
      journal.note(.keyPressed, at: at(number * 50))
      begin(number, at: number * 50)
    }
    show(at: 230, drained: 250)
    #expect(firstPictures == [.init(wait: .milliseconds(50), sinceKey: .milliseconds(50))])
  }

  /// A picture's length is what stays from the last one on; longer ones are not waited for.
  @Test(
    arguments: [
      // shown at, picture's length, story ends at: the gap begins at
      (1_000, 40, 1_040, 1_000), (1_000, nil, 1_040, 1_000), (1_000, 40, 1_500, 1_460),
      (1_000, nil, 1_500, 1_460), (1_000, 5_000, 6_000, 5_900), (1_000, 33, 1_010, 1_000),
    ] as [(Int, Int?, Int, Int)])
  func gap_isMeasuredFromTheLastPicture(shown: Int, length: Int?, ended: Int, from: Int) {
    begin()
    show(at: shown, drained: shown)
    let summary = PlaybackSummary(lastPictureDuration: length.map { .milliseconds($0) })
    journal.end(.ended, summary, at: at(ended))
    begin(1, at: ended)
    show(at: ended + 5, drained: ended + 9)
    #expect(
      firstPictures.last
        == .init(wait: .milliseconds(9), gap: .milliseconds(ended + 9 - from)))
  }

  @Test func gap_isNotMeasured_afterAKeyOrAFailure() {
    begin()
    show(at: 10, drained: 12)
    journal.end(.ended, nil, at: at(50))
    // As with --manual.
    journal.note(.keyPressed, at: at(9_000))
    begin(1, at: 9_000)
    show(at: 9_010, drained: 9_012)
    #expect(firstPictures.last == .init(wait: .milliseconds(12), sinceKey: .milliseconds(12)))
    journal.end(.ended, nil, at: at(9_100))
    begin(2, at: 9_100)
    journal.note(.failed(reason: "it is no medium"), at: at(9_110))
    journal.end(.failed, nil, at: at(9_110))
    begin(3, at: 12_110)
    show(at: 12_120, drained: 12_125)
    #expect(firstPictures.last == .init(wait: .milliseconds(15)))
  }

  @Test(arguments: [.skipped, .stopped, .failed] as [Showing.End])
  func gap_isNotMeasured_fromAStoryThatWasLeft(how: Showing.End) {
    begin()
    show(at: 10, drained: 12)
    journal.end(how, nil, at: at(50))
    begin(1, at: 60)
    show(at: 70, drained: 72)
    #expect(firstPictures.last == .init(wait: .milliseconds(12)))
  }

  /// A story rests after its end, and its decoder may still say something.
  @Test func note_afterTheEnd_isRead() {
    begin()
    show(at: 10, drained: 12)
    journal.end(.ended, nil, at: at(50))
    _ = recorder.take()
    journal.note(.noted("it is cut off"), at: at(60))
    #expect(recorder.events == [.noted("it is cut off")])
  }

  // MARK: - Stalls

  @Test(
    arguments: [
      (1 << 50, Duration.nanoseconds(1), 1 << 62), (1 << 50, .seconds(1), 1 << 50),
      (990_000, .seconds(9), 110_000), (0, .nanoseconds(1), 0),
    ] as [(UInt64, Duration, UInt64)])
  func rate_ofWhateverIsClaimed_isANumber(bytes: UInt64, length: Duration, expected: UInt64) {
    #expect(StallFacts.rate(of: bytes, over: length) == expected)
  }

  @Test func standing_isKnown_untilItGoesOn() {
    begin()
    #expect(journal.standsSince == nil)
    journal.note(reading(200, since: 200), at: at(200))
    #expect(journal.standsSince == at(200))
    journal.note(reading(240), at: at(240))
    #expect(journal.standsSince == nil)
  }

  @Test func stall_isNotedOnce_andSoIsItsEnd() {
    begin()
    let facts = StallFacts(rate: 5)
    let events = [
      reading(100), reading(200, since: 200, facts: facts), reading(200, since: 200, facts: facts),
      reading(240), reading(280),
    ]
    for (index, event) in events.enumerated() { journal.note(event, at: at(100 * index)) }
    let noted = recorder.events.filter {
      switch $0 {
      case .stalled, .resumed: true
      default: false
      }
    }
    #expect(
      noted == [
        .stalled(at: .milliseconds(200), facts),
        .resumed(at: .milliseconds(240), after: .milliseconds(100), isSeek: false),
      ])
  }

  @Test(
    arguments: [
      (false, false, 2), (true, false, 1), (false, true, 1), (true, true, 1),
    ] as [(Bool, Bool, Int)])
  func standing_isNotedByWhatItWaitsFor(isSeek: Bool, pausedMeanwhile: Bool, count: Int) {
    begin()
    journal.note(reading(500, since: 10, isSeek: isSeek), at: at(10))
    journal.note(reading(540, paused: pausedMeanwhile), at: at(900))
    let stalls = recorder.events.count { if case .stalled = $0 { true } else { false } }
    let ends = recorder.events.count { if case .resumed = $0 { true } else { false } }
    // A seek is no stall; what is paused has not gone on, but its picture was found.
    #expect(stalls == (isSeek ? 0 : 1))
    #expect(ends == (pausedMeanwhile && !isSeek ? 0 : 1))
    #expect(stalls + ends == count)
  }

  @Test func oneStall_afterAnother_isAnother() {
    begin()
    journal.note(reading(100, since: 10), at: at(10))
    journal.note(reading(140, since: 60), at: at(60))
    #expect(
      recorder.events.filter { if case .watched = $0 { false } else { true } }.dropFirst() == [
        .stalled(at: .milliseconds(100), StallFacts()),
        .resumed(at: .milliseconds(140), after: .milliseconds(50), isSeek: false),
        .stalled(at: .milliseconds(140), StallFacts()),
      ])
  }

  @Test func stall_ofOnePlay_isNotResumedInTheNext() {
    begin()
    journal.note(reading(100, since: 10), at: at(10))
    journal.end(.skipped, nil, at: at(20))
    begin(1, at: 20)
    journal.note(reading(0), at: at(30))
    #expect(!recorder.events.contains { if case .resumed = $0 { true } else { false } })
  }

  /// Whatever is noted in whatever order, each reader sees plays that begin and end in turn, pictures
  /// only in between, and one first picture a play at most.
  @Test(arguments: 0..<100 as Range<UInt64>)
  func anyOrder_givesPlaysOneAfterAnother(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var now = 0
    for _ in 0..<300 {
      now += Int.random(in: 0...80, using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0: begin(at: now)
      case 1: journal.note(.withdrawn, at: at(now))
      case 2: journal.note(.posterShown, at: at(now))
      case 3, 4: journal.note(.pictureShown, at: at(now))
      case 5, 6: journal.note(.drained(soundLead: nil), at: at(now))
      case 7: journal.note(.keyPressed, at: at(now))
      case 8: journal.end(.ended, PlaybackSummary(), at: at(now))
      case 9: journal.end(.skipped, nil, at: at(now))
      case 10:
        journal.note(reading(now, since: Bool.random(using: &random) ? now : nil), at: at(now))
      default: journal.note(.failed(reason: "r"), at: at(now))
      }
    }
    var isOpen = false
    var pictures = 0
    var firsts = 0
    for event in recorder.events {
      switch event {
      case .began: (isOpen, pictures, firsts) = (true, 0, 0)
      case .newPicture:
        pictures += 1
        #expect(isOpen)
      case .firstPicture(let first):
        firsts += 1
        #expect(isOpen && pictures == 1 && firsts == 1 && first.wait >= .zero)
        #expect(first.sinceKey == nil || first.gap == nil)
      case .ended(_, let counted, _):
        #expect(isOpen && counted == pictures)
        isOpen = false
      case .withdrawn:
        #expect(isOpen)
        isOpen = false
      case .keyPressed: break
      default: #expect(isOpen)
      }
    }
  }
}
