/// A JSON text with an index of its nodes, for texts that are read in another order than they are
/// written in, or rewritten in parts. Numbers and strings stay text.
package struct JSONIndex {
  /// A value, or a key of an object. Nodes are numbered in the order in which they begin: an
  /// object's first key follows the object, and a key's value follows the key.
  package struct Node: Hashable, Sendable {
    package let number: Int

    package init(number: Int) { self.number = number }
  }

  fileprivate struct Entry {
    let kind: JSONReader.Kind
    let hasEscape: Bool
    let start: UInt32
    var end: UInt32
    /// The number of the node after a value and all that is in it; for a key, of its value.
    var next: UInt32
  }

  package let bytes: [UInt8]
  private var entries: [Entry] = []

  /// Reads a whole text, which must have no byte order mark and be shorter than 4 GiB.
  package init(_ bytes: [UInt8]) throws(JSONReader.Failure) {
    self.bytes = bytes
    guard bytes.count < UInt32.max else { throw JSONReader.Failure(offset: nil, what: "too long") }
    // A node takes about six bytes of a text.
    entries.reserveCapacity(bytes.count / 6)
    var reader = JSONReader(bytes)
    try append(from: &reader)
    try reader.finish()
  }

  /// The outermost value.
  package var root: Node { Node(number: 0) }

  /// A key is a string.
  package func kind(of node: Node) -> JSONReader.Kind { entries[node.number].kind }

  /// The bytes of a node, with the quotes or brackets around it.
  package func range(of node: Node) -> Range<Int> {
    Int(entries[node.number].start)..<Int(entries[node.number].end)
  }

  /// The elements of an array, or the keys of an object.
  package struct Children: Sequence, IteratorProtocol {
    fileprivate let entries: [Entry]
    fileprivate var number: Int
    fileprivate let end: Int
    fileprivate let areKeys: Bool

    package mutating func next() -> Node? {
      guard number < end else { return nil }
      defer { number = Int(entries[areKeys ? number + 1 : number].next) }
      return Node(number: number)
    }
  }

  package func children(of node: Node) -> Children {
    let entry = entries[node.number]
    return Children(
      entries: entries, number: node.number + 1, end: Int(entry.next),
      areKeys: entry.kind == .object)
  }

  package func firstChild(of node: Node) -> Node? {
    descendantCount(of: node) > 0 ? Node(number: node.number + 1) : nil
  }

  package func value(ofKey key: Node) -> Node { Node(number: key.number + 1) }

  /// The number of values and keys inside an array or object, at any depth.
  package func descendantCount(of node: Node) -> Int {
    Int(entries[node.number].next) - node.number - 1
  }

  /// Whether an array holds nothing but numbers.
  package func holdsOnlyNumbers(_ node: Node) -> Bool {
    entries[node.number + 1..<Int(entries[node.number].next)].allSatisfy { $0.kind == .number }
  }

  /// A string's text with its escapes resolved, nil where those are wrong; any other value as it is
  /// written.
  package func text(of node: Node) -> String? {
    let range = range(of: node)
    guard kind(of: node) == .string else { return String(decoding: bytes[range], as: UTF8.self) }
    let inner = bytes[range.lowerBound + 1..<range.upperBound - 1]
    return hasEscape(in: node)
      ? try? JSONEscapes.resolved(inner) : String(decoding: inner, as: UTF8.self)
  }

  /// Whether a string or key holds escapes, so that its bytes are not its text.
  package func hasEscape(in node: Node) -> Bool { entries[node.number].hasEscape }

  /// Recurses at most `JSONReader.deepest` times, since the reader refuses deeper texts.
  private mutating func append(from reader: inout JSONReader) throws(JSONReader.Failure) {
    let kind = try reader.peek()
    let number = entries.count
    let start = UInt32(reader.offset)
    var hasEscape = false
    switch kind {
    case .object, .array:
      entries.append(Entry(kind: kind, hasEscape: false, start: start, end: start, next: 0))
      try reader.enter()
      if kind == .array {
        while try reader.nextElement() { try append(from: &reader) }
      } else {
        while try reader.nextMember() { try appendMember(from: &reader) }
      }
      entries[number].end = UInt32(reader.offset)
      entries[number].next = UInt32(entries.count)
      return
    case .string: hasEscape = try reader.skipString()
    case .number, .bool, .null: try reader.skip()
    }
    entries.append(
      Entry(
        kind: kind, hasEscape: hasEscape, start: start, end: UInt32(reader.offset),
        next: UInt32(number + 1)))
  }

  private mutating func appendMember(from reader: inout JSONReader) throws(JSONReader.Failure) {
    let start = UInt32(reader.offset)
    let hasEscape = try reader.skipString()
    entries.append(
      Entry(
        kind: .string, hasEscape: hasEscape, start: start, end: UInt32(reader.offset),
        next: UInt32(entries.count + 1)))
    try reader.skipColon()
    try append(from: &reader)
  }
}
