import Player
import Stories
import System
import Testing

@Suite struct ClickRecogniserTests {
  private let start = Instant.now

  @Test func release_within250Milliseconds_isAClickWhereItWasPressed() {
    var clicks = ClickRecogniser()
    clicks.press(row: 3, column: 70, at: start)
    #expect(clicks.tick(at: start + .milliseconds(249)) == nil)
    #expect(
      clicks.release(at: start + .milliseconds(249)) == .click(row: 3, column: 70))
    #expect(clicks.deadline == nil)
  }

  @Test func pressing_longer_holdsUntilReleased() {
    var clicks = ClickRecogniser()
    clicks.press(row: 3, column: 70, at: start)
    #expect(clicks.tick(at: start + .milliseconds(250)) == .holdBegan)
    #expect(clicks.tick(at: start + .milliseconds(300)) == nil)
    #expect(clicks.release(at: start + .seconds(2)) == .holdEnded)
    #expect(clicks.release(at: start + .seconds(3)) == nil)
  }

  @Test func deadline_isWhenAPressBecomesAHold() {
    var clicks = ClickRecogniser()
    #expect(clicks.deadline == nil && clicks.tick(at: start) == nil)
    clicks.press(row: 1, column: 1, at: start)
    #expect(clicks.deadline == start + ClickRecogniser.longestClick)
    _ = clicks.tick(at: start + ClickRecogniser.longestClick)
    #expect(clicks.deadline == nil)
    _ = clicks.release(at: start + .seconds(1))
    clicks.press(row: 1, column: 1, at: start + .seconds(2))
    #expect(clicks.deadline == start + .seconds(2) + ClickRecogniser.longestClick)
  }

  /// Of two buttons, or where a release was lost: the first press counts.
  @Test func press_whileOneIsDown_changesNothing() {
    var clicks = ClickRecogniser()
    clicks.press(row: 1, column: 2, at: start)
    clicks.press(row: 8, column: 9, at: start + .milliseconds(200))
    #expect(clicks.deadline == start + ClickRecogniser.longestClick)
    #expect(clicks.release(at: start + .milliseconds(220)) == .click(row: 1, column: 2))
    #expect(clicks.release(at: start + .milliseconds(230)) == nil)
  }

  /// A loop that was busy may come late.
  @Test func release_afterTheDeadlineWithoutATick_isAClick() {
    var clicks = ClickRecogniser()
    clicks.press(row: 1, column: 2, at: start)
    #expect(clicks.release(at: start + .seconds(1)) == .click(row: 1, column: 2))
  }
}

@Suite struct SamplesTests {
  @Test(
    arguments: [(0, nil, nil), (1, 1, 1), (2, 1, 2), (100, 50, 99), (200, 100, 198)]
      as [(Int, Double?, Double?)])
  func percentile_isByNearestRank(count: Int, median: Double?, ninetyNinth: Double?) {
    var samples = Samples()
    for value in (0..<count).reversed() { samples.add(.milliseconds(value + 1)) }
    #expect(samples.percentile(50) == median)
    #expect(samples.percentile(99) == ninetyNinth)
  }
}

@Suite struct FormatTests {
  @Test(
    arguments: [
      (-5, "just now"), (59, "just now"), (60, "1 min ago"), (7200, "2 h ago"),
      (86_400 * 3, "3 d ago"), (86_400 * 14, "2 wk ago"), (86_400 * 800, "2 y ago"),
    ] as [(Int64, String)])
  func age_isInTheLargestSensibleUnit(seconds: Int64, words: String) {
    #expect(Format.age(seconds: seconds) == words)
  }

  @Test func age_ofTimesThatNoClockHas_isTheNearest() {
    #expect(Format.age(of: .min, now: .max) == "\(Int64.max / (86_400 * 365)) y ago")
    #expect(Format.age(of: .min, now: 1) == "\(Int64.max / (86_400 * 365)) y ago")
    #expect(Format.age(of: .max, now: .min) == "just now")
  }

  @Test(arguments: [(12, "12 s"), (65, "1:05"), (3600, "1:00:00"), (3725, "1:02:05")])
  func length_readsLikeAClock(seconds: Int, words: String) {
    #expect(Format.length(.seconds(seconds)) == words)
  }

  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (4_449_999, "4.4 MB"), (999_949, "999.9 kB"),
    (999_950, "1.0 MB"), (999_999, "1.0 MB"), (1_500_000_000_000, "1500.0 GB"), (-2000, "-2000 B"),
  ])
  func bytes_areDecimal(count: Int, words: String) {
    #expect(Format.bytes(count) == words)
  }

  @Test(arguments: [1e300, .infinity, .nan, -1, 8_640_001])
  func absurd_lengths_areNotBelieved(seconds: Double) {
    let story = Story(
      source: .file("/a/b.gif"), kind: .video, durationS: seconds, imageTime: seconds)
    #expect(story.durationS == nil && story.imageTime == nil)
    #expect(
      Format.line(for: story, number: 1, of: 1, reel: "", now: 0)
        == "story 1 of 1, video: b.gif")
  }

  @Test func line_describesAStory() {
    let story = Story(
      source: .file("/a/beach.mp4"), kind: .video, caption: "Low tide", author: "anna",
      published: 1000, durationS: 12)
    #expect(
      Format.line(for: story, number: 3, of: 7, reel: "anna", now: 8200)
        == "story 3 of 7, anna, 2 h ago, video 12 s: Low tide")
    #expect(
      Format.line(
        for: Story(source: .file("/a/b.gif")), number: 1, of: 1, reel: "", now: 0)
        == "story 1 of 1, story: b.gif")
  }
}

@Suite struct JSONTests {
  @Test func description_isRFC8259() {
    let value = JSON.object([
      ("text", .text("a\"\\\n\u{1b}é\u{202e}\u{e0001}")), ("none", .null),
      ("list", .array([.integer(1), .bool(true)])),
      ("empty", .array([])), ("third", .number(1.0 / 3)), ("nan", .number(.nan)),
      ("two", .number(2)),
    ])
    #expect(
      value.description == """
        {
          "text": "a\\"\\\\\\n\\u001bé\\u202e\\udb40\\udc01",
          "none": null,
          "list": [
            1,
            true
          ],
          "empty": [],
          "third": 0.333,
          "nan": null,
          "two": 2
        }
        """)
  }
}

@Suite struct StillSaverTests {
  @Test(arguments: [
    ("/x/beach day.mp4", "beach-day-mp4-1500ms"), ("/x/../../..", "story-1500ms"),
    ("/x/\u{1b}[31m;rm -rf", "31m-rm-rf-1500ms"), ("/x/日本.mp4", "mp4-1500ms"),
  ])
  func fileName_isHarmless(path: String, name: String) {
    #expect(
      StillSaver.fileName(for: Story(source: .file(path)), at: .milliseconds(1500)) == name)
  }
}
