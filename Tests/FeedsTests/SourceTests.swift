import Feeds
import Stories
import Testing

@Suite struct SourceTests {
  private let files = FakeFiles([
    "/home/a.mp4": .file(Bytes.mp4), "/home/b.jpg": .file(Bytes.jpeg),
    "/home/v/c.mp4": .file(Bytes.mp4), "/home/notes": .file(Bytes.text),
    "/home/empty.mp4": .file([]), "/home/pipe": .special, "/home/secret.mp4": .denied,
    "/home/rss.xml": .file(Array("\u{FEFF}<?xml version='1.0'?><rss>".utf8)),
    "/home/page": .file(Array("<!DOCTYPE HTML>".utf8)),
    "/home/radio.pls": .file(Array("[playlist]\n".utf8)),
    "/home/odd:name.mp4": .file(Bytes.mp4), "/home/data:x.mp4": .file(Bytes.mp4),
    "/home/clips/notes.txt": .file(Bytes.text), "/home/turn.json": .file(Bytes.lottie),
    "/home/-.mp4": .file(Bytes.mp4), "/home/l.m3u": .file(Array("a.mp4\n".utf8)),
  ])

  private func read(_ sources: [String], input: [UInt8] = []) throws(FeedError) -> Feed {
    try FeedReader(files: files).read(sources, standardInput: { input })
  }

  private func paths(_ feed: Feed) -> [[String]] {
    feed.reels.map { $0.stories.map(\.source.text) }
  }

  @Test(
    arguments: [
      ("a.mp4", "/home/a.mp4", .video), ("./a.mp4", "/home/a.mp4", .video),
      ("/home/v/../a.mp4", "/home/a.mp4", .video), ("v/c.mp4", "/home/v/c.mp4", .video),
      ("file:///home/a.mp4", "/home/a.mp4", .video), ("odd:name.mp4", "/home/odd:name.mp4", .video),
      ("data:x.mp4", "/home/data:x.mp4", .video), ("notes", "/home/notes", nil),
      ("empty.mp4", "/home/empty.mp4", .video), ("turn.json", "/home/turn.json", .animation),
      ("-.mp4", "/home/-.mp4", .video),
    ] as [(String, String, Story.Kind?)])
  func read_oneFile(source: String, path: String, kind: Story.Kind?) throws {
    let feed = try read([source])
    #expect(feed.reels.map(\.stories) == [[Story(source: .file(path), kind: kind)]])
    #expect(feed.title == path.split(separator: "/").last.map(String.init))
  }

  @Test(
    arguments: [
      ("https://h.example:8/x/y.MP4?q=/z.jpg#f", "h.example", .video),
      ("http://[::1]:80/", "[::1]", nil),
      ("HTTP://user:pass@h/live.m3u8", "h", .video),
    ] as [(String, String, Story.Kind?)])
  func read_webAddress_isAStoryOfItsHost(url: String, host: String, kind: Story.Kind?) throws {
    let feed = try read([url])
    #expect(feed.reels == [Reel(name: host, stories: [Story(source: .url(url), kind: kind)])])
  }

  @Test(arguments: [
    ("missing.mp4", "cannot play missing.mp4: no such file"),
    ("a.mp4/x", "cannot play a.mp4/x: no such file"),
    ("pipe", "cannot play pipe: not a regular file"),
    ("secret.mp4", "cannot play secret.mp4: permission denied"),
    ("clips", "cannot play clips: no media in this directory"),
    ("", "cannot play '': the name is empty"),
    ("concat:a|b", "cannot play concat:a|b: 'concat:' addresses are not played"),
    ("rtsp://h/x", "cannot play rtsp://h/x: 'rtsp:' addresses are not played"),
    ("http://", "cannot play http://: the address names no host"),
    ("file://other/x", "cannot play file://other/x: its file address is malformed"),
    ("rss.xml", "cannot read rss.xml: the feed has no items"),
    ("page", "cannot read page: a web page, not media and not a feed"),
    ("radio.pls", "cannot read radio.pls: the list is empty"),
  ])
  func read_oneBadSource_throwsWords(source: String, words: String) {
    var failure: FeedError?
    do { _ = try read([source]) } catch { failure = error }
    #expect(failure?.description == words)
  }

