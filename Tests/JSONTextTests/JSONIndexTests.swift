import JSONText
import Testing

/// The index of a text's values.
@Suite struct JSONIndexTests {
  /// A value with everything inside it, written from the index alone.
  private func described(_ index: JSONIndex, _ node: JSONIndex.Node) -> String {
    let children = index.children(of: node)
    switch index.kind(of: node) {
    case .object:
      let members = children.map { key in
        "\(index.text(of: key) ?? "?")=\(described(index, index.value(ofKey: key)))"
      }
      return "{\(members.joined(separator: ";"))}"
    case .array: return "[\(children.map { described(index, $0) }.joined(separator: ";"))]"
    default:
      #expect(children.map { $0 } == [])
      return index.text(of: node) ?? "?"
    }
  }

  private static let texts = [
    ("7", "7"), (" [ ] ", "[]"), ("{}", "{}"), (#""a\u00e4\"b""#, "aä\"b"), (#""\x""#, "?"),
    (#"[1,-2.5e3,true,false,null,"s",[[],{}]]"#, "[1;-2.5e3;true;false;null;s;[[];{}]]"),
    (#" {"a" : {"b":[1 , 2]}, "a":3 } "#, "{a={b=[1;2]};a=3}"),
    (#"{"\u0061":"ü"}"#, "{a=ü}"),
  ]

  @Test(arguments: texts)
  func values_areWhereTheyAreWritten(_ text: String, _ words: String) throws {
    let index = try JSONIndex(Array(text.utf8))
    #expect(described(index, index.root) == words)
    let root = index.bytes[index.range(of: index.root)]
    #expect(
      String(decoding: root, as: UTF8.self) == text.split(separator: " ").joined(separator: " ")
        || text.hasPrefix(" "))
  }

  @Test(arguments: [
    ("[]", 0, true), ("[1,-2.5]", 2, true), ("[1,[2]]", 3, false), (#"["1"]"#, 1, false),
    (#"{"a":[1]}"#, 3, false), ("[[[]]]", 2, false),
  ])
  func descendants_areCountedAtAnyDepth(_ text: String, _ count: Int, _ areNumbers: Bool) throws {
    let index = try JSONIndex(Array(text.utf8))
    #expect(index.descendantCount(of: index.root) == count)
    #expect(index.holdsOnlyNumbers(index.root) == areNumbers)
    let first = index.children(of: index.root).first { _ in true }
    #expect(index.firstChild(of: index.root) == first)
    #expect((first == nil) == (count == 0))
  }

  @Test(arguments: [
    "", "[", "[1", "[1,]", "{\"a\"}", "{\"a\":1,}", "1 2", "\"a", "tru", "-", "[1}",
  ])
  func otherTexts_areRefusedAsTheReaderDoes(_ text: String) throws {
    var expected: JSONReader.Failure?
    do throws(JSONReader.Failure) {
      var reader = JSONReader(Array(text.utf8))
      try reader.skip()
      try reader.finish()
    } catch {
      expected = error
    }
    let failure = try #require(expected)
    #expect(throws: failure) { try JSONIndex(Array(text.utf8)) }
  }

  @Test func nesting_hasTheReadersLimit() throws {
    let deepest = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(throws: Never.self) { try JSONIndex(Array(deepest.utf8)) }
    #expect(throws: JSONReader.Failure.self) { try JSONIndex(Array("[\(deepest)]".utf8)) }
  }
}
