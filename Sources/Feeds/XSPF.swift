/// Reads an XSPF playlist, version 0 or 1.
struct XSPF {
  private var title: String?
  private var entry = ListEntry(address: "")
  private var path: [String] = []
  private var text = ""

  /// Hands its entries on, each with its first location.
  static func read(
    _ text: FeedText, source: String, into reader: inout ListReader
  ) throws(FeedError) -> String? {
    var list = XSPF()
    do throws(XMLReader.Failure) {
      try XMLReader.read(text, mends: true) { event in
        if let entry = list.take(event) { reader.add(entry) }
        return !reader.isFull
      }
    } catch {
      guard case .malformed = error else {
        throw .cannotRead(source: source, reason: error.words)
      }
      reader.note(error.wordsForMissing, of: source)
    }
    return list.title
  }

  /// Takes what comes next; gives an entry where one has ended.
  private mutating func take(_ event: XMLEvent) -> ListEntry? {
    switch event {
    case .text(let piece):
      if text.utf8.count <= Limit.addressBytes { text += piece }
    case .start(let name, _):
      path.append(name.local)
      text = ""
      if path == ["playlist", "trackList", "track"] { entry = ListEntry(address: "") }
    case .end:
      defer {
        path.removeLast()
        text = ""
      }
      if path == ["playlist", "title"] { title = title ?? shown }
      guard path.count >= 3, path[1] == "trackList", path[2] == "track" else { return nil }
      if path.count == 3 { return entry }
      if path.count == 4 { takeTrack(path[3]) }
    }
    return nil
  }

  private var shown: String? {
    let text = text.trimmingSpace.cut(to: Limit.textBytes)
    return text.isEmpty ? nil : text
  }

  private mutating func takeTrack(_ name: String) {
    switch name {
    case "location": if entry.address.isEmpty { entry.address = text.trimmingSpace }
    case "title": entry.title = shown ?? ""
    case "duration":
      // In milliseconds.
      if let value = Double(text.trimmingSpace), value > 0 { entry.durationS = value / 1000 }
    default: break
    }
  }
}
