/// Recognises pages for browsers by their first bytes: many servers send unknown files as
/// `text/html`, and the portal of a network answers for any server with a page. `FetchPlan` asks
/// before such a body counts; `SniffedContent` in Feeds judges what was fetched by a rule of its own.
enum WebPage {
  /// This many bytes are checked.
  static let lookBytes = 1024

  /// Whether a body with these first bytes is a page; false where they do not decide it.
  ///
  /// - Parameter isDeclaredHTML: whether the server says that it is: then it may also begin with any
  ///   element of a page's body (WHATWG MIME Sniffing, section 7.1).
  static func isPage(beginningWith bytes: [UInt8], isDeclaredHTML: Bool) -> Bool {
    var rest = letters(of: bytes)[...]
    while true {
      rest = rest.drop(while: isSpace)
      if let after = skipped(rest, from: "<!--", to: "-->")
        ?? skipped(rest, from: "<?xml", to: "?>")
      {
        rest = after
      } else {
        break
      }
    }
    guard rest.first == UInt8(ascii: "<") else { return false }
    let name = rest.dropFirst().prefix {
      !isSpace($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">")
    }
    let element = String(decoding: name, as: UTF8.self)
    if element == "!doctype" {
      let kind = rest.dropFirst("<!doctype".utf8.count).drop(while: isSpace)
      return kind.starts(with: "html".utf8)
    }
    return decisive.contains(element)
      || (isDeclaredHTML && decisiveWhenDeclared.contains(element))
  }

  private static let decisive: Set<String> = ["html", "head", "body", "title", "script", "meta"]
  private static let decisiveWhenDeclared: Set<String> = [
    "a", "b", "base", "br", "center", "div", "font", "form", "frameset", "h1", "h2", "h3", "iframe",
    "img", "link", "main", "noscript", "p", "pre", "section", "span", "style", "table",
  ]

  /// In lower case, without a byte order mark; of UTF-16 the NULs are left out.
  private static func letters(of bytes: [UInt8]) -> [UInt8] {
    var letters = bytes.prefix(lookBytes)
    if letters.starts(with: [0xEF, 0xBB, 0xBF]) {
      letters = letters.dropFirst(3)
    } else if letters.starts(with: [0xFF, 0xFE]) || letters.starts(with: [0xFE, 0xFF]) {
      return Array(letters.dropFirst(2)).filter { $0 != 0 }.map(small)
    }
    return letters.map(small)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private static func small(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// The rest after something with this beginning and end: nothing if its end is not among the first
  /// bytes, nil if it does not begin so.
  private static func skipped(
    _ text: ArraySlice<UInt8>, from start: String, to end: String
  ) -> ArraySlice<UInt8>? {
    guard text.starts(with: start.utf8) else { return nil }
    let rest = text.dropFirst(start.utf8.count)
    guard let found = rest.firstRange(of: Array(end.utf8)) else { return [] }
    return rest[found.upperBound...]
  }
}
