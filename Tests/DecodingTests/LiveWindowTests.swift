import Testing

@testable import Decoding

/// What the reloads of a live playlist add to a story.
@Suite struct LiveWindowTests {
  /// The playlist with the number of its first segment before the colon, and segments of two seconds;
  /// `%` is a discontinuity, and `@` stands before the name of an initialization section.
  private func list(
    _ text: String, target: Int = 2, length: Int = 2, end: Bool = false
  ) throws -> MediaPlaylist {
    let parts = text.split(separator: ":", maxSplits: 1)
    let names = parts[1].split(separator: " ")
    var lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:\(target)"]
    if parts[0] != "-" { lines.append("#EXT-X-MEDIA-SEQUENCE:\(parts[0])") }
    for name in names {
      switch name.first {
      case "%": lines.append("#EXT-X-DISCONTINUITY")
      case "@": lines.append("#EXT-X-MAP:URI=\"\(name.dropFirst())\"")
      default: lines += ["#EXTINF:\(length),", String(name)]
      }
    }
    if end { lines.append("#EXT-X-ENDLIST") }
    return try MediaPlaylist(
      PlaylistText(Array(lines.joined(separator: "\n").utf8)), mayBeEmpty: true)
  }

  private func words(_ addition: LiveWindow.Addition) -> String {
    (addition.leaps ? "! " : "")
      + addition.segments.map { ($0.beginsAnew ? "|" : "") + $0.place.uri }.joined(separator: " ")
  }

  /// The playlists one after another, and what each adds; `!` if it does not follow what was known, and
  /// `|` before a segment that begins another part.
  private static let reloads: [(String, [(String, String)])] = [
    ("it grows and slides", [("3:a b c d", "b c d"), ("4:b c d e", "e"), ("6:d e f g", "f g")]),
    ("it does not change", [("3:a b c", "a b c"), ("3:a b c", ""), ("3:a b c d", "d")]),
    ("it begins empty", [("0: ", ""), ("0:a", "a"), ("0:a b", "b")]),
    ("nothing of it is numbered", [("-:a b c", "a b c"), ("-:b c d", "d"), ("-:d e f", "e f")]),
    (
      "addresses are signed anew",
      [("1:a?1 b?1 c?1", "a?1 b?1 c?1"), ("2:b?2 c?2 d?2", "d?2"), ("3:c?3 d?3 e?3#x", "e?3#x")]
    ),
    ("folders change", [("1:x/a x/b x/c", "x/a x/b x/c"), ("2:y/b y/c y/d", "y/d")]),
    (
      "an old copy comes in between",
      [("5:e f g", "e f g"), ("6:f g h", "h"), ("5:e f g", ""), ("3:c d e", ""), ("7:g h i", "i")]
    ),
    // Three target durations before the end.
    ("parts are gone", [("1:a b c", "a b c"), ("9:i j k l m", "! k l m")]),
    ("it follows exactly", [("1:a b c", "a b c"), ("4:d e f", "d e f")]),
    ("it follows exactly, anew", [("1:a b c", "a b c"), ("4:% d e f", "|d e f")]),
    ("its clock changes", [("1:a b c", "a b c"), ("2:b c % d", "|d"), ("4:% d e", "e")]),
    (
      "its initialization section changes unseen",
      [("1:@m?1 a b c", "a b c"), ("4:@m?2 d", "d"), ("5:@n e f", "|e f"), ("6:@n f g", "g")]
    ),
    (
      "the server begins anew",
      [("70:a b c", "a b c"), ("0:x", "! x"), ("0:x y", "y"), ("1:y z", "z")]
    ),
    ("it begins anew with old names", [("7:0.ts?a 1.ts?a", "0.ts?a 1.ts?a"), ("0:0.ts?b", "")]),
    (
      "names come again",
      [("1:a b c", "a b c"), ("2:b c a", "a"), ("3:c a b", "b"), ("4:a b c a", "c a")]
    ),
  ]

  @Test(arguments: reloads)
  func reloads_addWhatIsNew(name: String, lists: [(String, String)]) throws {
    var window = LiveWindow()
    for (text, expected) in lists {
      let addition = try window.merge(list(text))
      #expect(words(addition) == expected, "\(name): \(text)")
    }
  }

  @Test(arguments: [
    ("1:a b c d e f", 2, false, 3), ("1:a b c d e f", 1, false, 3), ("1:a b c d e f", 4, false, 0),
    ("1:a b c d e f", 60, false, 0), ("1:a b", 2, false, 0), ("1:a b c d e f", 2, true, 0),
  ])
  func start_isThreeTargetDurationsBeforeTheEnd(
    text: String, target: Int, end: Bool, expected: Int
  ) throws {
    #expect(try LiveWindow.start(in: list(text, target: target, end: end)) == expected)
  }

  /// A target duration that cannot be right does not make reloads come too often or too late.
  @Test(arguments: [(2, 2_000), (3, 3_000), (1, 2_000), (60, 4_000)])
  func pace_isThatOfTheSegments(target: Int, milliseconds: Int) throws {
    #expect(
      try LiveWindow.pace(of: list("1:a b c", target: target)) == .milliseconds(milliseconds))
  }

  @Test func pace_ofAnEmptyList_isItsTargetDuration() throws {
    #expect(try LiveWindow.pace(of: list("1: ", target: 7)) == .seconds(7))
  }

  /// Segments without a length do not make reloads come more often.
  @Test(arguments: [0, -1]) func pace_ofSegmentsWithoutLength_isTheTargetDuration(
    length: Int
  ) throws {
    #expect(try LiveWindow.pace(of: list("1:a b", target: 6, length: length)) == .seconds(6))
  }

  /// Of two playlists: the reloads as the number of the playlist, `!` if it leaps, `=` if nothing is
  /// new; and what each does to the story.
  @Test(
    arguments: [
      ("0 1 0 1", [.follows, .follows, .follows, .follows]),
      ("0! 1! 0 1", [.begins, .joins, .follows, .follows]),
      ("1! 0! 1", [.begins, .joins, .follows]),
      ("0! 1 1", [.begins, .joins, .follows]),
      ("0! 1= 0 1= 1! 1", [.begins, .follows, .follows, .follows, .joins, .follows]),
      ("0! 1! 1! 0!", [.begins, .joins, .begins, .joins]),
      ("0! 0! 1! 1", [.begins, .begins, .joins, .follows]),
    ] as [(String, [LiveLeaps.Step])])
  func leaps_ofTwoLists_areOne(reloads: String, expected: [LiveLeaps.Step]) {
    var leaps = LiveLeaps()
    let steps = reloads.split(separator: " ").map { reload in
      leaps.reload(
        of: reload.hasPrefix("1") ? 1 : 0, leaps: reload.hasSuffix("!"),
        isNew: !reload.hasSuffix("="))
    }
    #expect(steps == expected)
  }
}
