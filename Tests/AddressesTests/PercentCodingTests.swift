import Addresses
import Testing

@Suite struct PercentCodingTests {
  @Test(arguments: [
    ("", ""), ("aZ09-._~", "aZ09-._~"), ("a b/c", "a%20b%2Fc"), ("é", "%C3%A9"), ("\u{0}", "%00"),
    ("100%", "100%25"), ("%41", "%2541"),
    ("!*'();:@&=", "%21%2A%27%28%29%3B%3A%40%26%3D"), ("+$,?#[]", "%2B%24%2C%3F%23%5B%5D"),
  ])
  func encoded_keepsWhatIsUnreserved(text: String, expected: String) {
    #expect(PercentCoding.encoded(text.utf8) == expected)
    #expect(PercentCoding.decoded(expected.utf8) == Array(text.utf8))
    #expect(PercentCoding.decodedLeniently(expected.utf8) == Array(text.utf8))
  }

  /// Broken escapes, which strict decoding refuses, and the text that lenient decoding gives.
  @Test(arguments: [
    ("%", "%"), ("100%", "100%"), ("%4", "%4"), ("%4g", "%4g"), ("%g4", "%g4"), ("%%41", "%A"),
    ("a%+4b", "a%+4b"), ("%-1", "%-1"), ("% 4", "% 4"), ("%4%41", "%4A"), ("%é", "%é"),
  ])
  func broken_isNothing_orStays(text: String, lenient: String) {
    #expect(PercentCoding.decoded(text.utf8) == nil)
    #expect(PercentCoding.decodedText(text) == nil)
    #expect(PercentCoding.decodedLeniently(text.utf8) == Array(lenient.utf8))
  }

  @Test(
    arguments: [
      ("a%20b", [0x61, 0x20, 0x62]), ("%2f%2F", [0x2F, 0x2F]), ("%FF", [0xFF]), ("%00", [0]),
      ("%2541", Array("%41".utf8)), ("+", Array("+".utf8)),
    ] as [(String, [UInt8])])
  func decoded_givesBytes_once(text: String, bytes: [UInt8]) {
    #expect(PercentCoding.decoded(text.utf8) == bytes)
    #expect(PercentCoding.decodedLeniently(text.utf8) == bytes)
  }

  @Test(arguments: [("%C3%A9", "é"), ("a", "a"), ("", ""), ("%FF", nil), ("%00", nil), ("\0", nil)])
  func decodedText_isUTF8WithoutNUL(text: String, expected: String?) {
    #expect(PercentCoding.decodedText(text) == expected)
  }

  @Test(arguments: [("%41", true), ("%aFx", true), ("%4", false), ("41", false), ("%4g", false)])
  func isEscape(text: String, expected: Bool) {
    #expect(PercentCoding.isEscape(text.utf8) == expected)
  }
}
