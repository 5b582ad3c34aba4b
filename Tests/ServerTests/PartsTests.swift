import Feeds
import Glibc
import Stories
import Support
import Synchronization
import System
import Testing

@testable import Server

@Suite struct RequestTargetTests {
  @Test(
    arguments: [
      ("/", .path([])), ("/a", .path(["a"])), ("/a/b%20c", .path(["a", "b c"])),
      ("/%C3%A4?x=/..", .path(["ä"])), ("/a#b", .path(["a"])), ("/a%25%32%65", .path(["a%2e"])),
      ("/a\\b", .path(["a\\b"])), ("/a..", .path(["a.."])), ("http://h/a", .path(["a"])),
      ("HTTP://h", .path([])), ("/..", .unfit), ("/.", .unfit), ("/.a", .unfit), ("/%2e", .unfit),
      ("/a%2fb", .unfit), ("/a%00", .unfit), ("//", .unfit), ("/a/", .unfit), ("/%ff", .unfit),
      ("/a/../b", .unfit), ("", .malformed), ("a", .malformed), ("*", .malformed),
      ("/%", .malformed), ("/%4", .malformed), ("/%4g", .malformed), ("?/a", .malformed),
    ] as [(String, RequestTarget)])
  func target_becomes(text: String, target: RequestTarget) {
    #expect(RequestTarget(text) == target)
  }

  /// A path that a feed names is what a request finds, whatever the name.
  @Test func encodedPath_isReadBack() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<2000 {
      let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        "x"
          + String(
            (0..<Int.random(in: 0...8, using: &random)).map { _ in
              Character(Unicode.Scalar(UInt32.random(in: 0x20...0x2FF, using: &random)) ?? "?")
            }.filter { $0 != "/" })
      }
      #expect(
        RequestTarget("/" + RelativeURL.encoded(parts.joined(separator: "/"))) == .path(parts))
    }
  }
}

@Suite struct MediaTypeTests {
  private static func iso(_ brand: String) -> [UInt8] {
    [0, 0, 0, 0x18] + Array("ftyp\(brand)".utf8) + [UInt8](repeating: 0, count: 20)
  }
  private static func matroska(_ kind: String) -> [UInt8] {
    [0x1A, 0x45, 0xDF, 0xA3, 0x9F, 0x42, 0x82, 0x88] + Array(kind.utf8)
  }

  /// The content takes precedence over the name.
  @Test(
    arguments: [
      (iso("isom"), "a", "video/mp4"), (iso("isom"), "a.jpg", "video/mp4"),
      (iso("isom"), "a.m4a", "audio/mp4"), (iso("M4A "), "a.mp4", "audio/mp4"),
      (iso("qt  "), "a.mp4", "video/quicktime"), (iso("avif"), "a", "image/avif"),
      (iso("heic"), "a", "image/heic"), (iso("mif1"), "a", "image/heif"),
      (iso("mif1avif"), "a", "image/avif"), (iso("3gp5"), "a", "video/3gpp"),
      (matroska("webm"), "a", "video/webm"), (matroska("matroska"), "a", "video/x-matroska"),
      (matroska("matroska"), "a.mka", "audio/x-matroska"),
      (matroska("webm"), "a.weba", "audio/webm"),
      ([0xFF, 0xD8, 0xFF, 0xE0], "a.png", "image/jpeg"),
      ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A], "a", "image/png"),
      (Array("GIF89a".utf8), "", "image/gif"),
      (Array("RIFF....WEBP".utf8), "a", "image/webp"),
      (Array("RIFF....WAVE".utf8), "a", "audio/wav"),
      (Array("RIFF....AVI ".utf8), "a", "video/x-msvideo"), (Array("ID3".utf8), "a", "audio/mpeg"),
      ([0xFF, 0xFB, 0x90, 0], "a", "audio/mpeg"), ([0xFF, 0xF1, 0x50, 0x80], "a", "audio/aac"),
      (Array("fLaC".utf8), "a", "audio/flac"),
      (Array("#EXTM3U\n".utf8), "a.m3u8", "application/vnd.apple.mpegurl"),
      ([0x1F, 0x8B], "a.tgs", "application/x-tgsticker"),
      (Array("PK".utf8), "a.lottie", "application/zip+dotlottie"),
      (Array("{}".utf8), "a.json", "application/json"), (Array("hi".utf8), "a.MP4", "video/mp4"),
      (Array("<html>".utf8), "a.html", "application/octet-stream"),
      ([], "", "application/octet-stream"),
      (Array("<svg>".utf8), "a.svg", "application/octet-stream"),
      ([], "a.txt", "text/plain;charset=utf-8"),
    ] as [([UInt8], String, String)])
  func type_of(head: [UInt8], name: String, type: String) {
    #expect(MediaType.of(head: head, name: name) == type)
  }

  /// The MIME type in the feed agrees with the kind that the folder reader finds.
  @Test(.enabled(if: Media.isAvailable))
  func type_ofTheCorpus_agreesWithTheKindOfStory() throws {
    let prefixes: [Story.Kind: [String]] = [
      .video: ["video/", "application/vnd.apple.mpegurl", "application/mxf"], .picture: ["image/"],
      .sound: ["audio/"], .animation: ["application/"],
    ]
    var (known, unknown) = (0, 0)
    for entry in try Media.entries() {
      guard let story = try? FeedReader().read([entry.path]).reels.first?.stories.first,
        story.source == .file(entry.path), let kind = story.kind
      else { continue }
      let head = Array(try readFile(entry.path).prefix(MediaType.headBytes))
      let type = MediaType.of(head: head, name: entry.name)
      let agrees = prefixes[kind, default: []].contains(where: type.hasPrefix)
      #expect(agrees || type == MediaType.unknown, "\(entry.name): \(kind) is no \(type)")
      if type == MediaType.unknown { unknown += 1 } else { known += 1 }
    }
    #expect(known > 300 && unknown < known / 10, "\(known) known, \(unknown) not")
  }
}

