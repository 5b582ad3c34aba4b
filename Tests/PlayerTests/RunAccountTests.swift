import Playback
import Stories
import System
import Testing

@testable import Player

@Suite struct RunAccountTests {
  private let start = Instant.now
  private let account: RunAccount

  init() { account = RunAccount(processStart: start) }

  private func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

  private func read(_ events: Journal.Event..., at milliseconds: Int = 0) {
    for event in events { account.read(event, at: at(milliseconds)) }
  }

  private func began(_ name: String, kind: Story.Kind? = nil) -> Journal.Event {
    .began(number: 0, Story(source: .file("/x/" + name), kind: kind), slide: nil)
  }

  @Test func play_hasAnEntry_withWhatCameOfIt() throws {
    read(began("a.mp4", kind: .picture), .newPicture, .newPicture, .painted(bytes: 30))
    read(.painted(bytes: 12), .noted("it is cut off"))
    #expect(account.metrics.bytesPerPicture == 21)
    let summary = PlaybackSummary(
      kind: "video", framesDecoded: 9, framesDropped: 3, presented: .milliseconds(1_500),
      length: .seconds(2), stalls: 2, stalled: .milliseconds(70))
    read(.ended(.skipped, pictures: 2, summary))
    let entry = try #require(account.metrics.stories.first)
    #expect(account.metrics.stories.count == 1)
    #expect(entry.source == "/x/a.mp4" && entry.kind == "video" && entry.status == .skipped)
    #expect(entry.framesDecoded == 9 && entry.framesDropped == 3 && entry.framesShown == 2)
    #expect(entry.bytesToTerminal == 42 && entry.presentedMs == 1_500 && entry.durationMs == 2_000)
    #expect(entry.waits == 2 && entry.waitedMs == 70 && entry.error == nil)
    #expect(entry.notes == ["a.mp4: it is cut off"])
  }

  @Test func play_withoutADecoder_keepsWhatItsFeedSays() throws {
    read(began("a.jpg", kind: .picture), .ended(.skipped, pictures: 0, nil))
    let entry = try #require(account.metrics.stories.first)
    #expect(entry.kind == "picture" && entry.presentedMs == 0 && entry.durationMs == nil)
  }

  @Test func withdrawnPlay_hasNoEntry() {
    read(began("a"), .ended(.ended, pictures: 1, nil), began("b"), .withdrawn)
    #expect(account.metrics.stories.map(\.source) == ["/x/a"])
  }

  @Test func events_ofAPlay_changeItsEntryAlone() {
    read(began("a"), .newPicture, .ended(.ended, pictures: 1, nil))
    read(began("b"), .painted(bytes: 5), .ended(.stopped, pictures: 0, nil))
    #expect(account.metrics.stories.map(\.framesShown) == [1, 0])
    #expect(account.metrics.stories.map(\.bytesToTerminal) == [0, 5])
    #expect(account.metrics.stories.map(\.status) == [.ended, .stopped])
    #expect(account.metrics.bytesPerPicture == 0)
  }

  @Test func firstPictures_areMeasuredByWhatTheyAnswer() {
    read(began("a"), .firstPicture(.init(wait: .milliseconds(40))), at: 300)
    read(
      began("b"), .firstPicture(.init(wait: .milliseconds(10), sinceKey: .milliseconds(12))),
      at: 900)
    read(
      began("c"), .firstPicture(.init(wait: .milliseconds(3), gap: .milliseconds(35))), at: 1_000)
    #expect(account.metrics.stories.map(\.firstPictureMs) == [40, 10, 3])
    // From the start of the process to the first one alone.
    #expect(account.metrics.startToFirstPicture == .milliseconds(300))
    #expect(account.metrics.keyLatencies.count == 1 && account.metrics.transitionGaps.count == 1)
    #expect(account.metrics.keyLatencies.percentile(50) == 12)
    #expect(account.metrics.transitionGaps.percentile(50) == 35)
  }

  @Test func soundOffset_isADistance_andOnlyOfHeardSound() throws {
    read(began("a"))
    for lead in [-30, 10, nil, 20] as [Int?] {
      read(.drained(soundLead: lead.map { .milliseconds($0) }))
    }
    let entry = try #require(account.metrics.stories.first)
    #expect(entry.soundOffsets.count == 3)
    #expect(entry.soundOffsets.percentile(50) == 20 && entry.soundOffsets.percentile(99) == 30)
  }

  @Test func failures_areComplaints_eachOnce() {
    for name in ["a", "b", "a"] {
      read(began(name), .failed(reason: "it is no medium"), .ended(.failed, pictures: 0, nil))
    }
    #expect(
      account.complaints == [
        "cannot play a: it is no medium", "cannot play b: it is no medium",
      ])
    #expect(account.metrics.stories.map(\.status) == [.failed, .failed, .failed])
    #expect(account.metrics.stories.map(\.error) == [0, 1, 0].map { account.complaints[$0] })
  }

  /// S shows a picture, F fails, D does both, W is withdrawn.
  @Test(
    arguments: [
      ("", .nothingPlayed), ("S", .allPlayed), ("SS", .allPlayed), ("F", .nothingPlayed),
      ("FF", .nothingPlayed), ("SF", .somePlayed), ("FS", .somePlayed), ("D", .somePlayed),
      ("W", .nothingPlayed), ("SW", .allPlayed), ("FW", .nothingPlayed),
    ] as [(String, PlayOutcome)])
  func outcome_saysWhatCouldBePlayed(plays: String, expected: PlayOutcome) {
    for play in plays {
      read(began("\(play)"))
      switch play {
      case "S": read(.newPicture, .ended(.ended, pictures: 1, nil))
      case "F": read(.failed(reason: "r"), .ended(.failed, pictures: 0, nil))
      case "D": read(.newPicture, .failed(reason: "r"), .ended(.failed, pictures: 1, nil))
      default: read(.withdrawn)
      }
    }
    #expect(account.outcome == expected)
  }

  /// Scripts read these names.
  @Test func report_hasTheNamesThatScriptsRead() {
    read(began("a.mp4"), .newPicture, .firstPicture(.init(wait: .milliseconds(2))))
    read(.ended(.ended, pictures: 1, PlaybackSummary(kind: "video", length: .seconds(1))))
    let text = account.metrics.json.description
    let names = text.split(separator: "\n").compactMap { line in
      line.split(separator: "\"").count > 1 ? String(line.split(separator: "\"")[1]) : nil
    }
    #expect(
      names.filter { !$0.contains("/") } == [
        "stories", "source", "kind", "status", "error", "notes", "firstPictureMs",
        "framesDecoded", "framesShown", "framesDropped", "bytesToTerminal", "presentedMs",
        "durationMs", "waits", "waitedMs", "avOffsetMsP50", "avOffsetMsP99", "keys", "count",
        "latencyMsP50", "latencyMsP99", "transitions", "count", "gapMsP50", "gapMsP99", "network",
        "requests", "bytes", "cache", "hits", "misses", "bytesServed", "bytesFetched", "cpuMs",
        "player", "decoders", "maxRssKiB", "player", "decoders", "startToFirstPictureMs", "wakeUps",
        "playing", "count", "seconds", "perSecond", "paused", "count", "seconds", "perSecond",
      ])
    #expect(text.contains("\"status\": \"ended\"") && text.contains("\"durationMs\": 1000"))
  }
}
