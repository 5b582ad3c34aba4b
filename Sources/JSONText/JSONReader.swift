/// Reads JSON text (RFC 8259) from front to back without building a tree.
///
/// Made for feeds of 100,000 items: values that the caller does not ask for are skipped without an
/// allocation, and only a window of the text is in memory. Raw control characters inside strings
/// are accepted, because real feeds contain them. A lenient reader also accepts comments, trailing
/// commas, a function call around the text (JSONP), values such as NaN, and unknown escapes.
package struct JSONReader {
  package enum Kind: String {
    case object = "an object"
    case array = "an array"
    case string = "a string"
    case number = "a number"
    case bool = "true or false"
    case null = "null"
  }

  /// Where and how the text is wrong.
  package struct Failure: Error, Equatable {
    /// In bytes from the start; nil where the whole text is wrong.
    package let offset: Int?
    package let what: String
    /// As editors show it, counted from 1; the column in bytes.
    package var line = 0
    package var column = 0

    package init(offset: Int?, what: String, line: Int = 0, column: Int = 0) {
      self.offset = offset
      self.what = what
      self.line = line
      self.column = column
    }
  }

  /// Mistakes that the lenient reader accepted: each kind once, with its first line.
  package private(set) var oddities: [(what: String, line: Int)] = []
  private let isLenient: Bool
  /// The window of the text: the part before it is dropped, the part after it not read yet.
  private var bytes: [UInt8]
  /// The next byte to read, in the window.
  private var position = 0
  /// Gives about `count` bytes of the text from an offset on; none at its end.
  private let more: (_ offset: Int, _ count: Int) -> [UInt8]
  private var isWhole = false
  private var depth = 0
  /// No element of the innermost container has been read yet.
  private var isFresh = false
  // The dropped part: its length, its line ends, and where the line after the last one starts.
  private var dropped = 0
  private var droppedLines = 0
  private var lineStart = 0

  /// Starts at the first value of a text in memory; a byte order mark is skipped.
  package init(_ bytes: [UInt8], isLenient: Bool = false) {
    self.init(window: bytes, isLenient) { _, _ in [] }
  }

  /// Starts at the first value of a text that is read as it is needed.
  ///
  /// - Parameter more: gives the bytes from an offset on, about as many as asked for; none at the
  ///   end of the text.
  package init(
    isLenient: Bool = false, more: @escaping (_ offset: Int, _ count: Int) -> [UInt8]
  ) {
    self.init(window: more(0, JSONReader.windowBytes), isLenient, more: more)
  }

  private init(window: [UInt8], _ isLenient: Bool, more: @escaping (Int, Int) -> [UInt8]) {
    bytes = window
    self.more = more
    self.isLenient = isLenient
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    if isLenient { skipCall() }
  }

  private static let windowBytes = 256 << 10
  /// How deep objects and arrays may be nested; deeper texts are refused.
  package static let deepest = 64

  // MARK: Structure

  /// The kind of the next value.
  package mutating func peek() throws(Failure) -> Kind {
    switch try nextByte() {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "-") where isLenient && isNoNumber(): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "N"), UInt8(ascii: "I"), UInt8(ascii: "u"):
      guard isLenient else { throw failure("a value is expected") }
      return .null
    default: throw failure("a value is expected")
    }
  }

  /// Enters the object or array that `peek` found.
  package mutating func enter() throws(Failure) {
    depth += 1
    guard depth <= JSONReader.deepest else {
      throw failure("it is nested deeper than \(JSONReader.deepest) levels")
    }
    position += 1
    isFresh = true
  }

  /// Reads the next key of the object; its value is next. After the last it gives nil and leaves
  /// the object.
  package mutating func nextKey() throws(Failure) -> String? {
    guard try nextMember() else { return nil }
    let key = try string()
    try skipColon()
    return key
  }

  /// Whether the object has another member, whose key is next and was not read. After the last it
  /// leaves the object.
  mutating func nextMember() throws(Failure) -> Bool {
    guard try advance(end: UInt8(ascii: "}")) else { return false }
    guard try nextByte() == UInt8(ascii: "\"") else { throw failure("a key is expected") }
    return true
  }

  /// Whether the array has another element, which is next. After the last it leaves the array.
  package mutating func nextElement() throws(Failure) -> Bool {
    guard try advance(end: UInt8(ascii: "]")) else { return false }
    isFresh = false
    return true
  }

  /// Throws if anything but space follows the outermost value.
  package mutating func finish() throws(Failure) {
    if isLenient {
      while skipSpace(), [UInt8(ascii: ")"), UInt8(ascii: ";")].contains(bytes[position]) {
        position += 1
      }
    }
    guard !skipSpace() else { throw failure("something follows its end") }
  }

  private mutating func advance(end: UInt8) throws(Failure) -> Bool {
    let byte = try nextByte()
    if byte == end { return leave() }
    guard !isFresh else { return true }
    guard byte == UInt8(ascii: ",") else { throw failure("',' is expected") }
    position += 1
    // A trailing comma.
    if isLenient, try nextByte() == end { return leave() }
    return true
  }

  private mutating func leave() -> Bool {
    position += 1
    depth -= 1
    isFresh = false
    return false
  }

  mutating func skipColon() throws(Failure) {
    guard skipSpace(), bytes[position] == UInt8(ascii: ":") else {
      throw failure("':' is expected")
    }
    position += 1
    isFresh = false
  }

  // MARK: Values

  /// Reads the string that `peek` found.
  package mutating func string() throws(Failure) -> String {
    let end = try endOfString()
    let start = position + 1
    position = end.index + 1
    if end.hasEscape { return try unescaped(bytes[start..<end.index]) }
    // Not by a slice: its reference count costs more than copying a short text.
    if let text = try? UTF8Span(validating: bytes.span.extracting(start..<end.index)) {
      return String(copying: text)
    }
    return String(decoding: bytes[start..<end.index], as: UTF8.self)
  }

  /// Reads the number that `peek` found, as text.
  package mutating func number() throws(Failure) -> String {
    let end = try endOfNumber()
    let start = position
    position = end
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  /// Skips the next value with all that is in it.
  package mutating func skip() throws(Failure) {
    switch try peek() {
    case .object:
      try enter()
      while try nextMember() {
        _ = try skipString()
        try skipColon()
        try skip()
      }
    case .array:
      try enter()
      while try nextElement() { try skip() }
    case .string: _ = try skipString()
    case .number: position = try endOfNumber()
    case .bool: try skipWord(bytes[position] == UInt8(ascii: "t") ? "true" : "false")
    case .null where bytes[position] != UInt8(ascii: "n"): try skipNoNumber()
    case .null: try skipWord("null")
    }
  }

  /// Skips the string that `peek` found; gives whether it holds escapes.
  mutating func skipString() throws(Failure) -> Bool {
    let end = try endOfString()
    position = end.index + 1
    return end.hasEscape
  }

  /// Skips `NaN`, `Infinity` and `undefined`, which JavaScript has.
  private mutating func skipNoNumber() throws(Failure) {
    let words = ["NaN", "Infinity", "-Infinity", "undefined", "-NaN"]
    while bytes.count - position < 9, fill() {}
    for word in words where bytes[position...].starts(with: word.utf8) {
      note("\(word) is no value")
      position += word.utf8.count
      return
    }
    throw failure("a value is expected")
  }

  private mutating func isNoNumber() -> Bool {
    while bytes.count <= position + 1, fill() {}
    let next = position + 1
    return next < bytes.count
      && (bytes[next] == UInt8(ascii: "I") || bytes[next] == UInt8(ascii: "N"))
  }

  private mutating func note(_ what: String) {
    guard oddities.count < 8, !oddities.contains(where: { $0.what == what }) else { return }
    oddities.append((what, failure(what).line))
  }

  private mutating func skipWord(_ word: String) throws(Failure) {
    while bytes.count - position < word.utf8.count, fill() {}
    guard bytes[position...].starts(with: word.utf8) else { throw failure("a value is expected") }
    position += word.utf8.count
  }

  // MARK: The window

  /// Moves to the first byte that is not space, and gives it.
  private mutating func nextByte() throws(Failure) -> UInt8 {
    guard skipSpace() else { throw failure("the text ends too early") }
    return bytes[position]
  }

  /// Skips space; gives whether anything follows.
  private mutating func skipSpace() -> Bool {
    repeat {
      while position < bytes.count {
        switch bytes[position] {
        case 0x20, 0x0A, 0x0D, 0x09: position += 1
        case UInt8(ascii: "/") where isLenient:
          guard skipComment() else { return true }
        default: return true
        }
      }
    } while fill()
    return false
  }

  /// Skips a comment of JavaScript; false where there is none.
  private mutating func skipComment() -> Bool {
    while bytes.count - position < 2, fill() {}
    guard position + 1 < bytes.count else { return false }
    let isLine = bytes[position + 1] == UInt8(ascii: "/")
    guard isLine || bytes[position + 1] == UInt8(ascii: "*") else { return false }
    position += 2
    var last: UInt8 = 0
    repeat {
      while position < bytes.count {
        let byte = bytes[position]
        position += 1
        if isLine ? byte == 0x0A : last == UInt8(ascii: "*") && byte == UInt8(ascii: "/") {
          return true
        }
        last = byte
      }
    } while fill()
    return true
  }

  /// Skips the name of a function that is called with the text (JSONP).
  private mutating func skipCall() {
    guard skipSpace() else { return }
    var index = position
    while index < min(bytes.count, position + 128), JSONReader.isNameByte(bytes[index]) {
      index += 1
    }
    if index > position, index < bytes.count, bytes[index] == UInt8(ascii: "(") {
      position = index + 1
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
      || "_$.".utf8.contains(byte)
  }

  /// Drops the text before the position and adds the text that follows; false at its end.
  private mutating func fill() -> Bool {
    guard !isWhole else { return false }
    for index in 0..<position where bytes[index] == 0x0A {
      droppedLines += 1
      lineStart = dropped + index + 1
    }
    bytes.removeFirst(position)
    dropped += position
    position = 0
    // A long string doubles the window, so that it is not scanned again too often.
    let next = more(dropped + bytes.count, max(JSONReader.windowBytes, bytes.count))
    bytes += next
    isWhole = next.isEmpty
    return !isWhole
  }

  private struct StringEnd {
    /// The index of the closing quote.
    let index: Int
    let hasEscape: Bool
  }

  /// The end of the string at the position; the window then holds the whole string.
  private mutating func endOfString() throws(Failure) -> StringEnd {
    repeat {
      if let end = closingQuote() { return end }
    } while fill()
    throw failure("a string does not end")
  }

  private func closingQuote() -> StringEnd? {
    let text = bytes.span
    var index = position + 1
    var hasEscape = false
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "\"") { return StringEnd(index: index, hasEscape: hasEscape) }
      if byte == UInt8(ascii: "\\") {
        hasEscape = true
        index += 1
      }
      index += 1
    }
    return nil
  }

  /// The end of the number at the position: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
  private mutating func endOfNumber() throws(Failure) -> Int {
    // A number at the window's end may continue after it. Filling moves the position.
    while digits(from: position) == bytes.count, fill() {}
    let end = digits(from: position)
    var index = position + (bytes[position] == UInt8(ascii: "-") ? 1 : 0)
    let whole = index
    while index < end, isDigit(index) { index += 1 }
    guard index > whole, index == whole + 1 || bytes[whole] != UInt8(ascii: "0") else {
      throw failure("a number is malformed")
    }
    if index < end, bytes[index] == UInt8(ascii: ".") {
      let start = index + 1
      index = start
      while index < end, isDigit(index) { index += 1 }
      guard index > start else { throw failure("a number is malformed") }
    }
    if index < end, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < end, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
        index += 1
      }
      let start = index
      while index < end, isDigit(index) { index += 1 }
      guard index > start else { throw failure("a number is malformed") }
    }
    return index
  }

  /// The end of the characters that numbers may consist of.
  private func digits(from start: Int) -> Int {
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        index += 1
      default: return index
      }
    }
    return index
  }

  private func isDigit(_ index: Int) -> Bool { bytes[index] &- UInt8(ascii: "0") < 10 }

  /// Resolves the escapes of the string just before the position.
  private mutating func unescaped(_ text: ArraySlice<UInt8>) throws(Failure) -> String {
    do {
      return try JSONEscapes.resolved(text)
    } catch {
      guard isLenient else { throw failure(error.what, at: error.index) }
      note(error.what)
      return JSONEscapes.guessed(text)
    }
  }

  /// Where the next byte is, from the start of the whole text.
  var offset: Int { dropped + position }

  private func failure(_ what: String) -> Failure { failure(what, at: position) }

  private func failure(_ what: String, at index: Int) -> Failure {
    var line = droppedLines + 1
    var start = lineStart
    for end in 0..<min(index, bytes.count) where bytes[end] == 0x0A {
      line += 1
      start = dropped + end + 1
    }
    return Failure(
      offset: dropped + index, what: what, line: line, column: dropped + index - start + 1)
  }
}
