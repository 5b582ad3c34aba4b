import Support
import Testing

extension EndToEnd {
  /// HLS stories from a web server: parts that are fetched ahead, and playlists that grow.
  @Suite struct HLSTests {
    private let cache: TemporaryDirectory
    private let nginx: Nginx

    init() throws {
      cache = try TemporaryDirectory()
      nginx = try Nginx()
    }

    private var cacheOption: [String] { ["--cache-dir", cache.path("cache")] }

    /// Serves segments of two seconds each of a colour, as 0.ts and so on, with one clock.
    private func serveSegments(
      _ colors: [UInt32], in folder: String = "", from other: Nginx? = nil
    ) throws {
      for (number, color) in colors.enumerated() {
        let path = cache.path("\(color)-\(number).ts")
        let digits = String(color, radix: 16)
        let name = "0x" + String(repeating: "0", count: 6 - digits.count) + digits
        let made = try run(
          Programs.installed("ffmpeg") ?? "ffmpeg",
          [
            "-v", "error", "-nostdin", "-f", "lavfi", "-i", "color=c=\(name):s=90x160:r=10:d=2",
            "-c:v", "libx264", "-g", "10", "-pix_fmt", "yuv420p", "-output_ts_offset",
            "\(number * 2)", "-y", path,
          ], within: .seconds(60))
        try #require(made.status == 0, "\(made.errorText)")
        try (other ?? nginx).serve(file: path, as: "\(folder)\(number).ts")
      }
    }

    private func list(_ numbers: Range<Int>, end: Bool = true, folder: String = "") -> [UInt8] {
      let head = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n"
      let parts = numbers.map { "#EXTINF:2,\n\(folder)\($0).ts\n" }.joined()
      return Array((head + parts + (end ? "#EXT-X-ENDLIST\n" : "")).utf8)
    }

    /// Bytes that the server has sent for a path.
    private func sent(_ path: String) -> Int {
      nginx.accesses.filter { $0.path == path }.map(\.bytes).reduce(0, +)
    }

    /// While the first part plays, the parts of the next ten seconds are fetched, and no others.
    @Test func parts_areFetchedAhead_andOnce() throws {
      let colors = [Colors.red, Colors.red] + Array(repeating: Colors.lime, count: 8)
      try serveSegments(colors)
      try nginx.serve(list(0..<10), as: "story.m3u8")
      let play = try Play(cacheOption + ["\(nginx.url)/story.m3u8"])
      #expect(play.waitFor(color: Colors.red))
      let isAhead = play.terminal.waitUntil { _ in nginx.accesses.contains { $0.path == "/5.ts" } }
      #expect(isAhead)
      // The first two parts are red: neither has been played to its end.
      #expect(shows(Colors.red, on: play.terminal.screen))
      #expect(!nginx.accesses.contains { ["/8.ts", "/9.ts"].contains($0.path) })
      #expect(play.waitFor(color: Colors.lime))
      #expect(play.quit()?.shellStatus == 0)
      #expect(try play.report().stories[0].waits == 0)
      let fetched = Set(nginx.accesses.map(\.path)).filter { $0.hasSuffix(".ts") }
      for path in fetched {
        #expect(sent(path) == (try readFile(nginx.folder.path("www\(path)")).count), "\(path)")
      }
    }

    /// Also if each of them is somewhere else than the playlist says.
    @Test func parts_behindRedirects_areFetchedAhead_andOnce() throws {
      let nginx = try Nginx(settings: "location ~ ^/moved/(.*)$ { return 302 /$1; }")
      let colors = [Colors.red, Colors.red] + Array(repeating: Colors.lime, count: 4)
      try serveSegments(colors, from: nginx)
      try nginx.serve(list(0..<6, folder: "moved/"), as: "story.m3u8")
      let play = try Play(cacheOption + ["\(nginx.url)/story.m3u8"])
      #expect(play.waitFor(color: Colors.red))
      let isAhead = play.terminal.waitUntil { _ in nginx.accesses.contains { $0.path == "/5.ts" } }
      #expect(isAhead)
      // The first two parts are red: neither has been played to its end.
      #expect(shows(Colors.red, on: play.terminal.screen))
      // All that is needed is here.
      nginx.stop()
      #expect(play.waitFor("That was all", within: .seconds(30)))
      #expect(play.quit()?.shellStatus == 0)
      #expect(try play.report().stories.map(\.status) == ["ended"])
      for number in 0..<6 {
        let answers = nginx.accesses.filter { $0.path == "/\(number).ts" }
        let size = try readFile(nginx.folder.path("www/\(number).ts")).count
        #expect(answers.map(\.bytes).reduce(0, +) == size)
      }
    }

