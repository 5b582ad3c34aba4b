import DecoderLink
import Support
import Testing

@testable import Decoding

/// Concatenated recordings play as one, from any position.
@Suite struct JumpTests {
  private let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  /// A recording of one colour with a tone, whose clock begins at a time.
  private func make(
    _ colour: String, _ name: String, at start: Double = 0, seconds: Int = 2, rate: Int = 25,
    sound: Bool = true, size: String = "64x36", _ options: [String] = []
  ) throws -> [UInt8] {
    let path = directory.path(name)
    var arguments = [
      "-v", "error", "-nostdin", "-f", "lavfi", "-i",
      "color=c=\(colour):s=\(size):r=\(rate):d=\(seconds)",
    ]
    if sound { arguments += ["-f", "lavfi", "-i", "sine=440:d=\(seconds):r=48000", "-c:a", "aac"] }
    arguments += ["-c:v", "libx264", "-g", "\(rate)", "-pix_fmt", "yuv420p"]
    arguments += ["-output_ts_offset", "\(start)"] + options + ["-y", path]
    let made = try run(
      Programs.installed("ffmpeg") ?? "ffmpeg", arguments, within: .seconds(60))
    #expect(made.status == 0, "\(made.errorText)")
    return try contents(path)
  }

  private static func colour(_ picture: DecodedPicture) -> String {
    let mean = quarters(picture)[0]
    let names = ["red", "lime", "blue"]
    return mean.max() ?? 0 < 90 ? "black" : names[mean.firstIndex(of: mean.max() ?? 0) ?? 0]
  }

  /// Times follow each other, in one step.
  private func isSmooth(_ conversation: DecoderConversation, step: Duration = .milliseconds(40)) {
    for (one, next) in zip(conversation.pictures, conversation.pictures.dropFirst()) {
      #expect(next.time >= one.time && next.time - one.time <= step + .milliseconds(60))
    }
    let runs = conversation.sounds.filter { $0.frames > 0 }
    for (one, next) in zip(runs, runs.dropFirst()) {
      let end = one.time + .seconds(1) * (Double(one.frames) / 48_000)
      #expect(abs((next.time - end) / .seconds(1)) < 0.15)
    }
  }

  private func decode(
    _ bytes: [UInt8], start: Duration = .zero,
    opener: @escaping DecoderConversation.Opener = { _ in nil }
  ) throws -> DecoderConversation {
    let conversation = try DecoderConversation(
      bytes, soundRate: 48_000, start: start, opener: opener)
    try conversation.allow(10_000)
    try conversation.send(.soundCredit(frames: .max))
    #expect(try conversation.listen())
    #expect(conversation.failure == nil)
    return conversation
  }

  /// Seeks back and forth; each moment shows the colour of its part.
  private func seeks(_ conversation: DecoderConversation, _ moments: [(Double, String)]) throws {
    for (serial, (second, colour)) in moments.enumerated() {
      let target = Duration.seconds(1) * second
      let serial = UInt32(serial + 1)
      try conversation.seek(serial, to: target)
      try conversation.listen(within: .seconds(20)) {
        $0.pictures.contains { $0.serial == serial }
          && $0.sounds.contains { $0.serial == serial && $0.frames > 0 }
      }
      let picture = try #require(conversation.pictures.first { $0.serial == serial })
      let heard = try #require(conversation.sounds.first { $0.serial == serial && $0.frames > 0 })
      #expect(Self.colour(picture) == colour, "\(second)")
      #expect(abs((picture.time - target) / .seconds(1)) <= 0.05, "\(picture.time)")
      #expect(abs((heard.time - target) / .seconds(1)) <= 0.12, "\(heard.time)")
    }
  }

  private static let moments = [
    (0.5, "red"), (4.5, "blue"), (2.6, "lime"), (5.5, "blue"), (1.0, "red"), (3.5, "lime"),
  ]

  /// Three recordings, the clocks of the second and the third in any order; the clock of MPEG transport
  /// streams wraps around after 26.5 h.
  @Test(arguments: [(600.0, 0.0), (0, 600), (0, 0), (5, 0), (95_440, 300), (600, 1_200)])
  func transportStream_ofThreeRecordings_playsAsOne(second: Double, third: Double) throws {
    let bytes =
      try make("red", "a.ts") + make("lime", "b.ts", at: second) + make("blue", "c.ts", at: third)
    let conversation = try decode(bytes)
    #expect(conversation.pictures.count == 150)
    isSmooth(conversation)
    let end = try #require(conversation.ended?.pictures)
    #expect(abs(end / .seconds(1) - 6) < 0.2, "\(end)")
    let length = try #require(conversation.info?.duration)
    #expect(abs(length / .seconds(1) - 6) < 0.2, "\(length)")
    try seeks(conversation, Self.moments)
    // Begun in the middle, too.
    let later = try decode(bytes, start: .milliseconds(4_500))
    #expect(Self.colour(try #require(later.pictures.first)) == "blue")
    #expect(abs(later.pictures.count - 38) <= 4)
  }

