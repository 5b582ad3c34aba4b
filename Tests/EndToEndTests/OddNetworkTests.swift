import Support
import Testing

extension EndToEnd {
  /// Servers that have moved what they are asked for, or say odd things of it, and networks that want a
  /// login first.
  @Suite struct OddNetworkTests {
    private let cache: TemporaryDirectory
    init() throws { cache = try TemporaryDirectory() }

    private var cacheOption: [String] { ["--cache-dir", cache.path("cache")] }

    /// Plays to the end as fast as can be, and gives the statuses of what was told.
    private func statuses(_ source: String) throws -> [String] {
      let play = try Play(["--untimed"] + cacheOption + [source])
      #expect(play.terminal.awaitEnd()?.shellStatus == 0)
      return try play.report().stories.map(\.status)
    }

    @Test func hls_whosePlaylistsHaveMoved_plays_alsoOffline() throws {
      let nginx = try Nginx(
        settings: """
          location = /latest { return 302 /a/b/master.m3u8?sig=1; }
          location = /a/b/low/list.m3u8 { return 301 /c/d/list.m3u8; }
          """)
      try nginx.serve(
        Array("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow/list.m3u8\n".utf8),
        as: "a/b/master.m3u8")
      try nginx.serve([], as: "c/d/empty")
      let made = try run(
        Programs.installed("ffmpeg") ?? "ffmpeg",
        [
          "-v", "error", "-nostdin", "-i", try Clip(.pattern, seconds: 2).file(), "-c", "copy",
          "-hls_time", "1", "-hls_playlist_type", "vod", nginx.folder.path("www/c/d/list.m3u8"),
        ])
      #expect(made.errorText == "")
      #expect(try statuses("\(nginx.url)/latest") == ["ended"])
      #expect(nginx.accesses.contains { $0.path == "/c/d/list0.ts" && $0.status < 300 })
      #expect(nginx.accesses.allSatisfy { $0.status < 400 })
      nginx.stop()
      #expect(try statuses("\(nginx.url)/latest") == ["ended"])
    }

    @Test func feed_thatHasMoved_andComesCompressedAsAWebPage_plays_alsoOffline() throws {
      let nginx = try Nginx(
        settings: """
          location = /feed { return 301 /new/feed; }
          location /new/ { gzip_static always; default_type text/html; }
          location /new/media/ { default_type text/html; }
          """)
      let feed = """
        {"version": "https://jsonfeed.org/version/1.1", "items": [
          {"id": "1", "attachments": [{"url": "media/red.mp4", "mime_type": "video/mp4"}]}]}
        """
      try nginx.serve(gzip(Array(feed.utf8)), as: "new/feed.gz")
      try nginx.serve(file: Colors.clip(Colors.red, seconds: 0.4), as: "new/media/red.mp4")
      #expect(try statuses("\(nginx.url)/feed") == ["ended"])
      nginx.stop()
      #expect(try statuses("\(nginx.url)/feed") == ["ended"])
    }

    @Test func portal_inPlaceOfAFeed_isToldOnce_andTheFeedPlays() throws {
      let nginx = try Nginx(
        settings: """
          location = /list.m3u8 { if (-f $document_root/away) { return 302 /portal; } }
          location = /portal { default_type text/html; return 200 '<html>Log in</html>'; }
          """)
      try nginx.serve(file: Colors.clip(Colors.red, seconds: 30), as: "red.mp4")
      try nginx.serve(Array("#EXTM3U\nred.mp4\n".utf8), as: "list.m3u8")
      let fetched = try storytty(["cache", "prefetch"] + cacheOption + ["\(nginx.url)/list.m3u8"])
      #expect(fetched.status == 0)
      try nginx.serve([], as: "away")
      let play = try Play(cacheOption + ["\(nginx.url)/list.m3u8"])
      #expect(play.waitFor(color: Colors.red))
      #expect(play.waitFor("plays as it was here"))
      #expect(play.quit()?.shellStatus == 0)
    }
  }
}
