import Stories

/// Reads RSS (0.9 to 2.0) and Atom feeds, with Media RSS: what their items enclose.
struct SyndicationFeed {
  private var collector: FeedCollector
  private var item: SyndicationItem?
  private var places: [SyndicationPlace] = [.top]
  private var isAtom = false
  private var count = 0
  private var withoutMedia = 0
  /// The feed's title or author came after its items.
  private var isStale = false
  private var text = ""
  /// How many elements are open in the one whose text is gathered; nil where none is.
  private var gathering: Int?
  /// Where relative addresses start (`xml:base`), for as many open elements.
  private var bases: [(depth: Int, book: AddressBook)] = []
  private var tooMany = false

  /// - Parameters:
  ///   - name: what the user calls the feed.
  ///   - origin: where the text came from; relative addresses start there.
  ///   - base: where they start instead.
  static func read(
    _ text: FeedText, name: String, origin: Story.Source, base: Story.Source? = nil,
    files: any FileAccess
  ) throws(FeedError) -> Feed {
    func attempt(
      mends: Bool, _ before: SyndicationFeed? = nil
    ) throws(XMLReader.Failure) -> SyndicationFeed {
      var feed = SyndicationFeed(
        FeedCollector(name: name, origin: origin, base: base, files: files))
      feed.collector.title = before?.collector.title
      feed.collector.author = before?.collector.author
      do {
        try XMLReader.read(text, mends: mends) { feed.take($0) }
      } catch {
        guard mends, case .malformed = error else { throw error }
        feed.collector.note(error.wordsForMissing)
      }
      return feed
    }
    func best(_ before: SyndicationFeed? = nil) throws(XMLReader.Failure) -> SyndicationFeed {
      do {
        return try attempt(mends: false, before)
      } catch {
        guard case .malformed = error else { throw error }
        return try attempt(mends: true, before)
      }
    }
    var feed: SyndicationFeed
    do {
      feed = try best()
      if feed.isStale, feed.collector.usedDefaults { feed = try best(feed) }
    } catch {
      throw .cannotRead(source: name, reason: error.words)
    }
    guard !feed.tooMany else {
      throw .cannotRead(source: name, reason: "it has more than \(Limit.items) items")
    }
    guard feed.count > 0 else { throw .cannotRead(source: name, reason: "the feed has no items") }
    if feed.withoutMedia > 0 {
      let count =
        feed.count == 1 ? "its item has" : "of its \(feed.count) items \(feed.withoutMedia) have"
      feed.collector.note("\(count) no media")
    }
    return feed.collector.feed
  }

  private init(_ collector: FeedCollector) { self.collector = collector }

  private mutating func take(_ event: XMLEvent) -> Bool {
    switch event {
    case .text(let piece):
      if gathering == nil { return true }
      if text.isEmpty {
        text = piece
      } else if text.utf8.count <= Limit.addressBytes {
        text += piece
      }
    case .start(let name, let attributes): start(name, attributes)
    case .end: end()
    }
    return !tooMany
  }

  private mutating func start(_ name: XMLName, _ attributes: XMLAttributes) {
    let parent = places.last ?? .other
    if let gathering {
      self.gathering = gathering + 1
      return
    }
    if places.count == 1 { isAtom = name.local == "feed" }
    let place = parent.child(name, isAtom: isAtom)
    places.append(place)
    if let base = attributes.value("base", in: XMLName.xmlSpace) { move(to: base) }
    if place.holdsText {
      gathering = 0
      text = ""
    }
    switch place {
    case .item:
      count += 1
      tooMany = count > Limit.items
      item = SyndicationItem()
    case .group: item?.beginGroup()
    case .content: takeContent(attributes, isAlone: parent != .group)
    case .enclosure:
      takeEnclosure(attributes.value("url"), attributes.value("type"), attributes.value("title"))
    case .link: takeLink(attributes)
    case .source:
      // The text of an entry may be elsewhere too.
      let type = attributes.value("type") ?? ""
      if let address = attributes.value("src"), FeedMedium(address: "", type: type)?.kind != nil {
        takeEnclosure(address, type, nil)
      }
    default: break
    }
  }

