import DecoderLink
import Support
import Testing

/// HLS playlists: what they refer to is requested from the player.
@Suite struct ListTests {
  private let clip = Clip(width: 320, height: 180, rate: 25, seconds: 2)

  private func list(_ names: String...) -> [UInt8] {
    let segments = names.map { "#EXTINF:2,\n\($0)\n" }.joined()
    return Array(
      "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-VERSION:7\n\(segments)#EXT-X-ENDLIST\n".utf8)
  }

  private func segment() throws -> [UInt8] {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/s.ts"
    let result = try run(
      Programs.installed("ffmpeg") ?? "ffmpeg",
      ["-v", "error", "-nostdin", "-i", clip.file(), "-c", "copy", path], within: .seconds(60))
    try #require(result.status == 0)
    return try contents(path)
  }

  @Test func list_withAnAllowedSegment_plays() throws {
    let bytes = try segment()
    let conversation = try DecoderConversation(list("s.ts"), opener: { $0 == "s.ts" ? bytes : nil })
    try conversation.allow(1_000)
    #expect(try conversation.listen())
    #expect(conversation.pictures.count == 50)
    #expect(conversation.urls == ["s.ts"])
    #expect(conversation.info?.container == "hls")
  }

  /// A seek reads the segment of that moment, not those before.
  @Test func seek_inAList_asksForNoPartOnTheWay() throws {
    let bytes = try segment()
    let names = (0..<8).map { "\($0).ts" }
    let text = names.map { "#EXT-X-DISCONTINUITY\n#EXTINF:2,\n\($0)\n" }.joined()
    let head = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-VERSION:7\n"
    let conversation = try DecoderConversation(
      Array("\(head)\(text)#EXT-X-ENDLIST\n".utf8), opener: { names.contains($0) ? bytes : nil })
    try conversation.allow(1)
    try conversation.listen { !$0.pictures.isEmpty }
    try conversation.seek(1, to: .milliseconds(13_000))
    try conversation.allow(1)
    try conversation.listen { $0.pictures.contains { $0.serial == 1 } }
    let picture = try #require(conversation.pictures.first { $0.serial == 1 })
    #expect(abs((picture.time - .seconds(13)) / .seconds(1)) <= 0.05)
    #expect(
      Set(conversation.urls).isDisjoint(with: ["2.ts", "3.ts", "4.ts", "5.ts"]),
      "\(conversation.urls)")
    #expect(conversation.urls.contains("6.ts"))
  }

  /// A playlist that has neither an end tag nor what one that grows must have ends after its last
  /// segment, and is not reloaded.
  @Test(arguments: [1, 5]) func list_withoutAnEnd_playsFromItsStartToItsEnd(count: Int) throws {
    let bytes = try segment()
    let whole = String(decoding: list("s.ts"), as: UTF8.self)
    let entry = "#EXTINF:2,\ns.ts\n"
    let text = whole.replacing("#EXT-X-ENDLIST\n", with: "")
      .replacing("#EXT-X-TARGETDURATION:2\n", with: "")
      .replacing(entry, with: String(repeating: "#EXT-X-DISCONTINUITY\n" + entry, count: count))
    let conversation = try DecoderConversation(
      Array(text.utf8), opener: { $0 == "s.ts" ? bytes : nil })
    // So slowly that FFmpeg takes the playlist for outdated.
    for allowed in [1, 1_000] as [UInt32] {
      try conversation.allow(allowed)
      try conversation.listen(within: .seconds(allowed == 1 ? 3 : 20))
    }
    #expect(conversation.failure == nil)
    #expect(conversation.ended != nil)
    #expect(conversation.pictures.count == 50 * count)
    #expect(conversation.urls.allSatisfy { $0 == "s.ts" } && conversation.urls.count >= count)
    #expect(conversation.followed.isEmpty)
    #expect(conversation.info?.isLive == false)
  }

  private static let hostile = [
    "/etc/passwd", "file:///etc/passwd", "http://127.0.0.1:9/x.ts", "../../etc/passwd",
  ]

  @Test(arguments: hostile) func list_withARefusedSegment_saysSo(_ url: String) throws {
    let conversation = try DecoderConversation(list(url))
    try conversation.allow(1)
    #expect(try conversation.listen())
    #expect(conversation.failure == "not allowed")
    #expect(conversation.urls.allSatisfy { $0 == url } && !conversation.urls.isEmpty)
  }

  /// A master playlist: name, size, bits a second and codecs of each version.
  private func master(_ versions: (String, String, Int, String)..., sound: String? = nil) -> [UInt8]
  {
    var lines = ["#EXTM3U"]
    if let sound {
      lines.append("#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"n\",URI=\"\(sound)\"")
    }
    for (name, size, bandwidth, codecs) in versions {
      lines += [
        "#EXT-X-STREAM-INF:BANDWIDTH=\(bandwidth),RESOLUTION=\(size),CODECS=\"\(codecs)\",AUDIO=\"a\""
      ]
      lines += [name]
    }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  private let plain = "avc1.42c00d"

  /// Variants in folders of their own; those in `missing` do not exist.
  private func decode(
    _ master: [UInt8], soundRate: UInt32? = nil, most: UInt64? = nil, missing: Set<String> = [],
    lists: [String: [UInt8]] = [:]
  ) throws -> DecoderConversation {
    let bytes = try segment()
    let conversation = try DecoderConversation(master, soundRate: soundRate, most: most) { url in
      if missing.contains(url) { return nil }
      if let list = lists[url] { return list }
      return url.hasSuffix(".m3u8") ? self.list("s.ts") : bytes
    }
    try conversation.allow(1_000)
    try conversation.send(.soundCredit(frames: 1_000_000))
    #expect(try conversation.listen())
    return conversation
  }

  /// Nothing is requested of other variants than the one that is played.
  @Test(
    arguments: [
      (nil, "a/v.m3u8 a/s.ts"), (500_000, "a/v.m3u8 a/s.ts"), (50_000, "a/v.m3u8 a/s.ts"),
    ] as [(UInt64?, String)])
  func master_asksForOneVersionAlone(most: UInt64?, expected: String) throws {
    let conversation = try decode(
      master(
        ("c/v.m3u8", "1280x720", 4_000_000, plain), ("a/v.m3u8", "320x180", 300_000, plain),
        ("b/v.m3u8", "640x360", 900_000, plain)), most: most)
    #expect(conversation.failure == nil)
    #expect(conversation.pictures.count == 50)
    #expect(conversation.urls == expected.split(separator: " ").map { String($0) })
    #expect(conversation.notes == [])
  }

  @Test(arguments: [(["a/v.m3u8"], 3), (["a/s.ts"], 4), (["c/v.m3u8", "c/s.ts"], 2)])
  func master_whoseFirstChoiceIsMissing_playsTheNext(missing: [String], requests: Int) throws {
    let conversation = try decode(
      master(
        ("c/v.m3u8", "1280x720", 4_000_000, plain), ("a/v.m3u8", "320x180", 300_000, plain),
        ("b/v.m3u8", "640x360", 900_000, plain)), missing: Set(missing))
    #expect(conversation.failure == nil)
    #expect(conversation.pictures.count == 50)
    let isOther = !missing.contains("c/v.m3u8")
    #expect(conversation.urls.last == (isOther ? "b/s.ts" : "a/s.ts"))
    #expect(Set(conversation.urls).count == requests)
    #expect(conversation.notes == (isOther ? ["another variant is played: not allowed"] : []))
  }

  @Test func master_whoseVersionsAreAllMissing_saysWhatBecameOfTheFirst() throws {
    let conversation = try decode(
      master(("a/v.m3u8", "320x180", 300_000, plain), ("b/v.m3u8", "640x360", 900_000, plain)),
      missing: ["a/v.m3u8", "b/v.m3u8"])
    #expect(conversation.failure == "not allowed")
    #expect(conversation.urls == ["a/v.m3u8", "b/v.m3u8"])
  }

  @Test(arguments: [false, true]) func master_withSeparateSound_playsBoth(isMissing: Bool) throws {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/sound.ts"
    let made = try run(
      Programs.installed("ffmpeg") ?? "ffmpeg",
      ["-v", "error", "-nostdin", "-f", "lavfi", "-i", "sine=duration=2", "-c:a", "aac", path],
      within: .seconds(60))
    try #require(made.status == 0)
    let conversation = try decode(
      master(("a/v.m3u8", "320x180", 300_000, plain), sound: "t/v.m3u8"), soundRate: 48_000,
      missing: isMissing ? ["t/v.m3u8"] : [], lists: ["t/s.ts": contents(path)])
    #expect(conversation.failure == nil)
    #expect(conversation.pictures.count == 50)
    #expect(conversation.info?.soundCodec == (isMissing ? nil : "aac"))
    let heard = conversation.sounds.reduce(0) { $0 + $1.frames }
    #expect(isMissing ? heard == 0 : (96_000...98_100).contains(heard))
    #expect(conversation.notes == (isMissing ? ["its sound cannot be fetched: not allowed"] : []))
  }

  @Test(arguments: ["self", "circle"]) func master_thatNamesItself_isRefused(kind: String) throws {
    let master = master(("m.m3u8", "320x180", 300_000, plain))
    let other = self.master(("n.m3u8", "320x180", 300_000, plain))
    let conversation = try decode(
      master, lists: ["m.m3u8": kind == "self" ? master : other, "n.m3u8": master])
    #expect(conversation.failure == "the master playlist names another master playlist, or itself")
    #expect(conversation.urls == ["m.m3u8"])
  }

  @Test(arguments: [
    ("\u{FEFF}", "", ""), ("\n\n# made by hand\r\n", "", ""), ("", "#EXT-X-TARGETDURATION:2\n", ""),
    ("", "#EXT-X-VERSION:7\n", "#EXT-X-GAP\n#EXTINF:2,\nmissing.ts\n"),
  ])
  func list_thatIsNotQuiteOne_plays(before: String, without: String, more: String) throws {
    let bytes = try segment()
    let text =
      before
      + String(decoding: list("s.ts"), as: UTF8.self).replacing(without, with: "")
      .replacing("#EXTINF", with: more + "#EXTINF")
    let conversation = try DecoderConversation(
      Array(text.utf8), opener: { $0 == "s.ts" ? bytes : nil })
    try conversation.allow(1_000)
    #expect(try conversation.listen())
    #expect(conversation.failure == nil)
    #expect(conversation.pictures.count == 50)
    #expect(conversation.urls == ["s.ts"])
    #expect(conversation.notes == (more.isEmpty ? [] : ["some of its segments are missing"]))
  }

  /// A segment that is missing in the middle is reported; segments missing at the end end the story.
  @Test(arguments: [["s.ts", "no.ts", "s.ts"], ["s.ts", "no.ts"]])
  func list_withAMissingPart_saysSo(parts: [String]) throws {
    let bytes = try segment()
    let list = "#EXTM3U\n" + parts.map { "#EXTINF:2,\n\($0)\n" }.joined()
    let conversation = try DecoderConversation(
      Array(list.utf8), opener: { $0 == "s.ts" ? bytes : nil })
    try conversation.allow(1_000)
    #expect(try conversation.listen())
    let isMiddle = parts.last == "s.ts"
    #expect(conversation.failure == (isMiddle ? nil : "not allowed"))
    #expect(conversation.notes == (isMiddle ? ["a part of it is missing: not allowed"] : []))
    // Two that wait for others behind them go with those.
    #expect(conversation.pictures.count == (isMiddle ? 100 : 48))
  }

  @Test func list_ofProtectedParts_saysSo() throws {
    let text = String(decoding: list("s.ts"), as: UTF8.self).replacing(
      "#EXTINF", with: "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://k\",KEYFORMAT=\"x\"\n#EXTINF")
    let conversation = try DecoderConversation(Array(text.utf8))
    try conversation.allow(1)
    #expect(try conversation.listen())
    #expect(conversation.failure == "protected content")
    #expect(conversation.urls == [])
  }

  /// A segment that is a playlist itself opens nothing.
  @Test func list_whoseSegmentIsAList_isRefused() throws {
    let inner = list("s.ts")
    let conversation = try DecoderConversation(
      list("l.m3u8"), opener: { $0 == "l.m3u8" ? inner : nil })
    try conversation.allow(1)
    #expect(try conversation.listen())
    #expect(conversation.failure == "not a media file")
    #expect(Set(conversation.urls) == ["l.m3u8"])
  }
}
