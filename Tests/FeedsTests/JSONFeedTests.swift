import Feeds
import Stories
import Testing

@Suite struct JSONFeedTests {
  private func read(_ text: String, _ others: [String: FakeFiles.Node] = [:]) throws -> Feed {
    var nodes = others
    nodes["/home/f/feed.json"] = .file(Array(text.utf8))
    return try FeedReader(files: FakeFiles(nodes)).read(["f/feed.json"])
  }

  /// Reads a feed with these items.
  private func read(items: String) throws -> Feed {
    try read(#"{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[\#(items)]}"#)
  }

  private func item(_ members: String) -> String {
    #"{"id":"1","attachments":[{"url":"a.mp4"}],\#(members)}"#
  }

  @Test func read_everyMember_isKept() throws {
    let feed = try read(
      """
      {"version": "https://jsonfeed.org/version/1.1", "title": "A week at sea",
       "_storytty": {"animations": "."}, "unknown": [{"deep": [1, 2, {"x": null}]}],
       "items": [
        {"id": "1", "authors": [{"name": "anna"}, {"name": "ben"}],
         "date_published": "2026-11-28T09:00:00Z", "content_text": "Low tide", "headers": {"X": "y"},
         "attachments": [{"url": "anna/beach.mp4", "mime_type": "video/mp4",
                          "size_in_bytes": 12, "duration_in_seconds": 7.5}],
         "_storytty": {"maxViews": 3, "expires": "2026-12-05T00:00:00Z",
                       "link": "https://example.org/tide", "imageTime": 8, "later": true,
                       "reactions": [{"at": 1.5, "id": "fireworks", "from": "ben"}]}},
        {"id": 2, "title": "Gulls", "content_text": "not this", "image": "gulls.jpg",
         "url": "https://example.org/gulls"},
        {"id": "3", "author": {"name": "anna"}, "attachments": [{"url": "https://h/x.webm?k=1"}],
         "_storytty": {"reel": "trip"}}]}
      """)
    #expect(
      feed
        == Feed(
          identity: "/home/f/feed.json", title: "A week at sea",
          reels: [
            Reel(
              name: "anna",
              stories: [
                Story(
                  source: .file("/home/f/anna/beach.mp4"), feed: "/home/f/feed.json", item: "1",
                  kind: .video, caption: "Low tide", author: "anna, ben", published: 1_795_856_400,
                  durationS: 7.5, link: "https://example.org/tide", maxViews: 3,
                  expires: 1_796_428_800, imageTime: 8)
              ]),
            Reel(
              name: "A week at sea",
              stories: [
                Story(
                  source: .file("/home/f/gulls.jpg"), feed: "/home/f/feed.json", item: "2",
                  kind: .picture, caption: "Gulls", link: "https://example.org/gulls")
              ]),
            Reel(
              name: "trip",
              stories: [
                Story(
                  source: .url("https://h/x.webm?k=1"), feed: "/home/f/feed.json", item: "3",
                  kind: .video, author: "anna")
              ]),
          ],
          reactionSource: AnimationEndpoint(place: .file("/home/f"), feed: nil),
          receivedReactions: [
            "/home/f/feed.json#1": [ReceivedReaction(atS: 1.5, id: "fireworks", sender: "ben")]
          ]))
    #expect(feed.reels.first?.stories.first?.id == "/home/f/feed.json#1")
  }

