import Testing

@testable import Feeds

@Suite struct XMLReaderTests {
  /// The events of a text, one string each.
  private func events(_ text: String, recovers: Bool = false) -> (words: [String], failure: String?)
  {
    var words: [String] = []
    var open: [String] = []
    do throws(XMLReader.Failure) {
      try XMLReader.read(Array(text.utf8), recovers: recovers) { event in
        switch event {
        case .start(let name, let attributes):
          let list = attributes.all.map { "\($0.name.space)|\($0.name.local)=\($0.value)" }
          open.append(name.local)
          words.append("<\(name.space)|\(name.local)" + list.map { " " + $0 }.joined())
        case .text(let text, _):
          if let last = words.last, last.hasPrefix("'") {
            words[words.count - 1] = last + text
          } else {
            words.append("'" + text)
          }
        case .end: words.append("/\(open.removeLast())")
        }
        return true
      }
      return (words, nil)
    } catch {
      return (words, "\(error)")
    }
  }

  @Test func attributes_haveTheirReferencesDecoded() {
    #expect(
      events("<a b='&amp;&#38;&#x26;&amp;#38;&lt;&amp;lt;' c='&amp;'/>").words
        == ["<|a |b=&&&&#38;<&lt; |c=&", "/a"])
  }

  @Test func elements_haveNamespacesAndText() {
    let text = """
      <?xml version="1.0"?><a xmlns="urn:1" xmlns:x="urn:2" b="&lt;1&#33;" x:c='2'><x:d>t &amp;\
      <![CDATA[ <u>]]></x:d><!-- no --><e/></a>
      """
    let found = events(text)
    #expect(
      found.words == [
        "<urn:1|a |b=<1! urn:2|c=2", "<urn:2|d", "'t & <u>", "/d", "<urn:1|e", "/e", "/a",
      ])
    #expect(found.failure == nil)
  }

  @Test func otherEncodings_becomeUTF8() throws {
    let head = #"<?xml version="1.0" encoding="ISO-8859-1"?><a>"#
    var words: [String] = []
    try XMLReader.read(Array(head.utf8) + [0xE6] + Array("</a>".utf8)) { event in
      if case .text(let text, _) = event { words.append(text) }
      return true
    }
    #expect(words == ["æ"])
  }

  @Test(arguments: [
    ("<a>\n\n<b></a>", "malformed(line: 3)"), ("<a>", "malformed(line: 1)"),
    ("", "malformed(line: 1)"), ("no", "malformed(line: 1)"),
    ("<a>&nbsp;</a>", "malformed(line: 1)"), ("<a/><b/>", "malformed(line: 1)"),
    (String(repeating: "<a>", count: 65), "tooDeep"),
  ])
  func mistake_hasItsLine(text: String, failure: String) {
    #expect(events(text).failure == failure)
  }

  @Test func recovering_goesOnAfterAMistake() {
    let found = events("<a><b>x & y</b><b>z</b></a>", recovers: true)
    #expect(found.words == ["<|a", "<|b", "'x  y", "/b", "<|b", "'z", "/b", "/a"])
    #expect(found.failure == "malformed(line: 1)")
  }

  @Test(arguments: [
    """
    <!DOCTYPE a [<!ENTITY x "yes">]><a>&x;</a>
    """,
    """
    <!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>
    """,
    """
    <!DOCTYPE a SYSTEM "http://127.0.0.1:1/x.dtd" [<!ENTITY % y SYSTEM "file:///etc/passwd"> %y;]>\
    <a>&x;</a>
    """,
    """
    <!DOCTYPE a [<!ENTITY l "lol"><!ENTITY m "&l;&l;&l;&l;&l;&l;&l;&l;&l;&l;">\
    <!ENTITY n "&m;&m;&m;&m;&m;&m;&m;&m;&m;&m;">]><a>&n;&n;&n;&n;&n;&n;&n;</a>
    """,
  ])
  func entities_areNeverExpanded(text: String) {
    for recovers in [false, true] {
      let found = events(text, recovers: recovers)
      #expect(!found.words.contains { $0.hasPrefix("'") })
      #expect(found.words.first == "<|a")
    }
  }

  @Test func reading_endsWhenNoMoreIsWanted() throws {
    var count = 0
    try XMLReader.read(Array("<a><b/><c/></a>".utf8)) { _ in
      count += 1
      return count < 2
    }
    #expect(count == 2)
  }

  @Test func everyCutOfAText_endsWithoutACrash() {
    let text = #"<?xml version="1.0"?><a x="1" xmlns:y="urn:y"><y:b>t&amp;</y:b><![CDATA[c]]></a>"#
    for count in 0..<text.utf8.count {
      let cut = String(decoding: Array(text.utf8).prefix(count), as: UTF8.self)
      #expect(events(cut).failure != nil)
      _ = events(cut, recovers: true)
    }
  }
}
