import Playback
import Stories
import Synchronization
import System
import Testing

@testable import Player

@Suite struct PlaybackLogTests {
  /// Collects the lines of a log.
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func log(_ categories: Set<Log.Category> = [.playback]) -> Log {
      Log(categories) { level, category, words in
        self.lines.withLock { $0.append("\(level) \(category) \(words)") }
      }
    }
  }

  private func lines(_ events: [Journal.Event]) -> [String] {
    let lines = Lines()
    let log = PlaybackLog(lines.log())
    for event in events { log.read(event, at: .now) }
    return lines.all
  }

  private func began(_ source: Story.Source = .file("/x/a.mp4")) -> Journal.Event {
    .began(number: 0, Story(source: source), slide: nil)
  }

  private static let summary = PlaybackSummary(
    kind: "video", framesDropped: 2, presented: .milliseconds(4_999), stalls: 1,
    stalled: .milliseconds(250))
  private static let bytes = StallFacts.Bytes(
    held: 310_000, total: 990_000, reach: .seconds(13), needed: 24_750, threshold: .seconds(2))

  @Test(
    arguments: [
      (.withdrawn, ["info playback withdrawn"]),
      (.noted("it is cut off"), ["warning playback a.mp4: it is cut off"]),
      (.failed(reason: "it is no medium"), ["error playback cannot play a.mp4: it is no medium"]),
      (.endCard, ["info playback end card"]),
      (.ended(.skipped, pictures: 0, nil), ["info playback skipped"]),
      (
        .ended(.ended, pictures: 75, summary),
        ["info playback ended at 4999 ms: 75 pictures shown, 2 dropped, 1 stall of 250 ms"]
      ),
      (
        .ended(.stopped, pictures: 1, summary),
        ["info playback stopped at 4999 ms: 1 picture shown, 2 dropped, 1 stall of 250 ms"]
      ),
      (
        .firstPicture(.init(wait: .microseconds(43_210))),
        ["info playback first picture after 43.2 ms"]
      ),
      (
        .firstPicture(.init(wait: .milliseconds(3), gap: .milliseconds(35))),
        [
          "info playback first picture after 3.0 ms",
          "info playback 35.0 ms after the last story's last picture",
        ]
      ),
      (
        .stalled(at: .milliseconds(12_480), StallFacts(rate: 800, bytes: bytes)),
        [
          "warning playback stall at 12480 ms: 310000 of 990000 bytes are here, "
            + "up to about 13000 ms, the line gives 800 bytes/s, it needs about 24750 bytes/s, "
            + "goes on with 2000 ms in hand"
        ]
      ),
      (
        .stalled(at: .zero, StallFacts()),
        ["warning playback stall at 0 ms: waits for bytes, the line gives nothing"]
      ),
      (
        .resumed(at: .milliseconds(12_480), after: .milliseconds(900), isSeek: false),
        ["info playback resume at 12480 ms after 900 ms"]
      ),
      (
        .resumed(at: .milliseconds(5), after: .milliseconds(90), isSeek: true),
        ["info playback sought picture at 5 ms after 90 ms"]
      ),
    ] as [(Journal.Event, [String])])
  func event_isALine(event: Journal.Event, expected: [String]) {
    #expect(lines([began(), event]) == ["info playback begin /x/a.mp4"] + expected)
  }

  @Test(
    arguments: [
      .keyPressed, .posterShown, .pictureShown, .newPicture, .painted(bytes: 3),
      .drained(soundLead: nil), .watched(PlaybackReading(position: .zero)), .allPlayed,
      .stopped(story: 0, position: .zero),
    ] as [Journal.Event])
  func event_thatComesOften_isNone(event: Journal.Event) {
    #expect(lines([began(), event]).count == 1)
  }

  @Test func addresses_areWithoutTheirSecrets() {
    let url = "https://anna:secret@example.org/sea/low.mp4?token=secret"
    let lines = lines([began(.url(url)), .noted("n"), .failed(reason: "r")])
    #expect(lines.count == 3 && !lines.contains { $0.contains("secret") })
    #expect(lines.last == "error playback cannot play low.mp4: r")
  }

  @Test func words_areNotMade_whereNobodyReadsThem() {
    let lines = Lines()
    let log = PlaybackLog(lines.log([.http]))
    log.read(began(), at: .now)
    log.read(.noted("n"), at: .now)
    #expect(lines.all == [])
  }
}
