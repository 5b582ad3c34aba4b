import DecoderLink
import Support
import System
import Testing

@testable import Decoders

/// One picture of a story, by the real decoder.
@Suite struct FrameGrabberTests {
  private func outcome(_ path: String, at moment: Duration) throws -> FrameGrabber.Outcome? {
    let program = DecoderProgram(path: Programs.decoder)
    let grabber = try FrameGrabber(
      from: DecoderPool(program: program), resource: MemoryResource(path: path), opener: nil,
      at: moment, shape: PictureRequest(width: 32, height: 18))
    defer { grabber.close() }
    let end = Instant.now + .seconds(20)
    while Instant.now < end {
      let until = min(end, grabber.deadline ?? end)
      let ready = try awaitReadiness(of: [grabber.interest], until: until)
      if let outcome = grabber.service(ready[0], now: .now) { return outcome }
    }
    return nil
  }

  @Test(arguments: [(0, 0), (500, 480), (520, 520), (999, 960), (5_000, 960)])
  func grab_ofAClip_isWhatIsShownThen(at moment: Int, expected: Int) throws {
    let clip = try Clip(width: 320, height: 180, rate: 25, seconds: 1).file()
    guard case .picture(let picture) = try outcome(clip, at: .milliseconds(moment)) else {
      Issue.record("no picture")
      return
    }
    #expect(picture.time == .milliseconds(expected))
    #expect(picture.bitmap.width == 32)
  }

  @Test func grab_ofNoMedia_saysWhy() throws {
    let directory = try TemporaryDirectory()
    try directory.write("no picture at all\n", to: "text")
    guard case .failed(let reason) = try outcome(directory.path + "/text", at: .zero) else {
      Issue.record("no reason")
      return
    }
    #expect(reason == "a text file, not a media file")
  }
}
