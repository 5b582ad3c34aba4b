/// Where in an RSS or Atom feed an element is, as far as it matters to the reader.
enum SyndicationPlace {
  case top, root, feed, item, group, content, itemImage, other
  /// Texts of the feed.
  case feedTitle, feedAuthor
  /// Texts of an item.
  case title, otherTitle, summary, body, identifier, link, date, updated, duration
  /// Authors of an item: a name, perhaps in a child element `name`, or a mail address with a name.
  case creator, author
  /// Elements that name media.
  case enclosure, resource, mediaTitle, contentTitle, credit
  /// Elements that name pictures of a medium or an item.
  case thumbnail, picture, imageAddress

  /// The place of a child element.
  func child(_ name: String, _ space: SyndicationSpace, isAtom: Bool) -> SyndicationPlace {
    switch self {
    case .top: return SyndicationPlace.root(name)
    case .root:
      switch name {
      case "channel": return .feed
      // RSS 1.0 has items outside of their channel.
      case "item": return .item
      default: return .other
      }
    case .feed: return SyndicationPlace.inFeed(name, space, isAtom)
    case .item: return SyndicationPlace.inItem(name, space, isAtom)
    case .itemImage: return name == "url" ? .imageAddress : .other
    case .group, .content:
      guard space == .media else { return .other }
      let place = SyndicationPlace.inMedia(name)
      return self == .content && place == .mediaTitle ? .contentTitle : place
    default: return .other
    }
  }

  /// Whether the text in the element is needed, including that of child elements.
  var holdsText: Bool {
    switch self {
    case .feedTitle, .feedAuthor, .title, .otherTitle, .summary, .body, .identifier, .link, .date,
      .updated, .duration, .creator, .author, .mediaTitle, .contentTitle, .credit,
      .imageAddress:
      true
    default: false
    }
  }

  /// Whether only a child element `name` counts (RFC 4287, section 3.2).
  var isPerson: Bool { self == .author || self == .feedAuthor || self == .creator }

  private static func root(_ name: String) -> SyndicationPlace {
    switch name {
    case "rss", "RDF": .root
    case "feed": .feed
    default: .other
    }
  }

  private static func inFeed(
    _ name: String, _ space: SyndicationSpace, _ isAtom: Bool
  ) -> SyndicationPlace {
    switch (space, name) {
    case (.core, "item"), (.core, "entry"): .item
    case (.core, "title"): .feedTitle
    case (.core, "author") where isAtom: .feedAuthor
    case (.podcast, "author"): .feedAuthor
    default: .other
    }
  }

  private static func inItem(
    _ name: String, _ space: SyndicationSpace, _ isAtom: Bool
  ) -> SyndicationPlace {
    switch (space, name) {
    case (.core, "title"): .title
    case (.dublinCore, "title"), (.podcast, "title"): .otherTitle
    case (.core, "description"), (.core, "summary"): .summary
    case (.core, "guid"), (.core, "id"): .identifier
    case (.core, "link"): .link
    case (.core, "pubDate"), (.core, "published"), (.core, "issued"), (.dublinCore, "date"): .date
    case (.core, "updated"), (.core, "modified"): .updated
    case (.core, "author"): isAtom ? .creator : .author
    case (.dublinCore, "creator"), (.podcast, "author"): .creator
    case (.podcast, "duration"): .duration
    case (.core, "enclosure"): .enclosure
    case (.enclosure, "enclosure"): .resource
    case (.core, "content") where isAtom, (.content, "encoded"): .body
    case (.podcast, "image"): .picture
    case (.core, "image"): .itemImage
    case (.media, _): inMedia(name)
    default: .other
    }
  }

  /// Elements of Media RSS (version 1.5.1), which may be in an item, a group or a content.
  private static func inMedia(_ name: String) -> SyndicationPlace {
    switch name {
    case "group": .group
    case "content": .content
    case "title": .mediaTitle
    case "thumbnail": .thumbnail
    case "credit": .credit
    default: .other
    }
  }
}
