/// A start tag in a text that may not be well-formed: values may have no quotes.
struct XMLTag {
  let name: [UInt8]
  /// The attributes, each name once, with the value as written, without its quotes.
  private(set) var attributes: [(name: [UInt8], value: ArraySlice<UInt8>)] = []
  private(set) var isEmpty = false

  /// Where a tag ends.
  enum End {
    /// The place after its `>`.
    case at(Int)
    /// More of the text is needed.
    case missing
    /// It is no tag: another tag begins in it.
    case none
    /// It has more attributes than any tag may.
    case tooMany
  }

  static func end(in bytes: [UInt8], from start: Int, isWhole: Bool) -> End {
    let text = bytes.span
    var index = start + 1
    var quote: UInt8?
    // A quote opens a value only after `=`.
    var isValue = false
    var count = 0
    var firstEnd: Int?
    while index < text.count {
      let byte = text[index]
      if let open = quote {
        if byte == open { quote = nil }
        if byte == UInt8(ascii: ">") { firstEnd = firstEnd ?? index }
        // No value holds a tag, so the closing quote is missing.
        if byte == UInt8(ascii: "<"), let firstEnd { return .at(firstEnd + 1) }
      } else {
        switch byte {
        case UInt8(ascii: ">"): return .at(index + 1)
        case UInt8(ascii: "<"): return .none
        case UInt8(ascii: "\"") where isValue, UInt8(ascii: "'") where isValue:
          quote = byte
          firstEnd = nil
          count += 1
          if count > TagMeter.mostAttributes { return .tooMany }
        default: break
        }
        if !isSpace(byte) { isValue = byte == UInt8(ascii: "=") }
      }
      index += 1
    }
    guard isWhole, quote != nil else { return .missing }
    // The quote is never closed: the tag ends at the first `>`.
    return bytes[start...].firstIndex(of: UInt8(ascii: ">")).map { .at($0 + 1) } ?? .missing
  }

  /// Nil where the name is malformed. Not all attributes are read if there are more than a tag may
  /// have.
  init?(_ tag: ArraySlice<UInt8>) {
    var rest = tag.dropFirst().dropLast()
    let word = rest.prefix { !XMLTag.isSpace($0) && $0 != UInt8(ascii: "/") }
    guard word.allSatisfy(XMLTag.isNameByte) else { return nil }
    name = Array(word)
    rest = rest.dropFirst(word.count)
    var names: Set<ArraySlice<UInt8>> = []
    while true {
      rest = rest.drop { XMLTag.isSpace($0) || $0 == UInt8(ascii: "/") }
      guard !rest.isEmpty, attributes.count <= TagMeter.mostAttributes else { break }
      let name = rest.prefix {
        !XMLTag.isSpace($0) && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "/")
      }
      rest = rest.dropFirst(max(1, name.count))
      let value = XMLTag.value(&rest)
      guard let value, let first = name.first, XMLTag.isNameStart(first),
        name.allSatisfy(XMLTag.isNameByte), names.insert(name).inserted
      else { continue }
      attributes.append((Array(name), value))
    }
    isEmpty = tag.dropLast().last == UInt8(ascii: "/")
  }

  /// The value after a name; nil where there is none.
  private static func value(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let after = rest.drop(while: isSpace)
    guard after.first == UInt8(ascii: "=") else { return nil }
    rest = after.dropFirst().drop(while: isSpace)
    if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
      let end = rest.dropFirst().firstIndex(of: quote)
    {
      let value = rest[(rest.startIndex + 1)..<end]
      rest = rest[(end + 1)...]
      return value
    }
    if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      rest = rest.dropFirst()
    }
    let value = rest.prefix { !isSpace($0) }
    rest = rest[value.endIndex...]
    // The slash of an empty-element tag does not belong to the value; a slash inside an address
    // may.
    return rest.isEmpty && value.last == UInt8(ascii: "/") ? value.dropLast() : value
  }

  /// Elements of HTML that are always empty.
  static func isVoid(_ name: [UInt8]) -> Bool {
    ["br", "hr", "img", "wbr", "input"].contains { matches(name, $0) }
  }

  /// Elements of HTML whose end tag is often missing, and that are never inside one of the same
  /// name.
  static func isOftenUnended(_ name: [UInt8]) -> Bool {
    ["p", "li", "tr", "td", "th", "dt", "dd", "option"].contains { matches(name, $0) }
  }

  /// Elements of feeds and lists that are never inside one of the same name.
  static func isListItem(_ name: [UInt8]) -> Bool {
    ["item", "entry", "track"].contains { matches(name, $0) }
  }

  private static func matches(_ name: [UInt8], _ word: String) -> Bool {
    name.count == word.utf8.count && zip(name, word.utf8).allSatisfy { $0 | 0x20 == $1 }
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }

  static func isNameStart(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80
  }

  static func isNameByte(_ byte: UInt8) -> Bool {
    isNameStart(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":")
  }

  static func isReferenceByte(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "#")
  }
}
