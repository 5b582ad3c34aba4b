import Glibc
import Support
import System
import Testing

/// The served folder as a client sees it. Everything here runs the built program.
@Suite(.serialized, .timeLimit(.minutes(5))) enum Serving {}

extension Serving {
  @Suite struct FeedTests {
    private let folder: TemporaryDirectory
    init() throws { folder = try TemporaryDirectory() }

    private func add(_ bytes: [UInt8], _ name: String) throws {
      date(try folder.write(bytes, to: name))
    }

    @Test func feed_ofASmallFolder_isExactlyThis() throws {
      try add(movie(100), "clips/anna/10 ä?.mp4")
      try add(movie(64), "clips/anna/9.mp4")
      try add([0xFF, 0xD8, 0xFF, 0xE0], "clips/top.jpg")
      try add(
        Array("OggS".utf8) + [UInt8](repeating: 0, count: 22) + [1, 0] + Array("OpusHead".utf8),
        "clips/ben/c/\"x\".oga")
      try add(Array(lottie.utf8), "clips/ben/spin.json")
      try add(Array("no media\n".utf8), "clips/anna/notes.txt")
      try add(movie(64), "clips/.hidden.mp4")
      try add(movie(64), "clips/anna/.trash/x.mp4")
      try add(Array(lottie.utf8), "clips/animations/heart.json")
      let served = try Served(folder.path("clips"))
      let reply = try served.get("/feed.json")
      #expect(reply.status == 200)
      #expect(reply.fields["content-type"] == "application/feed+json")
      #expect(
        reply.text == """
          {"version": "https://jsonfeed.org/version/1.1", "title": "clips", "_storytty": {"animations": "."},
           "items": [
            {"id": "top.jpg", "authors": [{"name": "clips"}], "date_published": "2023-11-14T22:13:20Z", "title": "top.jpg", "content_text": "", "attachments": [{"url": "top.jpg", "mime_type": "image/jpeg", "size_in_bytes": 4}]},
            {"id": "anna/9.mp4", "authors": [{"name": "anna"}], "date_published": "2023-11-14T22:13:20Z", "title": "9.mp4", "content_text": "", "attachments": [{"url": "anna/9.mp4", "mime_type": "video/mp4", "size_in_bytes": 64}]},
            {"id": "anna/10 ä?.mp4", "authors": [{"name": "anna"}], "date_published": "2023-11-14T22:13:20Z", "title": "10 ä?.mp4", "content_text": "", "attachments": [{"url": "anna/10%20%C3%A4%3F.mp4", "mime_type": "video/mp4", "size_in_bytes": 100}]},
            {"id": "ben/spin.json", "authors": [{"name": "ben"}], "date_published": "2023-11-14T22:13:20Z", "title": "spin.json", "content_text": "", "attachments": [{"url": "ben/spin.json", "mime_type": "video/lottie+json", "size_in_bytes": 78}]},
            {"id": "ben/c/\\"x\\".oga", "authors": [{"name": "ben/c"}], "date_published": "2023-11-14T22:13:20Z", "title": "\\"x\\".oga", "content_text": "", "attachments": [{"url": "ben/c/%22x%22.oga", "mime_type": "audio/ogg", "size_in_bytes": 36}]}
           ]}

          """)
      for item in try JSONValue(parsing: reply.body)["items"].elements {
        let medium = item["attachments"].elements[0]
        let got = try served.get("/" + (medium["url"].text ?? ""))
        #expect(got.status == 200)
        #expect(Double(got.body.count) == medium["size_in_bytes"].number)
        #expect(got.fields["content-type"] == medium["mime_type"].text)
      }
    }

    @Test func feed_ofAnEmptyFolder_hasNoItems() throws {
      let served = try Served(folder.path)
      #expect(try JSONValue(parsing: served.get("/feed.json").body)["items"] == .array([]))
      #expect(try served.get("/animations").text == "[]\n")
    }

    /// The first feed has no durations, so that nobody waits; later they are in it, and the tag is
    /// another.
    @Test func durations_areAddedWhenADecoderHasFoundThem() throws {
      try folder.copy(Clip(width: 90, height: 160, seconds: 2).file(), as: "a.mp4")
      try folder.copy(Clip(width: 90, height: 160, seconds: 0.52).file(), as: "b.mp4")
      try add(movie(5000), "c.mp4")
      let served = try Served(folder.path)
      var durations: [Double?] = []
      try eventually("the durations are in the feed") {
        let items = try JSONValue(parsing: served.get("/feed.json").body)["items"].elements
        durations = items.map { $0["attachments"].elements[0]["duration_in_seconds"].number }
        return durations.compactMap(\.self).count == 2
      }
      #expect(durations == [2, 0.52, nil])
    }

