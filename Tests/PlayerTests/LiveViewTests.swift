import DecoderLink
import Playback
import Stories
import System
import Terminal
import Testing

@testable import Player

/// What is around a live story.
@Suite struct LiveViewTests {
  private let now = Instant.now

  private func model(isLive: Bool) -> ViewModel {
    var stage = Stage(reelSizes: [2])
    _ = stage.handle(.start)
    var playback = Playback(
      Playback.Options(
        durations: DisplayDurations(own: nil, imageTime: .seconds(5)), soundRate: nil,
        isUntimed: false, showsOnlyFirst: false))
    let picture = DecodedPicture(
      serial: 0, time: .zero, duration: .milliseconds(40),
      bitmap: Bitmap(width: 1, height: 1, pixels: [0]))
    let info = MediaInfo(
      kind: .video, isStill: false, container: "hls", displayWidth: 1, displayHeight: 1,
      duration: isLive ? nil : .seconds(10), isLive: isLive)
    for input in [
      .open, .begin(at: .zero), .decoder(.opened(info)), .decoder(.picture(picture)),
      .tick(lead: .zero),
    ] as [Playback.Input] {
      _ = playback.handle(input, at: now)
    }
    return ViewModel(
      stage: stage, stories: (0..<2).map { Story(source: .url("http://h/\($0).m3u8")) },
      reelNames: ["anna"], playing: .init(playback: playback), reelWasSeen: false,
      layout: .layout(columns: 80, rows: 24), unicode: true, bytesPerPicture: 0, byteRate: nil,
      savedBytes: 0, now: now, wallClock: 0)
  }

  /// It is always at its end, and says that it is live where others say how long they are.
  @Test func live_isShownAsSuch() {
    var view = View(options: PlayOptions(), now: now)
    let chrome = view.chrome(model(isLive: true))
    #expect(chrome.titleRight == "LIVE  1/2")
    #expect(chrome.segments.fill == 1)
    _ = view.take(.info)
    let length = view.overlays(model(isLive: true)).info.first { $0.keys == "length" }
    #expect(length?.meaning == "LIVE")
  }

  @Test func story_thatIsNotLive_isNotShownAsSuch() {
    let chrome = View(options: PlayOptions(), now: now).chrome(model(isLive: false))
    #expect(chrome.titleRight == "1/2")
    #expect(chrome.segments.fill == 0)
  }
}
