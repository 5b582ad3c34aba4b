import Support
import Testing

extension EndToEnd {
  /// Stories from a web server, through the cache.
  @Suite struct NetworkTests {
    private let cache: TemporaryDirectory
    init() throws { cache = try TemporaryDirectory() }

    private var cacheOption: [String] { ["--cache-dir", cache.path("cache")] }

    /// Plays to the end as fast as can be, and gives the report.
    private func untimed(_ sources: [String], _ options: [String] = []) throws -> Report {
      let play = try Play(["--untimed"] + cacheOption + options + sources)
      #expect(play.terminal.awaitEnd()?.shellStatus == 0)
      play.expectRestored()
      return try play.report()
    }

    private func still(_ source: String, at second: Double) throws -> [UInt8] {
      let result = try storytty(
        ["show", source, "--at", "\(second)", "--size", "60x30", "--color", "true"] + cacheOption)
      #expect(result.errorText == "")
      return result.output
    }

    @Test func story_fromTheWeb_looksAsFromAFile() throws {
      let clip = try Clip(.pattern, width: 640, height: 360, seconds: 3).file()
      let nginx = try Nginx()
      try nginx.serve(file: clip, as: "a b.mp4")
      for second in [0.0, 1.4, 2.9] {
        #expect(try still("\(nginx.url)/a%20b.mp4", at: second) == still(clip, at: second))
      }
      #expect(nginx.accesses.map(\.bytes).reduce(0, +) == (try readFile(clip).count))
    }

    /// A still of a sound is no use before its waveform is known.
    @Test func sound_fromTheWeb_looksAsFromAFile() throws {
      let wave = makeWave((0..<480_000).map { Int16($0 / 40 * ($0 % 200 < 100 ? 1 : -1)) })
      let path = try cache.write(wave, to: "rising.wav")
      let nginx = try Nginx()
      try nginx.serve(wave, as: "rising.wav")
      for second in [0.0, 7.0] {
        let shown = try still("\(nginx.url)/rising.wav", at: second)
        #expect(try shown == still(path, at: second) && !shown.isEmpty)
      }
    }

    /// Of a story in several versions the one that fills the screen is fetched, and nothing of others.
    @Test func hls_ofSeveralVersions_fetchesOneAlone() throws {
      let clip = try Clip(width: 320, height: 180, seconds: 2).file()
      let part = cache.path("part.ts")
      let made = try run(
        Programs.installed("ffmpeg") ?? "ffmpeg",
        ["-v", "error", "-nostdin", "-i", clip, "-c", "copy", part], within: .seconds(60))
      try #require(made.status == 0)
      let nginx = try Nginx()
      var master = "\n#EXTM3U\n"
      for (name, size) in [("large", "1920x1080"), ("small", "320x180"), ("middle", "640x360")] {
        master += "#EXT-X-STREAM-INF:BANDWIDTH=800000,RESOLUTION=\(size)\n\(name).m3u8\n"
        try nginx.serve(Array("#EXTM3U\n#EXTINF:2,\n\(name).ts\n".utf8), as: "\(name).m3u8")
        try nginx.serve(file: part, as: "\(name).ts")
      }
      try nginx.serve(Array(master.utf8), as: "story.m3u8")
      let report = try untimed(["\(nginx.url)/story.m3u8"], ["--size", "40x12"])
      #expect(report.stories.map(\.status) == ["ended"])
      #expect(report.stories.map(\.framesDecoded) == [50])
      #expect(Set(nginx.accesses.map(\.path)) == ["/story.m3u8", "/small.m3u8", "/small.ts"])
      #expect(nginx.accesses.count == 3)
    }