    /// A viewer who goes elsewhere does not wait for what would have come next.
    @Test func seek_letsGoOfPartsThatAreNotWanted() throws {
      let colors =
        Array(repeating: Colors.red, count: 10) + Array(repeating: Colors.lime, count: 10)
      try serveSegments(colors)
      try nginx.serve(list(0..<20), as: "story.m3u8")
      let play = try Play(cacheOption + ["\(nginx.url)/story.m3u8"])
      #expect(play.waitFor(color: Colors.red))
      play.click(column: 90, row: 0)
      #expect(play.waitFor(color: Colors.lime))
      let isAhead = play.terminal.waitUntil { _ in nginx.accesses.contains { $0.path == "/18.ts" } }
      #expect(isAhead)
      #expect(play.quit()?.shellStatus == 0)
      #expect(!nginx.accesses.contains { $0.path == "/11.ts" })
    }

    /// A line that brings little more than the story needs: no stop between its parts.
    @Test func parts_onASlowLine_followWithoutAStop() throws {
      let clip = try Clip(.pattern, width: 640, height: 360, rate: 25, seconds: 12).file()
      let made = try run(
        Programs.installed("ffmpeg") ?? "ffmpeg",
        [
          "-v", "error", "-nostdin", "-i", clip, "-c:v", "libx264", "-b:v", "800k", "-g", "50",
          "-force_key_frames", "expr:gte(t,n_forced*3)", "-hls_time", "3", "-hls_playlist_type",
          "vod", nginx.folder.path("www/show.m3u8"),
        ], within: .seconds(60))
      try #require(made.status == 0, "\(made.errorText)")
      let names = directoryEntries(nginx.folder.path("www")).filter { $0.hasSuffix(".ts") }
      let size = try names.map { try readFile(nginx.folder.path("www/\($0)")).count }.reduce(0, +)
      let line = try SlowLine(to: nginx.port, bytesPerSecond: size / 12 * 13 / 10)
      let play = try Play(cacheOption + ["\(line.url)/show.m3u8"])
      #expect(play.waitFor("That was all", within: .seconds(40)))
      #expect(play.quit()?.shellStatus == 0)
      let report = try play.report()
      #expect(report.stories.map(\.status) == ["ended"])
      // The line is too slow for its first pictures, which are larger than others.
      #expect(report.stories[0].waits <= 1)
      #expect(report.cache.bytesFetched == report.network.bytes)
    }

    /// The neighbours of a story that was stopped are made ready, with their first pictures.
    @Test func neighbour_ofAPausedStory_isReady() throws {
      try serveSegments(Array(repeating: Colors.red, count: 6), in: "a/")
      try serveSegments([Colors.lime], in: "b/")
      try nginx.serve(list(0..<6, folder: "a/"), as: "a.m3u8")
      try nginx.serve(list(0..<1, folder: "b/"), as: "b.m3u8")
      // The pause comes before the neighbour's turn.
      let play = try Play(
        cacheOption + ["--log", cache.path("log"), "\(nginx.url)/a.m3u8", "\(nginx.url)/b.m3u8"])
      #expect(play.waitFor(color: Colors.red))
      play.type(" ")
      let isReady = play.terminal.waitUntil { _ in nginx.accesses.contains { $0.path == "/b/0.ts" }
      }
      #expect(isReady)
      #expect(shows(Colors.red, on: play.terminal.screen))
      nginx.stop()
      play.press(.right)
      #expect(play.waitFor(color: Colors.lime))
      #expect(play.quit()?.shellStatus == 0)
    }

