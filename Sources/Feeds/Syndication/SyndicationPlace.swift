/// Where in an RSS or Atom feed an element is, as far as that matters here.
enum SyndicationPlace {
  case top, root, feed, feedAuthor, item, itemAuthor, group, content, other
  /// Texts of the feed.
  case feedTitle, feedAuthorName
  /// Texts of an item.
  case title, summary, identifier, link, date, updated, authorName, mailAuthor, duration
  /// What names media.
  case enclosure, source, mediaTitle, contentTitle

  /// The place of an element in this place.
  func child(_ name: XMLName, isAtom: Bool) -> SyndicationPlace {
    let space = Space(name.space)
    switch self {
    case .top: return SyndicationPlace.root(name.local, space)
    case .root:
      switch name.local {
      case "channel": return .feed
      // Outside of their channel in RSS 1.0.
      case "item": return .item
      default: return .other
      }
    case .feed: return SyndicationPlace.inFeed(name.local, space, isAtom)
    case .feedAuthor: return name.local == "name" ? .feedAuthorName : .other
    case .itemAuthor: return name.local == "name" ? .authorName : .other
    case .item: return SyndicationPlace.inItem(name.local, space, isAtom)
    case .group: return space == .media && name.local == "content" ? .content : .other
    case .content: return space == .media && name.local == "title" ? .contentTitle : .other
    default: return .other
    }
  }

  /// Whether the text in it is of interest, also that of elements in it.
  var holdsText: Bool {
    switch self {
    case .feedTitle, .feedAuthorName, .title, .summary, .identifier, .link, .date, .updated,
      .authorName, .mailAuthor, .duration, .mediaTitle, .contentTitle:
      true
    default: false
    }
  }

  private static func root(_ name: String, _ space: Space) -> SyndicationPlace {
    switch name {
    case "rss", "RDF": .root
    case "feed": .feed
    default: .other
    }
  }

  private static func inFeed(_ name: String, _ space: Space, _ isAtom: Bool) -> SyndicationPlace {
    switch (space, name) {
    case (.core, "item"), (.core, "entry"): .item
    case (.core, "title"): .feedTitle
    case (.core, "author") where isAtom: .feedAuthor
    case (.podcast, "author"): .feedAuthorName
    default: .other
    }
  }

  private static func inItem(_ name: String, _ space: Space, _ isAtom: Bool) -> SyndicationPlace {
    switch (space, name) {
    case (.core, "title"): .title
    case (.core, "description"), (.core, "summary"): .summary
    case (.core, "guid"), (.core, "id"): .identifier
    case (.core, "link"): .link
    case (.core, "pubDate"), (.core, "published"), (.core, "issued"), (.dublinCore, "date"): .date
    case (.core, "updated"), (.core, "modified"): .updated
    case (.core, "author"): isAtom ? .itemAuthor : .mailAuthor
    case (.dublinCore, "creator"), (.podcast, "author"): .authorName
    case (.podcast, "duration"): .duration
    case (.core, "enclosure"): .enclosure
    case (.core, "content") where isAtom: .source
    case (.media, "group"): .group
    case (.media, "content"): .content
    case (.media, "title"): .mediaTitle
    default: .other
    }
  }

  /// Whose words an element is made of.
  private enum Space {
    /// RSS, which has no namespace but in version 1.0, or Atom.
    case core
    case media, podcast, dublinCore, other

    init(_ name: String) {
      switch name {
      case "", "http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#",
        "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/",
        "http://backend.userland.com/rss2":
        self = .core
      case "http://search.yahoo.com/mrss/", "http://search.yahoo.com/mrss": self = .media
      case "http://www.itunes.com/dtds/podcast-1.0.dtd",
        "http://www.itunes.com/DTDs/Podcast-1.0.dtd":
        self = .podcast
      case "http://purl.org/dc/elements/1.1/": self = .dublinCore
      default: self = .other
      }
    }
  }
}
