import Pictures
import Stories
import System
import Terminal
import Testing

@testable import Player

/// The words around and over the picture.
@Suite struct ViewTests {
  private let now = Instant.now

  private func scene(
    _ stage: Stage, expires: [Int: Int64] = [:], columns: Int = 80, unicode: Bool = true
  ) -> Scene {
    let stories = (0..<stage.storyCount).map {
      Story(source: .file("/\($0).png"), expires: expires[$0])
    }
    return Scene(
      stage: stage, stories: stories, reelNames: stage.reels.map { _ in "anna" }, slot: nil,
      reelWasSeen: false, layout: .layout(columns: columns, rows: 24), unicode: unicode,
      metrics: Metrics(), byteRate: nil, savedBytes: 0, now: now, wallClock: 1_000)
  }

  private func view() -> View { View(options: PlayOptions(), now: now) }

  /// At the end card after one reel of which these are told no more.
  private func ended(stories: Int, exhausted: Range<Int>) -> Stage {
    var stage = Stage(reelSizes: [stories])
    _ = stage.handle(.start)
    _ = stage.handle(.began(generation: 1))
    for story in exhausted { _ = stage.handle(.exhausted(story: story)) }
    _ = stage.handle(.end)
    return stage
  }

  @Test func endCard_whereSomethingIsStillTold_offersIt() {
    let overlays = view().overlays(scene(ended(stories: 2, exhausted: 0..<1)))
    #expect(overlays.endCard == ["That was all: 2 stories, 1 reel"])
    #expect(overlays.endKeys.map(\.meaning) == ["again", "back", "quit"])
  }

  @Test(
    arguments: [
      ([:], "seen as often as allowed"), ([0: 1_000, 1: 9], "expired"),
      ([0: 1_000, 1: 1_001], "1 story seen as often as allowed, 1 story expired"),
    ] as [([Int: Int64], String)])
  func endCard_whereNothingIsToldAnyMore_saysWhy(expires: [Int: Int64], words: String) {
    let scene = scene(ended(stories: 2, exhausted: 0..<2), expires: expires)
    let overlays = view().overlays(scene)
    #expect(overlays.endCard == ["That was all: 2 stories, 1 reel", words])
    #expect(overlays.endKeys.map(\.meaning) == ["quit"])
  }

  /// The bar's row has it where not all segments fit: 26 at 80 columns.
  @Test(arguments: [(1, 80, "1/1"), (26, 80, "1/26"), (27, 80, ""), (27, 120, "1/27")])
  func title_saysThePlaceOnceWithTheBar(stories: Int, columns: Int, expected: String) {
    var stage = Stage(reelSizes: [stories])
    _ = stage.handle(.start)
    let scene = scene(stage, columns: columns)
    let chrome = view().chrome(scene)
    #expect(chrome.titleRight == expected)
    let bar = chrome.segments.bar(columns: columns, drawsLines: true)
    let labels = bar.filter { $0.tone == .label }
    #expect(labels.isEmpty == !expected.isEmpty)
  }

  @Test(arguments: [
    (2, true, "▮▮ muted  1/2", "muted  1/2"), (2, false, "paused muted  1/2", "muted  1/2"),
    (30, true, "▮▮ muted", "muted"), (30, false, "paused muted", "muted"),
  ])
  func title_saysWhatMatters(stories: Int, unicode: Bool, paused: String, running: String) {
    var stage = Stage(reelSizes: [stories])
    _ = stage.handle(.start)
    var view = view()
    view.isMuted = true
    #expect(view.chrome(scene(stage, unicode: unicode)).titleRight == running)
    _ = stage.handle(.togglePause)
    #expect(view.chrome(scene(stage, unicode: unicode)).titleRight == paused)
    view.isMuted = false
    let bare = paused.split(separator: " ")[0] + (stories == 2 ? " 1/2" : "")
    #expect(view.chrome(scene(stage, unicode: unicode)).titleRight == bare)
  }

  @Test(arguments: [(2, "  1/2"), (30, "")])
  func title_whereAKeyIsAwaited_namesIt(stories: Int, place: String) throws {
    var stage = Stage(reelSizes: [stories], options: .init(manual: true))
    _ = stage.handle(.start)
    _ = stage.handle(.finished(generation: 1))
    let key = try #require(PlayOptions().keys.name(of: .next))
    #expect(view().chrome(scene(stage)).titleRight == "press \(key)\(place)")
  }
}
