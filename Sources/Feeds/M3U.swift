/// An M3U list, or the HLS playlist that looks like one.
struct M3U: Equatable {
  struct Entry: Equatable {
    /// A path or URL as written.
    var address: String
    var title: String = ""
    var durationS: Double?
  }

  /// What `#PLAYLIST:` calls it.
  var title: String?
  var entries: [Entry] = []
  /// It is an HLS playlist (RFC 8216): its entries are pieces of one video.
  var isStream = false

  /// Reads UTF-8, else Latin-1, with any kind of line ends. At most `limit` entries and one more.
  init(_ bytes: [UInt8], limit: Int = Limit.items) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let body = bytes.dropFirst(bytes.starts(with: mark) ? 3 : 0)
    let isUTF8 = String(validating: body, as: UTF8.self) != nil
    var pending = Entry(address: "")
    for raw in body.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let line = M3U.trimmed(raw)
      guard let first = line.first else { continue }
      let text =
        isUTF8
        ? String(decoding: line, as: UTF8.self)
        : String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) }))
      if first == UInt8(ascii: "#") {
        read(directive: text, into: &pending)
        if isStream { return }
        continue
      }
      pending.address = text
      entries.append(pending)
      pending = Entry(address: "")
      if entries.count > limit { return }
    }
  }

  private mutating func read(directive text: String, into entry: inout Entry) {
    if text.hasPrefix("#EXT-X-") {
      isStream = true
      entries = []
    } else if text.hasPrefix("#EXTINF:") {
      let info = text.dropFirst("#EXTINF:".count)
      let comma = M3U.firstBareComma(in: info)
      entry.title = comma.map { info[info.index(after: $0)...] }.map(M3U.trimmed) ?? ""
      let number = info[..<(comma ?? info.endIndex)].prefix { $0 != " " && $0 != "\t" }
      if let seconds = Double(number), seconds > 0, seconds.isFinite { entry.durationS = seconds }
    } else if text.hasPrefix("#PLAYLIST:") {
      let name = M3U.trimmed(text.dropFirst("#PLAYLIST:".count))
      if !name.isEmpty { title = name }
    }
  }

  /// The comma before the title; those inside quoted attributes do not count.
  private static func firstBareComma(in info: Substring) -> Substring.Index? {
    var isQuoted = false
    for index in info.indices {
      if info[index] == "\"" { isQuoted.toggle() }
      if info[index] == ",", !isQuoted { return index }
    }
    return info.firstIndex(of: ",")
  }

  private static func trimmed(_ text: Substring) -> String {
    String(decoding: trimmed(Array(text.utf8)[...]), as: UTF8.self)
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = bytes
    while let byte = rest.first, byte == 0x20 || byte == 0x09 { rest.removeFirst() }
    while let byte = rest.last, byte == 0x20 || byte == 0x09 { rest.removeLast() }
    return rest
  }
}
