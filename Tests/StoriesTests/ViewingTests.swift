import Stories
import Testing

@Suite struct ShowingTests {
  private enum Step { case picture, reached(Int), end(Showing.End) }

  /// What happens to one play of a story, and what is counted of it.
  @Test(
    arguments: [
      ([.reached(500), .end(.skipped)], []),
      ([.picture, .reached(199), .end(.skipped)], []),
      ([.picture, .reached(200)], [.seen]),
      ([.picture, .reached(200), .reached(300), .picture, .reached(400)], [.seen]),
      ([.picture, .reached(200), .end(.skipped)], [.seen, .skipped]),
      ([.picture, .reached(200), .end(.stopped)], [.seen]),
      ([.picture, .reached(200), .end(.ended)], [.seen, .completed]),
      ([.picture, .end(.ended)], [.seen, .completed]),
      ([.end(.ended)], []),
      ([.picture, .end(.failed)], []),
      ([.end(.failed)], []),
      ([.picture, .reached(5000), .end(.failed)], [.seen, .takenBack]),
      (
        [.picture, .reached(200), .end(.ended), .end(.skipped), .end(.failed)], [.seen, .completed]
      ),
      ([.picture, .end(.stopped), .reached(200)], []),
    ] as [([Step], [Showing.Mark])])
  private func play_isCounted(steps: [Step], expected: [Showing.Mark]) {
    var showing = Showing()
    var marks: [Showing.Mark] = []
    for step in steps {
      switch step {
      case .picture: showing.pictureShown()
      case .reached(let milliseconds): marks += showing.reached(.milliseconds(milliseconds))
      case .end(let how): marks += showing.end(how)
      }
    }
    #expect(marks == expected)
  }

  @Test func isBecomingSeen_onlyWhileShownAndNotSeen() {
    var showing = Showing()
    #expect(!showing.isBecomingSeen)
    showing.pictureShown()
    #expect(showing.isBecomingSeen)
    _ = showing.reached(.milliseconds(200))
    #expect(!showing.isBecomingSeen)
  }
}

/// Reels of so many stories each, with limits by number.
private func feed(_ sizes: [Int], limits: [Int: Int32] = [:]) -> Feed {
  var number = 0
  let reels = sizes.enumerated().map { index, size in
    Reel(
      name: "r\(index)",
      stories: (0..<size).map { _ in
        defer { number += 1 }
        return Story(source: .file("/\(number)"), maxViews: limits[number])
      })
  }
  return Feed(title: "f", reels: reels)
}

extension SeenRecords {
  /// What is known, by number.
  fileprivate init(_ records: [Int: SeenRecord]) {
    self.init()
    for (story, record) in records { self[story] = record }
  }
}

@Suite struct ViewingsTests {
  @Test func reel_isSeenOnceAllItsStoriesAre() {
    var viewings = Viewings(feed([2, 0, 1]))
    viewings.markSeen(0)
    viewings.markSeen(0)
    #expect((0...3).map(viewings.isReelSeen) == [false, false, false, false])
    viewings.learn(
      from: SeenRecords([
        1: SeenRecord(isSeen: true), 2: SeenRecord(completions: 4), 9: SeenRecord(isSeen: true),
      ]))
    #expect((0...3).map(viewings.isReelSeen) == [true, true, false, false])
    viewings.unmarkSeen(1)
    viewings.unmarkSeen(1)
    #expect((0...2).map(viewings.isSeen) == [true, false, false])
    #expect(!viewings.isReelSeen(of: 0))
  }

  @Test func reel_ofEveryStory_isFound() {
    let viewings = Viewings(feed([2, 0, 3, 1]))
    #expect(
      (-1...6).map(viewings.stories(inReelOf:)) == [
        nil, 0..<2, 0..<2, 2..<5, 2..<5, 2..<5, 5..<6, nil,
      ])
  }

  @Test func completions_upToTheLimit_exhaust() {
    var viewings = Viewings(feed([3], limits: [0: 2, 2: 0]))
    #expect((0..<3).map(viewings.isExhausted) == [false, false, true])
    #expect((0..<3).map(viewings.isLimited) == [true, false, true])
    for _ in 0..<2 { (0..<2).forEach { viewings.markCompleted($0) } }
    #expect((0..<3).map(viewings.isExhausted) == [true, false, true])
  }

  @Test func completions_byOthers_count() {
    var viewings = Viewings(feed([1], limits: [0: 3]))
    viewings.learn(from: SeenRecords([0: SeenRecord(isSeen: true, completions: 1)]))
    viewings.markCompleted(0)
    #expect(!viewings.isExhausted(0))
    // A file that knows of fewer does not take back what was counted here.
    viewings.learn(completions: 1, of: 0)
    viewings.learn(completions: 3, of: 0)
    #expect(viewings.isExhausted(0))
  }
}

@Suite struct ViewingRulesTests {
  private let now: Int64 = 1_000_000

  /// A story with its reason to be left out, if any.
  @Test(
    arguments: [
      (nil, nil, nil, 99, nil, nil),
      (1_000_001, nil, nil, 0, nil, nil), (1_000_000, nil, nil, 0, nil, .expired),
      (-5, nil, nil, 0, nil, .expired),
      (nil, nil, 3, 2, nil, nil), (nil, nil, 3, 3, nil, .exhausted),
      (nil, nil, 0, 0, nil, .exhausted),
      (nil, 999_900, nil, 0, 100, nil), (nil, 999_899, nil, 0, 100, .tooOld),
      (nil, nil, nil, 0, 100, nil), (nil, 2_000_000, nil, 0, 1, nil), (nil, 5, nil, 0, nil, nil),
      (nil, Int64.min, nil, 0, 100, .tooOld), (1, 1, 1, 1, 1, .expired),
    ] as [(Int64?, Int64?, Int32?, Int, Int64?, ViewingRules.Refusal?)])
  func refusal_isWhatTheFeedAndTheViewerSay(
    expires: Int64?, published: Int64?, limit: Int32?, completions: Int, maxAge: Int64?,
    expected: ViewingRules.Refusal?
  ) {
    let story = Story(
      source: .file("/a"), published: published, maxViews: limit, expires: expires)
    let rules = ViewingRules(maxAgeS: maxAge)
    #expect(rules.refusal(of: story, completions: completions, now: now) == expected)
  }

