/// Turns text that only resembles XML into well-formed XML, so that a parser understands all of it:
/// start and end tags match, values have quotes, characters that begin no tag or reference are
/// escaped, HTML's named references become their characters, and characters that XML forbids become
/// U+FFFD.
struct XMLMender {
  /// What had to be guessed or was lost: the line where it first happened, and how often.
  private(set) var mishaps: [Mishap: (first: Int, count: Int)] = [:]
  /// A tag has more attributes than any tag may.
  private(set) var hasTooManyAttributes = false

  enum Mishap: Int, CaseIterable {
    case control, mismatch, cut, trailing, deep
  }

  private enum State {
    case content, literal, comment, instruction
  }

  private let entities: [String: String]
  /// How many bytes entities may still add to the text.
  private var expansion = 1 << 20
  private var state = State.content
  /// Input that cannot be handled before more has come; `place` is how far it is done.
  private var bytes: [UInt8] = []
  private var place = 0
  private var mended: [UInt8] = []
  /// The open elements, outermost first.
  private var open: [Name] = []
  /// How many more elements are open inside those.
  private var uncounted = 0
  private var hasRoot = false
  private var isFinished = false
  private var line = 1
  /// No element was opened in the innermost one so far.
  private var isLeaf = false
  /// The last byte of text.
  private var last: UInt8 = 0

  private struct Name {
    let text: [UInt8]
    /// Whether its tags are passed on: not those of elements deeper than readers accept.
    let isShown: Bool
  }

  /// Limits of tags and references: a `<` or `&` that begins a longer one is escaped.
  private static let tagBytes = 64 << 10
  private static let referenceBytes = 32
  /// How deep elements may be nested; the tags of deeper ones are left out.
  private static let deepest = Limit.nesting - 2
  /// How many open elements are kept, because each end tag is looked for among them. More are only
  /// counted.
  private static let mostOpen = 1024

  init(entities: [String: String] = [:]) { self.entities = entities }

  /// The next bytes, mended; some or all of them may be held back. They never end within a
  /// character.
  mutating func mend(_ piece: [UInt8]) -> [UInt8] {
    bytes += piece
    return work(isLast: false)
  }

  /// The last bytes, mended. Elements that are still open are not closed.
  mutating func finish() -> [UInt8] {
    guard !isFinished else { return [] }
    isFinished = true
    let rest = work(isLast: true)
    if !bytes.isEmpty || !open.isEmpty { note(.cut) }
    bytes = []
    return rest
  }

  /// Notes on the mistakes in the text, in the order in which they are shown.
  var notes: [TextNote] {
    Mishap.allCases.compactMap { mishap in
      mishaps[mishap].map {
        TextNote(
          words: mishap.words(line: $0.first, count: $0.count),
          costsStories: mishap != .control && mishap != .deep)
      }
    }
  }

  private mutating func work(isLast: Bool) -> [UInt8] {
    mended = []
    mended.reserveCapacity(bytes.count + 256)
    while place < bytes.count, !hasTooManyAttributes, step(isLast: isLast) {}
    bytes.removeFirst(place)
    place = 0
    return mended
  }

  private mutating func note(_ mishap: Mishap) {
    let known = mishaps[mishap]
    mishaps[mishap] = (known?.first ?? line, (known?.count ?? 0) + 1)
  }

  // MARK: - Steps

  /// Mends one tag, reference or run of text; false where more bytes must come first.
  private mutating func step(isLast: Bool) -> Bool {
    switch state {
    case .content: break
    case .literal: return skip(to: "]]>", isLast: isLast, isKept: true)
    case .comment: return skip(to: "-->", isLast: isLast, isKept: false)
    case .instruction: return skip(to: "?>", isLast: isLast, isKept: false)
    }
    switch bytes[place] {
    case UInt8(ascii: "<"): return markup(isLast: isLast)
    case UInt8(ascii: "&"):
      guard let end = referenceEnd(from: place, isLast: isLast) else { return false }
      put(reference(place..<end))
      place = end
    default: run()
    }
    return true
  }

