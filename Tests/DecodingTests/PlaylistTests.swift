import DecoderLink
import Testing

@testable import Decoding

/// HLS playlists as texts: what is read of them, and what FFmpeg is given instead.
@Suite struct PlaylistTests {
  private func text(_ lines: String) -> PlaylistText { PlaylistText(Array(lines.utf8)) }

  @Test func text_withAMarkBlankLinesAndComments_beginsAtItsTag() {
    let text = text(
      "\u{FEFF}\r\n# made by hand\r\n  #extm3u\r\n\r\n\t#EXTINF:1,\u{1B}[2J\r\na b.ts \r\n")
    #expect(text.lines == ["#extm3u", "#EXTINF:1,[2J", "a b.ts"])
  }

  private static let attributeLists: [(String, [String: String])] = [
    ("A=1,B=\"x,y\",C=2x3", ["A": "1", "B": "x,y", "C": "2x3"]),
    ("A=\"open", ["A": "open"]), ("", [:]), ("A", [:]), ("A=1,A=2", ["A": "1"]),
    (" A=1 , B=2", ["A": "1 ", "B": "2"]), ("A=\"a=b\"junk,B=3", ["A": "a=b", "B": "3"]),
  ]

  @Test(arguments: attributeLists)
  func attributes_ofATag_areTakenApart(list: String, expected: [String: String]) {
    #expect(PlaylistText.attributes(in: list[...]) == expected)
  }

  private let master = """
    #EXTM3U
    #EXT-X-INDEPENDENT-SEGMENTS
    #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="a",URI="subs.m3u8"
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="comment",URI="comment.m3u8"
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="de",AUTOSELECT=YES,URI="de.m3u8"
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="b",NAME="en",DEFAULT=YES
    #EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=640x360,CODECS="avc1.4d401e, mp4a.40.2",AUDIO="a"
    low.m3u8
    #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="frames.m3u8"
    #EXT-X-STREAM-INF:BANDWIDTH=64000,AUDIO="a"
    de.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=oops,RESOLUTION=0x9,AUDIO="b"
    # a comment
    odd.m3u8
    left.m3u8
    """

