import Feeds
import Stories
import Support
import Testing

/// Feeds in other encodings than UTF-8, from bytes to stories.
@Suite struct EncodingTests {
  private func rss(_ title: [UInt8], _ declaration: String) -> [UInt8] {
    let start =
      "\(declaration)<rss><channel><title>T</title><item><title>1</title>"
      + "<enclosure url=\"1.mp4\"/></item><item><title>"
    let end =
      "</title><enclosure url=\"2.mp4\"/></item><item><title>3</title>"
      + "<enclosure url=\"3.mp4\"/></item></channel></rss>"
    return Array(start.utf8) + title + Array(end.utf8)
  }

  private func read(_ bytes: [UInt8], charset: String? = nil) throws -> Feed {
    let url = "http://h/feed"
    return try FeedReader(web: FakeWeb(pages: [url: bytes], charset: charset)).read([url])
  }

  private func captions(_ feed: Feed) -> [String?] {
    feed.reels.flatMap(\.stories).map(\.caption)
  }

  /// Labels mean the same as to browsers (WHATWG Encoding Standard, section 4.2).
  @Test(arguments: [
    ("ISO-8859-1", [0x93, 0x78, 0x94, 0x80] as [UInt8], "“x”€"), ("us-ascii", [0xE9], "é"),
    ("latin1", [0xE9], "é"), ("Windows-1252", [0x92], "’"),
    ("shift_jis", [0x87, 0x40], "①"), ("x-sjis", [0x82, 0xB1], "こ"),
    ("windows-31j", [0x87, 0x40], "①"),
    ("gb2312", [0xE9, 0x46], "镕"), ("gbk", [0xC4, 0xE3], "你"),
    ("gb18030", [0x95, 0x32, 0x82, 0x36], "\u{20000}"),
    ("ks_c_5601-1987", [0xBE, 0xC8], "안"), ("euc-kr", [0x8C, 0x63], "똠"),
    ("big5", [0xA7, 0x41], "你"), ("euc-jp", [0xA4, 0xB3], "こ"),
    ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x24, 0x33, 0x1B, 0x28, 0x42], "こ"),
    ("iso-8859-2", [0xD8], "Ř"), ("ISO-8859-9", [0xFE], "ş"), ("iso-8859-15", [0xA4], "€"),
    ("iso-8859-8-i", [0xF9], "ש"), ("koi8-r", [0xF0], "П"), ("koi8-u", [0xA7], "ї"),
    ("windows-1251", [0xCF], "П"), ("windows-1253", [0xCA], "Κ"), ("windows-1256", [0xE3], "م"),
    ("windows-1257", [0xC0], "Ą"), ("windows-1258", [0x61, 0xCC], "à"), ("tis-620", [0xA1], "ก"),
    ("x-mac-roman", [0x8E], "é"), ("cp437", [0x82], "é"), ("utf-7", Array("+AOk-".utf8), "é"),
    ("utf8", Array("é".utf8), "é"), ("UTF-16", Array("é".utf8), "é"),
    ("unicode", Array("é".utf8), "é"),
    ("foo-bar", Array("é".utf8), "é"), ("ISO-8859-1", Array("blåbær".utf8), "blåbær"),
  ])
  func declaredEncoding_isRead(label: String, bytes: [UInt8], expected: String) throws {
    let feed = try read(rss(bytes, "<?xml version=\"1.0\" encoding='\(label)'?>"))
    #expect(captions(feed) == ["1", expected, "3"])
    #expect(feed.skipped == [])
  }

  @Test func charsetOfTheServer_precedesTheDeclaration_andAMarkPrecedesBoth() throws {
    let declared = "<?xml version=\"1.0\" encoding=\"utf-8\"?>"
    #expect(captions(try read(rss([0xE6], declared), charset: "ISO-8859-1")) == ["1", "æ", "3"])
    #expect(captions(try read(rss([0xE6], declared), charset: "nonsense"))[1] == "\u{FFFD}")
    #expect(captions(try read(rss([0xCF], ""), charset: "windows-1251")) == ["1", "П", "3"])
    let marked = [0xEF, 0xBB, 0xBF] + rss(Array("é".utf8), declared)
    #expect(captions(try read(marked, charset: "windows-1251")) == ["1", "é", "3"])
    let json = #"{"version":"https://jsonfeed.org/version/1","items":[{"image":"a.png","title":""#
    let text = Array(json.utf8) + [0xCF] + Array("\"}]}".utf8)
    #expect(captions(try read(text, charset: "windows-1251")) == ["П"])
    let list = Array("#EXTM3U\n#EXTINF:1,".utf8) + [0xCF] + Array("\na.mp4\n".utf8)
    #expect(captions(try read(list, charset: "windows-1251")) == ["П"])
  }

  /// Undeclared text is read as UTF-8 with mistakes if most of it is UTF-8, otherwise as
  /// windows-1252.
  @Test func undeclaredEncoding_isGuessed_andSaid() throws {
    let guessed = try read(rss([0x93, 0xE9, 0x94], "<?xml version=\"1.0\"?>"))
    #expect(captions(guessed) == ["1", "“é”", "3"])
    #expect(
      guessed.skipped.map(\.reason) == [
        "it is no UTF-8 and names no encoding: read as windows-1252"
      ])
    #expect(!guessed.isIncomplete)
    let mostly = try read(rss(Array("é ö".utf8) + [0xE9], ""))
    #expect(captions(mostly) == ["1", "é ö\u{FFFD}", "3"])
  }

  /// Each invalid byte sequence becomes one U+FFFD, wherever the pieces of the text end.
  @Test(arguments: [
    ([0xC3] as [UInt8], "\u{FFFD}", 1), ([0xE9, 0x20], "\u{FFFD}", 1),
    ([0xFF, 0xFE], "\u{FFFD}\u{FFFD}", 2),
    ([0xF0, 0x9F, 0x98], "\u{FFFD}", 1), ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}", 3),
  ])
  func badBytes_areReplacedAndCounted(bytes: [UInt8], shown: String, count: Int) throws {
    let declaration = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
    for before in [0, 65_000, 65_300, 65_350, 65_360] {
      let padding = "<!--" + String(repeating: "é", count: before / 2) + "-->"
      let feed = try read(rss(bytes, declaration + padding))
      #expect(captions(feed) == ["1", shown, "3"])
      let many = count == 1 ? "a byte is invalid" : "\(count) bytes are invalid"
      let place = count == 1 ? " at line 2" : ", the first at line 2"
      #expect(
        feed.skipped.map(\.reason) == ["\(many) in its encoding\(place): shown as U+FFFD"])
      #expect(!feed.isIncomplete)
    }
  }

  /// The same in encodings that iconv reads; the text after it is read normally.
  @Test(arguments: [
    ("shift_jis", [0x82, 0xB1, 0xFD, 0x82, 0xB1] as [UInt8], "こ\u{FFFD}こ"),
    ("euc-kr", [0xFF, 0xBE, 0xC8], "\u{FFFD}안"), ("windows-1252", [0x81, 0xE9], "\u{FFFD}é"),
    ("gb18030", [0xC4, 0xE3, 0xFF], "你\u{FFFD}"),
  ])
  func badBytes_ofOtherEncodings_areReplaced(
    label: String, bytes: [UInt8], shown: String
  ) throws {
    let feed = try read(rss(bytes, "<?xml version=\"1.0\" encoding=\"\(label)\"?>"))
    #expect(captions(feed) == ["1", shown, "3"])
    #expect(
      feed.skipped.map(\.reason) == [
        "a byte is invalid in its encoding at line 1: shown as U+FFFD"
      ])
    let wide = WideEncoding(unitBytes: 2, isBigEndian: false)
    let start = wide.bytes("<rss><channel><item><title>", isMarked: true)
    let end = wide.bytes(
      "é</title><enclosure url='a.mp4'/></item></channel></rss>", isMarked: false)
    #expect(captions(try read(start + [0x00, 0xDC] + end)) == ["\u{FFFD}é"])
  }

  /// A character of several bytes may be cut by the end of a piece.
  @Test func longTexts_ofOtherEncodings_areReadWhole() throws {
    for shift in 0..<4 {
      let items = String(repeating: "x", count: shift)
      let title = (0..<50_000).flatMap { _ in [0x82, 0xB1] as [UInt8] }
      let declaration = "<?xml version=\"1.0\" encoding=\"shift_jis\"?><!--\(items)-->"
      let feed = try read(rss(title, declaration))
      #expect(captions(feed)[1]?.allSatisfy { $0 == "こ" } == true)
      #expect(feed.storyCount == 3 && feed.skipped == [])
    }
  }

  @Test(arguments: [true, false])
  func wideFeeds_areRead(isMarked: Bool) throws {
    let xml = String(decoding: rss(Array("日本 é".utf8), "<?xml version=\"1.0\"?>"), as: UTF8.self)
    let json =
      #"{"version":"https://jsonfeed.org/version/1","items":[{"image":"a.png","title":"日本"}]}"#
    for encoding in WideEncoding.all {
      #expect(captions(try read(encoding.bytes(xml, isMarked: isMarked))) == ["1", "日本 é", "3"])
      #expect(captions(try read(encoding.bytes(json, isMarked: isMarked))) == ["日本"])
    }
  }

  /// Feeds that a server or program packed with gzip are unpacked.
  @Test func packedFeeds_areRead() throws {
    let xml = rss(Array("é".utf8), "<?xml version=\"1.0\"?>")
    let json = Array(
      #"{"version":"https://jsonfeed.org/version/1","items":[{"image":"a.png","title":"é"}]}"#.utf8)
    #expect(captions(try read(try gzip(xml))) == ["1", "é", "3"])
    #expect(captions(try read(try gzip(json))) == ["é"])
    let files = FakeFiles([
      "/home/f.json": .file(try gzip(json)),
      "/home/cut.json": .file(try gzip(json).dropLast(20)),
      "/home/bomb.xml": .file(try gzip([UInt8](repeating: 0x20, count: 65 << 20))),
      "/home/twice": .file(try gzip(gzip(xml))),
    ])
    let reader = FeedReader(files: files)
    #expect(captions(try reader.read(["f.json"])) == ["é"])
    for (name, reason) in [
      ("cut.json", "damaged or cut off: it cannot be unpacked"),
      ("bomb.xml", "it is larger than 64 MiB when it is unpacked"),
      ("twice", "packed with gzip more than once"),
    ] {
      #expect(throws: FeedError.cannotRead(source: name, reason: reason)) {
        try reader.read([name])
      }
    }
  }

  /// An undeclared encoding is guessed from the first 4 MiB of a text, whatever follows.
  @Test func guess_isMadeFromTheFirstMebibytes() throws {
    let filling = "<!-- " + String(repeating: "x", count: 4 << 20) + " -->"
    func title(_ before: [UInt8], _ title: [UInt8]) throws -> String? {
      let early = Array("<rss><channel><title>T</title><description>".utf8) + before
      let late = rss(title, "").dropFirst("<rss><channel><title>T</title>".utf8.count)
      return captions(try read(early + Array("</description>\(filling)".utf8) + late))[1]
    }
    // The beginning decides: windows-1252 there makes later UTF-8 wrong, and the other way round.
    #expect(try title([0xE9, 0x20, 0xE8, 0x20], Array("é".utf8)) == "Ã©")
    #expect(try title(Array("é".utf8), [0xE9]) == "\u{FFFD}")
    #expect(try title([], Array("é".utf8)) == "é")
  }
}
