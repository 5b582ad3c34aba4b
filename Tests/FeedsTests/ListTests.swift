import Feeds
import Stories
import Testing

@Suite struct ListTests {
  private func read(
    _ text: String, name: String = "l.m3u", _ others: [String: FakeFiles.Node] = [:]
  )
    throws -> (Feed, FakeFiles)
  {
    var nodes = others
    nodes["/home/" + name] = .file(Array(text.utf8))
    let files = FakeFiles(nodes)
    return (try FeedReader(files: files).read([name]), files)
  }

  @Test func read_extended_givesTitlesLengthsAndPlaces() throws {
    let text = """
      #EXTM3U
      #PLAYLIST: A week
      #EXTINF:2.5,Low, tide
      a.mp4
      #EXTINF:-1 tvg-id="x, y" group-title="g",After "quotes", too
      sub/b.jpg
      # a comment
      #EXTVLCOPT:http-user-agent=x

        https://example.com/c.mp3?t=1
      """
    let (feed, _) = try read(text)
    #expect(
      feed
        == Feed(
          identity: "/home/l.m3u", title: "A week",
          reels: [
            Reel(
              name: "A week",
              stories: [
                Story(
                  source: .file("/home/a.mp4"), kind: .video, caption: "Low, tide", durationS: 2.5),
                Story(
                  source: .file("/home/sub/b.jpg"), kind: .picture,
                  caption: #"After "quotes", too"#),
                Story(source: .url("https://example.com/c.mp3?t=1"), kind: .sound),
              ])
          ]))
  }

  @Test(arguments: ["\n", "\r\n", "\r", "\n\n\r\n"])
  func read_anyLineEnds(end: String) throws {
    let text = ["#EXTM3U", "#EXTINF:3,One", "a.mp4", "b.mp4"].joined(separator: end) + end
    let (feed, _) = try read(text)
    #expect(feed.reels.flatMap(\.stories).map(\.source.text) == ["/home/a.mp4", "/home/b.mp4"])
    #expect(feed.reels.first?.stories.first?.caption == "One")
  }

  @Test func read_latin1_isNotUTF8() throws {
    let bytes: [UInt8] =
      Array("#EXTM3U\n#EXTINF:1,".utf8) + [0xE6, 0x0A, 0xF8] + Array(".mp3".utf8)
    let files = FakeFiles(["/home/l.m3u": .file(bytes)])
    let feed = try FeedReader(files: files).read(["l.m3u"])
    let story = try #require(feed.reels.first?.stories.first)
    #expect(story.caption == "æ")
    #expect(story.source == .file("/home/ø.mp3"))
  }