    @Test func feed_isRevalidated() throws {
      try add([0xFF, 0xD8, 0xFF, 0xE0], "a.jpg")
      let served = try Served(folder.path)
      let tag = try #require(try served.get("/feed.json").fields["etag"])
      #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""))
      #expect(try served.get("/feed.json", ["If-None-Match: \(tag)"]).status == 304)
      #expect(try served.get("/feed.json", ["If-None-Match: \"x\""]).status == 200)
      try add([0xFF, 0xD8, 0xFF, 0xE0], "b.jpg")
      try eventually("the tag changes") {
        try served.get("/feed.json", ["If-None-Match: \(tag)"]).status == 200
      }
    }

    @Test func index_saysWhatIsServedAndWhatToType() throws {
      try add([0xFF, 0xD8, 0xFF, 0xE0], "a.jpg")
      let served = try Served(folder.path)
      let reply = try served.get("/")
      #expect(reply.status == 200)
      #expect(reply.fields["content-type"] == "text/plain; charset=utf-8")
      #expect(reply.text.contains("1 story in 1 reel, 0 animations"))
      #expect(reply.text.contains("  storytty \(served.url)/feed.json\n"))
      let named = try served.get("/", ["Host: stories.localhost:80"])
      #expect(named.text.contains("storytty http://stories.localhost:80/feed.json"))
      #expect(try served.get("/", ["Host: <b>\u{1B}[2J"]).status == 400)
      #expect(
        served.lines[0]
          == "serving \(absolute(folder.path)) (1 story) at \(served.url)/: "
          + "storytty \(served.url)/feed.json")
    }
  }

  @Suite struct AnimationTests {
    private let folder: TemporaryDirectory
    init() throws { folder = try TemporaryDirectory() }

    @Test func catalogue_isExactlyThis() throws {
      try folder.write(lottie, to: "animations/heart.json")
      try folder.write(#"{"layers":[],"op":9,"w":-5,"fr":1e9}"#, to: "animations/10.json")
      try folder.write([0x1F, 0x8B, 8, 0], to: "animations/2.tgs")
      try folder.write("{}", to: "animations/none.json")
      try folder.write("x", to: "animations/readme.txt")
      try folder.write(lottie, to: "animations/heart.lottie")
      try folder.write(
        #"[{"id":"10","title":"Ten","kind":"full","priority":7,"sha256":"lie"},{"id":"gone"}]"#,
        to: "animations.json")
      let served = try Served(folder.path)
      let reply = try served.get("/animations")
      #expect(reply.fields["content-type"] == "application/json")
      #expect(
        reply.text == """
          [
           {"id": "2", "title": "2", "sha256": "\(try sha256sum("animations/2.tgs"))", "bytes": 4, "kind": "reaction", "priority": 0},
           {"id": "10", "title": "Ten", "sha256": "\(try sha256sum("animations/10.json"))", "bytes": 36, "kind": "full", "priority": 7},
           {"id": "heart", "title": "A heart", "sha256": "\(try sha256sum("animations/heart.json"))", "bytes": 78, "width": 100, "height": 50, "fps": 30, "frames": 60, "kind": "reaction", "priority": 0}
          ]

          """)
      #expect(try served.get("/animations.json").body == reply.body)
      let tag = try #require(reply.fields["etag"])
      #expect(try served.get("/animations", ["If-None-Match: \(tag)"]).status == 304)
      #expect(served.errorText.contains("none.json: it is no Lottie animation"))
      #expect(served.errorText.contains("heart.lottie: another animation is called heart"))
      #expect(try served.ids() == [])
    }

    private func sha256sum(_ name: String) throws -> String {
      String(try run("/usr/bin/sha256sum", [folder.path(name)]).outputText.prefix(64))
    }

    @Test func animation_isServedByItsIdAndItsName_untilItIsRemoved() throws {
      let path = try folder.write(lottie, to: "animations/big heart.json")
      try folder.write([0x50, 0x4B, 3, 4], to: "animations/z.lottie")
      try folder.write(movie(40), to: "animation/own.mp4")
      let served = try Served(folder.path)
      for name in ["/animation/big%20heart", "/animations/big%20heart.json"] {
        let reply = try served.get(name)
        #expect(reply.text == lottie)
        #expect(reply.fields["content-type"] == "video/lottie+json")
      }
      #expect(
        try served.get("/animation/z").fields["content-type"] == "application/zip+dotlottie")
      // A folder of stories may have that name too.
      #expect(try served.get("/animation/own.mp4").body == movie(40))
      unlink(path)
      try eventually("it is withdrawn") { try served.get("/animation/big%20heart").status == 404 }
      #expect(try served.get("/animations/big%20heart.json").status == 404)
    }
  }
}
