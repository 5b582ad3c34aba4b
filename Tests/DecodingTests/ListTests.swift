import DecoderLink
import Support
import Testing

/// HLS lists: what they name is asked of the player.
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

  @Test func list_withAnAllowedSegment_isTold() throws {
    let bytes = try segment()
    let telling = try Telling(list("s.ts"), opener: { $0 == "s.ts" ? bytes : nil })
    try telling.allow(1_000)
    #expect(try telling.listen())
    #expect(telling.pictures.count == 50)
    #expect(telling.urls == ["s.ts"])
    #expect(telling.info?.container == "hls")
  }

  /// A list that does not say that it is whole ends where it ends; its own name, which is made up
  /// here, is not asked for.
  @Test(arguments: [1, 5]) func list_withoutAnEnd_isToldFromItsStartToItsEnd(count: Int) throws {
    let bytes = try segment()
    let whole = String(decoding: list("s.ts"), as: UTF8.self)
    let entry = "#EXTINF:2,\ns.ts\n"
    let text = whole.replacing("#EXT-X-ENDLIST\n", with: "")
      .replacing(entry, with: String(repeating: "#EXT-X-DISCONTINUITY\n" + entry, count: count))
    let telling = try Telling(Array(text.utf8), opener: { $0 == "s.ts" ? bytes : nil })
    // So slowly that the list has become old.
    for allowed in [1, 1_000] as [UInt32] {
      try telling.allow(allowed)
      try telling.listen(within: .seconds(allowed == 1 ? 3 : 20))
    }
    #expect(telling.failure == nil)
    #expect(telling.ended != nil)
    #expect(telling.pictures.count == 50 * count)
    #expect(telling.urls.allSatisfy { $0 == "s.ts" })
  }

  private static let hostile = [
    "/etc/passwd", "file:///etc/passwd", "http://127.0.0.1:9/x.ts", "../../etc/passwd",
  ]

  @Test(arguments: hostile) func list_withARefusedSegment_saysSo(_ url: String) throws {
    let telling = try Telling(list(url))
    try telling.allow(1)
    #expect(try telling.listen())
    #expect(telling.failure == "not allowed")
    #expect(telling.urls.allSatisfy { $0 == url } && !telling.urls.isEmpty)
  }

  @Test func list_ofASmallerAndALargerSize_tellsTheOneThatFills() throws {
    let bytes = try segment()
    let master = """
      #EXTM3U
      #EXT-X-STREAM-INF:BANDWIDTH=100000,RESOLUTION=320x180
      a/small.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=320x180
      b/large.m3u8

      """
    let lists = ["a/small.m3u8": list("s.ts"), "b/large.m3u8": list("s.ts")]
    let telling = try Telling(
      Array(master.utf8), opener: { lists[$0] ?? ($0.hasSuffix("/s.ts") ? bytes : nil) })
    try telling.allow(1_000)
    #expect(try telling.listen())
    #expect(telling.failure == nil)
    #expect(telling.pictures.count == 50)
    #expect(telling.urls.contains("a/s.ts"))
  }
}
