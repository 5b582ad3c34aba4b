import Feeds
import Stories
import Testing

@Suite struct TrackListTests {
  private func read(_ text: String, _ name: String) throws -> Feed {
    let files = FakeFiles([
      "/home/\(name)": .file(Array(text.utf8)), "/home/a b.mp4": .file(Bytes.mp4),
      "/home/notes.txt": .file(Bytes.text),
    ])
    return try FeedReader(files: files).read([name])
  }

  @Test func xspf_isOneReel() throws {
    let feed = try read(
      """
      <playlist version="1" xmlns="http://xspf.org/ns/0/"><title>Sea &amp; sky</title><trackList>
      <track><location>a%20b.mp4</location><location>other.mp4</location><title>One</title>
      <duration>1500</duration><meta rel="x"><title>no</title></meta></track>
      <track><title>without</title></track><track><location> https://h/2 </location></track>
      <track><location>notes.txt</location></track></trackList></playlist>
      """, "l.xspf")
    #expect(feed.title == "Sea & sky")
    #expect(
      feed.reels == [
        Reel(
          name: "Sea & sky",
          stories: [
            Story(source: .file("/home/a b.mp4"), kind: .video, caption: "One", durationS: 1.5),
            Story(source: .url("https://h/2")),
          ])
      ])
    #expect(
      feed.skipped == [
        Skipped(source: "without", reason: "it names no location"),
        Skipped(source: "notes.txt", reason: "it is not a medium by its name"),
      ])
  }

  @Test func xspf_thatIsCut_keepsWhatItHas() throws {
    let feed = try read("<playlist><trackList><track><location>a b.mp4</location></track><tr", "l")
    #expect(feed.storyCount == 1)
    #expect(
      feed.skipped == [
        Skipped(source: "l", reason: "its text is cut off at line 1: the rest is missing")
      ])
  }

  @Test(arguments: ["\n", "\r\n"])
  func pls_isOneReelInTheOrderOfItsNumbers(end: String) throws {
    let lines = [
      "[Playlist]", "numberofentries=9", "Title2=Two = 2", "File10=c.mp4", "FILE2=a b.mp4",
      "Length2=2", "Length1=-1", " file1 = https://h:80/stream ", "Title7=nothing", "x",
      "Version=2",
    ]
    let feed = try read(lines.joined(separator: end), "radio.pls")
    #expect(feed.title == "radio")
    #expect(
      feed.reels.map(\.stories) == [
        [
          Story(source: .url("https://h:80/stream")),
          Story(source: .file("/home/a b.mp4"), kind: .video, caption: "Two = 2", durationS: 2),
          Story(source: .file("/home/c.mp4"), kind: .video),
        ]
      ])
  }

  @Test func lists_fromTheWeb_areRelativeToTheirAddress() throws {
    let base = "https://h/x/"
    let web = FakeWeb(pages: [
      base + "l": Array(
        "<playlist><trackList><track><location>a.mp4</location></track></trackList></playlist>".utf8
      ),
      base + "r": Array("[playlist]\nFile1=a.mp4\nFile2=file:///etc/b.mp4\n".utf8),
    ])
    for name in ["l", "r"] {
      let feed = try FeedReader(web: web).read([base + name])
      #expect(feed.reels.flatMap(\.stories).map(\.source) == [.url(base + "a.mp4")])
      #expect(feed.skipped.count == (name == "r" ? 1 : 0))
    }
  }

  private func outline(_ feed: Feed) -> [String] {
    feed.reels.flatMap(\.stories).map { story in
      [story.source.text, story.caption ?? "-", story.durationS.map { "\($0)" } ?? "-"]
        .joined(separator: " | ")
    }
  }

  @Test func xspf_bases_changeRelativeAddresses() throws {
    let feed = try read(
      """
      <playlist xml:base="http://h/x/"><trackList><track><location>a.mp4</location></track>
      <track xml:base="y/"><location>b.mp4</location></track>
      <track><location>/c.mp4</location></track></trackList></playlist>
      """, "l.xspf")
    #expect(
      outline(feed) == [
        "http://h/x/a.mp4 | - | -", "http://h/x/y/b.mp4 | - | -", "http://h/c.mp4 | - | -",
      ])
  }

  /// The first location that may play is used, or the first of all if none may.
  @Test(arguments: [
    (["rtmp://h/a.mp4", "a b.mp4"], ["/home/a b.mp4 | T | -"]),
    (["gone.mp4", "a b.mp4"], ["/home/a b.mp4 | T | -"]),
    (["notes.txt", "http://h/a.mp4"], ["http://h/a.mp4 | T | -"]),
    (["a b.mp4", "http://h/a.mp4"], ["/home/a b.mp4 | T | -"]),
    (["gone.mp4", "lost.mp4"], ["/home/gone.mp4 | T | -"]), (["rtmp://h/a", "notes.txt"], []),
  ])
  func xspf_locations_areTriedInOrder(places: [String], expected: [String]) throws {
    let locations = places.map { "<location>\($0)</location>" }.joined()
    let list =
      "<playlist><trackList><track><title>T</title>\(locations)</track></trackList></playlist>"
    let feed = try read(list, "l.xspf")
    #expect(outline(feed) == expected)
    #expect(feed.skipped.map(\.source) == (expected.isEmpty ? [places[0]] : []))
  }

  @Test func asx_isOneReel() throws {
    let feed = try read(
      """
      <ASX version="3.0"><TITLE>Sea & sky</TITLE><Entry><title>One</title><ref href="rtsp://h/a"/>
      <Ref HREF="a b.mp4"></Entry><entry><REF href='http://h/b.mp4'/></entry>
      <entryref href="https://h/c.asx"/><entry><title>without</title></entry></asx>
      """, "l.asx")
    #expect(feed.title == "Sea & sky")
    #expect(
      outline(feed) == [
        "/home/a b.mp4 | One | -", "http://h/b.mp4 | - | -", "https://h/c.asx | - | -",
      ])
    #expect(feed.skipped.first == Skipped(source: "without", reason: "it names no location"))
  }

  /// However much of a list is there, what comes first in it is kept.
  @Test(arguments: [
    ("l.jspf", #"{"playlist":{"title":"Sea","track":[{"location":["a b.mp4"]},"#),
    ("l.jspf", #"{"playlist":{"title":"Sea","track":[{"location":["a b.mp4"]}],"creator"#),
    (
      "l.xspf", "<playlist><title>Sea</title><trackList><track><location>a b.mp4</location></track>"
    ),
    ("l.asx", "<asx><title>Sea</title><entry><ref href='a b.mp4'/></entry><entry>"),
  ])
  func list_thatIsCut_keepsItsTitle(name: String, text: String) throws {
    let feed = try read(text, name)
    #expect(feed.title == "Sea")
    #expect(feed.storyCount == 1 && feed.isIncomplete)
  }

  @Test func jspf_isOneReel() throws {
    let feed = try read(
      """
      {"playlist": {"title": "Sea", "creator": 5, "track": [
       {"location": ["rtmp://h/a", "a b.mp4"], "title": "One", "duration": 1500},
       {"location": "http://h/b.mp4"}, {"title": "without"}, 7]}}
      """, "l.jspf")
    #expect(feed.title == "Sea")
    #expect(outline(feed) == ["/home/a b.mp4 | One | 1.5", "http://h/b.mp4 | - | -"])
    #expect(feed.skipped.map(\.source) == ["without", ""])
    let cut = try read(#"{"playlist":{"track":[{"location":["a b.mp4"]},{"loc"#, "l.jspf")
    #expect(outline(cut) == ["/home/a b.mp4 | - | -"])
    #expect(cut.isIncomplete)
  }

  @Test(arguments: [
    ("x.url", "[InternetShortcut]\r\nURL=http://h/a.mp4\r\nIconIndex=0\r\n", "http://h/a.mp4"),
    ("x.URL", "[internetshortcut]\nurl = http://h/a.mp4\n", "http://h/a.mp4"),
    ("x.strm", "http://h/a.mp4\n", "http://h/a.mp4"), ("x.strm", "a b.mp4", "/home/a b.mp4"),
    ("x.ram", "# c\nhttp://h/a.mp4", "http://h/a.mp4"),
    ("x.pls", "[PLAYLIST]\nfILE1=a b.mp4\n", "/home/a b.mp4"),
  ])
  func shortLists_nameOneMedium(name: String, text: String, place: String) throws {
    let feed = try read(text, name)
    #expect(feed.reels.flatMap(\.stories).map(\.source.text) == [place])
    #expect(feed.skipped == [])
  }

  @Test(arguments: [
    ("x.cue", "FILE \"a.wav\" WAVE\n", "a cue sheet, which is not read"),
    ("x.wpl", "<?wpl version=\"1.0\"?><smil/>", "XML, but no feed: it is a <smil>"),
    ("x.b4s", "x", "a Winamp list, which is not read"),
  ])
  func otherLists_areRefusedByTheirName(name: String, text: String, reason: String) {
    #expect(throws: FeedError.cannotRead(source: name, reason: reason)) { try read(text, name) }
  }

  /// UTF-16 and UTF-32 in both byte orders, with a byte order mark and without.
  @Test(arguments: ["l.m3u", "l.pls", "l.xspf", "l.jspf"])
  func wideEncodings_areRead(name: String) throws {
    let texts = [
      "l.m3u": "#EXTM3U\n#EXTINF:5,One é\nhttp://h/ø.mp4\n",
      "l.pls": "[playlist]\nFile1=http://h/ø.mp4\nTitle1=One é\nLength1=5\n",
      "l.xspf": """
      <?xml version="1.0" encoding="UTF-16"?><playlist><trackList><track><title>One é</title>
      <location>http://h/ø.mp4</location><duration>5000</duration></track></trackList></playlist>
      """,
      "l.jspf":
        #"{"playlist":{"track":[{"title":"One é","location":["http://h/ø.mp4"],"duration":5000}]}}"#,
    ]
    let text = try #require(texts[name])
    for encoding in WideEncoding.all {
      for isMarked in [true, false] {
        let bytes = encoding.bytes(text, isMarked: isMarked)
        let feed = try FeedReader(files: FakeFiles(["/home/\(name)": .file(bytes)])).read([name])
        #expect(outline(feed) == ["http://h/ø.mp4 | One é | 5.0"], "\(encoding) \(isMarked)")
        #expect(feed.skipped == [])
      }
    }
  }
}

/// UTF-16 or UTF-32 in one byte order.
struct WideEncoding {
  let unitBytes: Int
  let isBigEndian: Bool

  static let all = [2, 4].flatMap { size in
    [true, false].map { WideEncoding(unitBytes: size, isBigEndian: $0) }
  }

  func bytes(_ text: String, isMarked: Bool) -> [UInt8] {
    let marked = (isMarked ? "\u{FEFF}" : "") + text
    let units =
      unitBytes == 2 ? marked.utf16.map { UInt32($0) } : marked.unicodeScalars.map(\.value)
    return units.flatMap { unit in
      let bytes = (0..<unitBytes).map { UInt8(unit >> (8 * UInt32($0)) & 0xFF) }
      return isBigEndian ? bytes.reversed() : bytes
    }
  }
}