  /// Whatever prevents an address from being played, its userinfo and query are not shown.
  @Test(arguments: [
    ("htp://u:CANARY@h/x.mp4?CANARY#CANARY", "htp://h/x.mp4"),
    ("ftp://u:CANARY@h/x?CANARY", "ftp://h/x"), ("ftp://CANARY@h?CANARY", "ftp://h"),
    ("concat:u:CANARY@h/x?CANARY", "concat:h/x"), ("http:u:CANARY@h/x?CANARY", "http:h/x"),
    ("http:/u:CANARY@h/x", "http:/h/x"), ("http://u:CANARY@?CANARY", "http://"),
    ("file://u:CANARY@other/x?CANARY", "file://other/x"), ("file:///x?CANARY", "file:///x"),
    ("ht_tp://u:CANARY@h/x?CANARY", "ht_tp://h/x"),
    (
      "a-scheme-of-more-than-32-characters://u:CANARY@h/x",
      "a-scheme-of-more-than-32-characters://h/x"
    ),
    ("htp://u:CANARY@h/\u{0}", "htp://h/\u{0}"), ("//u:CANARY@h/x?CANARY", "//h/x"),
  ])
  func read_badAddress_isShownWithoutSecrets(source: String, shown: String) throws {
    var failure: FeedError?
    do { _ = try read([source]) } catch { failure = error }
    #expect(failure?.source == shown)
    #expect(failure?.reason.contains("CANARY") == false)
    #expect(try read([source, "a.mp4"]).skipped.map(\.source) == [shown])
  }

  @Test func read_several_keepsAllButTheBad() throws {
    let feed = try read(["a.mp4", "b.jpg", "missing.mp4", "v/c.mp4", "a.mp4", "l.m3u"])
    #expect(
      paths(feed) == [
        ["/home/a.mp4", "/home/b.jpg", "/home/v/c.mp4", "/home/a.mp4"], ["/home/a.mp4"],
      ])
    #expect(feed.reels.map(\.name) == ["a.mp4 and 3 more", "l"])
    #expect(try read(["a.mp4", "b.jpg"]).reels.map(\.name) == ["home"])
    #expect(try read(["missing.mp4", "a.mp4"]).title == "a.mp4")
    #expect(feed.title == "a.mp4 and 4 more")
    #expect(feed.skipped == [Skipped(source: "missing.mp4", reason: "no such file")])
  }

  /// A reel of files from several places has the name of its first file.
  @Test func read_looseFilesOfSeveralPlaces_haveAName() throws {
    let mixed = try read(["a.mp4", "https://example.org/b.mp4", "https://example.org/c.mp4"])
    #expect(mixed.reels.map(\.name) == ["a.mp4 and 2 more"])
    let parts = try read(["v/c.mp4", "a.mp4", "l.m3u", "a.mp4", "b.jpg"])
    #expect(parts.reels.map(\.name) == ["c.mp4 and 1 more", "l", "home"])
    let web = try read(["https://a.org/b.mp4", "https://c.org/d.mp4"])
    #expect(web.reels.map(\.name) == ["a.org and 1 more"])
  }

  @Test func read_severalAllBad_hasReasonsOnly() throws {
    let feed = try read(["missing.mp4", "clips"])
    #expect(feed.storyCount == 0)
    #expect(
      feed.skipped == [
        Skipped(source: "missing.mp4", reason: "no such file"),
        Skipped(source: "clips", reason: "no media in this directory"),
      ])
  }

  @Test(arguments: [
    "a.mp4\nb.jpg\n", "a.mp4\r\n\r\nb.jpg", "a.mp4\u{0}b.jpg\u{0}",
    "#EXTM3U\n#EXTINF:1,x\na.mp4\nb.jpg\n",
  ])
  func read_standardInput_isAListOfSources(input: String) throws {
    let feed = try read(["-"], input: Array(input.utf8))
    #expect(paths(feed) == [["/home/a.mp4", "/home/b.jpg"]])
  }

  @Test func read_standardInputBetweenSources_keepsTheOrder() throws {
    let feed = try read(["b.jpg", "-", "b.jpg"], input: Array("a.mp4\nl.m3u".utf8))
    #expect(
      paths(feed) == [["/home/b.jpg", "/home/a.mp4"], ["/home/a.mp4"], ["/home/b.jpg"]])
  }

  @Test func read_emptyStandardInput_throws() {
    #expect(
      throws: FeedError.cannotPlay(source: "-", reason: "the list on standard input is empty")
    ) { try read(["-"], input: [0x0A]) }
  }
}
