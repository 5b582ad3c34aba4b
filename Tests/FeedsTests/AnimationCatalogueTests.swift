import Feeds
import Stories
import Support
import Testing

@Suite struct AnimationCatalogueTests {
  private func read(_ text: String) throws -> [AnimationCatalogue.Entry] {
    try AnimationCatalogue(Array(text.utf8)).entries
  }

  @Test func entry_withAllThatIsKnown_isTaken() throws {
    let hash = String(repeating: "aB", count: 32)
    let entries = try read(
      #"""
      [{"id":"heart","title":"Heart","sha256":"\#(hash)","bytes":900,"width":512,"height":512,
        "fps":60,"frames":180,"kind":"full","priority":2},
       {"id":"star"}]
      """#)
    #expect(
      entries == [
        .init(id: "heart", title: "Heart", sha256: hash.lowercased(), priority: 2),
        .init(id: "star", title: "star"),
      ])
  }

  /// The text of an array, and the ids that it offers.
  private static let texts: [(String, [String])] = [
    ("[]", []), ("[1,null,\"a\",[],{}]", []), (#"[{"title":"x"}]"#, []),
    (#"[{"id":7},{"id":""},{"id":null},{"id":"a"}]"#, ["a"]),
    (#"[{"id":"a","title":7,"sha256":[],"priority":"high"}]"#, ["a"]),
    (#"[{"id":"a","sha256":"zz"},{"id":"a","title":"again"},{"id":"b"}]"#, ["a", "b"]),
    (#"[{"id":"."},{"id":".."},{"id":"..."},{"id":"../x"},{"id":"a/b"}]"#, ["...", "../x", "a/b"]),
    (#"[{"id":"a\u0000b"},{"id":"line\nend"}]"#, ["a\0b", "line\nend"]),
    ("[{\"id\":\"\(String(repeating: "x", count: 4096))\"},{\"id\":\"y\"}]", ["y"]),
    (#"[{"id":"a","priority":1e99},{"id":"b","priority":-1e99}]"#, ["a", "b"]),
  ]

  @Test(arguments: texts)
  func entries_withoutAUsableId_areLeftOut(_ text: String, _ ids: [String]) throws {
    #expect(try read(text).map(\.id) == ids)
  }

  @Test(arguments: ["", "{}", "<!DOCTYPE html>", "[", #"[{"id":"a"}"#, #"[{"id":"a"}] x"#, "null"])
  func text_thatIsNoList_isRefused(_ text: String) {
    #expect(throws: AnimationCatalogue.Failure.self) { try read(text) }
  }

  @Test func catalogue_of100000_isReadWhole_andFoundById() throws {
    let text =
      "[" + (0..<100_000).map { #"{"id":"id\#($0)"}"# }.joined(separator: ",") + "]"
    let catalogue = try AnimationCatalogue(Array(text.utf8))
    #expect(catalogue.entries.count == 100_000)
    #expect(catalogue["id99999"]?.title == "id99999")
    #expect(catalogue["id100000"] == nil)
  }

  @Test(arguments: [
    ("heart", "heart"), ("a/b", "a%2Fb"), ("../x", "..%2Fx"), ("a b?c#d", "a%20b%3Fc%23d"),
    ("käse", "k%C3%A4se"), ("a\nb\0", "a%0Ab%00"), ("%2F", "%252F"), ("A-z_0.9~", "A-z_0.9~"),
  ])
  func id_inAnAddress_isOnePartOfAPath(_ id: String, _ encoded: String) {
    #expect(
      AnimationID.addresses(of: id, below: "https://h/e")
        == ["https://h/e/animation/\(encoded)", "https://h/e/\(encoded).json"])
  }

  @Test(arguments: ["", ".", "..", String(repeating: "x", count: 1025)])
  func id_thatIsNoName_hasNoAddress(_ id: String) {
    #expect(AnimationID.addresses(of: id, below: "https://h") == [])
    #expect(AnimationID.files(of: id, in: "/f") == [])
  }

  @Test(arguments: ["a/b", "../x", ".hidden", "a\nb", "a\0b"])
  func id_thatLeadsOutOfAFolder_isNoFile(_ id: String) {
    #expect(AnimationID.files(of: id, in: "/f") == [])
  }

  @Test func files_ofAFolder_haveTheirIds() {
    #expect(
      AnimationID.files(of: "a b", in: "/f") == ["/f/a b.json", "/f/a b.tgs", "/f/a b.lottie"])
    let names = ["a.json", "b.c.TGS", "d.lottie", "animations.json", ".e.json", "f.png", "json"]
    #expect(names.map(AnimationID.id) == ["a", "b.c", "d", nil, nil, nil, nil])
  }
}

/// The reactions of a JSON Feed.
@Suite struct FeedReactionsTests {
  private func read(
    _ additions: String, item: String, at path: String = "/home/f/feed.json"
  ) throws -> Feed {
    let text = #"""
      {"version":"https://jsonfeed.org/version/1.1","title":"t","_storytty":\#(additions),
       "items":[{"id":"1","attachments":[{"url":"a.mp4","mime_type":"video/mp4"}],
       "_storytty":\#(item)},{"id":"2","attachments":[{"url":"b.mp4","mime_type":"video/mp4"}]}]}
      """#
    return try FeedReader(files: FakeFiles([path: .file(Array(text.utf8))])).read([path])
  }

  @Test func reactions_areKeptByTheirStory_inTheOrderOfTheirTimes() throws {
    let feed = try read(
      #"{"animations":"anim"}"#,
      item: #"""
        {"reactions":[{"at":2,"id":"star"},{"at":1.5,"id":"heart","from":"ben"},{"at":1.5}]}
        """#)
    #expect(feed.reactionSource == AnimationEndpoint(place: .file("/home/f/anim")))
    let story = try #require(feed.reels.first?.stories.first)
    #expect(
      feed.receivedReactions == [
        story.id: [
          ReceivedReaction(atS: 1.5, id: "heart", sender: "ben"),
          ReceivedReaction(atS: 2, id: "star"),
        ]
      ])
    #expect(feed.storyCount == 2 && feed.skipped == [])
  }

  @Test(arguments: [
    #"[{"at":"1","id":"a"},{"at":-1,"id":"a"},{"at":1e99,"id":"a"},{"at":1,"id":7},{"at":1}]"#,
    #"[1,"x",null,[]]"#, "[]", "null",
  ])
  func reactions_thatAreWrong_areLeftOutAlone(_ reactions: String) throws {
    let feed = try read("{}", item: #"{"reactions":\#(reactions)}"#)
    #expect(feed.storyCount == 2 && feed.receivedReactions == [:] && feed.skipped == [])
  }

  @Test func reactions_thatAreNoList_costTheItem() throws {
    let feed = try read("{}", item: #"{"reactions":{"at":1,"id":"a"}}"#)
    #expect(feed.storyCount == 1)
    #expect(feed.skipped.map(\.reason) == ["'reactions' is an object, not an array"])
  }

  @Test func reactions_ofOneStory_areAtMostAThousand() throws {
    let many = (0..<2_000).map { #"{"at":\#($0),"id":"a"}"# }.joined(separator: ",")
    let feed = try read("{}", item: #"{"reactions":[\#(many)]}"#)
    #expect(feed.receivedReactions.values.map(\.count) == [1_000])
  }

  @Test(arguments: [
    (".", "/home/f"), ("../x/", "/home/x"), ("/anim", "/anim"),
    ("https://h.example/e", "https://h.example/e"),
  ])
  func endpoint_isRelativeToTheFeed(_ text: String, _ place: String) throws {
    #expect(try read(#"{"animations":"\#(text)"}"#, item: "{}").reactionSource?.place.text == place)
  }

  @Test(arguments: [#"{"animations":7}"#, #"{"animations":"ftp://h/x"}"#, "7"])
  func endpoint_thatIsWrong_isLeftOutWithAReason(_ additions: String) throws {
    let feed = try read(additions, item: "{}")
    #expect(feed.reactionSource == nil && feed.storyCount == 2)
    #expect(feed.skipped.count == 1)
  }
}
