import Stories
import Testing

@testable import Feeds

@Suite struct SyndicationTests {
  private let head = """
    <?xml version="1.0"?><rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"
     xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
     xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
    """

  private func read(_ text: String, name: String = "feed.xml") throws -> Feed {
    try FeedReader(files: FakeFiles("/home/" + name, text)).read([name])
  }

  private func rss(_ items: String) throws -> Feed {
    try read(head + "<title>T</title>" + items + "</channel></rss>")
  }

  /// Stories by reel, as `address | caption`.
  private func outline(_ feed: Feed) -> [String] {
    feed.reels.map { reel in
      let stories = reel.stories.map { "\($0.source.text) | \($0.caption ?? "-")" }
      return "\(reel.name): " + stories.joined(separator: ", ")
    }
  }

  private func stories(_ feed: Feed) -> [Story] { feed.reels.flatMap(\.stories) }

  @Test func rssItem_everyElement_isKept() throws {
    let feed = try rss(
      """
      <item><title> Low &amp; <![CDATA[<tide>]]></title><link>https://h/page</link>
      <guid isPermaLink="false">g1</guid><pubDate>Sat, 28 Nov 2026 09:00:00 GMT</pubDate>
      <dc:creator>anna</dc:creator><itunes:duration>1:02:03</itunes:duration>
      <enclosure url="a.mp4" length="12" type="video/mp4">noise</enclosure></item>
      """)
    let story = Story(
      source: .file("/home/a.mp4"), feed: "/home/feed.xml", item: "g1", kind: .video,
      caption: "Low & <tide>", author: "anna", published: 1_795_856_400, durationS: 3723,
      link: "https://h/page")
    #expect(
      feed
        == Feed(
          identity: "/home/feed.xml", title: "T", reels: [Reel(name: "anna", stories: [story])]))
  }

  @Test func reels_areAuthors_elseTheFeedsAuthor_elseItsTitle() throws {
    let items = """
      <item><author>b@h (ben)</author><enclosure url="1.mp4"/></item>
      <item><itunes:author>anna (anna@h)</itunes:author><enclosure url="2.mp4"/></item>
      <item><enclosure url="3.mp4"/></item>
      <item><author>ben</author><enclosure url="4.mp4"/></item>
      """
    #expect(
      outline(try rss(items)) == [
        "ben: /home/1.mp4 | -, /home/4.mp4 | -", "anna: /home/2.mp4 | -", "T: /home/3.mp4 | -",
      ])
    // The feed's own title and author may come last.
    let late = items + "<itunes:author>cleo</itunes:author>"
    #expect(outline(try rss(late)).last == "cleo: /home/3.mp4 | -")
    let untitled = head + items + "<title>Late</title></channel></rss>"
    #expect(outline(try read(untitled)).last == "Late: /home/3.mp4 | -")
  }

  @Test(arguments: [
    // One of a group is chosen: the smallest that is enough for a terminal, or the feed's default.
    (
      """
      <media:group><media:content url="1080.mp4" width="1080" height="1920" isDefault="true"/>
      <media:content url="240.mp4" width="426" height="240"/>
      <media:content url="480.mp4" width="854" height="480"/></media:group>
      """, ["480.mp4"]
    ),
    (
      """
      <media:group><media:content url="180.mp4" width="320" height="180"/>
      <media:content url="240.mp4" width="426" height="240"/></media:group>
      """, ["240.mp4"]
    ),
    (
      """
      <media:group><media:content url="1.mp3"/><media:content url="1.mp4"/>
      <media:content url="2.mp4" isDefault="true"/></media:group>
      """, ["2.mp4"]
    ),
    ("<media:group><media:content url=\"x\" medium=\"video\"/></media:group>", []),
    // Two outside of a group are two things.
    ("<media:content url=\"1.mp4\"/><media:content url=\"2.mp4\"/>", ["1.mp4", "2.mp4"]),
    // An enclosure of the same medium is no further thing.
    ("<media:content url=\"1.mp4\"/><enclosure url=\"1.mp4\"/>", ["1.mp4"]),
    ("<media:content url=\"1.mp4\"/><enclosure url=\"1.mp3\"/>", ["1.mp4"]),
    ("<enclosure url=\"1.mp3\"/><media:content url=\"1.mp4\"/>", ["1.mp4"]),
    (
      """
      <media:group><media:content url="1.mp4"/><media:content url="2.mp4"/></media:group>
      <enclosure url="2.mp4"/>
      """, ["2.mp4"]
    ),
    // Media RSS pictures beside a video or sound are its covers; enclosures are things of their
    // own.
    ("<media:content url=\"1.jpg\"/><enclosure url=\"1.mp3\"/>", ["1.mp3"]),
    ("<media:content url=\"1.jpg\"/><media:content url=\"2.jpg\"/>", ["1.jpg", "2.jpg"]),
    ("<enclosure url=\"1.mp4\"/><enclosure url=\"1.jpg\"/>", ["1.mp4", "1.jpg"]),
    ("<enclosure url=\"1.jpg\"/><enclosure url=\"1.jpg\"/>", ["1.jpg"]),
    ("<media:content type=\"application/x-shockwave-flash\" url=\"1.mp4\"/>", []),
    ("<enclosure length=\"1\"/>", []),
    // A width alone is a size too.
    (
      """
      <media:group><media:content url="160.jpg" width="160" medium="image"/>
      <media:content url="1280.jpg" width="1280" medium="image"/></media:group>
      """, ["1280.jpg"]
    ),
    // Sizes of the same shape are one thing, even without a group; two shapes are two things.
    (
      """
      <media:content url="140.jpg" width="140" medium="image"/>
      <media:content url="460.jpg" width="460" medium="image"/>
      """, ["460.jpg"]
    ),
    (
      """
      <media:content url="1.mp4" width="640" height="360"/>
      <media:content url="2.mp4" width="1280" height="720"/>
      """, ["1.mp4"]
    ),
    (
      """
      <media:content url="1.jpg" width="640" height="480"/>
      <media:content url="2.jpg" width="480" height="640"/>
      """, ["1.jpg", "2.jpg"]
    ),
    (
      """
      <media:content url="1.jpg" width="640" height="480"/>
      <media:content url="2.jpg" width="640" height="480"/>
      """, ["1.jpg", "2.jpg"]
    ),
    (
      "<media:group><media:group><media:content url=\"1.mp4\"/></media:group></media:group>",
      ["1.mp4"]
    ),
    ("<media:thumbnail url=\"1.jpg\" width=\"30\" height=\"30\"/>", []),
    // A picture of the item's subject is shown if there is nothing else.
    ("<media:thumbnail url=\"1.jpg\"/>", ["1.jpg"]), ("<itunes:image href=\"1.jpg\"/>", ["1.jpg"]),
    ("<image><url> 1.jpg </url><title>x</title></image>", ["1.jpg"]),
    (
      """
      <media:group><media:content type="application/x-shockwave-flash" url="x"/>
      <media:thumbnail url="s.jpg" width="120" height="90"/>
      <media:thumbnail url="l.jpg" width="480" height="360"/></media:group>
      """, ["l.jpg"]
    ),
    ("<media:thumbnail url=\"1.jpg\"/><enclosure url=\"1.mp3\"/>", ["1.mp3"]),
  ])
  func media_ofAnItem(text: String, expected: [String]) throws {
    let feed = try rss("<item>\(text)</item>")
    #expect(stories(feed).map(\.source.text) == expected.map { "/home/" + $0 })
    #expect(feed.skipped.count == (expected.isEmpty ? 1 : 0))
  }

  @Test func severalThings_ofOneItem_haveIdsAndTitlesOfTheirOwn() throws {
    let feed = try rss(
      """
      <item><guid>g</guid><title>Sea</title><media:content url="1.mp4" duration="75">
      <media:title>east</media:title></media:content><media:content url="2.mp4"/></item>
      """)
    #expect(stories(feed).map(\.listedID) == ["g", "g/2"])
    #expect(stories(feed).map(\.caption) == ["Sea: east", "Sea"])
    #expect(stories(feed).map(\.durationS) == [75, nil])
  }

  @Test func badItem_isSkipped_notTheFeed() throws {
    let many = String(repeating: "<media:content url=\"1.mp4\"/>", count: 257)
    let feed = try rss(
      """
      <item><enclosure url="javascript:alert(1)" type="video/mp4"/></item><item/>
      <item><enclosure url="/etc/passwd" type="video/mp4"/></item><item>\(many)</item>
      <item><enclosure url="a.mp4"/></item>
      """)
    #expect(outline(feed) == ["T: /home/a.mp4 | -"])
    #expect(
      feed.skipped == [
        Skipped(
          source: "feed.xml item 1", reason: "'javascript:' addresses are not played"),
        Skipped(
          source: "feed.xml item 3", reason: "/etc/passwd is not a medium by its name"),
        Skipped(source: "feed.xml item 4", reason: "it names more than 256 media"),
        Skipped(source: "feed.xml", reason: "of its 5 items 1 have no media"),
      ])
  }

  @Test func atomEntry_everyElement_isKept() throws {
    let feed = try read(
      """

      <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://h/x/"><title type="xhtml">
      <div xmlns="http://www.w3.org/1999/xhtml">A <b>week</b></div></title>
      <author><name>anna</name><uri>u</uri></author>
      <entry xml:base="deep/"><id>urn:1</id><title>Low tide</title>
      <link rel="enclosure" type="video/mp4" href="a b.mp4" length="no"/><link href="../page"/>
      <link rel="self" href="self"/><updated>2026-11-29T00:00:00Z</updated>
      <published>2026-11-28T10:00:00+01:00</published></entry>
      <entry><id>urn:2</id><author><name>ben</name></author><summary type="html">&lt;p&gt;Two
      &lt;i&gt;lines</summary><updated>2026-11-29T00:00:00Z</updated>
      <content type="image/png" src="/p.png"/></entry>
      <entry><content type="text/html" src="/page.html"/></entry></feed>
      """)
    #expect(feed.title == "A week")
    #expect(
      feed.reels == [
        Reel(
          name: "anna",
          stories: [
            Story(
              source: .url("https://h/x/deep/a b.mp4"), feed: "/home/feed.xml", item: "urn:1",
              kind: .video, caption: "Low tide", author: "anna", published: 1_795_856_400,
              link: "https://h/x/page")
          ]),
        Reel(
          name: "ben",
          stories: [
            Story(
              source: .url("https://h/p.png"), feed: "/home/feed.xml", item: "urn:2",
              kind: .picture, caption: "Two lines", author: "ben", published: 1_795_910_400)
          ]),
      ])
    #expect(feed.skipped.map(\.reason) == ["of its 3 items 1 have no media"])
  }

  @Test func base_ofAFeedFromTheWeb_namesNoFiles() throws {
    let url = "https://h/feed.atom"
    let text = """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:base="file:///etc/"><title>T</title><entry>
      <link rel="enclosure" href="a.mp4"/><link rel="enclosure" href="file:///b.mp4"/></entry></feed>
      """
    let feed = try FeedReader(web: FakeWeb(pages: [url: Array(text.utf8)])).read([url])
    #expect(stories(feed).map(\.source) == [.url("https://h/a.mp4")])
    #expect(
      feed.skipped.map(\.reason) == ["a feed from the network may not name files of this machine"])
  }

  @Test func base_ofALocalFeed_mayBeAFolder() throws {
    let text = """
      <rss xml:base="media/"><channel><item><enclosure url="a.mp4"/></item>
      <item xml:base="other"><enclosure url="b.mp4"/></item></channel></rss>
      """
    #expect(
      stories(try read(text)).map(\.source.text) == ["/home/media/a.mp4", "/home/media/b.mp4"])
  }

  @Test func rss10_hasItemsOutsideItsChannel() throws {
    let text = """
      <rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <channel><title>Old</title></channel><item><title>x</title><enclosure url="a.mp4"/></item>
      </rdf:RDF>
      """
    #expect(outline(try read(text)) == ["Old: /home/a.mp4 | x"])
  }

  @Test func mistakes_loseAsLittleAsPossible() throws {
    let lone = try rss(
      """
      <item><title>A & B&nbsp;<![CDATA[C & D]]></title><enclosure url="https://h/a.mp4?x=1&y=2&#38;z"/>
      </item>
      """)
    #expect(
      outline(lone) == ["T: https://h/a.mp4?x=1&y=2&z | A & B C & D"])
    #expect(lone.skipped == [])
    let ampersands = try rss("<item><enclosure url=\"https://h/a.mp4?x=1&y=2\"/></item>")
    #expect(ampersands.skipped == [])
    let cut = try read(
      head + "<title>T</title><item><enclosure url=\"a.mp4\"/></item><item><enclosure url=\"b.mp")
    #expect(outline(cut) == ["T: /home/a.mp4 | -"])
    #expect(
      cut.skipped.map(\.reason) == ["its text is cut off at line 3: the rest is missing"])
    #expect(cut.isIncomplete)
  }

  @Test(arguments: [
    ("<svg/>", "XML, but no feed: it is a <svg>"), ("<rss/>", "the feed has no items"),
    ("<?xml version=\"1.0\"?>", "XML without content"),
    (
      "<feed>" + String(repeating: "<a>", count: 70), "it is nested deeper than 64 levels"
    ),
    ("<playlist/>", "the list is empty"),
  ])
  func noFeed_saysWhy(text: String, reason: String) {
    #expect(throws: FeedError.cannotRead(source: "feed.xml", reason: reason)) { try read(text) }
  }

  @Test func feedOfManyItems_isReadInOrder() throws {
    let items = (0..<20_000).map {
      "<item><guid>\($0)</guid><title>t</title><enclosure url='\($0).mp4'/></item>"
    }
    let stories = stories(try rss(items.joined()))
    #expect(stories.map(\.source.text) == (0..<20_000).map { "/home/\($0).mp4" })
  }

  @Test func unknownZones_areNotedOnce() throws {
    let dates = ["10:00:00 XYZ", "10:00:00 QQ", "10:00:00 GMT"].map { "Sat, 28 Nov 2026 " + $0 }
    let items = dates.map { "<item><pubDate>\($0)</pubDate><enclosure url='a.mp4'/></item>" }
    let feed = try rss(items.joined())
    #expect(stories(feed).map(\.published) == [1_795_860_000, 1_795_860_000, 1_795_860_000])
    #expect(
      feed.skipped == [
        Skipped(
          source: "feed.xml",
          reason: "2 dates are in a zone that is not known (the first is 'XYZ'): taken as UTC",
          costsStories: false)
      ])
  }

  @Test(
    arguments: [
      ("867", 867), ("14:27", 867), ("1:02:03", 3723), ("3.5", 3.5), ("0", nil), ("", nil),
      ("1:2:3:4", nil), ("-5", nil), ("1:-2", nil), ("x", nil), ("inf", nil), ("nan", nil),
    ] as [(String, Double?)])
  func clockTime_isSeconds(text: String, expected: Double?) {
    #expect(ClockTime.seconds(text) == expected)
  }
}
