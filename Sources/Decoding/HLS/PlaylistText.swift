/// The lines of an HLS playlist from its `#EXTM3U` on, without blank lines, surrounding space and
/// control characters (RFC 8216, section 4.1).
package struct PlaylistText {
  package let lines: [String]

  /// Longer ones are refused: a day in segments of two seconds with long signed addresses
  /// takes 10 MiB.
  private static let mostBytes = 16 << 20

  /// Splits the bytes of a playlist into lines.
  package init(_ bytes: [UInt8]) {
    var lines: [String] = []
    for raw in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      // `#EXTM3U` need not be on the first line, so a byte order mark may be on a later one.
      let line = Self.trimmed(raw.starts(with: [0xEF, 0xBB, 0xBF]) ? raw.dropFirst(3) : raw)
      guard !line.isEmpty else { continue }
      if lines.isEmpty, line.prefix(7).lowercased() != "#extm3u" { continue }
      lines.append(line)
    }
    self.lines = lines
  }

  /// Reads a playlist from the stream's position to its end.
  init(reading stream: any ByteStream) throws(DecodingError) {
    var bytes: [UInt8] = []
    while true {
      let part = try stream.read(64 << 10)
      if part.isEmpty { break }
      bytes += part
      guard bytes.count <= Self.mostBytes else { throw DecodingError("the playlist is too long") }
    }
    self.init(bytes)
  }

  private static func trimmed(_ raw: ArraySlice<UInt8>) -> String {
    let printable = raw.filter { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    guard let first = printable.firstIndex(where: { !isSpace($0) }),
      let last = printable.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(decoding: printable[first...last], as: UTF8.self)
  }

  /// The attributes in a tag's value, without the quotes around their values (section 4.2); of several
  /// with the same name the first one.
  static func attributes(in text: Substring) -> [String: String] {
    var attributes: [String: String] = [:]
    var rest = text.utf8[...]
    while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
      // Commas stand here where an attribute is missing.
      let name = String(rest[..<equals])?.filter { $0 != " " && $0 != "," } ?? ""
      rest = rest[rest.index(after: equals)...]
      var value: Substring.UTF8View.SubSequence
      if rest.first == UInt8(ascii: "\"") {
        rest = rest.dropFirst()
        value = rest.prefix { $0 != UInt8(ascii: "\"") }
        rest = rest[value.endIndex...].dropFirst()
      } else {
        value = rest.prefix { $0 != UInt8(ascii: ",") }
        rest = rest[value.endIndex...]
      }
      rest = rest.drop { $0 != UInt8(ascii: ",") }.dropFirst()
      if attributes[name] == nil { attributes[name] = String(value) }
    }
    return attributes
  }

  /// The text after a tag's colon; nil if the line does not have that tag.
  static func value(ofTag tag: String, in line: String) -> Substring? {
    guard line.hasPrefix(tag), line.utf8.count > tag.utf8.count else { return nil }
    let rest = line[line.utf8.index(line.startIndex, offsetBy: tag.utf8.count)...]
    return rest.first == ":" ? rest.dropFirst() : nil
  }
}
