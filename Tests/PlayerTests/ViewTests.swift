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
    _ stage: Stage, columns: Int = 80, unicode: Bool = true
  ) -> Scene {
    let stories = (0..<stage.storyCount).map {
      Story(source: .file("/\($0).png"))
    }
    return Scene(
      stage: stage, stories: stories, reelNames: stage.reels.map { _ in "anna" }, telling: nil,
      reelWasSeen: false, layout: .layout(columns: columns, rows: 24), unicode: unicode,
      metrics: Metrics(), byteRate: nil, savedBytes: 0, now: now, wallClock: 1_000)
  }

  private func view() -> View { View(options: PlayOptions(), now: now) }

  /// The bar's row has it where not all segments fit: 26 at 80 columns.
  @Test(arguments: [(1, 80, "1/1"), (26, 80, "1/26"), (27, 80, ""), (27, 120, "1/27")])
  func title_saysThePlaceOnceWithTheBar(stories: Int, columns: Int, expected: String) {
    var stage = Stage(reelSizes: [stories])
    _ = stage.handle(.start)
    let scene = scene(stage, columns: columns)
    let chrome = view().chrome(scene)
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
