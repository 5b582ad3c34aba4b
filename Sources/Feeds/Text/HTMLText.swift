import Addresses

/// Turns text that may hold HTML into plain text in one line.
enum HTMLText {
  /// The text that HTML shows: tags, comments and scripts are removed, and references decoded.
  static func plain(_ html: String) -> String {
    guard hasMarkup(html) else { return html.inOneLine }
    return decoded(withoutTags(html) { _ in true }, [:]).inOneLine
  }

  /// A title that is plain text according to its format, but may have been written as HTML: without
  /// the tags that HTML has, and with references decoded unless that was done before.
  static func title(_ text: String, isDecoded: Bool) -> String {
    guard hasMarkup(text) else { return text }
    let plain = withoutTags(text) { known.contains($0) }
    return isDecoded ? plain : decoded(plain, [:])
  }

  /// A title of a format without HTML, in one line.
  static func titleInOneLine(_ text: String) -> String { title(text, isDecoded: false).inOneLine }

  /// A text with its references decoded, once. Unknown ones stay.
  ///
  /// - Parameter others: more names with their texts, which take precedence over those of HTML.
  static func decoded(_ text: String, _ others: [String: String]) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    var plain = ""
    var rest = text[...]
    while let start = rest.utf8.firstIndex(of: UInt8(ascii: "&")) {
      plain += rest[..<start]
      let behind = rest[rest.utf8.index(after: start)...]
      let name = behind.utf8.prefix(32).prefix { $0 != UInt8(ascii: ";") }
      let word = Substring(name)
      if name.endIndex < behind.endIndex, behind.utf8[name.endIndex] == UInt8(ascii: ";"),
        let meaning = others[String(word)] ?? meaning(of: word)
      {
        plain += meaning
        rest = behind[behind.utf8.index(after: name.endIndex)...]
      } else {
        plain += "&"
        rest = behind
      }
    }
    return plain + rest
  }

  private static func meaning(of name: Substring) -> String? {
    guard name.hasPrefix("#") else { return HTMLEntities.text(of: name) }
    return scalar(number: name.dropFirst()).map { String($0) }
  }

  /// The character of a number in a reference: decimal, or hexadecimal after `x`. Numbers that are
  /// no character give U+FFFD, and those from 128 to 159 are read as windows-1252 (HTML, section
  /// 13.2.5.80). Nil where it is no number.
  static func scalar(number: Substring) -> Unicode.Scalar? {
    let isHex = number.first == "x" || number.first == "X"
    let digits = isHex ? number.dropFirst() : number
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0.hexValue != nil }) else { return nil }
    guard isHex || digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let value = UInt32(digits, radix: isHex ? 16 : 10) ?? 0
    if (0x80...0x9F).contains(value) { return Windows1252.scalar(UInt8(value)) ?? "\u{FFFD}" }
    return value == 0 ? "\u{FFFD}" : Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  private static func hasMarkup(_ text: String) -> Bool {
    text.utf8.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }
  }

  /// A text without its tags, comments, scripts and styles. Tags that are not inline become a
  /// space. A `<` that begins no tag stays.
  ///
  /// - Parameter isTag: gets the name of a tag in lower case.
  private static func withoutTags(_ text: String, _ isTag: (String) -> Bool) -> String {
    guard text.utf8.contains(UInt8(ascii: "<")) else { return text }
    var plain = ""
    var rest = text[...]
    while let start = rest.utf8.firstIndex(of: UInt8(ascii: "<")) {
      plain += rest[..<start]
      rest = rest[start...]
      if rest.hasPrefix("<!--") {
        rest = rest.firstRange(of: "-->").map { rest[$0.upperBound...] } ?? ""
        continue
      }
      let isEnd = rest.hasPrefix("</")
      let name = rest.utf8.dropFirst(isEnd ? 2 : 1).prefix {
        (0x30...0x39).contains($0) || isLetter($0)
      }
      let word = Substring(name).lowercased()
      let after = rest.utf8[name.endIndex...].first
      guard let first = name.first, isLetter(first), isTag(word),
        after.map({ $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "/") || XMLTag.isSpace($0) })
          ?? true
      else {
        plain += "<"
        rest = rest.dropFirst()
        continue
      }
      let end = rest.utf8.firstIndex(of: UInt8(ascii: ">"))
      rest = end.map { rest[rest.utf8.index(after: $0)...] } ?? ""
      if !inline.contains(word) { plain += " " }
      if !isEnd, word == "script" || word == "style" {
        rest = rest.firstRange(of: "</\(word)").map { rest[$0.lowerBound...] } ?? ""
      }
    }
    return plain + rest
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  /// Whether an element of this name is inline text (HTML, section 3.2.5.2.5).
  static func isInline(_ name: String) -> Bool { inline.contains(name) }

  /// Whether this is an element of HTML that occurs in texts.
  static func isKnown(_ name: String) -> Bool { known.contains(name) }

  private static let inline: Set<String> = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font",
    "i",
    "ins", "kbd", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt",
    "u",
    "var",
  ]

  /// The elements that occur in titles.
  private static let known = inline.union([
    "blockquote", "br", "center", "div", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "iframe", "img",
    "li",
    "ol", "p", "pre", "script", "style", "table", "td", "tr", "ul", "wbr",
  ])
}

extension String {
  /// The text with each run of white space replaced by one space, and none at the ends.
  var inOneLine: String {
    var isSpace = true
    let isRight = utf8.allSatisfy { byte in
      defer { isSpace = byte == 0x20 }
      return byte > 0x20 && byte != 0xC2 || byte == 0x20 && !isSpace
    }
    if isRight, utf8.last != 0x20 { return self }
    return split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
