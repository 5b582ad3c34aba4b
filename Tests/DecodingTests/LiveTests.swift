import DecoderLink
import Support
import Testing

/// Live stories: playlists that grow while they are played.
@Suite struct LiveTests {
  private let directory: TemporaryDirectory
  /// Ten segments of a second of one recording.
  private let segments: [String: [UInt8]]

  init() throws {
    directory = try TemporaryDirectory()
    let made = try run(
      Programs.installed("ffmpeg") ?? "ffmpeg",
      [
        "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc=size=64x36:rate=25:duration=10",
        "-f", "lavfi", "-i", "sine=duration=10", "-c:v", "libx264", "-g", "25", "-bf", "2", "-c:a",
        "aac", "-hls_time", "1", "-hls_playlist_type", "vod", "-hls_segment_filename",
        directory.path("%d.ts"), directory.path("all.m3u8"),
      ], within: .seconds(60))
    try #require(made.status == 0, "\(made.errorText)")
    var segments: [String: [UInt8]] = [:]
    for number in 0..<10 { segments["\(number).ts"] = try contents(directory.path("\(number).ts")) }
    self.segments = segments
  }

  /// The playlist of these segments; one of them may be of another server.
  private func list(
    _ numbers: Range<Int>, from first: Int? = nil, end: Bool = false, target: Int = 1,
    before: [Int: String] = [:]
  ) -> [UInt8] {
    var lines = [
      "#EXTM3U", "#EXT-X-TARGETDURATION:\(target)",
      "#EXT-X-MEDIA-SEQUENCE:\(first ?? numbers.lowerBound)",
    ]
    for number in numbers {
      if let tag = before[number] { lines.append(tag) }
      lines += ["#EXTINF:1,", "\(number).ts"]
    }
    if end { lines.append("#EXT-X-ENDLIST") }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  private func open(_ list: [UInt8], soundRate: UInt32? = nil) throws -> DecoderConversation {
    let conversation = try DecoderConversation(list, soundRate: soundRate) { self.segments[$0] }
    try conversation.allow(1_000)
    try conversation.send(.soundCredit(frames: 1_000_000))
    return conversation
  }

  /// Listens until the decoder waits for the playlist.
  private func untilItWaits(_ conversation: DecoderConversation) throws {
    try conversation.listen { $0.awaited != nil }
    #expect(conversation.awaited == 0)
  }

  /// The sound of a segment begins a little before its pictures.
  private func isSmooth(_ conversation: DecoderConversation) {
    let times = conversation.pictures.map(\.time)
    #expect((.zero...(.milliseconds(100))).contains(times.first ?? .seconds(1)))
    let isSteady = zip(times, times.dropFirst()).allSatisfy { one, next in
      next > one && next - one <= .milliseconds(100)
    }
    #expect(isSteady, "\(times)")
  }

  private func opened(_ conversation: DecoderConversation) -> String {
    conversation.urls.map { $0.replacing(".ts", with: "") }.joined(separator: " ")
  }

  /// It begins three target durations before the end, and is over when its playlist says so.
  @Test func live_isFollowedToItsEnd() throws {
    let conversation = try open(list(0..<5), soundRate: 48_000)
    try untilItWaits(conversation)
    #expect(conversation.info?.isLive == true)
    #expect(conversation.info?.duration == nil)
    #expect(conversation.followed[0]?.url == nil)
    #expect(conversation.followed[0]?.interval == .seconds(1))
    #expect(opened(conversation) == "2 3 4")
    try conversation.give(list(3..<7))
    try untilItWaits(conversation)
    #expect(opened(conversation) == "2 3 4 5 6")
    // Nothing new.
    try conversation.give(list(3..<7))
    try untilItWaits(conversation)
    #expect(conversation.unfollowed == [])
    try conversation.give(list(5..<9, end: true))
    #expect(try conversation.listen())
    #expect(conversation.failure == nil)
    #expect(conversation.unfollowed == [0])
    #expect(opened(conversation) == "2 3 4 5 6 7 8")
    #expect(conversation.pictures.count == 175)
    isSmooth(conversation)
    let end = try #require(conversation.ended?.pictures)
    #expect(abs((end - .seconds(7)) / .seconds(1)) < 0.1)
    let heard = conversation.sounds.reduce(0) { $0 + $1.frames }
    #expect(abs(heard - 7 * 48_000) < 4_096)
    #expect(conversation.notes == [])
  }

  /// What is known of it is announced as soon as it is known, while it plays.
  @Test func live_announcesNewPartsAtOnce() throws {
    let conversation = try DecoderConversation(list(0..<3)) { self.segments[$0] }
    try conversation.allow(1)
    try conversation.listen { !$0.pictures.isEmpty }
    #expect(conversation.needs.last?.map(\.url).last == "2.ts")
    try conversation.give(list(0..<5))
    try conversation.listen { $0.needs.last?.last?.url == "4.ts" }
    #expect(conversation.needs.last?.last?.url == "4.ts")
    #expect(!conversation.needsReachEnd)
    try conversation.give(list(0..<6, end: true))
    try conversation.listen { $0.needsReachEnd }
    #expect(conversation.needs.last?.last?.end == .seconds(6))
  }

  @Test func live_thatIsLost_playsWhatItHasAndSaysWhy() throws {
    let conversation = try open(list(0..<3))
    try untilItWaits(conversation)
    try conversation.lose(reason: "nothing new has come for 30 s")
    #expect(try conversation.listen())
    #expect(conversation.failure == "nothing new has come for 30 s")
    // Two pictures wait for others behind them.
    #expect(conversation.pictures.count >= 73)
  }

  /// A server that was restarted counts anew, its clock too; and parts may be gone after a pause.
  @Test(arguments: [(7..<10, 7), (7..<10, 70), (7..<8, 0)])
  func live_thatGoesOnElsewhere_followsIt(numbers: Range<Int>, first: Int) throws {
    let conversation = try open(list(0..<3, from: first > 0 ? 0 : 50))
    try untilItWaits(conversation)
    try conversation.give(list(numbers, from: first, end: true))
    #expect(try conversation.listen())
    #expect(conversation.failure == nil)
    #expect(opened(conversation).hasPrefix("0 1 2 7"))
    #expect(conversation.pictures.count == 75 + 25 * numbers.count)
    isSmooth(conversation)
  }

  @Test func live_withADiscontinuity_goesOnBehindIt() throws {
    let conversation = try open(list(0..<3))
    try untilItWaits(conversation)
    try conversation.give(list(1..<3))
    // Later segments come with it, or after it.
    let tag = [7: "#EXT-X-DISCONTINUITY"]
    let text = String(decoding: list(7..<8, from: 3, before: tag), as: UTF8.self)
    try conversation.give(Array(text.utf8))
    try untilItWaits(conversation)
    // Two pictures of each part wait for others behind them.
    #expect(conversation.pictures.count >= 96)
    try conversation.give(list(7..<9, from: 3, end: true, before: tag))
    #expect(try conversation.listen())
    #expect(conversation.failure == nil)
    #expect(conversation.pictures.count == 125)
    isSmooth(conversation)
  }

  /// A page of an error, or an empty list, is no playlist; it goes on when that comes again.
  @Test func live_whoseServerIsInTrouble_goesOnAfterwards() throws {
    let conversation = try open(list(0..<3))
    try untilItWaits(conversation)
    for trouble in ["", "<html>busy</html>", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n", "#EXTM3U\n"] {
      try conversation.give(Array(trouble.utf8))
      try untilItWaits(conversation)
    }
    try conversation.give(list(0..<4, end: true))
    #expect(try conversation.listen())
    #expect(conversation.pictures.count == 100)
    isSmooth(conversation)
  }

  @Test func live_withoutItsFirstSegment_waitsForIt() throws {
    let conversation = try open(list(0..<0, target: 3))
    try untilItWaits(conversation)
    #expect(conversation.info == nil)
    #expect(conversation.followed[0]?.interval == .seconds(3))
    try conversation.give(list(0..<2, end: true))
    #expect(try conversation.listen())
    #expect(conversation.pictures.count == 50)
  }

  /// A variant of a master playlist, which is reloaded by its own address.
  @Test func live_variant_isFollowedByItsAddress() throws {
    let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow/v.m3u8\n"
    let conversation = try DecoderConversation(Array(master.utf8)) { url in
      url == "low/v.m3u8" ? self.list(0..<3) : self.segments[url.replacing("low/", with: "")]
    }
    try conversation.allow(1_000)
    try untilItWaits(conversation)
    #expect(conversation.followed[0]?.url == "low/v.m3u8")
    try conversation.give(list(1..<4, end: true))
    #expect(try conversation.listen())
    #expect(conversation.pictures.count == 100)
    #expect(conversation.urls == ["low/v.m3u8"] + (0..<4).map { "low/\($0).ts" })
  }

  /// It has no positions: a seek, as for another size of the picture, goes on where it is.
  @Test func seek_inALiveStory_goesOn() throws {
    let conversation = try DecoderConversation(list(0..<3)) { self.segments[$0] }
    try conversation.allow(10)
    try conversation.listen { $0.pictures.count == 10 }
    try conversation.seek(1, to: .milliseconds(360))
    try conversation.allow(1)
    try conversation.listen { $0.pictures.last?.serial == 1 }
    let times = conversation.pictures.map(\.time)
    // The decoder may have had the next picture in hand, which the seek drops.
    let passed = times[10] - times[9]
    #expect(times.count == 11 && [.milliseconds(40), .milliseconds(80)].contains(passed))
  }

  /// Pictures and sound with a playlist each: `low/v.m3u8` and `low/a.m3u8`, of the same segments.
  private func openTwo(_ list: [UInt8]) throws -> DecoderConversation {
    let master = """
      #EXTM3U
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="g",NAME="n",DEFAULT=YES,URI="low/a.m3u8"
      #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="g"
      low/v.m3u8

      """
    let conversation = try DecoderConversation(Array(master.utf8), soundRate: 48_000) { url in
      url.hasSuffix(".m3u8") ? list : self.segments[url.replacing("low/", with: "")]
    }
    try conversation.allow(1_000)
    try conversation.send(.soundCredit(frames: 1_000_000))
    return conversation
  }

  private func needed(_ conversation: DecoderConversation) -> [String] {
    (conversation.needs.last ?? []).map { "\($0.rendition) \($0.url)" }
  }

  /// A server that begins anew does so in both playlists; the second takes nothing from the first.
  @Test(arguments: [[0, 1], [1, 0]] as [[UInt32]])
  func live_withSeparateSound_leapsOnce(order: [UInt32]) throws {
    let conversation = try openTwo(list(0..<3))
    try conversation.listen { $0.awaited != nil }
    for number in order { try conversation.give(list(6..<9, from: 60), as: number) }
    let expected = Set((6..<9).flatMap { ["0 low/\($0).ts", "1 low/\($0).ts"] })
    try conversation.listen { expected.isSubset(of: needed($0)) }
    #expect(expected.isSubset(of: needed(conversation)))
    for number in order { try conversation.give(list(6..<10, from: 60, end: true), as: number) }
    #expect(try conversation.listen())
    #expect(conversation.failure == nil)
    #expect(conversation.pictures.count == 175)
    let heard = conversation.sounds.reduce(0) { $0 + $1.frames }
    #expect(abs(heard - 7 * 48_000) < 9_000)
  }

  /// If the sound comes to a part of the story later than the pictures, it is waited for.
  @Test func live_whoseSoundLeapsLater_isHeard() throws {
    let conversation = try openTwo(list(0..<3))
    try conversation.listen { $0.awaited != nil }
    try conversation.give(list(6..<9, from: 60), as: 0)
    // Nothing new, as from a server that is behind.
    try conversation.give(list(0..<3) + Array("#\n".utf8), as: 1)
    try conversation.listen { $0.awaited == 1 }
    #expect(conversation.awaited == 1)
    try conversation.give(list(6..<9, from: 60, end: true), as: 1)
    try conversation.give(list(6..<9, from: 60, end: true), as: 0)
    #expect(try conversation.listen())
    #expect(conversation.pictures.count == 150)
    let heard = conversation.sounds.reduce(0) { $0 + $1.frames }
    #expect(abs(heard - 6 * 48_000) < 9_000)
  }

  /// What the sound needs is not known before its first segment is opened.
  @Test func needs_ofPicturesAlone_doNotReachTheEnd() throws {
    let conversation = try openTwo(list(0..<3, end: true))
    try conversation.listen { !$0.needs.isEmpty }
    #expect(Set(conversation.needs.last?.map(\.rendition) ?? []).count == 1)
    #expect(!conversation.needsReachEnd)
    try conversation.listen { $0.needsReachEnd }
    #expect(Set(conversation.needs.last?.map(\.rendition) ?? []).count == 2)
  }
}
