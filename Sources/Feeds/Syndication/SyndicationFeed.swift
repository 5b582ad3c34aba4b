import Stories
import System

/// Reads RSS (0.9 to 2.0) and Atom feeds with Media RSS, for the media that their items name.
struct SyndicationFeed {
  private var collector: FeedCollector
  private var item: SyndicationItem?
  private var places: [SyndicationPlace] = [.top]
  private var isAtom = false
  private var count = 0
  private var withoutMedia = 0
  /// The feed's title or author came after its items.
  private var isStale = false
  private var text = GatheredText()
  /// How many elements are open inside the element whose text is gathered; nil where none is.
  private var gathering: Int?
  /// The name in an element that describes a person, and whether it is being gathered.
  private var personName: String?
  private var isInName = false
  /// The markup of the text that is gathered.
  private var kind = GatheredText.Kind.unknown
  private var bases = BaseStack()
  private var spaces: [String: SyndicationSpace] = [:]
  private var zones = UnknownZones()
  private var tooMany = false

  /// - Parameters:
  ///   - name: what the user calls the feed.
  ///   - origin: where the text came from; the base of relative addresses.
  ///   - base: another base of relative addresses.
  static func read(
    _ text: FeedText, name: String, origin: Story.Source, base: Story.Source? = nil,
    files: any FileAccess
  ) throws(FeedError) -> Feed {
    var feed: SyndicationFeed
    do {
      feed = try best(text, FeedCollector(name: name, origin: origin, base: base, files: files))
      if feed.isStale, feed.collector.usedDefaults {
        var next = FeedCollector(name: name, origin: origin, base: base, files: files)
        next.title = feed.collector.title
        next.author = feed.collector.author
        feed = try best(text, next)
      }
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
    if let words = feed.zones.words { feed.collector.note(words, costsStories: false) }
    return feed.collector.feed
  }

  /// Reads the text as well-formed XML, or, where that fails, mends it.
  private static func best(
    _ text: FeedText, _ collector: FeedCollector
  ) throws(XMLReader.Failure) -> SyndicationFeed {
    var strict = SyndicationFeed(collector)
    do {
      strict.collector.add(try XMLReader.read(text, mends: false) { strict.take($0) })
      return strict
    } catch {
      guard case .malformed = error else { throw error }
    }
    var mended = SyndicationFeed(collector)
    do {
      mended.collector.add(try XMLReader.read(text, mends: true) { mended.take($0) })
    } catch {
      guard case .malformed = error else { throw error }
      mended.collector.add([error.note])
    }
    // If the time ran out while mending, the strict reading may hold more items.
    guard text.budget.isSpent, strict.count > mended.count else { return mended }
    strict.collector.add([TextNote(words: TimeBudget.spentWords, costsStories: true)])
    return strict
  }

  private init(_ collector: FeedCollector) { self.collector = collector }

  private mutating func take(_ event: XMLEvent) -> Bool {
    switch event {
    case .text(let piece, let isLiteral):
      guard let gathering else { return true }
      // In an element that describes a person, text of other child elements than `name` is ignored.
      let isOther = gathering > 0 && !isInName && (places.last ?? .other).isPerson
      if !isOther { text.append(piece, isLiteral: isLiteral) }
    case .start(let name, let attributes): start(name, attributes)
    case .end: end()
    }
    return !tooMany
  }

  private mutating func space(of name: XMLName) -> SyndicationSpace {
    if let known = spaces[name.space] { return known }
    let space = SyndicationSpace(name.space)
    spaces[name.space] = space
    return space
  }

  /// Takes the start of an element inside the one whose text is gathered.
  private mutating func startInText(_ name: XMLName, _ depth: Int) {
    gathering = depth + 1
    if (places.last ?? .other).isPerson {
      guard depth == 0, name.local == "name", personName == nil else { return }
      isInName = true
      text.clear()
    } else if !HTMLText.isInline(name.local) {
      text.append(" ", isLiteral: false)
    }
  }

  private mutating func start(_ name: XMLName, _ attributes: XMLAttributes) {
    let parent = places.last ?? .other
    if let gathering { return startInText(name, gathering) }
    if places.count == 1 { isAtom = name.local == "feed" }
    // The namespace of the feed's own elements counts as the core one, whatever its name.
    if places.count == 1 && name.local != "RDF" || parent == .root && name.local == "channel" {
      spaces[name.space] = .core
    }
    let place = parent.child(name.local, space(of: name), isAtom: isAtom)
    places.append(place)
    if let base = attributes.value("base", in: XMLName.xmlSpace) {
      bases.enter(base, depth: places.count, in: &collector.addresses)
    }
    if place.holdsText {
      gathering = 0
      personName = nil
      isInName = false
      text.clear()
      kind = SyndicationFeed.kind(of: place, attributes.value("type"), isAtom: isAtom)
    }
    switch place {
    case .item:
      count += 1
      tooMany = count > Limit.items
      item = SyndicationItem()
    case .group: item?.beginGroup()
    case .content: takeContent(attributes, isAlone: !places.dropLast().contains(.group))
    case .enclosure:
      takeEnclosure(attributes.value("url"), attributes.value("type"), attributes.value("title"))
    case .resource:
      let words = { attributes.value($0, in: name.space) }
      let address = attributes.all.first { $0.name.local == "resource" }?.value
      takeEnclosure(address ?? words("url"), words("type"), nil)
    case .thumbnail: takePicture(attributes.value("url"), attributes)
    case .picture: takePicture(attributes.value("href"), attributes)
    case .credit where attributes.value("role")?.lowercased() != "author": gathering = nil
    case .link: takeLink(attributes)
    case .body:
      // The content of an entry may also be at another address.
      let type = attributes.value("type") ?? ""
      if let address = attributes.value("src"), FeedMedium(address: "", type: type)?.kind != nil {
        takeEnclosure(address, type, nil)
      }
    default: break
    }
  }

  /// The markup of an element's text: Atom declares it (RFC 4287, section 3.1), and some texts of
  /// RSS are HTML by definition.
  private static func kind(
    of place: SyndicationPlace, _ type: String?, isAtom: Bool
  ) -> GatheredText.Kind {
    switch type?.lowercased() {
    case "html", "text/html": return .html
    case "text", "plain", "text/plain", "xhtml": return .plain
    default: return place == .body || place == .summary && !isAtom ? .html : .unknown
    }
  }

  private mutating func end() {
    if let gathering, gathering > 0 {
      if gathering == 1, isInName {
        isInName = false
        personName = text.shown(as: kind)
        text.clear()
      }
      self.gathering = gathering - 1
      return
    }
    bases.leave(depth: places.count)
    let place = places.removeLast()
    if gathering != nil {
      gathering = nil
      takeText(place)
    } else if place == .item, let item {
      if let problem = item.problem {
        collector.skip(item: count, problem)
      } else {
        add(item.feedItem)
      }
      self.item = nil
    }
  }

  /// Items without media are common in such feeds: they are counted, not listed.
  private mutating func add(_ item: FeedItem) {
    if item.things.isEmpty {
      withoutMedia += 1
    } else {
      collector.add(item, number: count)
    }
  }

  private mutating func takeText(_ place: SyndicationPlace) {
    switch place {
    case .identifier: item?.identifier = text.raw.trimmingSpace.cut(to: Limit.textBytes)
    case .link:
      let address = text.raw.trimmingSpace
      if item?.link.isEmpty ?? false { item?.link = address }
    case .imageAddress: takePicture(text.raw, XMLAttributes())
    case .date:
      let date = date()
      if item?.published == nil { item?.published = date }
    case .updated:
      let date = date()
      item?.updated = date
    case .duration: item?.durationS = ClockTime.seconds(text.raw.trimmingSpace)
    case .feedAuthor, .creator, .author, .credit: takePerson(place)
    default:
      let shown = text.shown(as: kind)
      if !shown.isEmpty { takeShown(shown, place) }
    }
  }

  private mutating func takePerson(_ place: SyndicationPlace) {
    let name = (personName ?? text.shown(as: kind)).withoutMailAddress
    guard !name.isEmpty else { return }
    switch place {
    case .feedAuthor:
      collector.author = collector.author ?? name
      isStale = isStale || count > 0
    case .creator: item?.add(author: name, isCreator: true)
    default: item?.add(author: name, isCreator: false)
    }
  }

  /// Takes a text for display; of several for the same purpose, the first counts.
  private mutating func takeShown(_ shown: String, _ place: SyndicationPlace) {
    func take(_ member: WritableKeyPath<SyndicationItem, String>) {
      if item?[keyPath: member].isEmpty ?? false { item?[keyPath: member] = shown }
    }
    switch place {
    case .feedTitle:
      collector.title = collector.title ?? shown
      isStale = isStale || count > 0
    case .title: take(\.title)
    case .otherTitle: take(\.otherTitle)
    case .mediaTitle: take(\.mediaTitle)
    case .contentTitle: item?.nameLastContent(shown)
    case .summary: take(\.summary)
    case .body: take(\.body)
    default: break
    }
  }

  private mutating func date() -> Int64? {
    let words = text.raw.trimmingSpace
    if let date = InternetDate.secondsSince1970(words) { return date }
    guard let date = MailDate(words) else { return nil }
    if let zone = date.unknownZone { zones.add(zone) }
    return date.secondsSince1970
  }

  // MARK: - Media

  private mutating func takeContent(_ attributes: XMLAttributes, isAlone: Bool) {
    guard let address = attributes.value("url"), !address.isEmpty else { return }
    let type = attributes.value("type") ?? ""
    guard
      var medium = FeedMedium(
        address: bases.resolved(address, in: &collector.addresses), type: type)
    else { return }
    medium.claim(attributes.value("medium"))
    medium.durationS = attributes.value("duration").flatMap(ClockTime.seconds)
    medium.isDefault = attributes.value("isDefault") == "true"
    medium.size = PictureSize(
      width: attributes.value("width"), height: attributes.value("height"))
    if isAlone { item?.beginGroup(isAlone: true) }
    item?.add(content: medium)
  }

  /// Takes a picture of the item's subject.
  private mutating func takePicture(_ address: String?, _ attributes: XMLAttributes) {
    guard let address = address?.trimmingSpace, !address.isEmpty else { return }
    let place = bases.resolved(address, in: &collector.addresses)
    guard var medium = FeedMedium(address: place, type: "image/*") else { return }
    medium.size = PictureSize(
      width: attributes.value("width"), height: attributes.value("height"))
    item?.add(picture: medium)
  }

  /// Takes an enclosure. Its `length` is often wrong, and ignored.
  private mutating func takeEnclosure(_ address: String?, _ type: String?, _ title: String?) {
    guard let address = address?.trimmingSpace, !address.isEmpty,
      let medium = FeedMedium(
        address: bases.resolved(address, in: &collector.addresses), type: type ?? "",
        title: (title ?? "").cut(to: Limit.textBytes))
    else { return }
    item?.add(enclosure: medium)
  }

  /// Takes a link of Atom, which may also be in RSS (RFC 4287, section 4.2.7).
  private mutating func takeLink(_ attributes: XMLAttributes) {
    guard let address = attributes.value("href") else { return }
    switch attributes.value("rel") ?? "alternate" {
    case "enclosure": takeEnclosure(address, attributes.value("type"), attributes.value("title"))
    case "alternate":
      let page = bases.resolved(address, in: &collector.addresses)
      if item?.link.isEmpty ?? false { item?.link = page }
    default: break
    }
  }
}
