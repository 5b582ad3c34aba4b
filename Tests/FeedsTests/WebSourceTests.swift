import Feeds
import Stories
import Testing

/// A web in memory.
struct FakeWeb: WebAccess {
  var pages: [String: [UInt8]] = [:]
  /// The targets of redirects.
  var moved: [String: String] = [:]
  /// The names that folders list.
  var lists: [String: String] = [:]
  /// The addresses of short forms.
  var shorts: [String: String] = [:]
  /// Addresses that are known to be folders.
  var folders: Set<String> = []
  /// The charset of all pages.
  var charset: String?

  func head(of url: String, count: Int) throws(WebFailure) -> WebBytes {
    var page = try whole(of: url, most: .max)
    page.bytes = Array(page.bytes.prefix(count))
    return page
  }

  func whole(of url: String, most: Int) throws(WebFailure) -> WebBytes {
    guard let page = pages[url] else { throw WebFailure("it sends a web page instead") }
    return WebBytes(page, address: moved[url] ?? url, charset: charset)
  }

  func address(short source: String) throws(WebFailure) -> String? {
    guard source.hasPrefix("cloud:") else { return nil }
    guard let address = shorts[source] else { throw WebFailure("it is not configured") }
    return address
  }

  func isFolder(_ url: String) -> Bool { folders.contains(url) }

  func listings(of urls: [String], namedBy _: String?) -> [Result<WebBytes, WebFailure>] {
    urls.map { url in
      guard let names = lists[url] else { return .failure(WebFailure("it does not list folders")) }
      let rows = names.split(separator: " ").map { name in
        let type = name.hasSuffix("/") ? "<collection/>" : ""
        return """
          <response><href>\(url)\(name)</href><propstat><prop><resourcetype>\(type)</resourcetype>\
          </prop><status>HTTP/1.1 200 OK</status></propstat></response>
          """
      }
      let text = "<multistatus xmlns='DAV:'>\(rows.joined())</multistatus>"
      return .success(WebBytes(Array(text.utf8), address: moved[url] ?? url))
    }
  }
}

@Suite struct WebSourceTests {
  private let url = "https://dav.example.org/x/"

  private func outline(_ feed: Feed) -> [String] {
    feed.reels.map { reel in
      "\(reel.name): "
        + reel.stories.map { String($0.source.text.dropFirst(url.count)) }
        .joined(separator: " ")
    }
  }

  @Test(arguments: [true, false])
  func read_ofAFolder_goesOneLevelDeep(isKnown: Bool) throws {
    var web = FakeWeb(lists: [
      url: "b.mp4 a.mp4 ben/ anna/ lost/", url + "anna/": "1.jpg deeper/", url + "ben/": "2.jpg",
    ])
    if isKnown { web.folders = [url] }
    let feed = try FeedReader(web: web).read([url])
    #expect(outline(feed) == ["x: a.mp4 b.mp4", "anna: anna/1.jpg", "ben: ben/2.jpg"])
    #expect(feed.title == "x")
    #expect(
      feed.skipped == [Skipped(source: url + "lost/", reason: "it does not list folders")])
  }

  @Test func read_ofAKnownFolderThatCannotBeListed_saysWhy() throws {
    let web = FakeWeb(folders: ["https://anna:pw@h/x/"])
    #expect(
      throws: FeedError.cannotPlay(source: "https://h/x/", reason: "it does not list folders")
    ) {
      try FeedReader(web: web).read(["https://anna:pw@h/x/"])
    }
  }

  @Test func read_ofNeitherFileNorFolder_throwsTheFirstReason() throws {
    #expect(
      throws: FeedError.cannotPlay(source: url, reason: "it sends a web page instead")
    ) {
      try FeedReader(web: FakeWeb()).read([url])
    }
  }

  @Test func read_ofAFolderOfVeryManyFolders_asksOnlySome() throws {
    let names = (1...300).map { "\($0)/" }
    let lists = Dictionary(uniqueKeysWithValues: names.map { (url + $0, "a.mp4") })
    let web = FakeWeb(
      lists: lists.merging([url: names.joined(separator: " ")]) { $1 }, folders: [url])
    let feed = try FeedReader(web: web).read([url])
    #expect(feed.reels.map(\.name) == (1...256).map { "\($0)" })
    #expect(
      feed.skipped == [Skipped(source: url, reason: "of its 300 folders only 256 are read")])
  }

  @Test func read_ofAShortForm_isWhatItStandsFor() throws {
    let web = FakeWeb(
      pages: [url + "s": Array("#EXTM3U\na.mp4\n".utf8)], shorts: ["cloud:/s": url + "s"])
    #expect(outline(try FeedReader(web: web).read(["cloud:/s"])) == ["s: a.mp4"])
    #expect(
      throws: FeedError.cannotPlay(source: "cloud:/t", reason: "it is not configured")
    ) { try FeedReader(web: web).read(["cloud:/t?token=CANARY"]) }
    // If a file has that name, it is the file.
    let files = FakeFiles(["/home/cloud:/s": .file(Bytes.mp4)])
    let feed = try FeedReader(files: files, web: web).read(["cloud:/s"])
    #expect(feed.reels.flatMap(\.stories).map(\.source) == [.file("/home/cloud:/s")])
  }

  /// RFC 3986, section 5.1.3. The identity of the stories, and what they may name, depend on the
  /// address that was asked for.
  @Test(arguments: [
    "#EXTM3U\na.mp4\n", "[playlist]\nFile1=a.mp4\n",
    "<playlist><trackList><track><location>a.mp4</location></track></trackList></playlist>",
    #"{"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "1", "image": "a.mp4"}]}"#,
    """
    <rss><channel><item><title>a</title><enclosure url="a.mp4" type="video/mp4"/></item></channel>\
    </rss>
    """,
  ])
  func read_afterRedirects_isRelativeToTheLastAddress(text: String) throws {
    let asked = "https://example.org/latest"
    let moved = "https://cdn.example.net/2026/list"
    let web = FakeWeb(pages: [asked: Array(text.utf8)], moved: [asked: moved])
    let feed = try FeedReader(web: web).read([asked])
    let stories = feed.reels.flatMap(\.stories)
    #expect(stories.map(\.source) == [.url("https://cdn.example.net/2026/a.mp4")])
    #expect(stories.map(\.feed) == [asked] && feed.identity == asked)
  }

  @Test func animations_ofAMovedFeed_areRelativeToIt_andNamedByTheAddressAskedFor() throws {
    let text =
      #"{"version": "https://jsonfeed.org/version/1.1", "_storytty": {"animations": "r"}, "#
      + #""items": [{"id": "1", "image": "a.png"}]}"#
    let web = FakeWeb(
      pages: ["https://example.org/f": Array(text.utf8)],
      moved: ["https://example.org/f": "https://cdn.example.net/x/f"])
    let feed = try FeedReader(web: web).read(["https://example.org/f"])
    #expect(feed.reactionSource?.place == .url("https://cdn.example.net/x/r"))
    #expect(feed.reactionSource?.feed == "https://example.org/f")
  }

  @Test func read_ofAFeedWithASlash_isThatFeed() throws {
    let web = FakeWeb(
      pages: [url: Array("#EXTM3U\na.mp4\n".utf8)], lists: [url: "other.mp4"])
    #expect(outline(try FeedReader(web: web).read([url])) == ["x: a.mp4"])
  }
}