    @Test func wholeStory_playedAgain_opensNoConnection() throws {
      let clip = try Clip(.pattern, width: 640, height: 360, seconds: 3).file()
      let nginx = try Nginx()
      try nginx.serve(file: clip, as: "clip.mp4")
      let url = "\(nginx.url)/clip.mp4"
      let first = try untimed([url])
      #expect(first.stories.map(\.source) == [url])
      #expect(first.stories.map(\.status) == ["ended"])
      #expect(first.network.requests >= 1)
      #expect(first.network.bytes == (try readFile(clip).count))
      #expect(first.cache.bytesFetched == first.network.bytes)
      let seen = try (0..<3).map { try still(url, at: Double($0)) }
      nginx.stop()
      let again = try untimed([url])
      #expect(again.network.requests == 0)
      #expect(again.network.bytes == 0)
      #expect(again.cache.bytesFetched == 0)
      #expect(again.cache.misses == 0)
      #expect(again.stories[0].framesShown == first.stories[0].framesShown)
      #expect(try (0..<3).map { try still(url, at: Double($0)) } == seen)
    }

    @Test func partlyWatched_thenWhole_fetchesOnlyTheRest() throws {
      let clip = try Clip(.footage, width: 1280, height: 720, rate: 30, seconds: 6).file()
      let size = try readFile(clip).count
      // No faster than it plays: what lies ahead is still to come when the viewer goes.
      let nginx = try Nginx(rate: size / 8)
      try nginx.serve(file: clip, as: "clip.mp4")
      let url = "\(nginx.url)/clip.mp4"
      let play = try Play(cacheOption + [url])
      play.type("i")
      let isPartlyHere = play.terminal.waitUntil(within: .seconds(20)) { screen in
        (cachedPercent(on: screen) ?? 0) >= 40
      }
      #expect(isPartlyHere)
      #expect(play.quit()?.shellStatus == 0)
      let before = try play.report().network.bytes
      #expect(before > size / 4)
      let rest = try untimed([url])
      #expect(rest.stories.map(\.status) == ["ended"])
      #expect(rest.network.bytes <= size - before + 512 << 10)
      #expect(rest.network.bytes + before <= size + size / 100 + 64 << 10)
    }

    /// The share that the panel of `i` names, "40 % of 5.4 MB".
    private func cachedPercent(on screen: TerminalScreen) -> Int? {
      let words = screen.text.split(whereSeparator: \.isWhitespace)
      guard let index = words.firstIndex(of: "cached"), index + 1 < words.count else { return nil }
      return Int(words[index + 1])
    }

    /// On a fast line a neighbour need not wait until most of the story that plays has come.
    @Test func neighbour_onAFastLine_isMadeReadyEarly() throws {
      let clip = try Clip(.footage, width: 1280, height: 720, rate: 30, seconds: 6).file()
      let nginx = try Nginx()
      try nginx.serve(file: clip, as: "1.mp4")
      try nginx.serve(file: clip, as: "2.mp4")
      let play = try Play(cacheOption + ["\(nginx.url)/1.mp4", "\(nginx.url)/2.mp4"])
      let isAsked = play.terminal.waitUntil { _ in
        nginx.accesses.contains { $0.path == "/2.mp4" }
      }
      #expect(isAsked)
      let before = nginx.accesses.prefix { $0.path == "/1.mp4" }.map(\.bytes).reduce(0, +)
      let size = try readFile(clip).count
      #expect(before > 0 && before < size)
      #expect(play.quit()?.shellStatus == 0)
    }

    @Test func feed_byURL_playsWhatIsBesideIt_alsoOffline() throws {
      let nginx = try Nginx()
      try nginx.serve(file: Colors.clip(Colors.red, seconds: 30), as: "anna/red.mp4")
      try nginx.serve(file: Colors.clip(Colors.lime, seconds: 30), as: "ben/green.mp4")
      try nginx.serve(
        Array(
          """
          {"version": "https://jsonfeed.org/version/1.1", "title": "Sea", "items": [
            {"id": "1", "authors": [{"name": "anna"}], "content_text": "Low tide",
             "attachments": [{"url": "anna/red.mp4", "mime_type": "video/mp4"}]},
            {"id": "2", "authors": [{"name": "ben"}],
             "attachments": [{"url": "/ben/green.mp4", "mime_type": "video/mp4"}]},
            {"id": "3", "attachments": [{"url": "file:///etc/passwd", "mime_type": "video/mp4"}]}]}
          """.utf8), as: "feed.json")
      for isOnline in [true, false] {
        if !isOnline { nginx.stop() }
        let play = try Play(cacheOption + ["\(nginx.url)/feed.json"])
        #expect(play.waitFor(color: Colors.red))
        #expect(play.terminal.screen.text.contains("anna"))
        #expect(play.waitFor("Low tide"))
        play.press(.right)
        #expect(play.waitFor(color: Colors.lime))
        #expect(play.terminal.screen.text.contains("ben"))
        // A feed from the network may not name files of this machine.
        #expect(play.quit()?.shellStatus == 3)
        play.expectRestored()
        #expect(
          try play.report().stories.map(\.source)
            == ["\(nginx.url)/anna/red.mp4", "\(nginx.url)/ben/green.mp4"])
      }
    }

