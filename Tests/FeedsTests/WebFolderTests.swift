import Stories
import Testing

@testable import Feeds

@Suite struct WebFolderTests {
  private static let url = "https://dav.example.org/my%20stories/"

  /// A member in a server's list.
  private static func member(
    _ href: String, isFolder: Bool = false, type: String = "", name: String = "",
    status: String = "HTTP/1.1 200 OK"
  ) -> String {
    """
    <D:response><D:href>\(href)</D:href><D:propstat><D:prop>
    <D:resourcetype>\(isFolder ? "<D:collection/>" : "")</D:resourcetype>
    <D:getcontenttype>\(type)</D:getcontenttype><D:displayname>\(name)</D:displayname>
    </D:prop><D:status>\(status)</D:status></D:propstat></D:response>
    """
  }

  private static func answer(_ members: [String]) -> [UInt8] {
    let body = members.joined()
    return Array(
      #"<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">\#(body)</D:multistatus>"#.utf8)
  }

  private func folder(_ members: [String], url: String = url) throws -> WebFolder {
    try WebFolder(url: url, listing: WebFolderTests.answer(members))
  }

  private static let itself = member("/my%20stories/", isFolder: true)

  @Test func members_becomeStoriesAndFolders_inNaturalOrder() throws {
    let folder = try folder([
      WebFolderTests.itself,
      WebFolderTests.member("/my%20stories/clip10.mp4"),
      WebFolderTests.member("/my%20stories/clip2.mp4"),
      WebFolderTests.member("/my%20stories/b/", isFolder: true),
      WebFolderTests.member("/my%20stories/a", isFolder: true, name: "Anna &amp; Ben"),
      WebFolderTests.member("/my%20stories/.hidden.mp4"),
      WebFolderTests.member("/my%20stories/.git/", isFolder: true),
      WebFolderTests.member("/my%20stories/notes.txt", type: "text/plain"),
      WebFolderTests.member("/my%20stories/list.m3u", type: "audio/mpegurl"),
      WebFolderTests.member("/my%20stories/IMG_1", type: "image/jpeg; q=1"),
      WebFolderTests.member("/my%20stories/noise"),
      WebFolderTests.member("/my%20stories/", isFolder: true),
    ])
    #expect(folder.name == "my stories")
    #expect(
      folder.stories.map(\.source.text) == [
        "https://dav.example.org/my%20stories/clip2.mp4",
        "https://dav.example.org/my%20stories/clip10.mp4",
        "https://dav.example.org/my%20stories/IMG_1",
      ])
    #expect(folder.stories.map(\.kind) == [.video, .video, .picture])
    #expect(
      folder.folders == [
        WebFolder.Folder(
          url: "https://dav.example.org/my%20stories/a/", name: "Anna & Ben"),
        WebFolder.Folder(url: "https://dav.example.org/my%20stories/b/", name: "b"),
      ])
    #expect(folder.skipped == [])
  }

  @Test(arguments: [
    ("/my stories/a b.mp4", "a%20b.mp4"), ("/my%20stories/%C3%A6.mp4", "%C3%A6.mp4"),
    ("/my%20stories/æ.mp4", "%C3%A6.mp4"), ("/my%20stories/100%25.mp4", "100%25.mp4"),
    ("/my%20stories/100%.mp4", "100%25.mp4"), ("/my%20stories/%E6.mp4", "%E6.mp4"),
    ("/my%20stories/a%3Fb%23.mp4", "a%3Fb%23.mp4"),
    ("https://dav.example.org/my%20stories/c.mp4", "c.mp4"),
    ("HTTPS://DAV.example.org:443/my%20stories/c.mp4", "c.mp4"),
    ("https://ben@dav.example.org/my%20stories/c.mp4", "c.mp4"),
    // From a server that knows itself by another scheme, port or name.
    ("http://dav.example.org/my%20stories/c.mp4", "c.mp4"),
    ("http://dav.example.org:8443/my%20stories/c.mp4", "c.mp4"),
    ("https://10.0.0.7/my%20stories/c.mp4", "c.mp4"),
  ])
  func href_inAnyForm_isFoundBelowTheFolder(href: String, part: String) throws {
    let folder = try folder([WebFolderTests.member(href)])
    #expect(folder.stories.map(\.source.text) == [WebFolderTests.url + part])
  }

  @Test(arguments: [
    "https://evil.example/other/a.mp4", "//evil.example/my%20stories/a.mp4", "/other/a.mp4",
    "/my%20stories/../etc/a.mp4", "/my%20stories/x/a.mp4",
    "/my%20stories/x%2Fa.mp4", "/my%20stories/..", "/my%20stories//", "/a.mp4", "a.mp4", "",
    "file:///my%20stories/a.mp4", "javascript:a.mp4", "/my%20stories/a%00.mp4",
  ])
  func href_ofElsewhere_isLeftOut(href: String) throws {
    let folder = try folder([WebFolderTests.itself, WebFolderTests.member(href)])
    #expect(folder.stories == [] && folder.folders == [])
    #expect(
      folder.skipped == [Skipped(source: href, reason: "it is not in the folder that names it")])
  }

  @Test func folder_afterRedirects_listsMembersOfItsNewAddress() throws {
    let moved = "https://other.example.org/moved/"
    let origin = Story.Origin(feed: WebFolderTests.url)
    let folder = try WebFolder(
      url: WebFolderTests.url, at: moved + "?x=1", namedBy: origin,
      listing: WebFolderTests.answer([
        WebFolderTests.member("/moved/", isFolder: true), WebFolderTests.member("/moved/a.mp4"),
        WebFolderTests.member("/moved/b/", isFolder: true),
        WebFolderTests.member("/my%20stories/c.mp4"),
      ]))
    #expect(folder.url == WebFolderTests.url)
    #expect(folder.stories.map(\.source.text) == [moved + "a.mp4"])
    #expect(folder.stories.map(\.feed) == [WebFolderTests.url])
    #expect(folder.folders.map(\.url) == [moved + "b/"])
    #expect(folder.skipped.map(\.source) == ["/my%20stories/c.mp4"])
  }

  @Test func propertiesOfABadStatus_doNotCount() throws {
    let folder = try folder([
      WebFolderTests.member(
        "/my%20stories/a", isFolder: true, type: "video/mp4", status: "HTTP/1.1 404 Not Found")
    ])
    #expect(folder.stories == [] && folder.folders == [])
  }

  @Test func loginOfTheAddress_staysInWhatIsFetched_andOutOfWhatIsShown() throws {
    let url = "https://anna:pw@dav.example.org/x/"
    let folder = try folder([WebFolderTests.member("/x/a.mp4")], url: url)
    #expect(folder.stories.map(\.source.text) == [url + "a.mp4"])
    #expect(
      throws: FeedError.cannotPlay(
        source: "https://dav.example.org/x/", reason: "no media in this directory")
    ) {
      try self.folder([], url: url).feed(parts: [:])
    }
  }

  @Test func feed_hasItsOwnReelFirst_andThenOneForEachFolder() throws {
    let folder = try folder([
      WebFolderTests.itself, WebFolderTests.member("/my%20stories/a.mp4"),
      WebFolderTests.member("/my%20stories/anna/", isFolder: true),
      WebFolderTests.member("/my%20stories/ben/", isFolder: true),
      WebFolderTests.member("/my%20stories/empty/", isFolder: true),
      WebFolderTests.member("/my%20stories/unknown/", isFolder: true),
    ])
    func part(_ name: String, _ members: [String]) throws -> (String, WebFolder) {
      let url = WebFolderTests.url + name + "/"
      let below = members.map { WebFolderTests.member("/my%20stories/\(name)/" + $0) }
      return (url, try self.folder(below, url: url))
    }
    let anna = try part("anna", ["2.jpg", "1.jpg"])
    let empty = try part("empty", [])
    let ben = WebFolderTests.url + "ben/"
    let feed = try folder.feed(parts: [
      anna.0: .success(anna.1), empty.0: .success(empty.1),
      ben: .failure(.cannotPlay(source: ben, reason: "dav.example.org forbids it")),
    ])
    #expect(feed.title == "my stories" && feed.identity == WebFolderTests.url)
    #expect(feed.reels.map(\.name) == ["my stories", "anna"])
    #expect(
      feed.reels.map { $0.stories.map(\.source.text) } == [
        [WebFolderTests.url + "a.mp4"],
        [WebFolderTests.url + "anna/1.jpg", WebFolderTests.url + "anna/2.jpg"],
      ])
    #expect(feed.skipped == [Skipped(source: ben, reason: "dav.example.org forbids it")])
  }

  @Test(arguments: [
    ("<html></html>", "its server lists folders in no known way"),
    ("<D:multistatus xmlns:D='DAV:'><D:response>", "not valid XML at line 1"),
    ("", "not valid XML at line 1"),
  ])
  func otherAnswers_areRefusedWithAReason(answer: String, reason: String) {
    #expect(
      throws: FeedError.cannotRead(
        source: "https://dav.example.org/my%20stories/", reason: reason)
    ) {
      try WebFolder(url: WebFolderTests.url, listing: Array(answer.utf8))
    }
  }
}
