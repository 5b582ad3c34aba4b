import Stories

/// One item of a feed, in a form that all formats share.
struct FeedItem {
  /// The item's id; empty where it has none.
  var id = ""
  /// The first of its authors, whose reel it goes to.
  var author: String?
  /// All of them.
  var authors: [String] = []
  /// The reel that the item names; without one it goes to that of its author.
  var reel: String?
  var caption = ""
  var published: Int64?
  var expires: Int64?
  var maxViews: Int32?
  var imageTime: Double?
  /// The web page about the item; empty where none is named.
  var link = ""
  /// In the order of their times.
  var reactions: [ReceivedReaction] = []
  /// What is played of it, mostly one thing. Each thing has one or more representations; the first
  /// that may be played is used.
  var things: [[FeedMedium]] = []

  /// The caption of one of several things, which has a title of its own.
  func caption(with part: String) -> String {
    if caption.isEmpty || part.isEmpty { return caption + part }
    return "\(caption): \(part)"
  }
}

/// Makes the items of one feed into stories and their reels.
struct FeedCollector {
  /// What the user calls the feed.
  let name: String
  /// Resolves the addresses in items; a format may move the base of relative ones.
  var addresses: AddressBook
  /// The feed's title.
  var title: String?
  /// The author of items that name none.
  var author: String?
  /// Where reactions are fetched from.
  var animations: AnimationEndpoint?
  /// Whether an item took its reel from the feed's title or author.
  private(set) var usedDefaults = false
  private(set) var skipped: [Skipped] = []
  let identity: String
  private var reels = Reels()
  private var reactions: [String: [ReceivedReaction]] = [:]

  /// - Parameter base: the base of relative addresses, if that is not the origin itself.
  init(name: String, origin: Story.Source, base: Story.Source? = nil, files: any FileAccess) {
    self.name = name
    addresses = AddressBook(base: base ?? origin, files: files)
    identity = origin.text
  }

  private var feedTitle: String { title ?? URLText.stem(of: identity) }

  /// Whether any story was added so far.
  var hasStories: Bool { !reels.all.isEmpty }

  /// The feed as read so far.
  var feed: Feed {
    Feed(
      identity: identity, title: feedTitle, reels: reels.all, skipped: skipped,
      reactionSource: animations, receivedReactions: reactions)
  }

  /// Leaves an item out; items count from 1.
  mutating func skip(item number: Int, _ reason: String) {
    note(reason, of: "item \(number)")
  }

  /// Notes that something of the feed itself, or of a part of it, is left out.
  ///
  /// - Parameter costsStories: whether stories may be missing because of it.
  mutating func note(_ reason: String, of part: String? = nil, costsStories: Bool = true) {
    skipped.append(
      Skipped(
        source: part.map { "\(name) \($0)" } ?? name, reason: reason, costsStories: costsStories))
  }

  /// Adds notes on the text of the feed.
  mutating func add(_ notes: [TextNote]) {
    for text in notes { note(text.words, costsStories: text.costsStories) }
  }

  /// Adds the stories of an item, or notes why they are left out.
  mutating func add(_ item: FeedItem, number: Int) {
    let things = item.things
    if things.isEmpty { skip(item: number, "it has no media") }
    for (index, thing) in things.enumerated() {
      do throws(AddressBook.Refusal) {
        let (source, medium) = try choose(from: thing)
        if item.reel == nil, item.author == nil { usedDefaults = true }
        let reel = reels.place(of: item.reel ?? item.author ?? author ?? feedTitle)
        let names =
          item.authors.count > 1 ? item.authors.joined(separator: ", ") : item.author ?? author
        let story = Story(
          source: source, origin: reels.origin(feed: identity, author: names ?? "", at: reel),
          item: item.id.isEmpty || index == 0 ? item.id : "\(item.id)/\(index + 1)",
          kind: medium.kind,
          caption: things.count == 1 && !item.caption.isEmpty
            ? item.caption : item.caption(with: medium.title),
          published: item.published, durationS: medium.durationS, link: item.link,
          maxViews: item.maxViews, expires: item.expires, imageTime: item.imageTime)
        reels.add(story, at: reel)
        if !item.reactions.isEmpty { reactions[story.id] = item.reactions }
      } catch {
        skip(item: number, error.reason)
      }
    }
  }

  /// The first of several representations of one thing that may be played from here.
  private mutating func choose(
    from thing: [FeedMedium]
  ) throws(AddressBook.Refusal) -> (Story.Source, FeedMedium) {
    var refusal: AddressBook.Refusal?
    for medium in thing {
      do throws(AddressBook.Refusal) {
        let source = try addresses.resolve(medium.address)
        // A file that a feed names must at least have the name of a medium before it is ever
        // opened.
        if case .file(let path) = source, ExtensionHint(path: path) == nil {
          throw AddressBook.Refusal("\(medium.address) is not a medium by its name")
        }
        return (source, medium)
      } catch {
        refusal = refusal ?? error
      }
    }
    throw refusal ?? AddressBook.Refusal("it has no media")
  }
}