  @Test func read_reels_areInOrderOfFirstAppearance() throws {
    let items = [("1", "ben"), ("2", "anna"), ("3", "ben"), ("4", "carl"), ("5", "anna")].map {
      #"{"id":"\#($0)","authors":[{"name":"\#($1)"}],"image":"\#($0).png"}"#
    }
    let feed = try read(items: items.joined(separator: ","))
    #expect(feed.reels.map(\.name) == ["ben", "anna", "carl"])
    #expect(
      feed.reels.map { $0.stories.map(\.source.text) } == [
        ["/home/f/1.png", "/home/f/3.png"], ["/home/f/2.png", "/home/f/5.png"], ["/home/f/4.png"],
      ])
  }

  @Test func read_nameOfFeedAfterItsItems_isUsedToo() throws {
    let item = #"{"id":"1","image":"a.png"}"#
    let version = #""version":"https://jsonfeed.org/version/1.1""#
    let late = try read(#"{"items":[\#(item)],"title":"T","author":{"name":"anna"},\#(version)}"#)
    let early = try read(#"{\#(version),"title":"T","author":{"name":"anna"},"items":[\#(item)]}"#)
    #expect(late == early)
    #expect(late.reels.map(\.name) == ["anna"])
  }

  /// An array of attachments, and the sources of the stories that it gives.
  @Test(arguments: [
    (
      #"{"url":"a.mp4","mime_type":"video/mp4"},{"url":"a.webm","mime_type":"video/webm"}"#,
      ["a.mp4"]
    ),
    (#"{"url":"a.m3u8","mime_type":"application/vnd.apple.mpegurl"},{"url":"a.mp4"}"#, ["a.mp4"]),
    (#"{"url":"a.m3u8","mime_type":"application/x-mpegURL"}"#, ["a.m3u8"]),
    (#"{"url":"a.pdf","mime_type":"application/pdf"},{"url":"a.mp4"}"#, ["a.mp4"]),
    (#"{"url":"a.mp4","title":"x"},{"url":"b.mp4","title":"x"}"#, ["a.mp4"]),
    (#"{"url":"a.mp4","title":"x"},{"url":"b.mp4","title":"y"}"#, ["a.mp4", "b.mp4"]),
    (
      #"{"url":"a.mp4"},{"url":"b.mp4","title":""},{"url":"c.mp4","title":"y"}"#,
      ["a.mp4", "b.mp4", "c.mp4"]
    ),
    (#"{"url":"1.jpg"},{"url":"2.jpg"},{"url":"3.jpg"}"#, ["1.jpg", "2.jpg", "3.jpg"]),
    (
      #"{"url":"a/x.ogg"},{"url":"a/x.mp3"},{"url":"b/x.mp3"}"#, ["a/x.ogg", "b/x.mp3"]
    ),
    (#"{"url":"ftp://h/a.mp4","title":"x"},{"url":"b.mp4","title":"x"}"#, ["b.mp4"]),
  ])
  func read_attachments_ofOneTitleAreAlternatives(attachments: String, expected: [String]) throws {
    let feed = try read(items: #"{"id":"1","attachments":[\#(attachments)]}"#)
    #expect(feed.reels.flatMap(\.stories).map(\.source.text) == expected.map { "/home/f/" + $0 })
    #expect(feed.skipped == [])
  }

  @Test func read_severalThingsInOneItem_haveTheirOwnIdsAndCaptions() throws {
    let feed = try read(
      items: #"{"id":"7","title":"Dive","attachments":[{"url":"a.mp4","title":"one"},"#
        + #"{"url":"b.mp4","title":"two"}]}"#)
    let stories = feed.reels.flatMap(\.stories)
    #expect(stories.map(\.id) == ["/home/f/feed.json#7", "/home/f/feed.json#7/2"])
    #expect(stories.map(\.caption) == ["Dive: one", "Dive: two"])
  }

  @Test(arguments: [
    (#"7"#, "it is a number, not an object"),
    (#"{"id":"1","content_text":"words"}"#, "it has no media"),
    (#"{"id":"1","attachments":[]}"#, "it has no media"),
    (
      #"{"id":"1","attachments":[{"url":"a.pdf","mime_type":"application/pdf"}]}"#,
      "it has no media"
    ),
    (#"{"id":"1","attachments":[{"mime_type":"video/mp4"}]}"#, "an attachment has no 'url'"),
    (#"{"id":"1","attachments":{"url":"a.mp4"}}"#, "'attachments' is an object, not an array"),
    (#"{"id":"1","attachments":["a.mp4"]}"#, "'attachments' is a string, not an object"),
    (#"{"id":"1","image":["a.png"]}"#, "'image' is an array, not a string"),
    (
      #"{"id":"1","image":"a.png","_storytty":{"maxViews":"3"}}"#,
      "'maxViews' is a string, not a number"
    ),
    (
      #"{"id":"1","image":"a.png","_storytty":{"maxViews":2.5}}"#,
      "'maxViews' is not a whole number from 0 on"
    ),
    (
      #"{"id":"1","image":"a.png","_storytty":{"maxViews":-1}}"#,
      "'maxViews' is not a whole number from 0 on"
    ),
    (#"{"id":"1","image":"a.png","_storytty":{"expires":"soon"}}"#, "'expires' is not a date"),
    (#"{"id":"1","image":"a.png","_storytty":[]}"#, "'_storytty' is an array, not an object"),
    (#"{"id":"1","image":"/etc/passwd"}"#, "/etc/passwd is not a medium by its name"),
    (#"{"id":"1","image":"javascript:alert(1)"}"#, "'javascript:' addresses are not played"),
    (#"{"id":"1","image":"data:image/png;base64,AA"}"#, "'data:' addresses are not played"),
    (#"{"id":"1","image":"a\u0000.png"}"#, "its address holds a NUL"),
  ])
  func read_badItem_isSkippedAndTheNextIsKept(item: String, reason: String) throws {
    let feed = try read(items: item + #",{"id":"2","image":"next.png"}"#)
    #expect(feed.skipped == [Skipped(source: "f/feed.json item 1", reason: reason)])
    #expect(feed.reels.flatMap(\.stories).map(\.source.text) == ["/home/f/next.png"])
  }

  /// A member of the wrong type that is not needed to play an item is left out, with a note.
  @Test(arguments: [
    (#"{"id":true,"image":"a.png"}"#, "'id' is true or false, not a string"),
    (#"{"id":"1","image":"a.png","title":5}"#, "'title' is a number, not a string"),
    (#"{"id":"1","image":"a.png","url":5}"#, "'url' is a number, not a string"),
    (#"{"id":"1","image":"a.png","summary":[]}"#, "'summary' is an array, not a string"),
    (#"{"id":"1","image":"a.png","content_html":{}}"#, "'content_html' is an object, not a string"),
    (#"{"id":"1","image":"a.png","author":"anna"}"#, "'author' is a string, not an object"),
    (#"{"id":"1","image":"a.png","authors":"anna"}"#, "'authors' is a string, not an array"),
    (#"{"id":"1","image":"a.png","authors":["anna"]}"#, "'author' is a string, not an object"),
    (
      #"{"id":"1","image":"a.png","date_published":5}"#,
      "'date_published' is a number, not a string"
    ),
    (
      #"{"id":"1","attachments":[{"url":"a.png","duration_in_seconds":"9"}]}"#,
      "'duration_in_seconds' is a string, not a number"
    ),
    (
      #"{"id":"1","attachments":[{"url":"a.png","mime_type":1}]}"#,
      "'mime_type' is a number, not a string"
    ),
    (
      #"{"id":"1","attachments":[{"mime_type":"x"},{"url":"a.png"}]}"#,
      "an attachment has no 'url'"
    ),
    (#"{"id":"1","image":"a.png","attachments":"x"}"#, "'attachments' is a string, not an array"),
    (
      #"{"id":"1","image":"a.png","_storytty":{"imageTime":"8"}}"#,
      "'imageTime' is a string, not a number"
    ),
    (#"{"id":"1","image":"a.png","_storytty":{"reel":8}}"#, "'reel' is a number, not a string"),
  ])
  func read_wrongTypeOfAnOptionalMember_isLeftOut(item: String, reason: String) throws {
    let feed = try read(items: item)
    #expect(
      feed.skipped == [
        Skipped(source: "f/feed.json item 1", reason: reason + ": left out", costsStories: false)
      ])
    #expect(feed.reels.flatMap(\.stories).map(\.source.text) == ["/home/f/a.png"])
    #expect(!feed.isIncomplete)
  }

  @Test(arguments: [
    (#""title":"Fish &amp; <b>chips</b>""#, "Fish & chips"),
    (#""title":"a < b > c &lt;i&gt; &amp;amp;""#, "a < b > c <i> &amp;"),
    (#""title":"one\n two""#, "one two"),
    (#""title":"","content_text":"Fish &amp; <b>"#, "Fish &amp; <b>"),
    (#""summary":"<p>x &eacute;</p>""#, "x é"),
    (#""content_html":"<p>Fish &amp; chips<br>two<script>x</script></p>""#, "Fish & chips two"),
  ])
  func read_caption_isPlainText(members: String, caption: String) throws {
    let closed = members.hasSuffix("\"") ? members : members + "\""
    #expect(try read(items: item(closed)).reels.first?.stories.first?.caption == caption)
  }

  /// The items before a mistake or a cut are kept, and its place is reported.
  @Test(arguments: [
    (#"{"id":"2","image":"b.p"#, "a string does not end"),
    (#"{"id":"2""#, "the text ends too early"), ("", "the text ends too early"),
    (#"{"id":"2" "image":"b.png"}]}"#, "',' is expected"), ("]} x", "something follows its end"),
  ])
  func read_mistake_losesTheRestOnly(rest: String, what: String) throws {
    let version = #""version":"https://jsonfeed.org/version/1.1","title":"T""#
    let feed = try read("{\(version),\n\"items\":[{\"id\":\"1\",\"image\":\"a.png\"},\(rest)")
    #expect(feed.reels.flatMap(\.stories).map(\.source.text) == ["/home/f/a.png"])
    let reason = try #require(feed.skipped.first?.reason)
    #expect(reason.hasPrefix("not valid JSON at line 2, column "))
    #expect(reason.hasSuffix(": \(what): the rest is missing"))
    #expect(feed.skipped.count == 1 && feed.isIncomplete)
  }

  /// Text that JSON forbids but that can be understood, and the note about it.
  @Test(
    arguments: [
      ("// c\n{VERSION,/* x */\"items\":[{\"image\":\"a.png\"/**/}]} // end", nil),
      ("cb({VERSION,\"items\":[{\"image\":\"a.png\"}]});", nil),
      ("{VERSION,\"items\":[{\"image\":\"a.png\",},],}", nil),
      ("{VERSION,\n\"items\":[{\"image\":\"a.png\",\"x\":NaN}]}", "NaN is no value, at line 2"),
      (
        "{VERSION,\"items\":[{\"image\":\"a.png\",\"x\":[-Infinity]}]}",
        "-Infinity is no value, at line 1"
      ),
      (
        "{VERSION,\"items\":[{\"image\":\"a.png\",\"x\":undefined}]}",
        "undefined is no value, at line 1"
      ),
      (
        #"{VERSION,"items":[{"image":"a.png","title":"\x41\q\u00e9\ud83d\ude00"}]}"#,
        "an unknown escape in a string, at line 1"
      ),
    ] as [(String, String?)])
  func read_almostJSON_isUnderstood(text: String, note: String?) throws {
    let version = #""version":"https://jsonfeed.org/version/1.1","title":"T""#
    let feed = try read(text.replacing("VERSION", with: version))
    let stories = feed.reels.flatMap(\.stories)
    #expect(stories.map(\.source.text) == ["/home/f/a.png"])
    if text.contains("x41") { #expect(stories.map(\.caption) == ["Aqé\u{1F600}"]) }
    #expect(feed.skipped.map(\.reason) == (note.map { [$0] } ?? []))
    #expect(!feed.isIncomplete)
  }

  @Test(
    arguments: [
      (#""duration_in_seconds":-3"#, nil), (#""duration_in_seconds":1e999"#, nil),
      (#""duration_in_seconds":0"#, nil), (#""duration_in_seconds":null"#, nil),
      (#""duration_in_seconds":1.5e1"#, 15.0),
    ] as [(String, Double?)])
  func read_duration(member: String, expected: Double?) throws {
    let feed = try read(items: #"{"id":"1","attachments":[{"url":"a.mp4",\#(member)}]}"#)
    #expect(feed.reels.flatMap(\.stories).map(\.durationS) == [expected])
  }

  @Test(
    arguments: [
      (#""date_published":"yesterday""#, nil, nil),
      (#""_storytty":{"maxViews":1e300}"#, nil, Int32.max),
      (#""_storytty":{"maxViews":0}"#, nil, 0), (#""_storytty":null"#, nil, nil),
      (#""date_published":"1970-01-02""#, 86_400, nil),
    ] as [(String, Int64?, Int32?)])
  func read_datesAndViews(member: String, published: Int64?, maxViews: Int32?) throws {
    let story = try #require(try read(items: item(member)).reels.first?.stories.first)
    #expect(story.published == published)
    #expect(story.maxViews == maxViews)
  }

  @Test(arguments: ["javascript:alert(1)", "file:///etc/passwd", "/relative", ""])
  func read_linkOfOtherSchemes_isDropped(link: String) throws {
    let feed = try read(items: item(#""_storytty":{"link":"\#(link)"}"#))
    #expect(feed.reels.flatMap(\.stories).map(\.link) == [nil])
  }

  @Test(arguments: [
    ("{}", "not a JSON Feed: 'version' is missing"),
    (#"{"version":"https://jsonfeed.org/version/1.1"}"#, "not a JSON Feed: 'items' is missing"),
    (
      #"{"version":"https://jsonfeed.org/version/1.1","items":{}}"#,
      "not a JSON Feed: 'items' is not an array"
    ),
    (#"{"version":"2","items":[]}"#, "not a JSON Feed: 'version' is not one of JSON Feed 1"),
    (#"{"version":7,"items":[]}"#, "not a JSON Feed: 'version' is not one of JSON Feed 1"),
    ("[]", "not a JSON Feed: it is an array"),
    ("", "not valid JSON at line 1, column 1: the text ends too early"),
    ("{\n \"version\": \"1\",\n oops", "not valid JSON at line 3, column 2: a key is expected"),
    (
      #"{"version":"1","items":[{"id":"1","image":"a.txt"}"#,
      "not valid JSON at line 1, column 51: the text ends too early"
    ),
    (
      #"{"version":"1","items":[]} x"#,
      "not valid JSON at line 1, column 28: something follows its end"
    ),
  ])
  func read_wrongShape_throws(text: String, reason: String) {
    #expect(throws: FeedError.cannotRead(source: "f/feed.json", reason: reason)) { try read(text) }
  }

  @Test func read_tooDeep_throws() {
    let deep = String(repeating: "[", count: 70) + String(repeating: "]", count: 70)
    let start = #"{"version":"https://jsonfeed.org/version/1","items":[{"x":"#
    let text = "\(start)\(deep)}]}"
    let column = start.utf8.count + 62
    #expect(
      throws: FeedError.cannotRead(
        source: "f/feed.json",
        reason: "not valid JSON at line 1, column \(column): it is nested deeper than 64 levels")
    ) { try read(text) }
  }

  @Test func read_tooLarge_throws() {
    let files = FakeFiles(["/home/f.json": .huge(64 << 20 + 1)])
    #expect(
      throws: FeedError.cannotRead(source: "f.json", reason: "it is larger than 64 MiB")
    ) { try FeedReader(files: files).read(["f.json"]) }
  }

  @Test func read_tooManyItems_throws() {
    let text =
      #"{"version":"https://jsonfeed.org/version/1","items":["#
      + String(repeating: "1,", count: 1_000_000) + "1]}"
    #expect(
      throws: FeedError.cannotRead(source: "f/feed.json", reason: "it has more than 1000000 items")
    ) { try read(text) }
  }

  @Test func read_aHundredThousandItems_givesAllInOrder() throws {
    let items = (0..<100_000).map {
      #"{"id":"\#($0)","authors":[{"name":"a\#($0 % 7)"}],"attachments":[{"url":"\#($0).mp4"}]}"#
    }
    let feed = try read(items: items.joined(separator: ","))
    #expect(feed.reels.map(\.name) == (0..<7).map { "a\($0)" })
    for (remainder, reel) in feed.reels.enumerated() {
      let expected = stride(from: remainder, to: 100_000, by: 7).map { "/home/f/\($0).mp4" }
      #expect(reel.stories.map(\.source.text) == expected)
    }
  }

  @Test func read_longCaption_isCut() throws {
    let feed = try read(items: item(#""title":"\#(String(repeating: "é", count: 5000))""#))
    let caption = try #require(feed.reels.first?.stories.first?.caption)
    #expect(caption == String(repeating: "é", count: 2048))
  }
}
