import DecoderLink
import Decoders
import Support
import Synchronization
import System
import Testing

@testable import Resources

/// A file of any length that is all zeros but for its beginning and its end.
struct SparseFile: Sendable {
  let head: [UInt8]
  let tail: [UInt8]
  let length: UInt64

  func bytes(_ range: Range<UInt64>) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    for (part, start) in [(head, UInt64(0)), (tail, length - UInt64(tail.count))] {
      let shared = range.clamped(to: start..<start + UInt64(part.count))
      guard !shared.isEmpty else { continue }
      let place = Int(shared.lowerBound - range.lowerBound)
      let first = Int(shared.lowerBound - start)
      bytes.replaceSubrange(
        place..<place + shared.count, with: part[first..<first + shared.count])
    }
    return bytes
  }

  func reply(to request: ServerRequest) -> ServerReply {
    guard let range = request.range, range.start < length else {
      return ServerReply(status: 416, fields: [("Content-Range", "bytes */\(length)")])
    }
    let end = min(range.end ?? length, length)
    return ServerReply(
      status: 206,
      fields: [
        ("ETag", "\"v1\""), ("Content-Type", "video/mp4"),
        ("Content-Range", "bytes \(range.start)-\(end - 1)/\(length)"),
      ], body: bytes(range.start..<end))
  }
}

@Suite(.serialized, .timeLimit(.minutes(3))) struct LargeFileTests {
  @Test func fileOfFiveGigabytes_isReadAnywhere() throws {
    let file = SparseFile(
      head: sampleBytes(0..<5000), tail: sampleBytes(7..<300_007), length: 5_000_000_000)
    let server = try FaultServer { file.reply(to: $0) }
    let folder = try TemporaryDirectory()
    let places: [UInt64] = [
      0, 4_294_960_000, 4_999_700_000, 4_999_999_990, 5_000_000_000, 1 << 33,
    ]
    for isOnline in [true, false] {
      let bench = try NetworkBench(folder.path("cache"))
      let resource = try bench.network.open(server.url + "/a")
      for place in places {
        let end = min(place + 20_000, file.length)
        #expect(
          try bench.read(resource, place, 20_000).get() == file.bytes(min(place, end)..<end))
      }
      #expect(resource.info?.length == 5_000_000_000)
      // A part of a file is checked with its server; where that is gone, what is here is read.
      #expect(isOnline || bench.network.saving.fetched == 0)
      if isOnline { try bench.wait { !bench.network.isFetching } }
      bench.network.close()
      server.close()
    }
    #expect(server.bodyBytes < 10_000_000)
    #expect(try CacheDirectory(folder.path("cache")).verify().wrongSegments == 0)
  }

  /// An mp4 of a gigabyte with its index at its end: the padding is part of its media data.
  private func largeClip() throws -> SparseFile {
    let bytes = try readFile(Clip(width: 320, height: 180, rate: 25, seconds: 4).file())
    var position = 0
    while position + 8 <= bytes.count {
      let size = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = position + size
      if bytes[position + 4..<position + 8].elementsEqual("mdat".utf8) {
        let padded = size + 1_000_000_000
        var head = Array(bytes[..<end])
        for index in 0..<4 { head[position + index] = UInt8(padded >> (24 - 8 * index) & 255) }
        return SparseFile(
          head: head, tail: Array(bytes[end...]), length: UInt64(bytes.count + 1_000_000_000))
      }
      guard size >= 8 else { break }
      position = end
    }
    throw SupportError("the clip has no media data")
  }

  @Test func firstPicture_ofAGigabyteWithItsIndexAtTheEnd_takesThreeRequests() throws {
    let file = try largeClip()
    let server = try FaultServer { file.reply(to: $0) }
    defer { server.close() }
    let folder = try TemporaryDirectory()
    let bench = try NetworkBench(folder.path("cache"))
    let resource = try bench.network.open(server.url + "/clip.mp4")
    let session = try DecoderSession(
      from: DecoderPool(program: DecoderProgram(path: Programs.decoder)), decoding: resource,
      opener: nil, shape: PictureRequest(width: 32, height: 18))
    session.allow(pictures: 1)
    let deadline = Instant.now + .seconds(30)
    var hasPicture = false
    while !hasPicture, Instant.now < deadline {
      let ready = try awaitReadiness(
        of: [
          Interest(session.descriptor, writing: session.wantsToWrite),
          Interest(bench.network.descriptor),
        ], until: deadline)
      if ready[1].readable { bench.network.deliver() }
      for event in session.service(ready[0], now: .now) {
        switch event {
        case .picture: hasPicture = true
        case .failed(let reason): throw SupportError(reason)
        case .opened, .ended, .sound, .soundEnded, .parts, .note: break
        }
      }
    }
    #expect(hasPicture)
    #expect(server.requests.count <= 3)
    #expect(server.bodyBytes <= 3 << 19)
    Scale.report(
      "first picture of a gigabyte: \(server.requests.count) requests,"
        + " \(server.bodyBytes >> 10) KiB")
    bench.network.close()
  }
}