    // MARK: - Prefetching

    /// All of the rendition that the player would choose, with its sound and keys; then the story plays
    /// without its server.
    @Test func prefetch_keepsWhatIsPlayed() throws {
      let clip = try Clip(.pattern, width: 320, height: 180, seconds: 4, sound: true).file()
      let ffmpeg = Programs.installed("ffmpeg") ?? "ffmpeg"
      let www = nginx.folder.path("www")
      try cache.write(Array("0123456789abcdef".utf8), to: "key")
      try nginx.serve(Array("0123456789abcdef".utf8), as: "key.bin")
      try cache.write("key.bin\n\(cache.path("key"))\n", to: "key.info")
      for (name, options) in [
        ("v", ["-an", "-hls_key_info_file", cache.path("key.info")]),
        ("a", ["-vn", "-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "a-init.mp4"]),
      ] {
        let made = try run(
          ffmpeg,
          ["-v", "error", "-nostdin", "-i", clip, "-c", "copy"] + options + [
            "-hls_time", "1", "-hls_playlist_type", "vod", "\(www)/\(name).m3u8",
          ], within: .seconds(60))
        try #require(made.status == 0, "\(made.errorText)")
      }
      let master = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="s",NAME="s",URI="a.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=9000000,RESOLUTION=1920x1080,AUDIO="s"
        large.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=800000,RESOLUTION=320x180,AUDIO="s"
        v.m3u8

        """
      try nginx.serve(Array(master.utf8), as: "story.m3u8")
      let url = "\(nginx.url)/story.m3u8"
      let words = ["cache", "prefetch", "--size", "120x40", url] + cacheOption
      let first = try storytty(words)
      #expect(first.errorText == "")
      #expect(first.status == 0)
      let paths = Set(nginx.accesses.map(\.path))
      let parts = directoryEntries(www).filter { $0.hasSuffix(".ts") || $0.hasSuffix(".m4s") }
      #expect(!parts.isEmpty)
      #expect(
        paths
          == Set(
            (parts + ["story.m3u8", "v.m3u8", "a.m3u8", "a-init.mp4", "key.bin"]).map { "/\($0)" }))
      let size = try paths.map { try readFile(www + $0).count }.reduce(0, +)
      #expect(nginx.accesses.map(\.bytes).reduce(0, +) == size)
      let again = try JSONValue(parsing: storytty(words + ["--json"]).output)
      #expect(again.elements.first?["bytes"].number == Double(size))
      #expect(again.elements.first?["bytesFetched"].number == 0)
      nginx.stop()
      let play = try Play(["--untimed", "--size", "120x40"] + cacheOption + [url])
      #expect(play.terminal.awaitEnd()?.shellStatus == 0)
      let report = try play.report()
      #expect(report.stories.map(\.status) == ["ended"])
      #expect(report.stories[0].notes == [])
      #expect(report.stories[0].framesShown == 100)
      // Only the source itself is asked for, in vain, whether it has changed.
      #expect(report.network.bytes == 0)
      #expect(report.cache.misses == 0)
    }

    /// The cache's list calls them all the same.
    @Test func prefetch_ofPartsThatDifferInTheQuery_keepsThem() throws {
      let nginx = try Nginx(settings: "location = /part.ts { try_files /$arg_n.ts =404; }")
      try serveSegments([Colors.red, Colors.lime, Colors.blue], from: nginx)
      let parts = (0..<3).map { "#EXTINF:2,\npart.ts?n=\($0)\n" }.joined()
      let text = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(parts)#EXT-X-ENDLIST\n"
      try nginx.serve(Array(text.utf8), as: "story.m3u8")
      let url = "\(nginx.url)/story.m3u8"
      let result = try storytty(["cache", "prefetch", url] + cacheOption)
      #expect(result.errorText == "")
      #expect(result.status == 0)
      nginx.stop()
      let play = try Play(["--untimed"] + cacheOption + [url])
      #expect(play.terminal.awaitEnd()?.shellStatus == 0)
      #expect(try play.report().network.bytes == 0)
    }

    /// What cannot be kept is not fetched.
    @Test(arguments: [
      (["--cache-stories", "3"], true, "it has 5 parts, and the cache holds 3 entries at most"),
      ([], false, "it is live, and has no end yet"),
    ]) func prefetch_ofWhatCannotBeKept_saysSo(
      options: [String], end: Bool, reason: String
    ) throws {
      try serveSegments(Array(repeating: Colors.red, count: 4))
      try nginx.serve(list(0..<4, end: end), as: "story.m3u8")
      let url = "\(nginx.url)/story.m3u8"
      let result = try storytty(["cache", "prefetch", url] + options + cacheOption)
      #expect(result.status == 2)
      #expect(result.errorText.hasPrefix("storytty: cannot keep \(url): \(reason)"))
      #expect(!nginx.accesses.contains { $0.path == "/3.ts" })
    }

    // MARK: - Live

    /// It says so, is followed to its end, and leaves nothing in the cache.
    @Test func live_isFollowed_andNotKept() throws {
      try serveSegments([Colors.red, Colors.red, Colors.red, Colors.red, Colors.lime, Colors.blue])
      try nginx.serve(list(0..<4, end: false), as: "live.m3u8")
      let play = try Play(cacheOption + ["\(nginx.url)/live.m3u8"])
      #expect(play.waitFor(color: Colors.red))
      #expect(play.waitFor("LIVE"))
      try nginx.serve(list(1..<5, end: false), as: "live.m3u8")
      #expect(play.waitFor(color: Colors.lime, within: .seconds(30)))
      try nginx.serve(list(3..<6), as: "live.m3u8")
      #expect(play.waitFor(color: Colors.blue))
      #expect(play.waitFor("That was all"))
      #expect(play.quit()?.shellStatus == 0)
      let story = try #require(try play.report().stories.first)
      #expect(story.status == "ended")
      #expect(story.durationMs == nil || story.presentedMs <= story.durationMs ?? 0)
      // Three target durations before the end.
      #expect(!nginx.accesses.contains { $0.path == "/0.ts" })
      for number in 1..<6 {
        let size = try readFile(nginx.folder.path("www/\(number).ts")).count
        #expect(sent("/\(number).ts") == size)
      }
      let kept = try storytty(["cache", "list"] + cacheOption)
      #expect(kept.outputText == "")
    }

    /// One that was stopped for long goes on where the story is by then.
    @Test func live_afterAPause_goesOnWhereItIs() throws {
      try serveSegments(
        Array(repeating: Colors.red, count: 4) + [Colors.blue, Colors.blue, Colors.lime])
      try nginx.serve(list(0..<3, end: false), as: "live.m3u8")
      let play = try Play(cacheOption + ["\(nginx.url)/live.m3u8"])
      #expect(play.waitFor(color: Colors.red))
      play.type(" ")
      play.watch(for: .milliseconds(500))
      // The server has gone on, and what comes next is gone.
      for number in 0..<6 { try nginx.serve([], as: "\(number).ts") }
      try nginx.serve(list(6..<7), as: "live.m3u8")
      play.type(" ")
      #expect(play.waitFor(color: Colors.lime, within: .seconds(30)))
      #expect(play.waitFor("That was all"))
      #expect(play.quit()?.shellStatus == 0)
      #expect(try play.report().stories[0].status == "ended")
    }

    @Test func live_whoseServerIsGone_saysSo() throws {
      try serveSegments([Colors.red, Colors.red])
      try nginx.serve(list(0..<2, end: false), as: "live.m3u8")
      let play = try Play(cacheOption + ["\(nginx.url)/live.m3u8"])
      #expect(play.waitFor(color: Colors.red))
      nginx.stop()
      #expect(
        play.waitFor(
          "cannot play live.m3u8: its live playlist cannot be fetched", within: .seconds(60)))
      #expect(play.quit()?.shellStatus == 3)
      #expect(try play.report().stories[0].status == "failed")
    }
  }
}
