import DecoderLink
import Glibc
import Support
import Testing

/// What a decoder does when the player is late.
@Suite struct EffortTests {
  private let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  private static let count = 100

  /// A video with B frames, of four seconds, with a key picture in each half second.
  private func clip(_ options: [String] = [], _ name: String = "a.mp4") throws -> [UInt8] {
    let path = directory.path(name)
    let made = try run(
      Programs.installed("ffmpeg") ?? "ffmpeg",
      [
        "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=4",
        "-pix_fmt", "yuv420p", "-c:v", "libx264", "-x264-params",
        "keyint=12:min-keyint=12:scenecut=0:bframes=3:b-adapt=0:b-pyramid=none",
      ] + options + [path], within: .seconds(60))
    #expect(made.status == 0, "\(made.errorText)")
    return try contents(path)
  }

  /// All pictures, with an effort from the tenth picture on, and how many threads there are then and at
  /// the end.
  private func play(
    _ bytes: [UInt8], _ effort: Effort
  ) throws -> (pictures: [DecodedPicture], before: Int?, after: Int?) {
    let conversation = try DecoderConversation(bytes, width: 24, height: 16)
    try conversation.allow(10)
    #expect(try conversation.listen { $0.pictures.count == 10 })
    let before = conversation.status("Threads")
    try conversation.send(.effort(effort))
    try conversation.allow(1_000)
    #expect(try conversation.listen())
    #expect(conversation.failure == nil && conversation.ended != nil)
    return (conversation.pictures, before, conversation.status("Threads"))
  }

  private static var hasSeveralProcessors: Bool { sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1 }

  private func times(_ pictures: [DecodedPicture]) -> [Int] {
    pictures.map { Int(($0.time / .milliseconds(40)).rounded()) }
  }

  @Test(.enabled(if: hasSeveralProcessors))
  func parallel_usesAnotherThreadFromTheNextKeyPictureOn() throws {
    let bytes = try clip()
    let alone = try play(bytes, .full)
    #expect(alone.before == alone.after && times(alone.pictures) == Array(0..<Self.count))
    let together = try play(bytes, .parallel)
    let (before, after) = (try #require(together.before), try #require(together.after))
    #expect(before == alone.before && after > before)
    // A picture or two are decoded ahead of those that were sent.
    let skipped = together.pictures.filter { $0.skipped > 0 }
    #expect(times(skipped).allSatisfy { (11...24).contains($0) })
    let all = together.pictures.reduce(0) { $0 + 1 + Int($1.skipped) }
    #expect(all == Self.count)
    // The pictures are the same.
    let bitmaps = Dictionary(
      zip(times(alone.pictures), alone.pictures.map(\.bitmap)), uniquingKeysWith: { $1 })
    for (time, picture) in zip(times(together.pictures), together.pictures) {
      #expect(bitmaps[time] == picture.bitmap)
    }
  }

  @Test func hurried_skipsWhatNoPictureRefersTo_andSaysHowMuch() throws {
    let hurried = try play(clip(), .hurried)
    let skipped = hurried.pictures.reduce(0) { $0 + Int($1.skipped) }
    #expect(hurried.pictures.count + skipped == Self.count)
    // At least half of the pictures are B frames.
    #expect(skipped >= 45)
  }

  @Test func parallel_ofAnotherCodec_losesNoPictureUncounted() throws {
    let bytes = try clip(["-c:v", "mpeg4", "-bf", "2", "-g", "12", "-q:v", "4"])
    let late = try play(bytes, .parallel)
    #expect(late.pictures.reduce(0) { $0 + 1 + Int($1.skipped) } == Self.count)
  }

  @Test(arguments: [Effort.parallel, .hurried])
  func seek_afterItWasLate_plays(_ effort: Effort) throws {
    let conversation = try DecoderConversation(clip(), width: 24, height: 16)
    try conversation.allow(60)
    try conversation.send(.effort(effort))
    #expect(try conversation.listen { $0.pictures.last?.time ?? .zero > .seconds(1) })
    try conversation.send(.effort(.full))
    try conversation.seek(1, to: .seconds(2))
    try conversation.allow(1_000)
    #expect(try conversation.listen())
    let after = conversation.pictures.filter { $0.serial == 1 }
    #expect(times(after) == Array(50..<Self.count))
  }
}
