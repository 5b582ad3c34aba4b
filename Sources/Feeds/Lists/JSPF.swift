import JSONText

/// Reads a JSPF playlist: XSPF in JSON, each track with its locations. A value of the wrong type is
/// ignored without a note.
struct JSPF {
  /// Adds its entries, and gives its title where it has one before any error. A text that is no
  /// object adds none, which the collector reports as an empty list.
  static func read(
    _ text: FeedText, source: String, into collector: inout ListCollector
  ) throws(FeedError) -> String? {
    let utf8 = text.open(.utf8)
    var json = text.reader(of: utf8)
    var title: String?
    do throws(JSONReader.Failure) {
      guard try json.peek() == .object else { return nil }
      try json.enter()
      while let key = try json.nextKey() {
        guard key == "playlist", try json.peek() == .object else {
          try json.skip()
          continue
        }
        try playlist(&json, &title, &collector)
      }
    } catch {
      let words = "not valid JSON at line \(error.line), column \(error.column): \(error.what)"
      guard collector.hasEntries else { throw .cannotRead(source: source, reason: words) }
      collector.note(
        [TextNote(words: "\(words): the rest is missing", costsStories: true)], of: source
      )
    }
    collector.note(utf8.notes, of: source)
    return title
  }

  private static func playlist(
    _ json: inout JSONReader, _ title: inout String?, _ collector: inout ListCollector
  ) throws(JSONReader.Failure) {
    var ignored: String?
    try json.enter()
    while let key = try json.nextKey() {
      switch key {
      case "title":
        title = try json.shownText(key, problem: &ignored).map(HTMLText.titleInOneLine)
      case "track":
        guard try json.enter(.array, key, problem: &ignored) else { continue }
        while try json.nextElement() {
          let entry = try track(&json)
          if !collector.isFull { collector.add(entry) }
        }
      default: try json.skip()
      }
    }
  }

  /// A track that is no object becomes an entry without an address, which is skipped with a reason.
  private static func track(_ json: inout JSONReader) throws(JSONReader.Failure) -> ListEntry {
    var entry = ListEntry(address: "")
    var ignored: String?
    guard try json.enter(.object, "track", problem: &ignored) else { return entry }
    while let key = try json.nextKey() {
      switch key {
      case "title":
        let title = try json.shownText(key, problem: &ignored)
        entry.title = title.map(HTMLText.titleInOneLine) ?? ""
      case "duration":
        // In milliseconds.
        let value = try json.number(key, problem: &ignored)
        if let value, value > 0, value.isFinite { entry.durationS = value / 1000 }
      case "location":
        let addresses = try locations(&json)
        entry.address = addresses.first ?? ""
        entry.others = Array(addresses.dropFirst())
      default: try json.skip()
      }
    }
    return entry
  }

  /// Reads an array of addresses; a single one is often written as a string.
  private static func locations(_ json: inout JSONReader) throws(JSONReader.Failure) -> [String] {
    var ignored: String?
    if try json.peek() == .string { return [try json.string()] }
    guard try json.enter(.array, "location", problem: &ignored) else { return [] }
    var addresses: [String] = []
    while try json.nextElement() {
      let address = try json.text("location", problem: &ignored)
      if let address, addresses.count < Limit.mediaPerItem { addresses.append(address) }
    }
    return addresses
  }
}