  /// Over a network jumps are found as they are decoded.
  @Test func transportStream_thatComesOverANetwork_playsAsOne() throws {
    let bytes = try make("red", "a.ts") + make("lime", "b.ts", at: 600)
    let conversation = try DecoderConversation(bytes, soundRate: 48_000, available: bytes.count - 1)
    try conversation.allow(10_000)
    try conversation.send(.soundCredit(frames: .max))
    try conversation.listen(within: .seconds(1))
    try conversation.bring(to: .max)
    #expect(try conversation.listen())
    #expect(conversation.pictures.count == 100)
    isSmooth(conversation)
    try seeks(conversation, [(0.5, "red"), (3.5, "lime"), (1.0, "red")])
  }

  /// At a jump of the pictures the sound's jump is searched; without one, the search ends after 8 MiB.
  @Test func jump_beforePicturesWithoutSound_readsLittleAhead() throws {
    let first = try make("red", "a.ts")
    let second = try make(
      "lime", "b.ts", at: 600, seconds: 12, sound: false, size: "1280x720",
      ["-vf", "noise=alls=60", "-preset", "ultrafast", "-qp", "1"])
    try #require(second.count > 20 << 20, "\(second.count)")
    let conversation = try DecoderConversation(
      first + second, soundRate: 48_000, length: false, available: first.count + 12 << 20)
    try conversation.allow(60)
    // So much that the search ends before the jump.
    try conversation.send(.soundCredit(frames: 48_000))
    try conversation.listen { $0.pictures.count == 60 }
    #expect(conversation.pictures.count == 60)
    #expect(conversation.bytesRead < first.count + 12 << 20, "\(conversation.bytesRead)")
    isSmooth(conversation)
  }

  private static func list(_ parts: [[String]], maps: [String] = []) -> [UInt8] {
    var text = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n"
    for (index, part) in parts.enumerated() {
      if index > 0 { text += "#EXT-X-DISCONTINUITY\n" }
      if index < maps.count { text += "#EXT-X-MAP:URI=\"\(maps[index])\"\n" }
      for name in part { text += "#EXTINF:1,\n\(name)\n" }
    }
    return Array((text + "#EXT-X-ENDLIST\n").utf8)
  }

  @Test func list_withDiscontinuities_playsAsOne() throws {
    var files: [String: [UInt8]] = [:]
    for (name, colour, start) in [("a", "red", 0.0), ("b", "lime", 600), ("c", "blue", 0)] {
      files["\(name).ts"] = try make(colour, "\(name).ts", at: start)
    }
    let text = String(decoding: Self.list([["a.ts"], ["b.ts"], ["c.ts"]]), as: UTF8.self)
      .replacing("EXTINF:1", with: "EXTINF:2")
    let conversation = try decode(Array(text.utf8), opener: { files[$0] })
    #expect(conversation.pictures.count == 150)
    isSmooth(conversation)
    #expect(conversation.info?.duration == .seconds(6))
    #expect(abs((conversation.ended?.pictures ?? .zero) / .seconds(1) - 6) < 0.2)
    try seeks(conversation, Self.moments)
  }

  /// For instance, an advertisement that was removed.
  @Test func list_withAPartThatIsMissing_goesOnBehindIt() throws {
    var files: [String: [UInt8]] = [:]
    for (name, colour, start) in [("a", "red", 0.0), ("c", "blue", 600)] {
      files["\(name).ts"] = try make(colour, "\(name).ts", at: start)
    }
    let text = String(decoding: Self.list([["a.ts"], ["b.ts"], ["c.ts"]]), as: UTF8.self)
      .replacing("EXTINF:1", with: "EXTINF:2")
    let conversation = try decode(Array(text.utf8), opener: { files[$0] })
    #expect(conversation.pictures.count == 100)
    isSmooth(conversation)
    #expect(conversation.notes == ["a part of it is missing: not allowed"])
    #expect(conversation.failure == nil)
  }

