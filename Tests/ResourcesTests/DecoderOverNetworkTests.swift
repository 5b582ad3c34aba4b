import DecoderLink
import Decoders
import Support
import System
import Testing

@testable import Resources

/// A decoder reads a story through the cache as if it were a local file.
@Suite(.serialized, .timeLimit(.minutes(2))) struct DecoderOverNetworkTests {
  /// Decodes a whole story, with its length known before or not.
  private func pictures(
    _ bench: NetworkBench, _ url: String, knowsLength: Bool
  ) throws -> [DecodedPicture] {
    let resource = try bench.network.open(url)
    if knowsLength { _ = try bench.read(resource, 0, 0) }
    let session = try DecoderSession(
      from: DecoderPool(program: DecoderProgram(path: Programs.decoder)), decoding: resource,
      opener: nil,
      shape: PictureRequest(width: 32, height: 18))
    session.allow(pictures: 4)
    var pictures: [DecodedPicture] = []
    let deadline = Instant.now + .seconds(30)
    while Instant.now < deadline {
      let ready = try awaitReadiness(
        of: [
          Interest(session.descriptor, writing: session.wantsToWrite),
          Interest(bench.network.descriptor),
        ], until: deadline)
      if ready[1].readable { bench.network.deliver() }
      for event in session.service(ready[0], now: .now) {
        switch event {
        case .picture(let picture):
          pictures.append(picture)
          session.allow(pictures: 1)
        case .ended: return pictures
        case .failed(let reason): throw SupportError(reason)
        case .opened, .sound, .soundEnded, .parts, .note: break
        }
      }
    }
    throw SupportError("the story does not end")
  }

  @Test(arguments: [false, true])
  func story_overTheNetworkAndFromTheCache_hasTheSamePictures(knowsLength: Bool) throws {
    let clip = try Clip(width: 320, height: 180, rate: 25, seconds: 2).file()
    let file = ServedFile(try readFile(clip))
    let server = try FaultServer { file.reply(to: $0) }
    let folder = try TemporaryDirectory()
    var decoded: [[DecodedPicture]] = []
    for isOnline in [true, false] {
      if !isOnline { server.close() }
      let bench = try NetworkBench(folder.path("cache"))
      decoded.append(try pictures(bench, server.url + "/clip.mp4", knowsLength: knowsLength))
      #expect(isOnline || bench.network.saving.requests == 0)
      bench.network.close()
    }
    #expect(decoded[0].count == 50)
    #expect(decoded[0].map(\.bitmap.pixels) == decoded[1].map(\.bitmap.pixels))
  }
}
