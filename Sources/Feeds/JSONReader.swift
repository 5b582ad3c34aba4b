/// Reads JSON text (RFC 8259) from front to back without building a tree.
///
/// Meant for feeds of 100,000 items: what the caller does not ask for is skipped without an
/// allocation. Raw control characters inside strings are let through, as real feeds hold them.
struct JSONReader {
  enum Kind: String {
    case object = "an object"
    case array = "an array"
    case string = "a string"
    case number = "a number"
    case bool = "true or false"
    case null = "null"
  }

  /// Where and how the text is wrong.
  struct Failure: Error, Equatable {
    /// In bytes from the start; nil where it is the whole text that is wrong.
    let offset: Int?
    let what: String
  }

  let bytes: [UInt8]
  private(set) var position = 0
  private var depth = 0
  /// No element of the innermost container was read yet.
  private var isFresh = false

  /// Starts at the first value; a byte order mark is skipped.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  // MARK: Structure

  /// The kind of the value that comes next.
  mutating func peek() throws(Failure) -> Kind {
    skipSpace()
    guard position < bytes.count else { throw failure("the text ends too early") }
    switch bytes[position] {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    default: throw failure("a value is expected")
    }
  }

  /// Enters the object or array that `peek` told.
  mutating func enter() throws(Failure) {
    depth += 1
    guard depth <= Limit.nesting else {
      throw failure("it is nested deeper than \(Limit.nesting) levels")
    }
    position += 1
    isFresh = true
  }

  /// The next key of the object, its value being next; nil and out of the object after the last.
  mutating func nextKey() throws(Failure) -> String? {
    guard try advance(end: UInt8(ascii: "}")) else { return nil }
    guard try peek() == .string else { throw failure("a key is expected") }
    let key = try string()
    skipSpace()
    guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else {
      throw failure("':' is expected")
    }
    position += 1
    isFresh = false
    return key
  }

  /// Whether the array has another element, which is next; out of the array after the last.
  mutating func nextElement() throws(Failure) -> Bool {
    guard try advance(end: UInt8(ascii: "]")) else { return false }
    isFresh = false
    return true
  }

  /// Nothing but space may follow the outermost value.
  mutating func finish() throws(Failure) {
    skipSpace()
    guard position == bytes.count else { throw failure("something follows its end") }
  }

  private mutating func advance(end: UInt8) throws(Failure) -> Bool {
    skipSpace()
    guard position < bytes.count else { throw failure("the text ends too early") }
    if bytes[position] == end {
      position += 1
      depth -= 1
      isFresh = false
      return false
    }
    guard !isFresh else { return true }
    guard bytes[position] == UInt8(ascii: ",") else { throw failure("',' is expected") }
    position += 1
    skipSpace()
    return true
  }

  // MARK: Values

  /// The string that `peek` told.
  mutating func string() throws(Failure) -> String {
    let start = position + 1
    var hasEscape = false
    position = start
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        position += 1
        guard hasEscape else {
          return String(decoding: bytes[start..<position - 1], as: UTF8.self)
        }
        return try unescaped(bytes[start..<position - 1])
      }
      if byte == UInt8(ascii: "\\") {
        hasEscape = true
        position += 1
      }
      position += 1
    }
    position = start - 1
    throw failure("a string does not end")
  }

  /// The number that `peek` told: its text.
  mutating func number() throws(Failure) -> String {
    let start = position
    try skipNumber()
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// Steps over the value that comes next, with all that it holds.
  mutating func skip() throws(Failure) {
    switch try peek() {
    case .object:
      try enter()
      while try skipKey() { try skip() }
    case .array:
      try enter()
      while try nextElement() { try skip() }
    case .string: try skipString()
    case .number: try skipNumber()
    case .bool: try skipWord(bytes[position] == UInt8(ascii: "t") ? "true" : "false")
    case .null: try skipWord("null")
    }
  }

  private mutating func skipKey() throws(Failure) -> Bool {
    guard try advance(end: UInt8(ascii: "}")) else { return false }
    guard try peek() == .string else { throw failure("a key is expected") }
    try skipString()
    skipSpace()
    guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else {
      throw failure("':' is expected")
    }
    position += 1
    isFresh = false
    return true
  }

  private mutating func skipString() throws(Failure) {
    let start = position
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") { return }
      if byte == UInt8(ascii: "\\") { position += 1 }
    }
    position = start
    throw failure("a string does not end")
  }

  private mutating func skipWord(_ word: String) throws(Failure) {
    guard bytes[position...].starts(with: word.utf8) else { throw failure("a value is expected") }
    position += word.utf8.count
  }

  /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
  private mutating func skipNumber() throws(Failure) {
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let first = position < bytes.count ? bytes[position] : 0
    let whole = skipDigits()
    guard whole > 0, whole == 1 || first != UInt8(ascii: "0") else {
      throw failure("a number is malformed")
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      position += 1
      guard skipDigits() > 0 else { throw failure("a number is malformed") }
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < bytes.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[position]) {
        position += 1
      }
      guard skipDigits() > 0 else { throw failure("a number is malformed") }
    }
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
    return position - start
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  /// Resolves backslash escapes; a lone surrogate becomes U+FFFD.
  private func unescaped(_ text: ArraySlice<UInt8>) throws(Failure) -> String {
    var units: [UInt8] = []
    units.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      index += 1
      guard byte == UInt8(ascii: "\\") else {
        units.append(byte)
        continue
      }
      let escape = text[index]
      index += 1
      switch escape {
      case UInt8(ascii: "n"): units.append(0x0A)
      case UInt8(ascii: "t"): units.append(0x09)
      case UInt8(ascii: "r"): units.append(0x0D)
      case UInt8(ascii: "b"): units.append(0x08)
      case UInt8(ascii: "f"): units.append(0x0C)
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): units.append(escape)
      case UInt8(ascii: "u"):
        let scalar = try scalar(in: text, at: &index)
        units.append(contentsOf: String(Character(scalar)).utf8)
      default: throw Failure(offset: index - 1, what: "an unknown escape in a string")
      }
    }
    return String(decoding: units, as: UTF8.self)
  }

  /// The scalar of `\uXXXX`, with the second half where it needs one.
  private func scalar(
    in text: ArraySlice<UInt8>, at index: inout Int
  ) throws(Failure) -> Unicode.Scalar {
    let first = try unit(in: text, at: index)
    index += 4
    if let scalar = Unicode.Scalar(first) { return scalar }
    let low = index + 2
    guard first & 0xFC00 == 0xD800, low + 4 <= text.endIndex,
      text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "u")
    else { return "\u{FFFD}" }
    let second = try unit(in: text, at: low)
    guard second & 0xFC00 == 0xDC00 else { return "\u{FFFD}" }
    index = low + 4
    let value = 0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF))
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  private func unit(in text: ArraySlice<UInt8>, at index: Int) throws(Failure) -> UInt16 {
    guard index + 4 <= text.endIndex,
      text[index..<index + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let value = UInt16(String(decoding: text[index..<index + 4], as: UTF8.self), radix: 16)
    else { throw Failure(offset: index, what: "a \\u escape needs four hex digits") }
    return value
  }

  private func failure(_ what: String) -> Failure { Failure(offset: position, what: what) }
}