@Suite struct LottieFactsTests {
  @Test(
    arguments: [
      (lottie, AnimationFacts(title: "A heart", width: 100, height: 50, fps: 30, frames: 60)),
      (#"{"layers":[],"op":1}"#, AnimationFacts()),
      (#"{"layers":[],"op":1e9,"ip":-1e300,"w":1e99,"h":-5,"fr":0}"#, AnimationFacts()),
      (
        #"{"layers":[],"op":10.5,"ip":0,"w":4096,"h":4097,"fr":121,"nm":""}"#,
        AnimationFacts(width: 4096, frames: 11)
      ),
      (#"{"layers":[]}"#, nil), ("[]", nil), ("", nil), (#"{"layers":[],"op":1} x"#, nil),
      (#"{"layers":[],"op":"#, nil),
    ] as [(String, AnimationFacts?)])
  func facts_of(text: String, facts: AnimationFacts?) {
    #expect(LottieFacts.read(Array(text.utf8)) == facts)
  }
}

@Suite struct AccessTokenTests {
  @Test func token_isShown_onlyAsItIs() throws {
    let token = try #require(AccessToken("abc.DEF~"))
    #expect(token.isShown(in: "Bearer abc.DEF~"))
    #expect(token.isShown(in: "bEARER  abc.DEF~"))
    for wrong in [
      nil, "", "Bearer", "Bearer ", "Bearer abc.DEF", "Bearer abc.DEF~x", "abc.DEF~",
      "Bearer abc.DEf~", "Bearer abc.DEF~abc.DEF~", "Bearer abc.DEF~ ",
    ] {
      #expect(!token.isShown(in: wrong), "\(wrong ?? "none")")
    }
    for text in ["", "a b", "ä", "a\n"] { #expect(AccessToken(text) == nil) }
  }
}

@Suite struct AccessLogTests {
  @Test func log_withAReaderThatStalls_delaysNobody() throws {
    let isStalled = Atomic(false)
    let log = try AccessLog { _ in
      isStalled.store(true, ordering: .relaxed)
      pause()
      return true
    }
    let isDone = Atomic(false)
    // On its own thread: a write that had to wait would wait for ever.
    _ = try WorkerThread {
      log.write(line: "first")
      while !isStalled.load(ordering: .relaxed) { usleep(1_000) }
      for number in 0..<20_000 { log.write(line: "\(number)") }
      log.close()
      isDone.store(true, ordering: .relaxed)
    }
    try eventually("all is written and the log closed") { isDone.load(ordering: .relaxed) }
  }

  @Test func log_writesEachLineOnce_inOrder() throws {
    let written = Written()
    let log = try AccessLog { text in
      written.text.withLock { $0 += text }
      return true
    }
    for number in 0..<5000 { log.write(line: "\(number)") }
    log.close()
    #expect(written.text.withLock { $0 } == (0..<5000).map { "\($0)\n" }.joined())
  }
}

private final class Written: Sendable {
  let text = Mutex("")
}