  @Test func master_isReadWithItsSounds() throws {
    let master = try #require(MasterPlaylist(text(master)))
    #expect(
      master.variants == [
        .init(
          uri: "low.m3u8", bandwidth: 900_000, size: (640, 360),
          codecs: ["avc1.4d401e", "mp4a.40.2"],
          soundGroup: "a"),
        .init(uri: "de.m3u8", bandwidth: 64_000, size: nil, codecs: [], soundGroup: "a"),
        .init(uri: "odd.m3u8", bandwidth: nil, size: nil, codecs: [], soundGroup: "b"),
      ])
    // The sound that is chosen by itself; one that lies in the variant's own parts is none beside it.
    #expect(master.variants.map(master.soundURI) == ["de.m3u8", nil, nil])
    #expect(MasterPlaylist(text("#EXTM3U\n#EXTINF:1,\na.ts\n")) == nil)
  }

  /// Name, width and height (0 for none), bandwidth in kbit/s, codecs.
  private static func variant(
    _ uri: String, _ width: UInt32, _ height: UInt32, _ kilobits: UInt64, _ codecs: String = ""
  ) -> MasterPlaylist.Variant {
    MasterPlaylist.Variant(
      uri: uri, bandwidth: kilobits * 1_000, size: width == 0 ? nil : (width, height),
      codecs: codecs.split(separator: ",").map { String($0) }, soundGroup: nil)
  }

  private static let ladder = [
    variant("1080", 1_920, 1_080, 6_000), variant("90", 160, 90, 200),
    variant("234", 416, 234, 400),
    variant("360", 640, 360, 900), variant("720", 1_280, 720, 3_000),
  ]

  /// The grid, the connection's kbit/s (0 for any), and the expected order.
  private static let choices: [([MasterPlaylist.Variant], UInt32, UInt32, UInt64, String)] = [
    (ladder, 120, 80, 0, "90 234 360 720 1080"),
    (ladder, 200, 120, 0, "234 360 720 1080 90"),
    // Nine tenths of it will do.
    (ladder, 460, 260, 0, "234 360 720 1080 90"), (ladder, 464, 262, 0, "360 720 1080 234 90"),
    (ladder, 4_000, 2_000, 0, "1080 720 360 234 90"),
    // Variants that the connection cannot carry come last.
    (ladder, 1_000, 500, 1_000, "360 234 90 720 1080"),
    (ladder, 1_000, 500, 100, "90 234 360 720 1080"),
    // Higher than wide: the grid's height counts.
    (
      [variant("tall", 360, 640, 900), variant("taller", 1_080, 1_920, 5_000)], 400, 700, 0,
      "tall taller"
    ),
    // Without sizes: a moderate one.
    (
      [variant("a", 0, 0, 8_000), variant("b", 0, 0, 500), variant("c", 0, 0, 2_000)], 99, 99, 0,
      "c b a"
    ),
    (
      [variant("a", 0, 0, 8_000), variant("b", 0, 0, 500), variant("c", 0, 0, 2_000)], 99, 99, 600,
      "b c a"
    ),
    // Sound alone after pictures, unknown codecs behind all.
    (
      [
        variant("sound", 0, 0, 64, "mp4a.40.2"),
        variant("dolby", 160, 90, 200, "dvh1.05.06,mp4a.40.2"),
        variant("silent", 160, 90, 200, "avc1.42c00d,ac-4.02.01"),
        variant("whole", 640, 360, 900, "hvc1.1.6.L93.B0,ec-3"),
      ], 120, 80, 0, "whole silent sound dolby"
    ),
    ([variant("old", 0, 0, 64), variant("pictures", 160, 90, 200)], 120, 80, 0, "pictures old"),
  ]

  @Test(arguments: choices)
  func versions_areTriedFromTheSmallestThatFillsOn(
    variants: [MasterPlaylist.Variant], width: UInt32, height: UInt32, kilobits: UInt64,
    expected: String
  ) {
    let choice = VariantChoice(
      shape: PictureRequest(width: width, height: height),
      mostBitsPerSecond: kilobits == 0 ? nil : kilobits * 1_000)
    #expect(choice.order(variants).map(\.uri).joined(separator: " ") == expected)
  }

  private static let lists: [(String, String, String)] = [
    // Whole already.
    (
      "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n#EXT-X-ENDLIST\n#EXTINF:2,\nb.ts\n",
      "a.ts", "#EXTINF:2.0,|s0.0"
    ),
    // No end, no duration of any kind.
    (
      "#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:3.2,\na.ts\nb.ts", "a.ts b.ts",
      "#EXTINF:3.2,|s0.0|#EXTINF:10.0,|s0.1"
    ),
    (
      "#EXTM3U\n#EXTINF:nan,\na\n#EXTINF:1e300,\nb\n#EXTINF:-4,\nc\n", "a b c",
      "#EXTINF:0.0,|s0.0|#EXTINF:86400.0,|s0.1|#EXTINF:0.0,|s0.2"
    ),
    // Ranges of one file, the first and third with an offset.
    (
      """
      #EXTM3U
      #EXT-X-MAP:URI="all",BYTERANGE="700@0"
      #EXT-X-BYTERANGE:100@700
      #EXTINF:2,
      all
      #EXT-X-BYTERANGE:50
      #EXTINF:2,
      all
      #EXT-X-BYTERANGE:9@18446744073709551615
      #EXTINF:2,
      all
      """,
      "all 700-800 all 800-850 all",
      "#EXT-X-MAP:URI=\"m0.0\"|#EXTINF:2.0,|s0.0|#EXTINF:2.0,|s0.1|#EXTINF:2.0,|s0.2"
    ),
    // A missing part, and the vectors that it counts in.
    (
      """
      #EXTM3U
      #EXT-X-TARGETDURATION:2
      #EXT-X-MEDIA-SEQUENCE:9
      #EXT-X-KEY:METHOD=AES-128,URI="k"
      #EXTINF:2,
      a
      #EXT-X-GAP
      #EXTINF:2,
      b
      #EXTINF:2,
      c
      #EXT-X-ENDLIST
      """,
      "a c",
      "#EXT-X-KEY:METHOD=AES-128,URI=\"k0.0\",IV=0x00000000000000000000000000000009"
        + "|#EXTINF:2.0,|s0.0"
        + "|#EXT-X-KEY:METHOD=AES-128,URI=\"k0.0\",IV=0x0000000000000000000000000000000b"
        + "|#EXTINF:2.0,|s0.1"
    ),
    // One of several keys is supported; clear from there on; protected after that.
    (
      """
      #EXTM3U
      #EXT-X-TARGETDURATION:2
      #EXT-X-KEY:METHOD=AES-128,URI="k",IV=0x1
      #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://x",KEYFORMAT="com.apple.streamingkeydelivery"
      #EXTINF:2,
      a
      #EXT-X-KEY:METHOD=NONE
      #EXTINF:2,
      b
      #EXT-X-KEY:METHOD=SAMPLE-AES-CTR,URI="data:x",KEYFORMAT="urn:uuid:x"
      #EXTINF:2,
      c
      """,
      "a b",
      "#EXT-X-KEY:METHOD=AES-128,URI=\"k0.0\",IV=0x1|#EXTINF:2.0,|s0.0"
        + "|#EXT-X-KEY:METHOD=NONE|#EXTINF:2.0,|s0.1"
    ),
    // An encrypted initialization section of clear segments, and the other way round.
    (
      """
      #EXTM3U
      #EXT-X-KEY:METHOD=AES-128,URI="k",IV=0x1
      #EXT-X-MAP:URI="i"
      #EXT-X-KEY:METHOD=NONE
      #EXTINF:2,
      a
      #EXT-X-KEY:METHOD=AES-128,URI="l",IV=0x2
      #EXTINF:2,
      b
      """,
      "a b",
      "#EXT-X-KEY:METHOD=AES-128,URI=\"n0.0\",IV=0x1|#EXT-X-MAP:URI=\"m0.0\""
        + "|#EXT-X-KEY:METHOD=NONE|#EXTINF:2.0,|s0.0"
        + "|#EXT-X-KEY:METHOD=AES-128,URI=\"k0.1\",IV=0x2|#EXTINF:2.0,|s0.1"
    ),
  ]

  /// What is read of a playlist, and what FFmpeg is given for it.
  @Test(arguments: lists) func mediaPlaylist_isPutRight(
    list: String, segments: String, given: String
  ) throws {
    let media = try MediaPlaylist(text(list))
    let places = media.segments.map { segment in
      segment.place.uri
        + (segment.place.range.map { " \($0.lowerBound)-\($0.upperBound)" } ?? "")
    }
    #expect(places.joined(separator: " ") == segments)
    #expect(media.gaps == (list.contains("GAP") ? 1 : 0))
    #expect(media.endsProtected == list.contains("SAMPLE-AES-CTR"))
    #expect(media.isOver)
    let text = String(
      decoding: Rendition(uri: nil, number: 0, media).text(ofPart: 0), as: UTF8.self)
    let longest = media.segments.map(\.length).max() ?? .zero
    let target = max(1, Int((longest / .seconds(1)).rounded(.up)))
    #expect(
      text.replacing("\n", with: "|")
        == "#EXTM3U|#EXT-X-TARGETDURATION:\(target)|#EXT-X-MEDIA-SEQUENCE:0|\(given)"
        + "|#EXT-X-ENDLIST|")
  }

  /// More is added to a playlist only if it has what RFC 8216 wants of every playlist, and no end.
  @Test(arguments: [
    ("#EXT-X-TARGETDURATION:2\n", false), ("#EXT-X-TARGETDURATION:2.5\n", false),
    ("#EXT-X-TARGETDURATION:2\n#EXT-X-PLAYLIST-TYPE:EVENT\n", false), ("", true),
    ("#EXT-X-TARGETDURATION:0\n", true), ("#EXT-X-TARGETDURATION:x\n", true),
    ("#EXT-X-TARGETDURATION:2\n#EXT-X-PLAYLIST-TYPE:VOD\n", true),
    ("#EXT-X-TARGETDURATION:2\n#EXT-X-ENDLIST\n", true),
  ]) func mediaPlaylist_isOver_orGrows(tags: String, isOver: Bool) throws {
    let media = try MediaPlaylist(text("#EXTM3U\n#EXTINF:2,\na\n" + tags))
    #expect(media.isOver == isOver)
    #expect(media.segments.count == 1)
  }

  private static let refused = [
    ("#EXTM3U\n", "a playlist without segments"),
    ("#EXTM3U\n#EXT-X-GAP\n#EXTINF:2,\na\n", "all its segments are missing"),
    ("#EXTM3U\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"\n#EXTINF:2,\na\n", "protected content"),
    (
      "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",KEYFORMAT=\"urn:uuid:x\"\n#EXTINF:2,\na\n",
      "protected content"
    ),
    (
      "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n",
      "the master playlist names another master playlist, or itself"
    ),
  ]

  @Test(arguments: refused) func mediaPlaylist_thatCannotBePlayed_saysWhy(
    list: String, reason: String
  ) {
    #expect(throws: DecodingError(reason)) { try MediaPlaylist(text(list)) }
  }

  /// Every list cut anywhere, and with any byte replaced, is read or refused.
  @Test func playlists_thatAreDamaged_doNotTrap() {
    let all = Self.lists.map(\.0) + Self.refused.map(\.0) + [master]
    for list in all {
      let bytes = Array(list.utf8)
      for index in bytes.indices {
        for byte in [nil, 0, 0x22, 0x2C, 0x3A, 0x3D, 0x0A, 0xFF] as [UInt8?] {
          var damaged = byte == nil ? Array(bytes[..<index]) : bytes
          if let byte { damaged[index] = byte }
          let text = PlaylistText(damaged)
          if let master = MasterPlaylist(text) {
            let choice = VariantChoice(
              shape: PictureRequest(width: 10, height: 10), mostBitsPerSecond: 1)
            #expect(choice.order(master.variants).count == master.variants.count)
          } else if let media = try? MediaPlaylist(text) {
            let given = Rendition(uri: nil, number: 0, media).text(ofPart: 0)
            #expect(given.starts(with: Array("#EXTM3U\n".utf8)))
          }
        }
      }
    }
  }

  /// What a playlist names, where the playlist's own address is relative to the story's.
  @Test(arguments: [
    ("a.ts", "low/v.m3u8", "low/a.ts"), ("../a.ts", "low/v.m3u8", "low/../a.ts"),
    ("a.ts", "v.m3u8", "a.ts"), ("/a.ts", "low/v.m3u8", "/a.ts"),
    ("//h/a.ts", "low/v.m3u8", "//h/a.ts"), ("?n=1", "low/v.php", "low/v.php?n=1"),
    ("?n=1", "low/v.php?l=2#f", "low/v.php?n=1"), ("#f", "low/v.php?l=2", "low/v.php?l=2#f"),
    ("?n=1", "https://h/low/v.php?l", "https://h/low/v.php?n=1"), ("?n=1", nil, "?n=1"),
    ("https://h/a", "low/v.m3u8", "https://h/a"),
  ])
  func reference_inAPlaylist(uri: String, playlist: String?, expected: String) {
    #expect(reference(uri, in: playlist) == expected)
  }

  /// The parts that a playlist is said to need while its first segment is read, and whether those are
  /// all.
  private func needs(_ list: String) throws -> (parts: [NeededPart], reachesEnd: Bool) {
    let conversation = try DecoderConversation(Array(list.utf8)) { url in
      url == "k" ? Array(repeating: 1, count: 16) : Array(repeating: 0, count: 4_096)
    }
    try conversation.listen { !$0.needs.isEmpty }
    return (try #require(conversation.needs.first), conversation.needsReachEnd)
  }

  @Test func needs_ofTheLongestRange_areItsLength() throws {
    let list = """
      #EXTM3U
      #EXTINF:2,
      #EXT-X-BYTERANGE:18446744073709551615@0
      a.ts

      """
    #expect(try needs(list).parts.map(\.length) == [.max])
  }

  /// What is announced is no longer needed once it was opened.
  @Test func needs_areWithoutTheKeyThatWasOpened() throws {
    let list = """
      #EXTM3U
      #EXT-X-KEY:METHOD=AES-128,URI="k"
      #EXTINF:2,
      a.ts
      #EXTINF:2,
      b.ts
      #EXT-X-KEY:METHOD=AES-128,URI="l"
      #EXTINF:2,
      c.ts
      #EXTINF:2,
      d.ts
      #EXT-X-ENDLIST

      """
    let (parts, reachesEnd) = try needs(list)
    #expect(parts.map(\.url) == ["a.ts", "b.ts", "l", "c.ts", "d.ts"])
    #expect(parts[2].start == .seconds(4))
    #expect(reachesEnd)
  }

  @Test func needs_ofSegmentsWithoutLength_areLimited() throws {
    let list = "#EXTM3U\n" + String(repeating: "#EXTINF:0,\na.ts\n", count: 1_000)
    let (parts, reachesEnd) = try needs(list + "#EXT-X-ENDLIST\n")
    #expect(parts.count == NeededPart.most)
    #expect(!reachesEnd)
  }
}
