/// An M3U list, or an HLS playlist, which looks like one, read line by line.
struct M3U {
  /// Whether it is an HLS playlist (RFC 8216), whose entries are pieces of one video.
  let isHLS: Bool
  /// The title by the last `#PLAYLIST:` line so far.
  private(set) var title: String?
  private let bytes: [UInt8]
  private var position: Int

  /// Reads UTF-8 with any kind of line ends.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = 0
    isHLS = M3U.hasHLSTag(bytes)
  }

  /// The next entry, with the facts in the lines before it; nil after the last.
  mutating func next() -> ListEntry? {
    var entry = ListEntry(address: "")
    while let line = nextLine() {
      guard line.hasPrefix("#") else {
        entry.address = line
        return entry
      }
      read(directive: line, into: &entry)
    }
    return nil
  }

  /// The next line that is not empty, trimmed.
  private mutating func nextLine() -> String? {
    while position < bytes.count {
      var start = position
      while position < bytes.count, !M3U.isLineEnd(bytes[position]) { position += 1 }
      var end = position
      position += 1
      while start < end, M3U.isSpace(bytes[start]) { start += 1 }
      while end > start, M3U.isSpace(bytes[end - 1]) { end -= 1 }
      guard start < end else { continue }
      return String(decoding: bytes[start..<end], as: UTF8.self)
    }
    return nil
  }

  private mutating func read(directive text: String, into entry: inout ListEntry) {
    if text.hasPrefix("#EXTINF:") {
      let info = text.dropFirst("#EXTINF:".count)
      let comma = M3U.firstBareComma(in: info)
      entry.title = comma.map { M3U.trimmed(info[info.utf8.index(after: $0)...]) } ?? ""
      let number = info[..<(comma ?? info.endIndex)].prefix { $0 != " " && $0 != "\t" }
      if let seconds = Double(number), seconds > 0, seconds.isFinite { entry.durationS = seconds }
    } else if text.hasPrefix("#PLAYLIST:") {
      let name = M3U.trimmed(text.dropFirst("#PLAYLIST:".count))
      if !name.isEmpty { title = name }
    }
  }

  /// The comma before the title: the first outside of quoted attributes, or the first of all where
  /// every comma is quoted.
  private static func firstBareComma(in info: Substring) -> Substring.Index? {
    var isQuoted = false
    for index in info.utf8.indices {
      switch info.utf8[index] {
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted: return index
      default: continue
      }
    }
    return info.utf8.firstIndex(of: UInt8(ascii: ","))
  }

  private static func hasHLSTag(_ bytes: [UInt8]) -> Bool {
    let tag = Array("#EXT-X-".utf8)
    var isStart = true
    for index in bytes.indices {
      if isStart, bytes[index] == tag[0], bytes[index...].starts(with: tag) { return true }
      // Space before a tag is ignored.
      isStart = isLineEnd(bytes[index]) || (isStart && isSpace(bytes[index]))
    }
    return false
  }

  private static func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0 == " " || $0 == "\t" }
    return String(start)
  }

  private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