  /// Mends the text up to the next tag or reference.
  private mutating func run() {
    let start = place
    let end = XMLMender.endOfText(bytes, from: start)
    place = end
    if hasRoot, open.isEmpty {
      if bytes[start..<place].contains(where: { $0 > 0x20 }) { note(.trailing) }
      passLines(start..<place)
      return
    }
    guard !open.isEmpty else { return passLines(start..<place) }
    copy(start..<place)
  }

  private static func endOfText(_ bytes: [UInt8], from start: Int) -> Int {
    let text = bytes.span
    var end = start
    while end < text.count, text[end] != UInt8(ascii: "<"), text[end] != UInt8(ascii: "&") {
      end += 1
    }
    return end
  }

  /// Copies text; `]]>` may not be in it (XML 1.0, section 2.4).
  private mutating func copy(_ range: Range<Int>) {
    for index in range {
      let byte = bytes[index]
      if byte == UInt8(ascii: ">"), last == UInt8(ascii: "]") {
        mended += "&gt;".utf8
      } else {
        append(byte)
      }
    }
  }

  private mutating func append(_ byte: UInt8) {
    last = byte
    if byte == 0x0A { line += 1 }
    guard byte < 0x20 || byte == 0xBE || byte == 0xBF else { return mended.append(byte) }
    let isForbidden =
      byte < 0x20
      ? byte != 0x09 && byte != 0x0A && byte != 0x0D
      : mended.last == 0xBF && mended.dropLast().last == 0xEF
    guard isForbidden else { return mended.append(byte) }
    note(.control)
    if byte >= 0x20 { mended.removeLast(2) }
    mended += [0xEF, 0xBF, 0xBD]
  }

  private mutating func put(_ text: [UInt8]) {
    guard !open.isEmpty else {
      if hasRoot { note(.trailing) }
      return
    }
    mended += text
  }

  private mutating func passLines(_ range: Range<Int>) {
    for index in range where bytes[index] == 0x0A {
      line += 1
      mended.append(0x0A)
    }
  }

  /// Goes to the end of a CDATA section, comment or instruction; false where the end has not come
  /// yet.
  private mutating func skip(to end: String, isLast: Bool, isKept: Bool) -> Bool {
    let mark = Array(end.utf8)
    var index = place
    var isFound = false
    while index < bytes.count, !isFound {
      if bytes[index] == mark[0], bytes[index...].starts(with: mark) {
        isFound = true
      } else {
        index += 1
      }
    }
    // The end may have come in part.
    let upTo = isFound || isLast ? index : max(place, bytes.count - mark.count + 1)
    if isKept, !open.isEmpty {
      for index in place..<upTo { append(bytes[index]) }
    } else {
      passLines(place..<upTo)
    }
    place = upTo
    guard isFound else { return false }
    place += mark.count
    if isKept, !open.isEmpty { mended += mark }
    state = .content
    return true
  }

  /// Handles what begins with `<`; false where more bytes must come first.
  private mutating func markup(isLast: Bool) -> Bool {
    guard place + 9 <= bytes.count || isLast else { return false }
    let rest = bytes[place...]
    if rest.starts(with: "<![CDATA[".utf8) {
      state = .literal
      if hasRoot, open.isEmpty { note(.trailing) }
      if !open.isEmpty { mended += bytes[place..<place + 9] }
      place += 9
      return true
    }
    if rest.starts(with: "<!--".utf8) {
      state = .comment
      place += 4
      return true
    }
    if rest.starts(with: "<?".utf8) {
      state = .instruction
      place += 2
      return true
    }
    guard place + 1 < bytes.count else { return false }
    switch bytes[place + 1] {
    case UInt8(ascii: "!"), UInt8(ascii: "/"):
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else {
        return bytes.count - place > XMLMender.tagBytes ? literally() : false
      }
      let isEnd = bytes[place + 1] == UInt8(ascii: "/")
      let name = bytes[(place + 2)..<end].prefix { !XMLTag.isSpace($0) }
      let start = place
      place = end + 1
      if isEnd { close(Array(name)) }
      passLines(start..<place)
      return true
    case let first where XMLTag.isNameStart(first): return startTag(isLast: isLast)
    default: return literally()
    }
  }

