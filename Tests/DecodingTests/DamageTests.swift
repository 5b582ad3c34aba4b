import Support
import Testing

/// Truncated and changed files: each ends, decoded, refused or killed at its limits, and none hangs.
@Suite(.enabled(if: Media.isAvailable)) struct DamageTests {
  private static let names = [
    "video/gen_faststart.mp4", "video/gen_m2ts.m2ts", "video/gen_live_unknown_size.webm",
    "video/gen_animated_gif_as_video.gif", "video/androidx__bear-vp9-odd-dimensions.webm",
    "video/torchcodec__av1_video.mkv", "video/gen_mjpeg_pcm.avi", "video/gen_flv1_mp3.flv",
    "image/gen_progressive.jpg", "image/gen_apng_mixed.png", "image/image__anim.webp",
    "image/libavif__kodim03_yuv420_8bpc.avif", "image/gen_heic_quadrants.heic",
    "image/gen_exif6_quadrants.jxl", "image/image__V5_A8_R8_G8_B8_Rgb.bmp",
    "audio/gen_cover_jpeg.mp3", "audio/bear.opus", "audio/gen_cover.flac",
    "audio/gen_cover_png.m4a", "video/androidx__sample_with_chapters.mkv",
  ].map { $0 == "audio/bear.opus" ? "audio/androidx__bear.opus" : $0 }

  /// Fifteen kinds of damage to each of twenty files.
  @Test(arguments: names) func damagedFile_neverHangs(_ name: String) throws {
    let whole = try contents(Media.path(name))
    var random = SeededRandom(seed: name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
    for round in 0..<15 {
      var bytes = whole
      if round % 3 == 0 {
        bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
      } else {
        let reach = round % 3 == 1 ? min(bytes.count, 4_000) : bytes.count
        for _ in 0..<Int.random(in: 1...40, using: &random) {
          bytes[Int.random(in: 0..<reach, using: &random)] ^=
            1 << UInt8.random(in: 0...7, using: &random)
        }
      }
      let conversation = try DecoderConversation(bytes)
      try conversation.allow(100_000)
      #expect(try conversation.listen(within: .seconds(60)), "\(name), round \(round)")
      #expect(conversation.peakKibibytes < 1 << 20)
    }
  }
}
