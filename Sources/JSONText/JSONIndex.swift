/// A JSON text with an index of all its values and keys, for texts that are read in another order
/// than they are written in, or rewritten in parts. Numbers and strings stay text. A place is an
/// index in that table.
package struct JSONIndex {
  private struct Value {
    let kind: JSONReader.Kind
    /// Whether a string or key holds escapes.
    let hasEscape: Bool
    let start: UInt32
    var end: UInt32
    /// The place after the value and all values in it.
    var next: UInt32
  }

  package let bytes: [UInt8]
  private var values: [Value] = []

  /// Reads a whole text, which must have no byte order mark and be shorter than 4 GiB.
  package init(_ bytes: [UInt8]) throws(JSONReader.Failure) {
    self.bytes = bytes
    guard bytes.count < UInt32.max else { throw JSONReader.Failure(offset: nil, what: "too long") }
    values.reserveCapacity(bytes.count / 6)
    var reader = JSONReader(bytes)
    try append(from: &reader)
    try reader.finish()
  }

  /// The place of the outermost value.
  package var root: Int { 0 }

  /// The kind of the value at a place; a key is a string.
  package func kind(at place: Int) -> JSONReader.Kind { values[place].kind }

  /// The bytes of a value, with the quotes or brackets around it.
  package func range(of place: Int) -> Range<Int> {
    Int(values[place].start)..<Int(values[place].end)
  }

  /// The places inside an array or object: the first of each element, or the key of each member,
  /// which its value follows.
  package func inside(_ place: Int) -> Range<Int> { place + 1..<Int(values[place].next) }

  /// The place after a value and all values in it.
  package func place(after place: Int) -> Int { Int(values[place].next) }

  /// A string's text with its escapes resolved, nil where those are wrong; any other value as it is
  /// written.
  package func text(of place: Int) -> String? {
    let range = range(of: place)
    guard kind(at: place) == .string else { return String(decoding: bytes[range], as: UTF8.self) }
    let inner = bytes[range.lowerBound + 1..<range.upperBound - 1]
    return values[place].hasEscape
      ? try? JSONEscapes.resolved(inner) : String(decoding: inner, as: UTF8.self)
  }

  /// Whether a string holds escapes, so that its bytes are not its text.
  package func hasEscape(at place: Int) -> Bool { values[place].hasEscape }

  private mutating func append(from reader: inout JSONReader) throws(JSONReader.Failure) {
    let kind = try reader.peek()
    let place = values.count
    let start = UInt32(reader.offset)
    var hasEscape = false
    switch kind {
    case .object, .array:
      values.append(Value(kind: kind, hasEscape: false, start: start, end: start, next: 0))
      try reader.enter()
      if kind == .array {
        while try reader.nextElement() { try append(from: &reader) }
      } else {
        while try reader.advance(end: UInt8(ascii: "}")) { try appendMember(from: &reader) }
      }
      values[place].end = UInt32(reader.offset)
      values[place].next = UInt32(values.count)
      return
    case .string: hasEscape = try reader.skipString()
    case .number: reader.position = try reader.endOfNumber()
    case .bool, .null: try reader.skip()
    }
    values.append(
      Value(
        kind: kind, hasEscape: hasEscape, start: start, end: UInt32(reader.offset),
        next: UInt32(place + 1)))
  }

  private mutating func appendMember(from reader: inout JSONReader) throws(JSONReader.Failure) {
    guard try reader.nextByte() == UInt8(ascii: "\"") else {
      throw reader.failure("a key is expected")
    }
    let start = UInt32(reader.offset)
    let hasEscape = try reader.skipString()
    values.append(
      Value(
        kind: .string, hasEscape: hasEscape, start: start, end: UInt32(reader.offset),
        next: UInt32(values.count + 1)))
    try reader.skipColon()
    try append(from: &reader)
  }
}

extension JSONReader {
  /// Skips the next string; gives whether it holds escapes.
  fileprivate mutating func skipString() throws(Failure) -> Bool {
    let end = try endOfString()
    position = end.index + 1
    return end.hasEscape
  }
}
