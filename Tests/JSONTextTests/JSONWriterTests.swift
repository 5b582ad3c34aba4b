import Support
import Testing

@testable import JSONText

@Suite struct JSONWriterTests {
  private func written(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test(arguments: [
    ("", #""""#), ("a b~/", #""a b~/""#), (#"a"\"#, #""a\"\\""#), ("\n\t", #""\n\t""#),
    ("\0\r\u{1B}\u{7F}", #""\u0000\u000d\u001b\u007f""#), ("é€😀", #""é€😀""#),
    // The C1 controls, line separators, and characters that reverse the direction or are invisible.
    ("\u{80}\u{9F}", #""\u0080\u009f""#), ("\u{2028}\u{2029}", #""\u2028\u2029""#),
    ("\u{202E}\u{2066}", #""\u202e\u2066""#), ("\u{200D}\u{E0001}", #""\u200d\udb40\udc01""#),
  ])
  func string_escapesWhatIsHidden(text: String, expected: String) {
    #expect(written(text) == expected)
  }

  @Test(arguments: [
    (#"/"low" \ ti"#, #"/\"low\" \\ ti"#), ("é😀\u{7F}", #"\u00e9\ud83d\ude00\u007f"#),
  ])
  func escapes_inASCII_leaveVisibleASCIIAlone(text: String, expected: String) {
    #expect(JSONEscapes.inASCII(text) == expected)
  }

  /// All of the first 1,024 scalars, and samples of every plane.
  @Test func everyScalar_isReadBack() throws {
    let many = (0..<1024).map { UInt32($0) } + stride(from: 1024, to: 0x110000, by: 97)
    for scalar in many.compactMap(Unicode.Scalar.init) {
      let text = "a\(Character(scalar))\"b"
      for json in [written(text), "\"\(JSONEscapes.inASCII(text))\""] {
        var reader = JSONReader(Array(json.utf8))
        #expect(try reader.string().unicodeScalars.elementsEqual(text.unicodeScalars), "\(json)")
      }
    }
  }

  @Test func members_areSeparated() {
    var writer = JSONWriter()
    writer.raw("{")
    writer.member("a", "x\n")
    writer.member("b", 2)
    writer.member("c", 1.5)
    writer.raw("}")
    #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"a": "x\n", "b": 2, "c": 1.5}"#)
  }
}