  @Test func select_withoutReasons_changesNothing() {
    let feed = feed([2, 1])
    let selection = ViewingRules().select(
      from: feed, past: SeenRecords([2: SeenRecord(isSeen: true)]), now: now)
    #expect(selection.feed == feed)
    #expect(selection.past == SeenRecords([2: SeenRecord(isSeen: true)]))
    #expect(selection.numbers == nil)
    #expect(selection.leftOut == [:])
    #expect(!ViewingRules().needsPast(of: feed))
  }

  @Test func select_leavesOutWhatIsExhaustedAndRenumbers() {
    let whole = feed([2, 1, 2], limits: [0: 1, 2: 1])
    let past = SeenRecords([
      0: SeenRecord(isSeen: true, completions: 1), 1: SeenRecord(isSeen: true),
      2: SeenRecord(isSeen: true, completions: 1), 4: SeenRecord(isSeen: true, completions: 7),
    ])
    let selection = ViewingRules().select(from: whole, past: past, now: now)
    #expect(selection.feed.reels.map(\.name) == ["r0", "r2"])
    #expect(
      selection.feed.reels.map { $0.stories.map(\.source.text) } == [["/1"], ["/3", "/4"]])
    #expect(
      selection.past
        == SeenRecords([0: SeenRecord(isSeen: true), 2: SeenRecord(isSeen: true, completions: 7)]))
    #expect(selection.numbers == [1, 3, 4])
    #expect(selection.leftOut == [.exhausted: 2])
    #expect(ViewingRules().needsPast(of: whole))
  }

  /// Reels of 1, 2, 2, 1 and 1 stories: which are seen, and the order of the reels.
  @Test(arguments: [
    ([], [0, 1, 2, 3, 4]), ([0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4]),
    ([0], [1, 2, 3, 4, 0]), ([0, 1, 3, 4], [1, 3, 4, 0, 2]), ([6, 5], [0, 1, 2, 3, 4]),
    ([1, 2, 5], [0, 2, 4, 1, 3]),
  ])
  func unseenFirst_putsReelsWithSomethingUnseenFirst(seen: [Int], order: [Int]) {
    let rules = ViewingRules(unseenFirst: true)
    let whole = feed([1, 2, 2, 1, 1])
    var past = SeenRecords()
    for story in seen { past[story].isSeen = true }
    let selection = rules.select(from: whole, past: past, now: now)
    #expect(selection.feed.reels.map(\.name) == order.map { "r\($0)" })
    #expect(selection.feed.reels == order.map { whole.reels[$0] })
    #expect((0..<7).count { selection.past[$0].isSeen } == seen.count)
    #expect(selection.numbers.map { $0.sorted() } == Array(0..<7))
    #expect(rules.needsPast(of: whole))
  }

  /// What is seen, and what is not played any more, come last, and nothing is left out.
  @Test func arrange_keepsAllInTheOrderOfPlaying() {
    let whole = feed([1, 2, 1], limits: [0: 0])
    let past = SeenRecords([1: SeenRecord(isSeen: true), 3: SeenRecord(isSeen: true)])
    #expect(ViewingRules().arrange(whole, past: past, now: now).feed == whole)
    let arranged = ViewingRules(unseenFirst: true).arrange(whole, past: past, now: now)
    #expect(arranged.feed.reels == [1, 0, 2].map { whole.reels[$0] })
    #expect(
      arranged.past == SeenRecords([0: SeenRecord(isSeen: true), 3: SeenRecord(isSeen: true)]))
    #expect(arranged.numbers == [1, 2, 0, 3])
    #expect(arranged.leftOut == [:])
  }

  @Test(
    arguments: [
      ([.exhausted: 3], "nothing left to play: 3 stories seen as often as allowed"),
      (
        [.exhausted: 1, .tooOld: 2, .expired: 1],
        "nothing left to play: 1 story seen as often as allowed, 1 story expired, "
          + "2 stories older than wanted"
      ),
    ] as [([ViewingRules.Refusal: Int], String)])
  func wordsForNothing_countTheReasons(leftOut: [ViewingRules.Refusal: Int], words: String) {
    var selection = ViewingRules().select(from: Feed(title: ""), past: SeenRecords(), now: 0)
    selection.leftOut = leftOut
    #expect(selection.wordsForNothing == words)
  }
}

@Suite struct StoryIdentityTests {
  /// Feed, item, source, and who the story is.
  @Test(
    arguments: [
      ("", "", .file("/a/b?c#d"), "/a/b?c#d"),
      ("", "", .url("https://u:p@h/x.mp4?token=1#f"), "https://h/x.mp4"),
      ("/a/b?c.json", "7", .file("/x"), "/a/b?c.json#7"),
      ("https://u:p@h/f.json?token=1", "7", .url("https://h/x?y"), "https://h/f.json#7"),
      (
        "https://h/f.json", "https://h/?p=7", .url("https://h/x"), "https://h/f.json#https://h/?p=7"
      ),
    ] as [(String, String, Story.Source, String)])
  func id_holdsNoSecretOfAnAddress(
    feed: String, item: String, source: Story.Source, expected: String
  ) {
    #expect(Story(source: source, feed: feed, item: item).id == expected)
  }
}
