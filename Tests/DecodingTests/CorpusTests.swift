import DecoderLink
import Support
import System
import Testing

/// Every file of the corpus does what its line says.
@Suite(.enabled(if: Media.isAvailable)) struct CorpusTests {
  /// Frame counts that differ from the manifest, with the reason.
  private static let frames: [String: Int] = [
    // The default image is no part of these animations (APNG specification, "fcTL").
    "image/Pillow__delay_zero_denom.png": 2, "image/Pillow__delay_zero_numer.png": 4,
    // One still picture is enough.
    "image/jxlconf__animation_spline.jxl": 1,
    // Empty pictures outside of the canvas are skipped.
    "image/wuffs__frame-out-of-bounds.gif": 2,
  ]
  private static let ends: [String: Double] = [
    // No delay, or almost none, is shown as a tenth of a second.
    "image/gen_delay_0.gif": 0.4, "image/gen_delay_10ms.gif": 0.4, "image/libvips__cogs.gif": 0.3,
    "image/wuffs__frame-out-of-bounds.gif": 0.2, "image/Pillow__delay_zero_numer.png": 1.633,
    // The container is wrong; these are the decoded lengths.
    "audio/androidx__100kB-garbage-prefix.mp3": 79.94, "audio/androidx__bear-id3.mp3": 2.808,
    "audio/androidx__bear-vbr-no-seek-table.mp3": 2.808, "audio/androidx__sample_latm.ts": 0.232,
    "audio/androidx__sample_mpeg_audio_with_audio_type.ts": 1.008,
    "audio/androidx__test-cbr-info-header-trailing-garbage.mp3": 1.02,
    "audio/gen_opus_chained.opus": 2.0, "audio/mutagen__silence-1.wma": 3.797,
    "video/androidx__iibbibb_editlist_videoonly.mp4": 12.0,
    "video/androidx__sample-with-large-length.avi": 2.033,
    "video/androidx__sample_fragmented.mp4": 1.068,
    "video/androidx__sample_fragmented_seekable.mp4": 1.068,
    // Subtitles or another track last longer than pictures and sound.
    "video/androidx__sample_with_srt.mkv": 1.071, "video/androidx__sample_with_vobsub.mkv": 1.009,
    "video/torchcodec__nasa_13013.mp4": 13.056,
  ]
  /// Colours that differ from the manifest's.
  private static let otherColours: Set = [
    // Untagged HD is BT.709; the manifest took BT.601.
    "video/gen_limited_bt709_untagged_hd.mp4",
    // The manifest has them without rotation, without alpha, and clipped to 8 bits.
    "video/gen_rot45_quadrants.mp4", "video/gen_vp9_alpha_circle.webm",
    "image/gen_16bit_gray.png",
    // The first picture of the animation, not the default image.
    "image/Pillow__delay_zero_denom.png", "image/Pillow__delay_zero_numer.png",
  ]
  /// Files that may be refused, with the reason.
  private static let refused: [String: String] = [
    "audio/androidx__play-trimmed.mp3": "not a media file",
    "image/libheif__lightning_mini.heif": "damaged: no picture can be decoded (hevc)",
    "image/libheif__uncompressed_comp_RGB_tiled.heif": "damaged: no picture can be decoded (hevc)",
    "video/androidx__sample_vvc.mp4": "no decoder for codec 'vvc1'",
  ]
  /// Sounds of which nothing can be decoded.
  private static let soundless: Set = [
    "audio/exiftool__Opus.opus", "video/androidx__sample_missing_stsd.mp4",
  ]
  /// Decoded only in part, since it lasts six minutes.
  private static let long = "video/androidx__long_1080p_lowbitrate.mp4"

  private static func entries(_ kinds: String...) -> [Media.Entry] {
    ((try? Media.entries()) ?? []).filter { kinds.contains($0.kind) }
  }

  @Test func manifest_isThere() throws {
    #expect(try Media.entries().count > 400)
  }

  /// Requesting the sound does not make a story fail or lose pictures.
  @Test(arguments: entries("video", "audio").filter { $0.hasAudio == true })
  func sound_isDecodedToItsEnd(_ entry: Media.Entry) throws {
    let conversation = try DecoderConversation(contents(entry.path), soundRate: 48_000)
    try conversation.send(.soundCredit(frames: .max))
    try conversation.allow(entry.name == Self.long ? 50 : 100_000)
    try conversation.listen(within: .seconds(60)) {
      $0.pictures.count == 50 && entry.name == Self.long
    }
    #expect(conversation.failure == Self.refused[entry.name])
    guard conversation.failure == nil, entry.name != Self.long else { return }
    let ended = try #require(conversation.ended)
    if Self.soundless.contains(entry.name) { return }
    let runs = conversation.sounds.filter { $0.frames > 0 }
    let last = try #require(runs.last)
    let end = try #require(conversation.soundEnd)
    #expect(abs((last.time - end) / .seconds(1) + Double(last.frames) / 48_000) < 0.001)
    #expect(abs((try #require(ended.sound) - end) / .seconds(1)) < 0.005)
    // In order, and nothing twice.
    var next = Duration.zero
    for run in runs {
      #expect(run.time >= next - .milliseconds(1))
      next = run.time + .nanoseconds(run.frames * 1_000_000_000 / 48_000)
    }
  }

  @Test(arguments: entries("video", "image", "audio", "lottie"))
  func story_isDecodedAsItsLineSays(_ entry: Media.Entry) throws {
    // Narrow pictures need a grid that is not a single pixel wide.
    let isNarrow = (entry.displayHeight ?? 1) > 20 * (entry.displayWidth ?? 1)
    let conversation = try DecoderConversation(
      contents(entry.path), width: isNarrow ? 16 : 120, height: isNarrow ? 2_000 : 80)
    try conversation.allow(entry.name == Self.long ? 50 : 100_000)
    #expect(
      try conversation.listen(within: .seconds(60)) {
        $0.pictures.count == 50 && entry.name == Self.long
      })
    if let words = Self.refused[entry.name] {
      #expect(conversation.failure == words)
      return
    }
    #expect(conversation.failure == nil)
    let info = try #require(conversation.info)
    checkInfo(info, entry)
    if entry.name == Self.long { return }
    checkPictures(conversation.pictures, entry)
    let ended = try #require(conversation.ended)
    let end = max(ended.pictures ?? .zero, ended.sound ?? .zero)
    if let wanted = Self.ends[entry.name] ?? entry.durationSeconds,
      !info.isStill || info.kind != .picture
    {
      let difference = end / .seconds(1) - wanted
      #expect(abs(difference) < 0.06, "ends at \(end), not \(wanted)")
    }
  }

  private func checkInfo(_ info: MediaInfo, _ entry: Media.Entry) {
    let kinds: [String: MediaInfo.Kind] = [
      "video": .video, "image": .picture, "audio": .sound, "lottie": .animation,
    ]
    #expect(info.kind == (entry.name.hasSuffix(".gif") ? .picture : kinds[entry.kind]))
    if let width = entry.displayWidth, let height = entry.displayHeight,
      entry.name != "image/wuffs__frame-out-of-bounds.gif"
    {
      #expect([info.displayWidth, info.displayHeight] == [UInt32(width), UInt32(height)])
    }
    if entry.kind == "image", Self.frames[entry.name] == nil {
      #expect(info.isStill == !entry.expected.contains("animate"))
    }
  }

  private func checkPictures(_ pictures: [DecodedPicture], _ entry: Media.Entry) {
    if let count = Self.frames[entry.name] ?? entry.frames { #expect(pictures.count == count) }
    for (earlier, later) in zip(pictures, pictures.dropFirst()) {
      #expect(earlier.time <= later.time)
    }
    guard let first = pictures.first, !entry.measured.contains("HDR"),
      !Self.otherColours.contains(entry.name), let wanted = colours(entry.measured)
    else { return }
    let measured = quarters(first)
    // One pixel has no quarters.
    let pairs = zip(measured, wanted.count == 1 ? Array(repeating: wanted[0], count: 4) : wanted)
    for (measured, wanted) in pairs {
      #expect(zip(measured, wanted).allSatisfy { abs($0 - $1) <= 10 }, "\(measured) \(wanted)")
    }
  }

  /// The colours that a line measured: "TL,TR,BL,BR=70af12,4d60f9,aaa603,6047ea".
  private func colours(_ measured: String) -> [[Int]]? {
    guard let start = measured.firstRange(of: "TL,TR,BL,BR=")?.upperBound else { return nil }
    return measured[start...].prefix { $0.isHexDigit || $0 == "," }.split(separator: ",").map {
      let value = Int($0, radix: 16) ?? 0
      return [value >> 16, value >> 8 & 0xFF, value & 0xFF]
    }
  }

  @Test(arguments: entries("image", "video").filter { $0.name.contains("_quadrants.") })
  func quadrants_areUpright(_ entry: Media.Entry) throws {
    let conversation = try DecoderConversation(contents(entry.path))
    try conversation.allow(1)
    #expect(try conversation.listen { !$0.pictures.isEmpty })
    let picture = try #require(conversation.pictures.first)
    // The AVIF is rotated by 90 degrees to the left; the one at 45 degrees is not rotated.
    let wanted: [[Int]] =
      entry.name.contains("irot90")
      ? [[0, 255, 0], [255, 255, 255], [255, 0, 0], [0, 0, 255]]
      : [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]
    for (measured, wanted) in zip(quarters(picture), wanted) {
      #expect(zip(measured, wanted).allSatisfy { abs($0 - $1) <= 10 }, "\(measured) \(wanted)")
    }
  }

  /// Ends within 10 seconds and 600 MiB, with any result; a reason is a sentence without the file's
  /// name.
  @Test(arguments: entries("broken"))
  func brokenFile_endsSoonAndSmall(_ entry: Media.Entry) throws {
    let conversation = try DecoderConversation(contents(entry.path))
    try conversation.allow(100_000)
    #expect(try conversation.listen(within: .seconds(10)))
    #expect(!conversation.isDead)
    #expect(conversation.peakKibibytes < 600 << 10)
    if let reason = conversation.failure {
      #expect(!reason.isEmpty && !reason.contains("/") || reason.contains("no picture"))
      #expect(!reason.contains(entry.name.split(separator: "/").last ?? ""))
    } else {
      #expect(conversation.info != nil && conversation.ended != nil)
    }
    if entry.expected == "play" || entry.expected == "show picture" {
      #expect(conversation.failure == nil)
    }
  }

  private static let words: [(String, String)] = [
    ("broken/gen_zero_byte.mp4", "the file is empty"),
    ("broken/gen_text_named.mp4", "a text file, not a media file"),
    ("broken/gen_html_404_named.mp4", "a web page, not a media file"),
    ("broken/androidx__sample_fragmented_clearkey.mp4", "protected content"),
    ("broken/gen_declared_65500x65500.jpg", "the picture is too large: 65500x65500"),
    ("broken/gen_bomb_30000x30000_1bit.png", "the picture is too large: 30000x30000"),
    ("broken/libvips__17000x17000.avif", "the picture is too large: 17000x17000"),
    ("broken/gen_truncated_half_moov_at_end.mp4", "damaged or incomplete: it cannot be opened"),
    ("broken/androidx__invalid-bitstream.webm", "damaged: no picture can be decoded (vp9)"),
  ]

  @Test(arguments: words)
  func failure_saysWhy(name: String, words: String) throws {
    let conversation = try DecoderConversation(corpus: name)
    #expect(try conversation.listen())
    #expect(conversation.failure == words)
  }
}
