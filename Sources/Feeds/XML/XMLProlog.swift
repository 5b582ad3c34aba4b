/// The part before the outermost element of a feed: an XML declaration, a document type, or things
/// that should not be there. The parser gets none of it.
struct XMLProlog {
  /// The entities that the document type declares, with the references in their texts resolved. The
  /// text is empty for external and long ones.
  private(set) var entities: [String: String] = [:]
  private(set) var hasDocumentType = false
  /// The outermost element and the rest of the given bytes, after as many line ends as the prolog
  /// has, so that lines are counted right.
  private(set) var rest: [UInt8]

  /// The longest prolog that is read.
  static let mostBytes = 1 << 20
  /// How many bytes that are no XML may be before it.
  private static let junkBytes = 4096
  private static let entityBytes = 4096
  private static let mostEntities = 1000

  private let bytes: [UInt8]
  private var place = 0

  /// Nil where more of the text is needed.
  ///
  /// - Parameter isWhole: whether `bytes` is the whole text.
  init?(_ bytes: [UInt8], isWhole: Bool) {
    self.bytes = bytes
    rest = []
    place = XMLProlog.start(of: bytes)
    let end = find(isWhole: isWhole || bytes.count > XMLProlog.mostBytes)
    guard let end else { return nil }
    let lines = bytes[..<end].count { $0 == 0x0A }
    rest = Array(repeating: 0x0A, count: lines) + bytes[end...]
  }

  /// The place where XML begins: some servers send warnings, empty lines or byte order marks before
  /// it.
  private static func start(of bytes: [UInt8]) -> Int {
    let head = bytes.prefix(junkBytes)
    var first: Int?
    for place in head.indices where head[place] == UInt8(ascii: "<") {
      first = first ?? place
      let text = String(decoding: bytes[place...].prefix(32), as: UTF8.self).lowercased()
      if isStart(text) { return place }
    }
    return first ?? 0
  }

  /// Whether a text in lower case begins like a feed or list.
  static func isStart(_ text: String) -> Bool {
    if text.hasPrefix("<?xml") || text.hasPrefix("<!doctype rss") { return true }
    let name = text.dropFirst().prefix { $0 != " " && $0 != ">" && $0 != "/" && !$0.isNewline }
    let local = name.split(separator: ":").last ?? ""
    return text.hasPrefix("<")
      && ["rss", "feed", "rdf", "playlist", "asx"].contains(local)
  }

  /// The place of the outermost element; nil where more of the text is needed.
  private mutating func find(isWhole: Bool) -> Int? {
    while true {
      guard let open = next("<", from: place) else { return isWhole ? bytes.count : nil }
      guard open + 9 < bytes.count || isWhole else { return nil }
      let end: Int?
      if starts("<?", at: open) {
        end = next("?>", from: open).map { $0 + 2 }
      } else if starts("<!--", at: open) {
        end = next("-->", from: open + 4).map { $0 + 3 }
      } else if starts("<!", at: open) {
        end = documentType(from: open)
      } else {
        return open
      }
      // If it does not end, the parser reports the mistake.
      guard let end else { return isWhole ? open : nil }
      place = end
    }
  }

  /// Takes the entities of a document type; gives the place after it.
  private mutating func documentType(from open: Int) -> Int? {
    var index = open + 2
    var found: [String: String] = [:]
    var isInside = false
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "["): isInside = true
      case UInt8(ascii: "]"): isInside = false
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        guard let end = next(Unicode.Scalar(bytes[index]), from: index + 1) else { return nil }
        index = end
      case UInt8(ascii: "<") where starts("<!--", at: index):
        guard let end = next("-->", from: index + 4) else { return nil }
        index = end + 2
      case UInt8(ascii: "<"):
        if starts("<!ENTITY", at: index), found.count < XMLProlog.mostEntities,
          let entity = entity(from: index + 8, found)
        {
          found[entity.name] = found[entity.name] ?? entity.text
        }
      case UInt8(ascii: ">") where !isInside:
        hasDocumentType = true
        entities = found
        return index + 1
      default: break
      }
      index += 1
    }
    return nil
  }

  /// An entity with its text, in which earlier entities are resolved. External ones are never
  /// fetched (XML 1.0, section 4.2).
  private func entity(
    from start: Int, _ others: [String: String]
  ) -> (name: String, text: String)? {
    let declaration = bytes[start...].prefix(XMLProlog.entityBytes)
    let words = declaration.drop(while: XMLProlog.isSpace)
    let name = words.prefix { !XMLProlog.isSpace($0) && $0 != UInt8(ascii: ">") }
    let value = words.dropFirst(name.count).drop(while: XMLProlog.isSpace)
    guard !name.isEmpty, let quote = value.first else { return nil }
    var text = ""
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
      let end = value.dropFirst().firstIndex(of: quote)
    {
      text = HTMLText.decoded(String(decoding: value.dropFirst()[..<end], as: UTF8.self), others)
    }
    if text.utf8.count > XMLProlog.entityBytes { text = "" }
    return (String(decoding: name, as: UTF8.self), text)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }

  private func starts(_ text: String, at place: Int) -> Bool {
    bytes[place...].starts(with: text.utf8)
  }

  private func next(_ mark: Unicode.Scalar, from start: Int) -> Int? {
    start < bytes.count ? bytes[start...].firstIndex(of: UInt8(ascii: mark)) : nil
  }

  private func next(_ text: String, from start: Int) -> Int? {
    var place = start
    guard let first = text.utf8.first else { return nil }
    while place < bytes.count, let found = bytes[place...].firstIndex(of: first) {
      if starts(text, at: found) { return found }
      place = found + 1
    }
    return nil
  }
}
