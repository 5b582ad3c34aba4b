import Stories

/// One item of an RSS feed, or entry of an Atom feed, as it is written.
struct SyndicationItem {
  var title = ""
  var otherTitle = ""
  var summary = ""
  var body = ""
  var identifier = ""
  var link = ""
  var mediaTitle = ""
  var published: Int64?
  var updated: Int64?
  var durationS: Double?
  /// Why it cannot be played.
  private(set) var problem: String?
  private var creators: [String] = []
  private var authors: [String] = []
  private var count = 0
  /// Media named by the feed's own elements: each is a thing by itself.
  private var enclosures: [FeedMedium] = []
  /// Media named by Media RSS: each group holds representations of one thing.
  private var groups: [Group] = []
  /// Pictures of the item's subject.
  private var pictures: [FeedMedium] = []

  private struct Group {
    /// Whether it was made for a single medium outside of any group.
    let isAlone: Bool
    var media: [FeedMedium] = []
  }

  mutating func add(enclosure medium: FeedMedium) {
    guard mayAdd() else { return }
    if !enclosures.contains(where: { $0.address == medium.address }) { enclosures.append(medium) }
  }

  /// Begins a group: the media added next are representations of one thing.
  mutating func beginGroup(isAlone: Bool = false) { groups.append(Group(isAlone: isAlone)) }

  mutating func add(content medium: FeedMedium) {
    guard mayAdd() else { return }
    if groups.isEmpty { beginGroup() }
    groups[groups.count - 1].media.append(medium)
  }

  /// Adds a picture of the item's subject. Pictures as small as an icon show its author instead,
  /// and are ignored.
  mutating func add(picture medium: FeedMedium) {
    guard medium.size.map({ $0.lines >= 64 }) ?? true else { return }
    if mayAdd() { pictures.append(medium) }
  }

  private mutating func mayAdd() -> Bool {
    count += 1
    if count > Limit.mediaPerItem { problem = "it names more than \(Limit.mediaPerItem) media" }
    return problem == nil
  }

  /// Sets the title of the medium that was added last.
  mutating func nameLastContent(_ title: String) {
    guard let last = groups.indices.last, let medium = groups[last].media.indices.last else {
      return
    }
    groups[last].media[medium].title = title
  }

  /// - Parameter isCreator: whether the element is one for names. Other elements of RSS hold mail
  ///   addresses, and count less.
  mutating func add(author name: String, isCreator: Bool) {
    guard creators.count + authors.count < Limit.authors else { return }
    if isCreator { creators.append(name) } else { authors.append(name) }
  }

  /// The item for the collector.
  var feedItem: FeedItem {
    let names = creators.isEmpty ? authors : creators
    return FeedItem(
      id: identifier, author: names.first, authors: names,
      caption: [title, mediaTitle, otherTitle, summary, body].first { !$0.isEmpty }
        ?? "",
      published: published ?? updated, link: URLText.isWeb(link) ? link : "", things: things)
  }

  /// An enclosure mostly repeats what Media RSS describes in more detail: then it is one more
  /// representation. Pictures beside a video or a sound are its covers; if there are only pictures,
  /// one is shown.
  private var things: [[FeedMedium]] {
    // A fast path for nearly all items.
    if groups.isEmpty, enclosures.count == 1 { return [[lasting(enclosures[0])]] }
    var things = joinedSizes.filter { !$0.isEmpty }
    if things.isEmpty, enclosures.isEmpty {
      return pictures.isEmpty ? [] : [pictures.sorted { $0.preference < $1.preference }]
    }
    let isMoving = { (medium: FeedMedium) in medium.kind == .video || medium.kind == .sound }
    if (things.joined() + enclosures).contains(where: isMoving) {
      things.removeAll { !$0.contains { $0.kind != .picture } }
    }
    for enclosure in enclosures {
      if let place = things.firstIndex(where: { $0.contains { $0.address == enclosure.address } }) {
        for index in things[place].indices where things[place][index].address == enclosure.address {
          things[place][index].isDefault = true
        }
        continue
      }
      let same =
        groups.isEmpty
        ? nil : things.firstIndex { isMoving(enclosure) && $0.contains(where: isMoving) }
      if let same { things[same].append(enclosure) } else { things.append([enclosure]) }
    }
    return things.map { thing in
      let thing = thing.sorted { $0.preference < $1.preference }
      return things.count == 1 ? thing.map(lasting) : thing
    }
  }

  /// The groups, with sizes of one thing joined. Some feeds name each size without a group around
  /// them: then all are of one kind and shape, and no two are of the same size.
  private var joinedSizes: [[FeedMedium]] {
    let alone = groups.filter { $0.isAlone && !$0.media.isEmpty }.flatMap(\.media)
    let sizes = alone.compactMap(\.size)
    guard alone.count > 1, alone.count == groups.count, sizes.count == alone.count,
      Set(sizes).count == sizes.count, Set(alone.map(\.kind)).count == 1,
      sizes.allSatisfy({ $0.isShaped(like: sizes[0]) })
    else { return groups.map(\.media) }
    return [alone]
  }

  /// The medium, with the duration of the item if it has none itself.
  private func lasting(_ medium: FeedMedium) -> FeedMedium {
    var medium = medium
    medium.durationS = medium.durationS ?? durationS
    return medium
  }
}

extension FeedMedium {
  /// Lower is better. Preferred are certain media, then moving ones, then the smallest size that is
  /// enough for a terminal.
  fileprivate var preference: (Rank, Int, Int) {
    let kind =
      switch kind {
      case .video, .animation: 0
      case .sound: 1
      case .picture: 2
      case nil: 3
      }
    // Without a size, the feed's default comes first.
    let enough = 360
    let lines = size?.lines
    let place = lines.map { $0 >= enough ? $0 : 100_000 - $0 } ?? (isDefault ? enough : 1080)
    return (rank, kind, place)
  }
}
