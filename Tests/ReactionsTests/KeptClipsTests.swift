import DecoderLink
import Testing

@testable import Reactions

@Suite struct KeptClipsTests {
  private let shape = PictureRequest(width: 4, height: 4)

  private func frame(_ milliseconds: Int, width: Int = 2) -> DecodedPicture {
    DecodedPicture(
      serial: 0, time: .milliseconds(milliseconds), duration: .milliseconds(40),
      bitmap: Bitmap(width: width, height: 1, pixels: [UInt32](repeating: 0, count: width)))
  }

  private func clip(_ frames: DecodedPicture...) -> AnimationClip {
    var clip = AnimationClip()
    for frame in frames { clip.add(frame, most: 1 << 20) }
    return clip
  }

  @Test func clips_areKept_theLastTwo() {
    var kept = KeptClips()
    for id in ["a", "b", "a", "c"] { kept.keep(clip(frame(0)), of: id, shape: shape, edition: 1) }
    // A was shown again after b.
    #expect(kept["a"] != nil && kept["c"] != nil && kept["b"] == nil)
  }

  @Test(arguments: [(4, 1, "", true), (5, 1, "", false), (4, 2, "", false), (4, 1, "a", false)])
  func clip_isDropped_whereItDoesNotFitAnyMore(
    width: Int, edition: Int, missing: String, isKept: Bool
  ) {
    var kept = KeptClips()
    kept.keep(clip(frame(0)), of: "a", shape: shape, edition: 1)
    kept.drop(unless: .init(width: UInt32(width), height: 4), edition: edition) { $0 == missing }
    #expect((kept["a"] != nil) == isKept)
  }

  @Test func clip_whoseFramesDiffer_isNotKept() {
    var kept = KeptClips()
    kept.keep(clip(frame(0), frame(40, width: 3)), of: "a", shape: shape, edition: 1)
    kept.keep(clip(), of: "b", shape: shape, edition: 1)
    #expect(kept["a"] == nil && kept["b"] == nil)
  }

  @Test func frame_ofATime_isTheLastThatHasBegun() {
    let clip = clip(frame(0), frame(40), frame(80))
    let found = [-1, 0, 39, 40, 79, 80, 5_000].map { clip.index(at: .milliseconds($0)) }
    #expect(found == [nil, 0, 0, 1, 1, 2, 2])
    #expect(clip.length == .milliseconds(120) && !clip.isCut)
  }

  @Test func clip_thatIsTooLarge_isCut_andStaysSo() {
    var clip = AnimationClip()
    for index in 0..<5 { clip.add(frame(index * 40), most: 24) }
    #expect(clip.frames.count == 3 && clip.isCut && clip.bytes == 24)
    clip.add(frame(0, width: 0), most: 24)
    #expect(clip.frames.count == 3)
  }
}
