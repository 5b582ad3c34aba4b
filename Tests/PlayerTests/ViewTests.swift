import Pictures
import Stories
import System
import Terminal
import Testing

@testable import Player

/// The words around and over the picture.
@Suite struct ViewTests {
  private let now = Instant.now

  private func model(
    _ stage: Stage, expires: [Int: Int64] = [:], columns: Int = 80, unicode: Bool = true
  ) -> ViewModel {
    let stories = (0..<stage.storyCount).map {
      Story(source: .file("/\($0).png"), expires: expires[$0])
    }
    return ViewModel(
      stage: stage, stories: stories, reelNames: stage.reels.map { _ in "anna" }, playing: nil,
      reelWasSeen: false, layout: .layout(columns: columns, rows: 24), unicode: unicode,
      bytesPerPicture: 0, byteRate: nil, savedBytes: 0, now: now, wallClock: 1_000)
  }

  private func view() -> View { View(options: PlayOptions(), now: now) }

  /// At the end card after one reel of which these are not played any more.
  private func ended(stories: Int, exhausted: Range<Int>) -> Stage {
    var stage = Stage(reelSizes: [stories])
    _ = stage.handle(.start)
    _ = stage.handle(.began(generation: 1))
    for story in exhausted { _ = stage.handle(.exhausted(story: story)) }
    _ = stage.handle(.end)
    return stage
  }

  @Test func endCard_whereSomethingIsStillPlayable_offersIt() {
    let overlays = view().overlays(model(ended(stories: 2, exhausted: 0..<1)))
    #expect(overlays.endCard == ["That was all: 2 stories, 1 reel"])
    #expect(overlays.endKeys.map(\.meaning) == ["again", "back", "quit"])
  }

  @Test(
    arguments: [
      ([:], "seen as often as allowed"), ([0: 1_000, 1: 9], "expired"),
      ([0: 1_000, 1: 1_001], "1 story seen as often as allowed, 1 story expired"),
    ] as [([Int: Int64], String)])
  func endCard_whereNothingIsPlayable_saysWhy(expires: [Int: Int64], words: String) {
    let model = model(ended(stories: 2, exhausted: 0..<2), expires: expires)
    let overlays = view().overlays(model)
    #expect(overlays.endCard == ["That was all: 2 stories, 1 reel", words])
    #expect(overlays.endKeys.map(\.meaning) == ["quit"])
  }

  /// The bar's row has it where not all segments fit: 26 at 80 columns.
  @Test(arguments: [(1, 80, "1/1"), (26, 80, "1/26"), (27, 80, ""), (27, 120, "1/27")])
  func title_saysThePlaceOnceWithTheBar(stories: Int, columns: Int, expected: String) {
    var stage = Stage(reelSizes: [stories])
    _ = stage.handle(.start)
    let model = model(stage, columns: columns)
    let chrome = view().chrome(model)
    #expect(chrome.titleRight == expected)
    let labels = chrome.segments.bar(columns: columns, lines: true).filter { $0.tone == .label }
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
    #expect(view.chrome(model(stage, unicode: unicode)).titleRight == running)
    _ = stage.handle(.togglePause)
    #expect(view.chrome(model(stage, unicode: unicode)).titleRight == paused)
    view.isMuted = false
    let bare = paused.split(separator: " ")[0] + (stories == 2 ? " 1/2" : "")
    #expect(view.chrome(model(stage, unicode: unicode)).titleRight == bare)
  }

  @Test(arguments: [(2, "  1/2"), (30, "")])
  func title_whereAKeyIsAwaited_namesIt(stories: Int, place: String) throws {
    var stage = Stage(reelSizes: [stories], options: .init(manual: true))
    _ = stage.handle(.start)
    _ = stage.handle(.finished(generation: 1))
    let key = try #require(PlayOptions().keys.name(of: .next))
    #expect(view().chrome(model(stage)).titleRight == "press \(key)\(place)")
  }
}
