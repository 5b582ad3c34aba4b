import JSONText

/// Reads a JSPF playlist: XSPF in JSON, each track with its locations.
struct JSPF {
  /// Adds its entries and gives its title.
  static func read(_ text: FeedText, source: String, into reader: inout ListReader)
    throws(FeedError)
    -> String?
  {
    let bytes = text.open(.utf8)
    var json = text.reader(bytes)
    var title: String?
    do throws(JSONReader.Failure) {
      guard try json.peek() == .object else { return nil }
      try json.enter()
      while let key = try json.nextKey() {
        guard key == "playlist", try json.peek() == .object else {
          try json.skip()
          continue
        }
        title = try playlist(&json, &reader)
      }
    } catch {
      let words = "not valid JSON at line \(error.line), column \(error.column): \(error.what)"
      guard reader.hasEntries else { throw .cannotRead(source: source, reason: words) }
      reader.note(
        [TextNote(words: "\(words): the rest is missing", costsStories: true)], of: source
      )
    }
    reader.note(bytes.notes, of: source)
    return title
  }

  private static func playlist(
    _ json: inout JSONReader, _ reader: inout ListReader
  ) throws(JSONReader.Failure) -> String? {
    var title: String?
    var ignored: String?
    try json.enter()
    while let key = try json.nextKey() {
      switch key {
      case "title": title = try json.shownText(key, problem: &ignored).map(JSONFeed.title)
      case "track":
        guard try json.enter(.array, key, problem: &ignored) else { continue }
        while try json.nextElement() {
          let entry = try track(&json)
          if !reader.isFull { reader.add(entry) }
        }
      default: try json.skip()
      }
    }
    return title
  }

  private static func track(_ json: inout JSONReader) throws(JSONReader.Failure) -> ListEntry {
    var entry = ListEntry(address: "")
    var ignored: String?
    guard try json.enter(.object, "track", problem: &ignored) else { return entry }
    while let key = try json.nextKey() {
      switch key {
      case "title":
        entry.title = try json.shownText(key, problem: &ignored).map(JSONFeed.title) ?? ""
      case "duration":
        // In milliseconds.
        let value = try json.number(key, problem: &ignored)
        if let value, value > 0, value.isFinite { entry.durationS = value / 1000 }
      case "location":
        let places = try locations(&json)
        entry.address = places.first ?? ""
        entry.others = Array(places.dropFirst())
      default: try json.skip()
      }
    }
    return entry
  }

  /// Reads an array of addresses; a single one is often written as a string.
  private static func locations(_ json: inout JSONReader) throws(JSONReader.Failure) -> [String] {
    var ignored: String?
    guard try json.peek() != .string else { return [try json.string()] }
    guard try json.enter(.array, "location", problem: &ignored) else { return [] }
    var places: [String] = []
    while try json.nextElement() {
      let place = try json.text("location", problem: &ignored)
      if let place, places.count < Limit.itemMedia { places.append(place) }
    }
    return places
  }
}