  /// Each part has its own size, rate, clock and coding.
  @Test(arguments: [true, false]) func list_ofTwoRenditions_sendsAllPictures(sound: Bool) throws {
    var files: [String: [UInt8]] = [:]
    var parts: [[String]] = []
    for (name, colour, rate, seconds, size) in [
      ("a", "red", 25, 3, "64x36"), ("b", "blue", 30, 2, "128x72"),
    ] {
      let list = try make(
        colour, "\(name).m3u8", seconds: seconds, rate: rate, sound: sound, size: size,
        [
          "-f", "hls", "-hls_segment_type", "fmp4", "-hls_time", "1", "-hls_playlist_type", "vod",
          "-hls_fmp4_init_filename", "\(name)-init.mp4", "-hls_segment_filename",
          directory.path("\(name)%d.m4s"),
        ])
      let names = String(decoding: list, as: UTF8.self).split(separator: "\n").map(String.init)
        .filter { !$0.hasPrefix("#") }
      parts.append(names)
      for file in names + ["\(name)-init.mp4"] { files[file] = try contents(directory.path(file)) }
    }
    let bytes = Self.list(parts, maps: ["a-init.mp4", "b-init.mp4"])
    let conversation = try decode(bytes, opener: { files[$0] })
    #expect(conversation.pictures.count == 135)
    #expect(conversation.pictures.prefix(75).allSatisfy { Self.colour($0) == "red" })
    #expect(conversation.pictures.dropFirst(75).allSatisfy { Self.colour($0) == "blue" })
    isSmooth(conversation)
    #expect(conversation.info?.duration == .seconds(5))
    #expect(abs((conversation.ended?.pictures ?? .zero) / .seconds(1) - 5) < 0.2)
    if sound {
      try seeks(conversation, [(4.2, "blue"), (0.5, "red"), (3.5, "blue"), (2.0, "red")])
    }
  }

  /// A playlist that names lists of its own for picture and sound.
  @Test func parts_ofAPlaylist_areListsOfTheirOwn() throws {
    let text = """
      #EXTM3U
      #EXT-X-TARGETDURATION:4
      #EXT-X-MEDIA-SEQUENCE:7
      #EXT-X-KEY:METHOD=AES-128,URI="k"
      #EXT-X-MAP:URI="i1"
      #EXTINF:4,
      a
      #EXTINF:2.5,
      b
      #EXT-X-DISCONTINUITY
      #EXTINF:3,
      c
      #EXT-X-MAP:URI="i2"
      #EXTINF:1,
      d
      #EXT-X-ENDLIST

      """
    func list(_ text: String) throws -> Rendition {
      Rendition(uri: nil, number: 2, try MediaPlaylist(PlaylistText(Array(text.utf8))))
    }
    let rendition = try list(text)
    #expect(rendition.partLengths == [.milliseconds(6_500), .seconds(3), .seconds(1)])
    func part(_ target: Int, _ number: Int, _ body: String...) -> String {
      "#EXTM3U\n#EXT-X-TARGETDURATION:\(target)\n#EXT-X-MEDIA-SEQUENCE:\(number)\n"
        + body.joined(separator: "\n") + "\n#EXT-X-ENDLIST\n"
    }
    func key(_ number: String) -> String {
      "#EXT-X-KEY:METHOD=AES-128,URI=\"k2.0\",IV=0x000000000000000000000000000000\(number)"
    }
    let (one, two) = ("#EXT-X-MAP:URI=\"m2.0\"", "#EXT-X-MAP:URI=\"m2.3\"")
    #expect(
      (0..<3).map { String(decoding: rendition.text(ofPart: $0), as: UTF8.self) } == [
        part(4, 0, key("07"), one, "#EXTINF:4.0,\ns2.0", key("08"), "#EXTINF:2.5,\ns2.1"),
        // The section is encrypted as where it was named.
        part(3, 2, key("07"), one, key("09"), "#EXTINF:3.0,\ns2.2"),
        part(1, 3, key("0a"), two, "#EXTINF:1.0,\ns2.3"),
      ])
    #expect(try list(text.replacing("#EXT-X-DISC", with: "#X")).partCount == 2)
    #expect(try list("#EXTM3U\n#EXTINF:1,\na\n").partCount == 1)
    // Segment numbers that do not exist give nothing.
    let absurd = text.replacing("EXTINF:4", with: "EXTINF:1e300").replacing("2.5", with: "nan")
      .replacing("SEQUENCE:7", with: "SEQUENCE:18446744073709551615")
    #expect(
      try list(absurd).partLengths == [.seconds(86_400), .seconds(3), .seconds(1)])
  }
}
