import Stories
import Testing

@testable import Feeds

/// RSS and Atom feeds as people and programs really write them.
@Suite struct WildFeedTests {
  private func read(_ text: String) throws -> Feed {
    try FeedReader(files: FakeFiles("/home/feed.xml", text)).read(["feed.xml"])
  }

  private let enclosure = "<enclosure url=\"a.mp4\"/>"

  private func rss(_ item: String, _ attributes: String = "") throws -> Feed {
    try read(
      "<rss\(attributes)><channel><title>T</title><item>\(item)\(enclosure)</item></channel></rss>")
  }

  private func atom(_ entry: String) throws -> Feed {
    try read(
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry>\(entry)
      <link rel="enclosure" href="a.mp4"/></entry></feed>
      """)
  }

  private func outline(_ feed: Feed) -> [String] {
    feed.reels.flatMap { reel in
      reel.stories.map { "\(reel.name): \($0.source.text.dropFirst(6)) | \($0.caption ?? "-")" }
    }
  }

  @Test(arguments: [
    (
      "<title><![CDATA[Fish &amp; chips &#8217;n peas &eacute;]]></title>", "Fish & chips ’n peas é"
    ),
    ("<title><![CDATA[a <b>b</b> &lt;b&gt;]]></title>", "a b <b>"),
    ("<title>a &lt;b&gt;b&lt;/b&gt;&lt;br/&gt;c &lt; d &amp;amp;</title>", "a b c < d &amp;"),
    ("<title>Caf&eacute;&nbsp;bar &mdash; x</title>", "Café bar — x"),
    ("<title>\n  one\n two\t three </title>", "one two three"),
    ("<title>one</title><title>two</title>", "one"),
    ("<description>&lt;p&gt;x &amp;amp; y&lt;/p&gt;</description>", "x & y"),
    ("<content:encoded>&lt;p&gt;hello&lt;/p&gt;</content:encoded>", "hello"),
    ("<dc:title>t</dc:title>", "t"), ("<itunes:title>t</itunes:title>", "t"),
    ("<media:title type=\"html\">a &amp;lt;b</media:title>", "a <b"),
    ("<media:group><media:title>in a group</media:title></media:group>", "in a group"),
    (
      "<title>right</title><dc:title>w</dc:title><itunes:title>w</itunes:title><x:title>w</x:title>",
      "right"
    ),
    ("<x:title>w</x:title>", "-"),
  ])
  func rssTitle_isPlainText(item: String, caption: String) throws {
    // The prefixes are not declared.
    #expect(outline(try rss(item)) == ["T: a.mp4 | \(caption)"])
  }

  @Test(arguments: [
    ("<title type=\"html\">&lt;i&gt;x&lt;/i&gt; &amp;eacute; &amp;lt;</title>", "x é <"),
    ("<title type=\"text\">&lt;i&gt; &amp;amp;</title>", "<i> &amp;"),
    (
      "<title type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\">one <b>t</b>wo<br/>three</div></title>",
      "one two three"
    ),
    ("<content type=\"html\">&lt;p&gt;hello&lt;/p&gt;</content>", "hello"),
    ("<summary>s</summary><content>c</content>", "s"),
  ])
  func atomTitle_isPlainText(entry: String, caption: String) throws {
    #expect(outline(try atom(entry)) == ["T: a.mp4 | \(caption)"])
  }

  @Test(
    arguments: [
      ("<dc:creator>Ann</dc:creator><dc:creator>Ben</dc:creator>", "Ann", "Ann, Ben"),
      ("<author>ann@h.example (Ann)</author>", "Ann", "Ann"),
      ("<author>Ann &lt;ann@h.example&gt;</author>", "Ann", "Ann"),
      ("<author>\"Ann B\" &lt;ann@h.example&gt;</author>", "Ann B", "Ann B"),
      ("<author>ann@h.example</author>", "ann@h.example", "ann@h.example"),
      ("<author><name>Ann</name><email>ann@h</email><uri>u</uri></author>", "Ann", "Ann"),
      ("<author><email>ann@h</email></author>", "T", nil),
      ("<author>x@h (Ben)</author><itunes:author>Ann</itunes:author>", "Ann", "Ann"),
      (
        "<media:credit role=\"author\">Ann</media:credit><media:credit>Ben</media:credit>", "Ann",
        "Ann"
      ),
    ] as [(String, String, String?)])
  func author_isTheFirst(item: String, reel: String, author: String?) throws {
    let feed = try rss(item)
    #expect(feed.reels.map(\.name) == [reel])
    #expect(feed.reels[0].stories[0].author == author)
  }

  @Test func atomAuthors_areTheirNames() throws {
    let feed = try atom(
      "<author><uri>u</uri><name>Ann</name></author><author><name>Ben</name></author>")
    #expect(feed.reels.map(\.name) == ["Ann"])
    #expect(feed.reels[0].stories[0].author == "Ann, Ben")
  }

  @Test(arguments: [
    "", " xmlns='http://blogs.law.harvard.edu/tech/rss'", " xmlns='http://x.example/'",
    " xmlns='https://backend.userland.com/rss2/'",
  ])
  func rssNamespace_isWhatever(attributes: String) throws {
    #expect(outline(try rss("<title>x</title>", attributes)) == ["T: a.mp4 | x"])
  }

  @Test(arguments: [
    "https://www.w3.org/2005/Atom", "http://www.w3.org/2005/Atom/", "http://purl.org/atom/ns#", "",
  ])
  func atomNamespace_isWrittenInManyWays(space: String) throws {
    let feed = try read(
      """
      <a:feed xmlns:a="\(space.isEmpty ? "x" : space)"><a:title>T</a:title><a:entry><a:title>x</a:title>
      <a:link rel="enclosure" href="a.mp4"/></a:entry></a:feed>
      """)
    #expect(outline(feed) == ["T: a.mp4 | x"])
  }

  @Test(arguments: [
    "http://search.yahoo.com/mrss/", "https://search.yahoo.com/mrss",
    "http://tools.search.yahoo.com/mrss/",
    "http://video.search.yahoo.com/mrss",
  ])
  func mediaNamespace_isWrittenInManyWays(space: String) throws {
    let text = """
      <rss xmlns:m="\(space)"><channel><title>T</title><item><m:content url="a.mp4"/></item></channel></rss>
      """
    #expect(outline(try read(text)) == ["T: a.mp4 | -"])
  }

  @Test func rss10_enclosesWithAModule() throws {
    let feed = try read(
      """
      <rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
       xmlns:enc="http://purl.oclc.org/net/rss_2.0/enc#"><channel><title>T</title></channel><item>
      <title>x</title><enc:enclosure rdf:resource="a" enc:type="video/mp4"/></item></rdf:RDF>
      """.replacing("\"a\"", with: "\"http://h/a\""))
    #expect(feed.reels.flatMap(\.stories).map(\.kind) == [.video])
  }

  /// Things that should not be before or after a feed.
  @Test(arguments: [
    ("\n\n", ""), ("\u{FEFF}\u{FEFF}", ""), ("\u{FEFF}\n", ""), ("\u{200B}", ""), ("\u{A0} ", ""),
    ("Warning: foo\n", ""), ("<br />\n<b>Warning</b>: x in <b>y.php</b><br />\n", ""),
    ("<!-- c -->", ""), ("", "\u{0}\u{0}\n"), ("", "\n<!-- c -->"),
  ])
  func junk_aroundAFeed_isLeftOut(before: String, after: String) throws {
    for declaration in [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", "<?XML version=\"2.0\"?>", "",
    ] {
      let text =
        "\(before)\(declaration)<rss><channel><title>T</title><item>\(enclosure)</item></channel></rss>"
      let feed = try read(text + after)
      #expect(outline(feed) == ["T: a.mp4 | -"])
      #expect(feed.skipped == [])
    }
  }

  @Test(arguments: [
    ("<!DOCTYPE rss [<!ENTITY e \"ok\">]>", "a &e; b", "a ok b"),
    ("<!DOCTYPE rss SYSTEM \"http://127.0.0.1:9/x.dtd\">", "Caf&eacute; &e;", "Café &e;"),
    ("<!DOCTYPE rss [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>", "a &e; b", "a b"),
  ])
  func documentType_isReadWithoutLoading(type: String, title: String, caption: String) throws {
    let text =
      "\(type)<rss><channel><title>T</title><item><title>\(title)</title>\(enclosure)</item></channel></rss>"
    let files = FakeFiles("/home/feed.xml", text)
    let feed = try FeedReader(files: files).read(["feed.xml"])
    #expect(outline(feed) == ["T: a.mp4 | \(caption)"])
    #expect(feed.skipped == [])
    #expect(Set(files.opened) == ["/home/feed.xml"])
  }

  /// Mistakes in one item: that item and its neighbours are kept.
  @Test(arguments: [
    "<title>x < y</title>", "<title>x <y</title>", "<title>Ann <ann@h></title>",
    "<description><p>x<br>y</description>", "<description><b>x</description>",
    "<enclosure url=2.mp4 type=video/mp4>", "<title>x</titel>", "<title>x\u{8}\u{0}</title>",
    "<title><![CDATA[x\u{1B}]]></title>", "<guid>x</b></guid>", "<title a='1' a='2'>x</title>",
    "<title>x ]]> y</title>", "<title>&x; &#0;</title>", "<x y=\"1>z</x>",
  ])
  func mistake_losesNoItem(mistake: String) throws {
    let items = ["1", "2", "3"].map { number in
      "<item>\n\(number == "2" ? mistake : "")<enclosure url=\"\(number).mp4\"/></item>"
    }
    let feed = try read("<rss><channel><title>T</title>\(items.joined())</channel></rss>")
    let places = feed.reels.flatMap(\.stories).map(\.source.text)
    #expect(places == ["/home/1.mp4", "/home/2.mp4", "/home/3.mp4"])
  }

  @Test(arguments: [1_000, 1_001, 200_000])
  func manyAttributes_areRefused_atOnce(count: Int) throws {
    let attributes = (0..<count).map { " a\($0)=\"\"" }.joined()
    for text in [
      "<rss\(attributes)><channel><item>\(enclosure)</item></channel></rss>",
      "<rss\(attributes)><channel><item>\(enclosure)</itm></channel></rss>",
      "<playlist\(attributes)><trackList><track><location>a.mp4</location></track></trackList></playlist>",
    ] {
      if count <= 1_000 {
        #expect(try read(text).storyCount == 1)
      } else {
        let reason = "it has a tag of more than 1000 attributes"
        #expect(throws: FeedError.cannotRead(source: "feed.xml", reason: reason)) { try read(text) }
      }
    }
  }

  /// Items that were read before the time ran out are kept.
  @Test(arguments: ["feed.xml", "feed.json", "l.m3u"])
  func time_isLimited(name: String) throws {
    let items = 100_000
    let texts = [
      "feed.xml": "<rss><channel>"
        + String(repeating: "<item><enclosure url=\"http://h/a.mp4\"/></item>", count: items)
        + "</channel></rss>",
      "feed.json": #"{"version":"https://jsonfeed.org/version/1","items":["#
        + Array(repeating: #"{"image":"a.png","id":"1234567890"}"#, count: items)
        .joined(separator: ",") + "]}",
      "l.m3u": String(repeating: "http://h/12345678901234567890.mp4\n", count: items),
    ]
    // The clock advances by a second for each piece of the text.
    var seconds = 0.0
    let files = FakeFiles("/home/" + name, try #require(texts[name]))
    var opener = SourceOpener(files: files, web: nil) {
      TimeBudget {
        seconds += 1
        return seconds
      }
    }
    let feed = try opener.open(name).feed
    #expect(feed.storyCount > 0 && feed.storyCount < items)
    #expect(
      feed.skipped == [
        Skipped(
          source: name,
          reason: "reading it took more than 5 s of the processor's time: the rest is left out")
      ])
  }
}