  /// Escapes a `<` that begins nothing.
  private mutating func literally() -> Bool {
    put(Array("&lt;".utf8))
    place += 1
    return true
  }

  private mutating func startTag(isLast: Bool) -> Bool {
    switch XMLTag.end(in: bytes, from: place, isWhole: isLast) {
    case .missing:
      guard bytes.count - place <= XMLMender.tagBytes else { return literally() }
      return false
    case .none: return literally()
    case .tooMany:
      hasTooManyAttributes = true
      return false
    case .at(let end):
      let tag = XMLTag(bytes[place..<end])
      guard let tag else { return literally() }
      guard tag.attributes.count <= TagMeter.mostAttributes else {
        hasTooManyAttributes = true
        return false
      }
      let start = place
      place = end
      begin(tag)
      passLines(start..<end)
      return true
    }
  }

  // MARK: - Elements

  private mutating func begin(_ tag: XMLTag) {
    guard !hasRoot || !open.isEmpty else { return note(.trailing) }
    if let last = open.last, last.text == tag.name, XMLTag.isOftenUnended(tag.name) {
      close(tag.name)
    } else if XMLTag.isListItem(tag.name), open.contains(where: { $0.text == tag.name }) {
      note(.mismatch)
      close(tag.name)
    }
    hasRoot = true
    let isShown = open.count < XMLMender.deepest
    if !isShown { note(.deep) }
    let isEmpty = tag.isEmpty || XMLTag.isVoid(tag.name)
    if isShown {
      mended.append(UInt8(ascii: "<"))
      mended += tag.name
      for (name, value) in tag.attributes {
        mended.append(0x20)
        mended += name
        mended += [UInt8(ascii: "="), UInt8(ascii: "\"")]
        attribute(value)
        mended.append(UInt8(ascii: "\""))
      }
      if isEmpty { mended.append(UInt8(ascii: "/")) }
      mended.append(UInt8(ascii: ">"))
    }
    isLeaf = !isEmpty
    guard !isEmpty else { return }
    if open.count < XMLMender.mostOpen {
      open.append(Name(text: tag.name, isShown: isShown))
    } else {
      uncounted += 1
    }
  }

  private mutating func attribute(_ value: ArraySlice<UInt8>) {
    var index = value.startIndex
    while index < value.endIndex {
      switch value[index] {
      case UInt8(ascii: "<"): mended += "&lt;".utf8
      case UInt8(ascii: "\""): mended += "&quot;".utf8
      // A line end becomes a space here; `startTag` adds the tag's line ends after it.
      case 0x0A: mended.append(0x20)
      case UInt8(ascii: "&"):
        let end = min(referenceEnd(from: index, isLast: true) ?? index + 1, value.endIndex)
        mended += reference(index..<end)
        index = end - 1
      default: append(value[index])
      }
      index += 1
    }
  }

  /// Ends the last open element of this name and all that are open in it; an end tag without a
  /// start tag is ignored.
  private mutating func close(_ name: [UInt8]) {
    guard uncounted == 0 else {
      uncounted -= 1
      return
    }
    let isNamed = { (open: Name) in open.text == name }
    let isLike = { (open: Name) in open.text.elementsEqual(name) { $0 | 0x20 == $1 | 0x20 } }
    guard
      let place = open.lastIndex(where: isNamed) ?? open.lastIndex(where: isLike) ?? misspelt(name)
    else { return note(hasRoot && open.isEmpty ? .trailing : .mismatch) }
    isLeaf = false
    if place < open.count - 1, !open[(place + 1)...].allSatisfy({ XMLTag.isOftenUnended($0.text) })
    {
      note(.mismatch)
    }
    for element in open[place...].reversed() where element.isShown {
      mended += [UInt8(ascii: "<"), UInt8(ascii: "/")]
      mended += element.text
      mended.append(UInt8(ascii: ">"))
    }
    open.removeSubrange(place...)
  }

