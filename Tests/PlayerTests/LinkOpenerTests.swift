import Testing

@testable import Player

@Suite struct LinkOpenerTests {
  @Test(arguments: [
    ("https://example.org/a?b=c&d=e#f", "https://example.org/a?b=c&d=e#f"),
    ("HTTP://example.org", "http://example.org"),
    ("http://[::1]:8080/a[1]", "http://[::1]:8080/a%5B1%5D"),
    ("https://example.org/caf\u{E9}", "https://example.org/caf%C3%A9"),
    ("https://m\u{FC}nchen.example/", "https://m%C3%BCnchen.example/"),
    ("https://example.org/a b\tc\nd", "https://example.org/a%20b%09c%0Ad"),
    ("https://example.org/\"`|<>^{}\\", "https://example.org/%22%60%7C%3C%3E%5E%7B%7D%5C"),
    ("https://example.org/$(id)'x'", "https://example.org/%24%28id%29%27x%27"),
    ("https://example.org/\u{1B}[2J\u{202E}\0", "https://example.org/%1B%5B2J%E2%80%AE%00"),
    ("https://example.org/100%", "https://example.org/100%25"),
    ("https://example.org/%2f%zz%e9%", "https://example.org/%2f%25zz%e9%25"),
    ("https://example.org/#a#b", "https://example.org/#a%23b"),
    ("http://example.org\\@evil.example", "http://example.org%5C@evil.example"),
    ("https://example.org/-o --help", "https://example.org/-o%20--help"),
  ])
  func link_isOneWordOfPlainCharacters(link: String, expected: String) {
    #expect(PlainLink(link)?.text == expected)
  }

  @Test(arguments: [
    "", "-h", "--help", "file:///etc/passwd", "javascript:alert(1)", "http:", "http://",
    "https:///x",
    " https://example.org", "ftp://example.org/", "https://?x", "//example.org", "httpss://x",
  ])
  func otherSchemes_areRefused(link: String) {
    #expect(PlainLink(link) == nil)
  }

  /// Whatever the bytes are.
  @Test func everyCharacter_becomesOneOfTheStandard() throws {
    let allowed = Set("-._~:/?#[]@!$&'()*+,;=%".utf8)
    for value in (0...0x2FF) + [0x2028, 0xFEFF, 0x1F600, 0x10FFFF] {
      let scalar = try #require(Unicode.Scalar(UInt32(value)))
      let link = try #require(PlainLink("https://example.org/\(Character(scalar))"))
      for byte in link.text.utf8 {
        let isAlphanumeric =
          (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) && byte < 0x80
        #expect(isAlphanumeric || allowed.contains(byte), "\(value)")
      }
    }
  }
}
