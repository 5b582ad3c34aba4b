import JSONText
import Stories

/// Reads JSON Feed 1 and 1.1 with storytty's additions under `_storytty`.
///
/// Reads in one pass without a tree. Unknown keys are skipped. A known key with a value of the
/// wrong type is ignored, or its item is skipped where it could not be played as intended without
/// that value; the rest of the feed stays. Where the text is wrong or cut off, the items before
/// that are played.
struct JSONFeed {
  private var reader: JSONReader
  private var collector: FeedCollector
  private var hasVersion = false
  private var hasItems = false
  /// The feed's title or author came after its items.
  private var isStale = false

  /// - Parameters:
  ///   - text: is read a second time where the feed's title or author comes after its items.
  ///   - origin: where the text came from; the base of relative addresses.
  ///   - base: another base of relative addresses.
  static func read(
    _ text: FeedText, name: String, origin: Story.Source, base: Story.Source? = nil,
    files: any FileAccess
  ) throws(FeedError) -> Feed {
    do {
      let collector = FeedCollector(name: name, origin: origin, base: base, files: files)
      let feed = try read(text, collector)
      guard feed.isStale, feed.collector.usedDefaults else { return feed.collector.feed }
      var next = collector
      next.title = feed.collector.title
      next.author = feed.collector.author
      return try read(text, next).collector.feed
    } catch {
      throw .cannotRead(source: name, reason: JSONFeed.words(error))
    }
  }

  private static func words(_ failure: JSONReader.Failure) -> String {
    let place = "not valid JSON at line \(failure.line), column \(failure.column): "
    return (failure.offset == nil ? "" : place) + failure.what
  }

  private static func read(
    _ text: FeedText, _ collector: FeedCollector
  ) throws(JSONReader.Failure) -> JSONFeed {
    let source = text.open(.utf8)
    var feed = JSONFeed(text.reader(of: source), collector)
    do {
      try feed.read()
    } catch {
      guard error.offset != nil, feed.hasVersion, feed.collector.hasStories else { throw error }
      if !source.isLeft {
        feed.collector.note("\(words(error)): the rest is missing")
      }
    }
    for odd in feed.reader.oddities {
      feed.collector.note("\(odd.what), at line \(odd.line)", costsStories: false)
    }
    feed.collector.add(source.notes)
    return feed
  }

  private init(_ reader: JSONReader, _ collector: FeedCollector) {
    self.reader = reader
    self.collector = collector
  }

  private mutating func read() throws(JSONReader.Failure) {
    let kind = try reader.peek()
    guard kind == .object else { throw wrong("not a JSON Feed: it is \(kind.rawValue)") }
    try reader.enter()
    while let key = try reader.nextKey() {
      if hasItems, ["title", "author", "authors"].contains(key) { isStale = true }
      try readMember(key)
    }
    try reader.finish()
    guard hasVersion else { throw wrong("not a JSON Feed: 'version' is missing") }
    guard hasItems else { throw wrong("not a JSON Feed: 'items' is missing") }
  }

  private func wrong(_ reason: String) -> JSONReader.Failure {
    JSONReader.Failure(offset: nil, what: reason)
  }

  private mutating func readMember(_ key: String) throws(JSONReader.Failure) {
    var ignored: String?
    switch key {
    case "version":
      let version = try reader.text(key, problem: &ignored) ?? ""
      guard version.contains("jsonfeed.org/version/1") || version.hasPrefix("1") else {
        throw wrong("not a JSON Feed: 'version' is not one of JSON Feed 1")
      }
      hasVersion = true
    case "title":
      collector.title = try reader.shownText(key, problem: &ignored).map(HTMLText.titleInOneLine)
    case "author":
      collector.author = try reader.authorName(problem: &ignored) ?? collector.author
    case "authors":
      collector.author = try reader.authorNames(problem: &ignored).first ?? collector.author
    case "_storytty": try readAdditions()
    case "items":
      guard try reader.peek() == .array else {
        throw wrong("not a JSON Feed: 'items' is not an array")
      }
      hasItems = true
      try readItems()
    default: try reader.skip()
    }
  }

  /// The additions for the whole feed under `_storytty`; a wrong value there is ignored alone.
  private mutating func readAdditions() throws(JSONReader.Failure) {
    var problem: String?
    let isObject = try reader.enter(.object, "_storytty", problem: &problem)
    while isObject, let key = try reader.nextKey() {
      guard key == "animations" else {
        try reader.skip()
        continue
      }
      guard let place = try reader.text(key, problem: &problem) else { continue }
      do throws(AddressBook.Refusal) {
        let isOnWeb = if case .url = collector.addresses.base { true } else { false }
        collector.animations = AnimationEndpoint(
          place: try collector.addresses.resolve(place), feed: isOnWeb ? collector.identity : nil)
      } catch {
        problem = error.reason
      }
    }
    if let problem {
      collector.note(problem, of: "animations")
    }
  }

  private mutating func readItems() throws(JSONReader.Failure) {
    var number = 0
    try reader.enter()
    while try reader.nextElement() {
      number += 1
      guard number <= Limit.items else {
        throw wrong("it has more than \(Limit.items) items")
      }
      guard try reader.peek() == .object else {
        collector.skip(item: number, "it is \(try reader.peek().rawValue), not an object")
        try reader.skip()
        continue
      }
      let item = try JSONFeedItem(&reader)
      if let problem = item.problem {
        collector.skip(item: number, problem)
      } else {
        collector.add(item.feedItem, number: number)
        if let note = item.note {
          collector.note("\(note): left out", of: "item \(number)", costsStories: false)
        }
      }
    }
  }
}