  /// The index of the innermost element, if no element was opened in it and this end tag may be a
  /// misspelling of its own. An end tag of an HTML element is not: it ends another element, or
  /// none.
  private mutating func misspelt(_ name: [UInt8]) -> Int? {
    guard isLeaf, open.count > 1,
      !HTMLText.isKnown(String(decoding: name, as: UTF8.self).lowercased())
    else { return nil }
    note(.mismatch)
    return open.count - 1
  }

  // MARK: - References

  /// The place after a reference, or after an ampersand that begins none; nil where more bytes must
  /// come first.
  private func referenceEnd(from start: Int, isLast: Bool) -> Int? {
    let text = bytes[(start + 1)...].prefix(XMLMender.referenceBytes)
    let name = text.prefix { XMLTag.isReferenceByte($0) }
    if name.endIndex == bytes.endIndex, name.count < XMLMender.referenceBytes, !isLast {
      return nil
    }
    let isReference =
      !name.isEmpty && name.endIndex < bytes.endIndex
      && bytes[name.endIndex] == UInt8(ascii: ";")
    return isReference ? name.endIndex + 1 : start + 1
  }

  /// The text of a reference, or of a lone ampersand, as XML.
  private mutating func reference(_ range: Range<Int>) -> [UInt8] {
    let lone = Array("&amp;".utf8)
    guard range.count > 2 else { return lone }
    let name = String(
      decoding: bytes[(range.lowerBound + 1)..<(range.upperBound - 1)], as: UTF8.self)
    if ["amp", "lt", "gt", "quot", "apos"].contains(name) { return Array(bytes[range]) }
    if name.hasPrefix("#") {
      guard let scalar = HTMLText.scalar(number: name.dropFirst()) else {
        return lone + bytes[range].dropFirst()
      }
      guard XMLMender.isAllowed(scalar) else {
        note(.control)
        return [0xEF, 0xBF, 0xBD]
      }
      return XMLMender.escaped(String(scalar))
    }
    if let text = entities[name] {
      expansion -= text.utf8.count
      return expansion >= 0 ? XMLMender.escaped(text) : []
    }
    guard let text = HTMLEntities.text(of: name) else { return lone + bytes[range].dropFirst() }
    return Array(text.utf8)
  }

  private static func escaped(_ text: String) -> [UInt8] {
    var escaped: [UInt8] = []
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;".utf8
      case "<": escaped += "&lt;".utf8
      case ">": escaped += "&gt;".utf8
      case "\"": escaped += "&quot;".utf8
      case _ where !isAllowed(scalar): escaped += [0xEF, 0xBF, 0xBD]
      default: escaped += String(scalar).utf8
      }
    }
    return escaped
  }

  /// XML 1.0, section 2.2.
  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: true
    case 0..<0x20, 0xFFFE, 0xFFFF: false
    default: true
    }
  }
}

extension XMLMender.Mishap {
  fileprivate func words(line: Int, count: Int) -> String {
    let place = "\(count == 1 ? "" : ", the first") at line \(line)"
    return switch self {
    case .control:
      "\(count == 1 ? "a control character" : "\(count) control characters") that XML forbids"
        + "\(place): shown as U+FFFD"
    case .mismatch:
      "start and end tags do not match, the first at line \(line): something may be missing"
    case .cut: "its text is cut off at line \(line): the rest is missing"
    case .trailing: "what follows its end at line \(line) is left out"
    case .deep: "elements nested deeper than \(Limit.nesting) levels, the first at line \(line)"
    }
  }
}
