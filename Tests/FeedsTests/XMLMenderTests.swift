import Testing

@testable import Feeds

@Suite struct XMLMenderTests {
  private func mend(
    _ text: String, in size: Int, _ entities: [String: String] = [:]
  ) -> (text: String, notes: [String]) {
    var mender = XMLMender(entities: entities)
    var mended: [UInt8] = []
    var rest = text.unicodeScalars[...]
    while !rest.isEmpty {
      mended += mender.mend(Array(String(rest.prefix(size)).utf8))
      rest = rest.dropFirst(size)
    }
    mended += mender.finish()
    #expect(mender.finish() == [])
    return (String(decoding: mended, as: UTF8.self), mender.notes.map(\.words))
  }

  /// Elements that a hostile text opens without end cost no more than their bytes: an end tag is
  /// not searched for among a million of them.
  @Test func mend_ofElementsWithoutEnd_keepsAThousand() {
    let deep = String(repeating: "<x>", count: 20_000) + String(repeating: "</y>", count: 5_000)
    let mended = mend("<a>" + deep + "z", in: 1 << 16).text
    let shown = Limit.nesting - 3
    #expect(mended == "<a>" + String(repeating: "<x>", count: shown) + "z")
  }

  /// The text may be cut into pieces anywhere.
  @Test(arguments: [
    (
      "<a b='x&y=1&amp;&#38;&#x3c;&#xg;'>& &; &a b; &é;</a>",
      "<a b=\"x&amp;y=1&amp;&amp;&lt;&amp;#xg;\">&amp; &amp;; &amp;a b; &amp;é;</a>"
    ),
    ("<a>&nbsp;&eacute;&mdash;&b;&lt;&apos;</a>", "<a>\u{A0}é—&amp;b;&lt;&apos;</a>"),
    ("<a>&#146;&#x41;&#xE9;</a>", "<a>’Aé</a>"),
    ("<a><![CDATA[& &x <b> ]] ]>]]>&</a>", "<a><![CDATA[& &x <b> ]] ]>]]>&amp;</a>"),
    ("<a>x < y <3 <- <> </ b>c]]>d</a>", "<a>x &lt; y &lt;3 &lt;- &lt;> c]]&gt;d</a>"),
    ("<a>Ann <ann@h.example></a>", "<a>Ann &lt;ann@h.example></a>"),
    (
      "<a b=1 c='2\"' d e=\"<\" b=3 f=http://h/x/ />",
      "<a b=\"1\" c=\"2&quot;\" e=\"&lt;\" f=\"http://h/x/\"/>"
    ),
    ("<a><b><c>x</b>y</a>", "<a><b><c>x</c></b>y</a>"),
    ("<a><p>x<p>y<br>z<hr></a>", "<a><p>x</p><p>y<br/>z<hr/></p></a>"),
    ("<a>x</b>y</A>", "<a>xy</a>"),
    ("<r><item>1<item>2</item></r>", "<r><item>1</item><item>2</item></r>"),
    ("<a><!-- <b> --><?p <c> ?>x<!D y>z</a> <!-- e -->", "<a>xz</a>"),
    ("<a>x</a>\n\u{0}", "<a>x</a>\n"),
  ])
  func mend_writesWhatWasMeant(text: String, expected: String) {
    for size in 1...text.utf8.count {
      #expect(mend(text, in: size).text == expected, "\(size)")
    }
  }

  @Test(arguments: [
    (
      "<a>\u{8}</a>", "<a>\u{FFFD}</a>",
      "a control character that XML forbids at line 1: shown as U+FFFD"
    ),
    (
      "<a>\n\u{0}<![CDATA[\u{1F}]]>&#8;\u{FFFE}</a>",
      "<a>\n\u{FFFD}<![CDATA[\u{FFFD}]]>\u{FFFD}\u{FFFD}</a>",
      "4 control characters that XML forbids, the first at line 2: shown as U+FFFD"
    ),
    (
      "<a>\n<b><c>x</b></a>", "<a>\n<b><c>x</c></b></a>",
      "start and end tags do not match, the first at line 2: something may be missing"
    ),
    ("<a>\n<b>x", "<a>\n<b>x", "its text is cut off at line 2: the rest is missing"),
    ("<a>x<b", "<a>x", "its text is cut off at line 1: the rest is missing"),
    (
      "<a>x<![CDATA[y", "<a>x<![CDATA[y",
      "its text is cut off at line 1: the rest is missing"
    ),
    ("<a/>\n<b/>x", "<a/>\n", "what follows its end at line 2 is left out"),
  ])
  func mend_saysWhatWasWrong(text: String, expected: String, note: String) {
    for size in [1, 3, text.utf8.count] {
      let mended = mend(text, in: size)
      #expect(mended.text == expected)
      #expect(mended.notes == [note])
    }
  }