    @Test func list_byURL_isTold() throws {
      let nginx = try Nginx()
      try nginx.serve(file: Colors.clip(Colors.red, seconds: 0.4), as: "red.mp4")
      try nginx.serve(file: Colors.clip(Colors.lime, seconds: 0.4), as: "sub/lime.mp4")
      try nginx.serve(
        Array("#EXTM3U\n#PLAYLIST:Two\n#EXTINF:1,First\nred.mp4\nsub/lime.mp4?x=1\n".utf8),
        as: "list.m3u8")
      let listed = try storytty(["list"] + cacheOption + ["\(nginx.url)/list.m3u8"])
      #expect(
        listed.outputText == """
          Two
            video     \(nginx.url)/red.mp4  First
            video     \(nginx.url)/sub/lime.mp4

          """)
      let report = try untimed(["\(nginx.url)/list.m3u8"])
      #expect(report.stories.map(\.status) == ["ended", "ended"])
    }

    @Test func hls_overHTTP_playsThroughTheCache() throws {
      let nginx = try Nginx()
      let made = try run(
        Programs.installed("ffmpeg") ?? "ffmpeg",
        [
          "-v", "error", "-nostdin", "-i", try Clip(.pattern, seconds: 4).file(), "-c", "copy",
          "-hls_time", "1", "-hls_playlist_type", "vod", nginx.folder.path("www/show.m3u8"),
        ])
      #expect(made.errorText == "")
      let first = try untimed(["\(nginx.url)/show.m3u8"])
      #expect(first.stories.map(\.status) == ["ended"])
      #expect(first.stories.map(\.kind) == ["video"])
      #expect(first.stories[0].framesShown == 100)
      nginx.stop()
      let again = try untimed(["\(nginx.url)/show.m3u8"])
      #expect(again.stories[0].framesShown == 100)
    }

    @Test(arguments: [
      ("missing.mp4", "does not have it"),
      ("page.mp4", "a web page, not a media file"),
      ("login/clip.mp4", "wants a login: see the config section [host 127.0.0.1:"),
    ])
    func story_thatServersRefuse_isNamedWithTheReason(path: String, reason: String) throws {
      let nginx = try Nginx(
        settings: """
          location /login/ { auth_basic x; auth_basic_user_file \(plainFile); }
          """)
      try nginx.serve(Array("<!DOCTYPE html><html><body>Hi</body></html>".utf8), as: "page.mp4")
      let url = "\(nginx.url)/\(path)"
      let play = try Play(cacheOption + [url])
      #expect(play.terminal.awaitEnd()?.shellStatus == 2)
      play.expectRestored()
      let name = path.split(separator: "/").last.map(String.init) ?? path
      let error = try play.report().stories.first?.error ?? ""
      #expect(error.hasPrefix("cannot play \(name): "))
      #expect(error.contains(reason))
    }

    /// A file of users without any.
    private var plainFile: String { (try? cache.write("", to: "users")) ?? "" }

    @Test func slowServer_showsWhatIsWaitedFor_andWhatIsHere() throws {
      let clip = try Clip(.footage, width: 1280, height: 720, rate: 30, seconds: 6).file()
      let nginx = try Nginx(rate: 100_000)
      try nginx.serve(file: clip, as: "beach.mp4")
      let play = try Play(cacheOption + ["\(nginx.url)/beach.mp4"])
      #expect(play.waitFor("beach.mp4 from 127.0.0.1"))
      let size = try readFile(clip).count
      let whole = "of \((Double(size) / 1e5).rounded() / 10) MB"
      #expect(play.waitFor(whole))
      play.type("i")
      #expect(play.waitFor("cached"))
      #expect(play.waitFor("kB/s"))
      #expect(play.quit()?.shellStatus == 0)
    }

    /// All share a line that brings four times what a story needs, so that neighbours are on their
    /// way when the viewer goes to another place.
    @Test func seekBeyondWhatIsHere_isAWait_thatNeighboursDoNotLengthen() throws {
      let clip = try Clip(.pattern, width: 640, height: 360, rate: 30, seconds: 60).file()
      let nginx = try Nginx()
      for name in ["a", "b", "c"] { try nginx.serve(file: clip, as: "\(name).mp4") }
      let line = try SlowLine(to: nginx.port, bytesPerSecond: 400_000)
      func bytes(_ names: [String]) -> Int {
        names.reduce(0) { $0 + line.bytes(of: "/\($1).mp4") }
      }
      let play = try Play(cacheOption + ["a", "b", "c"].map { "\(line.url)/\($0).mp4" })
      let areComing = play.terminal.waitUntil(within: .seconds(40)) { _ in
        bytes(["b", "c"]) > 100_000
      }
      #expect(areComing)
      let (own, others) = (bytes(["a"]), bytes(["b", "c"]))
      // Near the end of its segment of the bar, seconds behind the picture that others build on.
      play.click(column: 36, row: 0)
      // While it waits, it says so.
      #expect(play.waitFor("a.mp4 from 127.0.0.1"))
      let goesOn = play.terminal.waitUntil(within: .seconds(40)) { screen in
        !screen.text.contains("a.mp4 from 127.0.0.1")
      }
      #expect(goesOn)
      let (ownMore, othersMore) = (bytes(["a"]) - own, bytes(["b", "c"]) - others)
      // No share of the line: what was on its way already, or as good as here.
      #expect(othersMore < 128 << 10 && ownMore > 2 * othersMore)
      // Then they come again.
      let comeAgain = play.terminal.waitUntil(within: .seconds(40)) { _ in
        bytes(["b", "c"]) > others + othersMore + 100_000
      }
      #expect(comeAgain)
      #expect(play.quit()?.shellStatus == 0)
      let story = try #require(try play.report().stories.first)
      #expect(story.waits >= 1)
      #expect(story.waitedMs > 250)
    }

    /// What is made ready is not fetched once more when its turn comes, nor what was told for the
    /// way back, where nothing keeps it.
    @Test(arguments: [true, false])
    func withoutACache_storiesInTheirOrder_areFetchedOnce(isStorable: Bool) throws {
      let clip = try Clip(.footage, width: 640, height: 360, rate: 30, seconds: 1).file()
      let nginx = try Nginx(settings: isStorable ? "" : "add_header Cache-Control no-store;")
      let urls = try (1...4).map { number in
        try nginx.serve(file: clip, as: "\(number).mp4")
        return "\(nginx.url)/\(number).mp4"
      }
      let play = try Play((isStorable ? ["--no-cache"] : cacheOption) + urls)
      #expect(play.waitFor("That was all", within: .seconds(30)))
      #expect(play.quit()?.shellStatus == 0)
      let report = try play.report()
      #expect(report.stories.map(\.status) == ["ended", "ended", "ended", "ended"])
      #expect(try report.network.bytes == 4 * readFile(clip).count)
    }

    @Test func noCache_keepsNothing() throws {
      let nginx = try Nginx()
      try nginx.serve(file: Colors.clip(Colors.red, seconds: 0.4), as: "red.mp4")
      let url = "\(nginx.url)/red.mp4"
      let play = try Play(["--untimed", "--no-cache", url])
      #expect(play.terminal.awaitEnd()?.shellStatus == 0)
      #expect(directoryEntries(play.home.path("cache")) == [])
      #expect(try play.report().network.requests >= 1)
    }
  }
}
