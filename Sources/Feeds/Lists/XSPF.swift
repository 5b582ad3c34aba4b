/// Reads an XSPF playlist, version 0 or 1.
struct XSPF {
  private var title: String?
  private var entry = ListEntry(address: "")
  private var path: [String] = []
  private var text = ""

  private var bases = BaseStack()

  /// Adds its entries, each with all its locations, and gives its title.
  static func read(
    _ text: FeedText, source: String, into collector: inout ListCollector
  ) throws(FeedError) -> String? {
    var list = XSPF()
    var book = collector.addresses
    try collector.readXML(text, source: source) { event, collector in
      if let entry = list.take(event, &book) { collector.add(entry) }
    }
    return list.title
  }

  /// Takes the next event; gives an entry where one has ended.
  private mutating func take(_ event: XMLEvent, _ book: inout AddressBook) -> ListEntry? {
    switch event {
    case .text(let piece, _):
      if text.utf8.count <= Limit.addressBytes { text += piece }
    case .start(let name, let attributes):
      path.append(name.local)
      if let base = attributes.value("base", in: XMLName.xmlSpace) {
        bases.enter(base, depth: path.count, in: &book)
      }
      text = ""
      if path == ["playlist", "trackList", "track"] { entry = ListEntry(address: "") }
    case .end:
      defer {
        bases.leave(depth: path.count)
        path.removeLast()
        text = ""
      }
      if path == ["playlist", "title"] { title = title ?? shown }
      guard path.count >= 3, path[1] == "trackList", path[2] == "track" else { return nil }
      if path.count == 3 { return entry }
      if path.count == 4 { takeTrack(path[3], &book) }
    }
    return nil
  }

  private var shown: String? {
    let text = HTMLText.title(text, isDecoded: true).inOneLine.cut(to: Limit.textBytes)
    return text.isEmpty ? nil : text
  }

  private mutating func takeTrack(_ name: String, _ book: inout AddressBook) {
    switch name {
    case "location":
      let address = bases.resolved(text, in: &book)
      if entry.address.isEmpty {
        entry.address = address
      } else if entry.others.count < Limit.mediaPerItem {
        entry.others.append(address)
      }
    case "title": entry.title = shown ?? ""
    case "duration":
      // In milliseconds.
      if let value = Double(text.trimmingSpace), value > 0 { entry.durationS = value / 1000 }
    default: break
    }
  }
}