  private mutating func end() {
    if let gathering, gathering > 0 {
      self.gathering = gathering - 1
      return
    }
    let place = places.removeLast()
    if let base = bases.last, base.depth > places.count { bases.removeLast() }
    if gathering != nil {
      gathering = nil
      takeText(text.trimmingSpace, place)
    } else if place == .item, let item {
      if let problem = item.problem {
        collector.skip(item: count, problem)
      } else {
        add(item.told)
      }
      self.item = nil
    }
  }

  /// Items of text alone are nothing bad in such feeds: they are counted, not named.
  private mutating func add(_ item: FeedItem) {
    if item.things.isEmpty {
      withoutMedia += 1
    } else {
      collector.add(item, number: count)
    }
  }

  private mutating func takeText(_ text: String, _ place: SyndicationPlace) {
    guard !text.isEmpty else { return }
    let shown = text.cut(to: Limit.textBytes)
    switch place {
    case .feedTitle:
      collector.title = shown
      isStale = isStale || count > 0
    case .feedAuthorName:
      collector.author = collector.author ?? shown.withoutMailAddress
      isStale = isStale || count > 0
    case .title: item?.title = shown
    case .mediaTitle: item?.mediaTitle = shown
    case .contentTitle: item?.nameLastContent(shown)
    case .summary: if item?.summary.isEmpty ?? false { item?.summary = shown.withoutMarkup }
    case .identifier: item?.identifier = shown
    case .link: if item?.link.isEmpty ?? false { item?.link = text }
    case .authorName: item?.author = shown.withoutMailAddress
    case .mailAuthor: if item?.author.isEmpty ?? false { item?.author = shown.withoutMailAddress }
    case .date:
      item?.published = MailDate.secondsSince1970(text) ?? InternetDate.secondsSince1970(text)
    case .updated:
      item?.updated = MailDate.secondsSince1970(text) ?? InternetDate.secondsSince1970(text)
    case .duration: item?.durationS = ClockTime.seconds(text)
    default: break
    }
  }

  // MARK: - Media

  private mutating func takeContent(_ attributes: XMLAttributes, isAlone: Bool) {
    guard let address = attributes.value("url"), !address.isEmpty else { return }
    let type = attributes.value("type") ?? ""
    guard var medium = FeedMedium(address: resolved(address), type: type) else { return }
    medium.claim(attributes.value("medium"))
    medium.durationS = attributes.value("duration").flatMap(ClockTime.seconds)
    medium.isDefault = attributes.value("isDefault") == "true"
    let sides = ["width", "height"].compactMap { attributes.value($0).flatMap { Int($0) } }
    medium.lines =
      sides.count == 2 ? sides.min().flatMap { (1...20_000).contains($0) ? $0 : nil } : nil
    if isAlone { item?.beginGroup() }
    item?.add(content: medium)
  }

  /// The length that goes with it is often wrong and not believed.
  private mutating func takeEnclosure(_ address: String?, _ type: String?, _ title: String?) {
    guard let address = address?.trimmingSpace, !address.isEmpty,
      let medium = FeedMedium(
        address: resolved(address), type: type ?? "", title: (title ?? "").cut(to: Limit.textBytes))
    else { return }
    item?.add(enclosure: medium)
  }

  /// A link of Atom, which may also stand in RSS (RFC 4287, section 4.2.7).
  private mutating func takeLink(_ attributes: XMLAttributes) {
    guard let address = attributes.value("href") else { return }
    switch attributes.value("rel") ?? "alternate" {
    case "enclosure": takeEnclosure(address, attributes.value("type"), attributes.value("title"))
    case "alternate":
      let page = resolved(address)
      if item?.link.isEmpty ?? false { item?.link = page }
    default: break
    }
  }

  private mutating func move(to base: String) {
    guard let source = try? resolve(base) else { return }
    let isFolder = base.hasSuffix("/")
    let moved: Story.Source =
      switch source {
      case .file(let path): .file(isFolder ? path + "/" : path)
      case .url: source
      }
    bases.append((places.count, AddressBook(base: moved, files: collector.addresses.files)))
  }

  private mutating func resolve(_ address: String) throws(AddressBook.Refusal) -> Story.Source {
    guard let last = bases.indices.last else { return try collector.addresses.resolve(address) }
    return try bases[last].book.resolve(address)
  }

  /// An address as it means without any base; what is refused stays, and is refused again.
  private mutating func resolved(_ address: String) -> String {
    let trimmed = address.trimmingSpace
    guard !bases.isEmpty else { return trimmed }
    return (try? resolve(trimmed))?.text ?? trimmed
  }
}
