import Feeds
import Stories
import Testing

@Suite struct FolderTests {
  private func read(
    _ nodes: [String: FakeFiles.Node], _ source: String = "clips"
  ) throws -> (Feed, FakeFiles) {
    let files = FakeFiles(nodes)
    return (try FeedReader(files: files).read([source]), files)
  }

  /// Each reel's name and the names of its files.
  private func outline(_ feed: Feed) -> [String: [String]] {
    Dictionary(
      uniqueKeysWithValues: feed.reels.map { reel in
        (reel.name, reel.stories.map { String($0.source.text.split(separator: "/").last ?? "") })
      })
  }

  @Test func read_folders_areReelsInNaturalOrder() throws {
    let (feed, _) = try read([
      "/home/clips/10.mp4": .file(Bytes.mp4), "/home/clips/9.jpg": .file(Bytes.jpeg),
      "/home/clips/ben/b.mp4": .file(Bytes.mp4), "/home/clips/anna/2/x.mp4": .file(Bytes.mp4),
      "/home/clips/anna/a.mp3": .file(Bytes.mp3), "/home/clips/empty": .folder,
    ])
    #expect(feed.title == "clips")
    #expect(feed.identity == "/home/clips")
    #expect(feed.reels.map(\.name) == ["clips", "anna", "anna/2", "ben"])
    #expect(
      feed.reels.map { $0.stories.map(\.source) } == [
        [.file("/home/clips/9.jpg"), .file("/home/clips/10.mp4")],
        [.file("/home/clips/anna/a.mp3")],
        [.file("/home/clips/anna/2/x.mp4")], [.file("/home/clips/ben/b.mp4")],
      ])
    #expect(feed.skipped == [])
  }

  /// What a file in a folder becomes; nil if it is left out.
  @Test(
    arguments: [
      ("a.mp4", .file(Bytes.mp4), .video), ("noending", .file(Bytes.mp4), .video),
      ("picture.mp4", .file(Bytes.jpeg), .picture), ("video.jpg", .file(Bytes.mp4), .video),
      ("a.m4a", .file(Bytes.m4a), .sound), ("notes.mp3", .file(Bytes.text), .sound),
      ("a.json", .file(Bytes.lottie), .animation), ("a.tgs", .file([0x1F, 0x8B, 8]), .animation),
      ("sticker", .file(Bytes.dotLottie), .animation), ("a.zip", .file([0x50, 0x4B, 3, 4]), nil),
      ("empty.mp4", .file([]), .video), ("page.webm", .file(Array("<html>".utf8)), .video),
      ("error.webm", .file(Array(#"{"error":1}"#.utf8)), .video),
      ("hls.m3u8", .file(Array("#EXTM3U\n#EXT-X-VERSION:1\n".utf8)), .video),
      ("notes.txt", .file(Bytes.text), nil), ("README", .file(Bytes.text), nil),
      ("list.m3u", .file(Array("#EXTM3U\na.mp4\n".utf8)), nil), ("code.ts", .file(Bytes.text), nil),
      ("info.json", .file(Array(#"{"title":1}"#.utf8)), nil), ("empty.txt", .file([]), nil),
      ("feed.json", .file(Array(#"{"version":"https://jsonfeed.org/version/1"}"#.utf8)), nil),
      ("rss.xml", .file(Array("<?xml?>".utf8)), nil), (".hidden.mp4", .file(Bytes.mp4), nil),
      ("pipe.mp4", .special, nil), ("link.mp4", .link("/home/clips/other"), .video),
      ("broken.jpg", .link("/nowhere"), nil), ("secret.txt", .denied, nil),
    ] as [(String, FakeFiles.Node, Story.Kind?)])
  func read_file(name: String, node: FakeFiles.Node, kind: Story.Kind?) throws {
    let (feed, _) = try read([
      "/home/clips/\(name)": node, "/home/clips/other": .file(Bytes.mp4),
    ])
    let story = feed.reels.flatMap(\.stories).first { $0.source == .file("/home/clips/" + name) }
    #expect(story?.kind == kind)
    #expect((story == nil) == (kind == nil))
  }

  @Test func read_unreadable_isSkippedWithAReason() throws {
    let (feed, _) = try read([
      "/home/clips/a.mp4": .denied, "/home/clips/b.mp4": .file(Bytes.mp4),
      "/home/clips/gone.mp4": .link("/nowhere"),
    ])
    #expect(outline(feed) == ["clips": ["b.mp4"]])
    #expect(
      feed.skipped == [
        Skipped(source: "/home/clips/a.mp4", reason: "permission denied"),
        Skipped(source: "/home/clips/gone.mp4", reason: "no such file"),
      ])
  }

  @Test func read_linksInACircle_enterEachFolderOnce() throws {
    let (feed, _) = try read([
      "/home/clips/a/x.mp4": .file(Bytes.mp4), "/home/clips/a/up": .link("/home/clips"),
      "/home/clips/b": .link("/home/clips/a"), "/home/clips/loop": .link("/home/clips/loop"),
    ])
    #expect(outline(feed) == ["a": ["x.mp4"]])
  }

  @Test(arguments: [[:], ["/home/clips/notes.txt": FakeFiles.Node.file(Bytes.text)]])
  func read_withoutMedia_throws(nodes: [String: FakeFiles.Node]) {
    let all = nodes.merging(["/home/clips": .folder]) { first, _ in first }
    #expect(
      throws: FeedError.cannotPlay(source: "clips/", reason: "no media in this directory")
    ) { try read(all, "clips/") }
  }

  @Test(arguments: [(".", "home"), ("clips/..", "home"), ("clips/", "clips"), ("/", "/")])
  func read_folderName_isTheFoldersOwn(source: String, title: String) throws {
    let (feed, _) = try read(
      ["/home/a.mp4": .file(Bytes.mp4), "/home/clips/b.mp4": .file(Bytes.mp4)], source)
    #expect(feed.title == title)
  }

  @Test func read_manyFiles_looksIntoSome_andTakesTheRestByName() throws {
    var nodes: [String: FakeFiles.Node] = [:]
    for number in 0..<6000 { nodes["/home/clips/\(number).mp4"] = .file(Bytes.jpeg) }
    let (feed, files) = try read(nodes)
    let kinds = feed.reels.flatMap(\.stories).map(\.kind)
    #expect(
      kinds == Array(repeating: .picture, count: 4096) + Array(repeating: .video, count: 1904))
    #expect(files.opened.count == 4096)
  }

  @Test func read_neverOpensSpecialFiles() throws {
    let (_, files) = try read([
      "/home/clips/fifo": .special, "/home/clips/dev.mp4": .special,
      "/home/clips/link": .link("/dev/zero"), "/dev/zero": .special,
      "/home/clips/a.mp4": .file(Bytes.mp4),
    ])
    #expect(files.opened == ["/home/clips/a.mp4"])
  }
}