  /// Each address, the path or URL that it becomes, and why it is skipped if it is.
  @Test(arguments: [
    ("/v/a.mp4", "/v/a.mp4", ""),
    ("../v/a.mp4", "/v/a.mp4", ""),
    ("./x/../a.mp4", "/home/a.mp4", ""),
    ("x//./a.mp4", "/home/x/a.mp4", ""),
    ("../../../../v/a.mp4", "/v/a.mp4", ""),
    ("file:///v/a%20b.mp4", "/v/a b.mp4", ""),
    ("file://localhost/v/a.mp4", "/v/a.mp4", ""),
    ("FILE:///v/../v/a.mp4", "/v/a.mp4", ""),
    ("HTTPS://h/A.MP4", "HTTPS://h/A.MP4", ""),
    ("Song: live.mp3", "/home/Song: live.mp3", ""),
    ("100%25.mp4", "/home/100%.mp4", ""),
    ("real%20name.mp4", "/home/real%20name.mp4", ""),
    ("win\\dir\\a.mp4", "/home/win/dir/a.mp4", ""),
    ("what?.mp4", "/home/what?.mp4", ""),
    ("gone.mp4", "/home/gone.mp4", ""),
    ("/etc/passwd", nil, "it is not a medium by its name"),
    ("/dev/zero", nil, "it is not a medium by its name"),
    ("notes.txt", nil, "it is not a medium by its name"),
    ("|ls", nil, "commands are never run"),
    ("concat:/etc/passwd", nil, "'concat:' addresses are not played"),
    ("javascript:alert(1)", nil, "'javascript:' addresses are not played"),
    ("rtmp://h/a.mp4", nil, "'rtmp:' addresses are not played"),
    ("//h/a.mp4", nil, "its address names a host without scheme"),
    ("file://other/a.mp4", nil, "its file address is malformed or names another host"),
    ("file:///a%00.mp4", nil, "its file address is malformed or names another host"),
    ("http:///a.mp4", nil, "its address names no host"),
    ("a\u{0}.mp4", nil, "its address holds a NUL"),
    ("pipe.mp4", nil, "not a regular file"),
    ("dir.mp4", nil, "a folder inside a list is not read"),
    ("gone.m3u", nil, "no such list, or it cannot be read"),
    ("feed.json", nil, "a feed inside a list is not read"),
    ("text.json", nil, "it is not an animation"),
    ("l.m3u", nil, "the list contains itself"),
    ("empty.m3u", nil, "the list is empty"),
  ])
  func read_address(address: String, path: String?, reason: String) throws {
    let (feed, files) = try read(
      "#EXTM3U\n\(address)\n",
      [
        "/v/a.mp4": .file(Bytes.mp4), "/home/x": .folder, "/home/100%.mp4": .file(Bytes.mp4),
        "/home/real%20name.mp4": .file(Bytes.mp4), "/home/real name.mp4": .file(Bytes.mp4),
        "/home/win/dir/a.mp4": .file(Bytes.mp4), "/home/what?.mp4": .file(Bytes.mp4),
        "/home/pipe.mp4": .special, "/home/dir.mp4": .folder, "/home/empty.m3u": .file([]),
        "/home/notes.txt": .file(Bytes.text), "/etc/passwd": .file(Bytes.text),
        "/dev/zero": .special, "/home/text.json": .file(Array("{}".utf8)),
        "/home/feed.json": .file(Array(#"{"version":"https://jsonfeed.org/version/1"}"#.utf8)),
      ])
    #expect(feed.reels.flatMap(\.stories).map(\.source.text) == (path.map { [$0] } ?? []))
    #expect(feed.skipped == (path == nil ? [Skipped(source: address, reason: reason)] : []))
    let outside = files.opened.filter { $0.hasPrefix("/etc") || $0.hasPrefix("/dev") }
    #expect(outside == [])
  }

  /// Skipped entries are shown without userinfo and query, wherever the list is.
  @Test(arguments: [
    ("ftp://u:CANARY@h/x?CANARY", "ftp://h/x"), ("//u:CANARY@h/x.mp4?CANARY", "//h/x.mp4"),
    ("http://u:CANARY@?CANARY", "http://"), ("|get http://u:CANARY@h/", "|get http://h/"),
    ("file://u:CANARY@other/x?CANARY", "file://other/x"),
  ])
  func read_addressLeftOut_isShownWithoutSecrets(address: String, shown: String) throws {
    let (feed, _) = try read("a.mp4\n\(address)\n")
    #expect(feed.skipped.map(\.source) == [shown])
    let url = "https://h/l.m3u"
    let web = FakeWeb(pages: [url: Array("#EXTM3U\na.mp4\n\(address)\n".utf8)])
    let skipped = try FeedReader(web: web).read([url]).skipped
    #expect(skipped.allSatisfy { $0.source == shown })
    #expect(skipped.count == (address.hasPrefix("//") ? 0 : 1))
  }

  @Test func read_linkedFolder_resolvesUpwardsAsTheKernelDoes() throws {
    let files = FakeFiles([
      "/home/lists": .link("/mnt/data/lists"),
      "/mnt/data/lists/l.m3u": .file(Array("../video/x.mp4\n".utf8)),
      "/mnt/data/video/x.mp4": .file(Bytes.mp4),
    ])
    let feed = try FeedReader(files: files).read(["lists/l.m3u"])
    #expect(feed.reels.first?.stories.map(\.source) == [.file("/mnt/data/video/x.mp4")])
  }

  @Test func read_listInList_isOneReelInOrder() throws {
    let (feed, _) = try read(
      "a.mp4\nin/two.m3u\nb.mp4\n",
      [
        "/home/in/two.m3u": .file(Array("c.mp4\n../l.m3u\nhls.m3u8\n".utf8)),
        "/home/in/hls.m3u8": .file(Array("#EXTM3U\n#EXT-X-VERSION:3\nx.ts\n".utf8)),
      ])
    #expect(
      feed.reels.map { $0.stories.map(\.source.text) } == [
        ["/home/a.mp4", "/home/in/c.mp4", "/home/in/hls.m3u8", "/home/b.mp4"]
      ])
    #expect(feed.skipped == [Skipped(source: "../l.m3u", reason: "the list contains itself")])
  }

  @Test func read_listsNestedTooDeep_stopWithAReason() throws {
    var nodes: [String: FakeFiles.Node] = [:]
    for level in 0..<12 { nodes["/home/\(level).m3u"] = .file(Array("\(level + 1).m3u\n".utf8)) }
    let feed = try FeedReader(files: FakeFiles(nodes)).read(["0.m3u"])
    #expect(
      feed.skipped == [Skipped(source: "8.m3u", reason: "lists are nested deeper than 8 levels")])
  }

  @Test(arguments: [
    ("", "the list is empty"), ("#EXTM3U\n", "the list is empty"),
    ("\u{FEFF}#EXTM3U\n\n", "the list is empty"),
  ])
  func read_nothing_throws(text: String, reason: String) {
    #expect(throws: FeedError.cannotRead(source: "l.m3u", reason: reason)) { try read(text) }
  }

  @Test(arguments: ["#EXTM3U\n#EXT-X-VERSION:3\nx.ts\n", "# c\n#EXTM3U\n#EXT-X-STREAM-INF:\na\n"])
  func read_hls_isOneVideo(text: String) throws {
    let (feed, _) = try read(text, name: "live.m3u8")
    #expect(
      feed.reels == [
        Reel(name: "home", stories: [Story(source: .file("/home/live.m3u8"), kind: .video)])
      ])
  }

  @Test func read_manyItems_looksIntoSome_andTakesTheRestByName() throws {
    let text = (0..<10_000).map { "\($0).mp4" }.joined(separator: "\n")
    var nodes: [String: FakeFiles.Node] = [:]
    for number in 0..<10_000 { nodes["/home/\(number).mp4"] = .file(Bytes.jpeg) }
    let (feed, files) = try read(text, nodes)
    let kinds = feed.reels.flatMap(\.stories).map(\.kind)
    #expect(
      kinds == Array(repeating: .picture, count: 4096) + Array(repeating: .video, count: 5904))
    #expect(files.opened.count { $0 != "/home/l.m3u" } == 4096)
  }
}