  @Test func mend_entities_areTextsAndNoMarkup() {
    let entities = ["e": "<b>&\"", "long": String(repeating: "x", count: 4096)]
    #expect(
      mend("<a c='&e;'>&e;</a>", in: 5, entities).text
        == "<a c=\"&lt;b&gt;&amp;&quot;\">&lt;b&gt;&amp;&quot;</a>")
    let many = "<a>" + String(repeating: "&long;", count: 100_000) + "</a>"
    #expect(mend(many, in: 64 << 10, entities).text.utf8.count < 2 << 20)
  }

  @Test func mend_deepElements_loseTheirTags() {
    let text = String(repeating: "<b>", count: 100) + "x" + String(repeating: "</b>", count: 100)
    let mended = mend(text, in: 50)
    #expect(
      mended.text == String(repeating: "<b>", count: 62) + "x"
        + String(repeating: "</b>", count: 62))
  }

  @Test(arguments: [("a='' ", 1000, true), ("a='' ", 1001, false), ("", 0, true)])
  func meter_countsAttributes(attribute: String, count: Int, isFine: Bool) {
    let tag = "<a " + (0..<count).map { "a\($0)='>' " }.joined() + ">"
    let around = "<x b='1'><!-- ' \" <a b='c --><![CDATA[ ' <a b=']]><?p ' ?>\(tag)</x>"
    for size in [1, 7, around.utf8.count] {
      var meter = TagMeter()
      let bytes = Array(around.utf8)
      let fine = stride(from: 0, to: bytes.count, by: size).allSatisfy {
        meter.takes(Array(bytes[$0..<min($0 + size, bytes.count)]))
      }
      #expect(fine == isFine)
    }
  }

  @Test(arguments: [
    ("\u{FEFF}\n <?xml version='2.0' encoding='x'?><!-- c -->\n<a/>", "\n\n<a/>"),
    ("Warning: x\n<?XML?><rss/>", "\n<rss/>"), ("<br />\n<b>y</b><?xml?>\n<a/>", "\n\n<a/>"),
    ("<x:feed/>", "<x:feed/>"), ("no", ""), ("", ""), ("<?xml ?>", ""), ("<!-- x", "<!-- x"),
  ])
  func prolog_isLeftOut(text: String, rest: String) throws {
    let prolog = try #require(XMLProlog(Array(text.utf8), isWhole: true))
    #expect(String(decoding: prolog.rest, as: UTF8.self) == rest)
    #expect(!prolog.hasDocumentType)
  }

  @Test func prolog_documentType_namesTexts() throws {
    let text = """
      <?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//x>//" "http://h/x.dtd" [
      <!-- <!ENTITY no "no"> ]> --><!ENTITY e "ok"><!ENTITY f 'a &e; &#233;'>
      <!ENTITY file SYSTEM "file:///etc/passwd"><!ENTITY % p "x">]><rss>&e;</rss>
      """
    let prolog = try #require(XMLProlog(Array(text.utf8), isWhole: true))
    #expect(String(decoding: prolog.rest, as: UTF8.self).trimmingSpace == "<rss>&e;</rss>")
    #expect(prolog.entities["e"] == "ok")
    #expect(prolog.entities["f"] == "a ok é")
    #expect(prolog.entities["file"] == "")
    #expect(prolog.entities["no"] == nil)
    for count in 0..<text.utf8.count {
      _ = XMLProlog(Array(text.utf8.prefix(count)), isWhole: true)
    }
    #expect(XMLProlog(Array(text.utf8.prefix(90)), isWhole: false) == nil)
  }
}
