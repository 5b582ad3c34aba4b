import DecoderLink
import Playback
import Stories
import System
import Testing

@testable import Player

/// What the journal takes from a playback.
@Suite struct PlaybackSummaryTests {
  private let now = Instant.now

  private func at(_ milliseconds: Int) -> Instant { now + .milliseconds(milliseconds) }

  @Test func summary_ofAStoryThatIsLeft_saysHowFarItCame() {
    let playback = Playback.opened(.video, at: now).played(for: 400, from: now)
    let summary = PlaybackSummary(playback, .skipped, at: at(420))
    #expect(summary.kind == "video" && summary.length == .seconds(10))
    #expect(summary.presented == .milliseconds(420))
    #expect(summary.framesDecoded == 11 && summary.framesDropped == 0)
    #expect(summary.stalls == 0 && summary.stalled == .zero)
    #expect(summary.lastPictureDuration == .milliseconds(40))
  }

  @Test func summary_ofAStoryThatHasEnded_isAllOfIt() {
    var playback = Playback.opened(.video, at: now).played(for: 400, from: now)
    _ = playback.handle(
      .decoder(.ended(pictures: .milliseconds(440), sound: nil)), at: at(410))
    // It may end a little earlier for the sake of the next one.
    let summary = PlaybackSummary(playback, .ended, at: at(425))
    #expect(summary.presented == .milliseconds(440) && summary.length == .milliseconds(440))
    #expect(PlaybackSummary(playback, .skipped, at: at(425)).presented == .milliseconds(425))
  }

  @Test func summary_beforeItWasOpen_isEmpty() {
    var playback = Playback(.init(durations: DisplayDurations(own: nil, imageTime: .seconds(5))))
    _ = playback.handle(.open, at: now)
    _ = playback.handle(.begin(at: .zero), at: now)
    #expect(PlaybackSummary(playback, .failed, at: at(900)) == PlaybackSummary())
  }

  @Test func summary_countsStalls_alsoOneThatLasts() {
    var playback = Playback.opened(.video, at: now).played(for: 200, from: now)
    let waiting = BufferReport(isPlaylist: false, isWaiting: true, isFetching: true)
    _ = playback.handle(.buffer(waiting), at: at(200))
    _ = playback.handle(.tick(lead: .zero), at: at(300))
    let summary = PlaybackSummary(playback, .skipped, at: at(1_300))
    #expect(summary.stalls == 1 && summary.stalled == .seconds(1))
    // The clock stands at the end of what was shown.
    #expect(summary.presented == .milliseconds(240))
  }

  @Test(arguments: [
    (MediaInfo.Kind.video, "video"), (.picture, "picture"), (.sound, "sound"),
    (.animation, "animation"),
  ])
  func kind_hasItsNameInReports(kind: MediaInfo.Kind, name: String) {
    let info = MediaInfo(
      kind: kind, isStill: false, container: "c", displayWidth: 1, displayHeight: 1)
    #expect(PlaybackSummary(.opened(info, at: now), .skipped, at: now).kind == name)
    // As feeds name it too.
    #expect(Story.Kind(rawValue: name) != nil)
  }
}

@Suite struct StoryNotesTests {
  @Test func notes_areTakenOnce_andKept() {
    var notes = StoryNotes()
    #expect(notes.readNew() == [])
    notes.add("a")
    notes.add("b")
    #expect(notes.readNew() == ["a", "b"])
    #expect(notes.readNew() == [])
    notes.add("c")
    #expect(notes.readNew() == ["c"] && notes.all == ["a", "b", "c"])
  }
}

/// What is fetched ahead.
@Suite struct UpcomingTests {
  private func stage(_ sizes: [Int], at story: Int, exhausted: [Int] = []) -> Stage {
    var stage = Stage(reelSizes: sizes, first: story)
    _ = stage.handle(.start)
    _ = stage.handle(.began(generation: 1))
    for story in exhausted { _ = stage.handle(.exhausted(story: story)) }
    return stage
  }

  /// The next story first and far, and beginnings of those that one key leads to, and of the second.
  @Test(
    arguments: [
      ([5], 0, [], [1, 2]), ([5], 2, [], [3, 1, 4]), ([5], 4, [], [3]), ([1], 0, [], []),
      ([2, 2, 2], 0, [], [1, 2]), ([2, 2, 2], 2, [], [3, 1, 4]), ([3, 2], 0, [], [1, 3, 2]),
      // Those that are not played any more are passed over.
      ([5], 0, [1, 2], [3, 4]), ([5], 2, [1, 3], [4, 0]), ([3], 0, [1, 2], []),
    ] as [([Int], Int, [Int], [Int])])
  func wishes_areInTheOrderOfTheirUrgency(
    sizes: [Int], story: Int, exhausted: [Int], expected: [Int]
  ) {
    let wishes = stage(sizes, at: story, exhausted: exhausted).upcoming
    #expect(wishes.map(\.story) == expected)
    for wish in wishes {
      let isNext = wish == wishes.first && wish.story > story
      #expect(wish.bytes == (isNext ? Preloader.mostOfNext : Preloader.beginning))
    }
  }

  @Test func atTheEnd_nothingIsFetched() {
    var stage = stage([2], at: 1)
    _ = stage.handle(.end)
    #expect(stage.isAtEndCard && stage.upcoming == [])
  }
}
