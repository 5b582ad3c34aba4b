import JSONText
import Testing

/// The index of a text's values.
@Suite struct JSONIndexTests {
  /// The value at a place with everything inside it, written from the index alone.
  private func described(_ index: JSONIndex, _ place: Int) -> String {
    let inside = index.inside(place)
    var parts: [String] = []
    var next = inside.lowerBound
    while next < inside.upperBound {
      if index.kind(at: place) == .object {
        parts.append("\(index.text(of: next) ?? "?")=\(described(index, next + 1))")
        next = index.place(after: next + 1)
      } else {
        parts.append(described(index, next))
        next = index.place(after: next)
      }
    }
    switch index.kind(at: place) {
    case .object: return "{\(parts.joined(separator: ";"))}"
    case .array: return "[\(parts.joined(separator: ";"))]"
    default: return index.text(of: place) ?? "?"
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
