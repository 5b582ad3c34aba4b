import Stories
import System

/// An entry of a list.
struct ListEntry: Equatable {
  /// A path or URL as written; empty where none is named.
  var address: String
  /// Other addresses of the same medium, in the order in which they are to be tried.
  var others: [String] = []
  var title: String = ""
  var durationS: Double?
}

/// Turns the entries of a list, and of M3U lists in it, into one reel.
struct ListCollector {
  private let files: any FileAccess
  private var sniffer: FileSniffer
  private var stories: [Story] = []
  private var skipped: [Skipped] = []
  /// Resolves the addresses in the list.
  private(set) var addresses: AddressBook
  private let budget: TimeBudget
  private var oddNames: OddNames
  /// The lists that are being read, outermost first.
  private var open: [FileStatus] = []
  /// The origin of all its stories; nil for lists of this machine, which may name anything.
  private var origin: Story.Origin?

  /// - Parameters:
  ///   - origin: where the list is; the base of relative addresses.
  ///   - base: another base of relative addresses.
  ///   - source: what the user calls the list.
  ///   - fill: adds the entries and gives the list's title.
  static func read(
    origin: Story.Source, base: Story.Source? = nil, source: String, files: any FileAccess,
    sniffer: inout FileSniffer, budget: TimeBudget,
    _ fill: (inout ListCollector) throws(FeedError) -> String?
  ) throws(FeedError) -> Feed {
    var collector = ListCollector(base ?? origin, files: files, sniffer: sniffer, budget: budget)
    if case .file(let path) = origin, let status = try? files.status(of: path) {
      collector.open.append(status)
    }
    if case .url(let url) = origin { collector.origin = Story.Origin(feed: url) }
    let title = try fill(&collector)
    sniffer = collector.sniffer
    guard !collector.stories.isEmpty || !collector.skipped.isEmpty else {
      throw .cannotRead(source: source, reason: "the list is empty")
    }
    guard collector.stories.count <= Limit.items else {
      throw .cannotRead(source: source, reason: "it has more than \(Limit.items) items")
    }
    let name = title ?? URLText.stem(of: origin.text)
    let reels = collector.stories.isEmpty ? [] : [Reel(name: name, stories: collector.stories)]
    return Feed(identity: origin.text, title: name, reels: reels, skipped: collector.skipped)
  }

  private init(
    _ base: Story.Source, files: any FileAccess, sniffer: FileSniffer, budget: TimeBudget
  ) {
    self.files = files
    self.budget = budget
    self.sniffer = sniffer
    addresses = AddressBook(base: base, files: files)
    oddNames = OddNames(files: files)
  }

  /// Whether there are more entries than a list may have: no more are taken.
  var isFull: Bool { stories.count > Limit.items }

  /// Whether any entries were added.
  var hasEntries: Bool { !stories.isEmpty }

  /// Reads a list that is XML, up to where it cannot be read or is too long. Mended errors and the
  /// one that ended it become notes.
  mutating func readXML(
    _ text: FeedText, source: String, _ take: (XMLEvent, inout ListCollector) -> Void
  ) throws(FeedError) {
    do throws(XMLReader.Failure) {
      let notes = try XMLReader.read(text, mends: true) { event in
        take(event, &self)
        return !isFull
      }
      note(notes, of: source)
    } catch {
      guard case .malformed = error else {
        throw .cannotRead(source: source, reason: error.words)
      }
      note([error.note], of: source)
    }
  }

  /// Adds the entries of a list and gives its title.
  mutating func add(_ list: M3U) -> String? {
    var list = list
    while !isFull, let entry = list.next() { add(entry) }
    return list.title
  }

  /// Adds an entry, or notes why it is skipped.
  mutating func add(_ entry: ListEntry) {
    guard !entry.address.isEmpty else { return skip(entry, "it names no location") }
    var entry = entry
    if let better = entry.others.isEmpty ? nil : better(of: [entry.address] + entry.others) {
      entry.address = better
    }
    guard !entry.address.hasPrefix("|") else { return skip(entry, "commands are never run") }
    do {
      switch try addresses.resolve(entry.address) {
      case .url(let url): add(entry, .url(url), ExtensionHint(address: url)?.kind)
      case .file(let path): add(entry, path: path)
      }
    } catch {
      skip(entry, error.reason)
    }
  }

  /// The first address that may play.
  private mutating func better(of addresses: [String]) -> String? {
    for address in addresses where mayPlay(address) { return address }
    return nil
  }

  /// Whether an address is worth trying: a web address, or an existing file with the name of a
  /// medium or list.
  private mutating func mayPlay(_ address: String) -> Bool {
    switch try? addresses.resolve(address) {
    case .url: true
    case .file(let path): ExtensionHint(path: path) != nil && (try? files.status(of: path)) != nil
    case nil: false
    }
  }

  /// Only files with the name of a medium or list are opened, because a list may come from a
  /// stranger.
  private mutating func add(_ entry: ListEntry, path: String) {
    guard let hint = ExtensionHint(path: path) else {
      skip(entry, "it is not a medium by its name")
      return
    }
    guard let finding = sniffer.lookWithinLimit(at: path) else {
      add(entry, .file(path), hint.kind)
      return
    }
    if case .failed = finding, let meant = oddNames.path(like: path) {
      return add(entry, path: meant)
    }
    switch finding {
    case .failed where hint == .list: skip(entry, "no such list, or it cannot be read")
    // It becomes a story, so that its place in the list shows the reason.
    case .failed: add(entry, .file(path), hint.kind)
    case .special: skip(entry, "not a regular file")
    case .folder: skip(entry, "a folder inside a list is not read")
    case .file(let content): add(entry, path: path, content, hint)
    }
  }

  private mutating func add(
    _ entry: ListEntry, path: String, _ content: SniffedContent, _ hint: ExtensionHint
  ) {
    switch (content, hint) {
    case (.list, _), (.unknown, .list), (.empty, .list): addList(entry, path: path)
    case (.json, _):
      switch sniffer.shape(of: path) {
      case .animation: add(entry, .file(path), .animation)
      case .feed, .playlist: skip(entry, "a feed inside a list is not read")
      case .other where hint == .json: skip(entry, "it is not an animation")
      case .other: add(entry, .file(path), hint.kind)
      }
    case (_, .json): skip(entry, "it is not an animation")
    default: add(entry, .file(path), content.storyKind(hintedAt: hint))
    }
  }

  private mutating func addList(_ entry: ListEntry, path: String) {
    guard let status = try? files.status(of: path) else { return }
    guard !open.contains(where: { $0.device == status.device && $0.inode == status.inode }) else {
      skip(entry, "the list contains itself")
      return
    }
    guard open.count < Limit.lists else {
      skip(entry, "lists are nested deeper than \(Limit.lists) levels")
      return
    }
    guard !budget.isSpent else { return skip(entry, TimeBudget.spentWords) }
    do throws(FeedText.Unreadable) {
      var file = try files.text(at: path)
      file.budget = budget
      let (text, notes) = try file.whole()
      let list = M3U(text)
      guard !list.isHLS else {
        add(entry, .file(path), .video)
        return
      }
      let before = stories.count + skipped.count
      let around = addresses
      addresses = AddressBook(base: .file(path), files: files)
      open.append(status)
      _ = add(list)
      note(notes, of: entry.address)
      open.removeLast()
      addresses = around
      if stories.count + skipped.count == before { skip(entry, "the list is empty") }
    } catch {
      skip(entry, error.words)
    }
  }

  private mutating func add(_ entry: ListEntry, _ source: Story.Source, _ kind: Story.Kind?) {
    let story = Story(
      source: source, origin: origin, kind: kind, caption: entry.title, durationS: entry.durationS)
    stories.append(story)
  }

  /// Adds notes on the text of a list.
  mutating func note(_ notes: [TextNote], of source: String) {
    for note in notes {
      skipped.append(
        Skipped(source: source, reason: note.words, costsStories: note.costsStories))
    }
  }

  private mutating func skip(_ entry: ListEntry, _ reason: String) {
    guard skipped.count < Limit.items else { return }
    var isAddress = false
    if case .url = addresses.base { isAddress = true }
    let shown =
      entry.address.isEmpty ? entry.title : URLText.shown(entry.address, isAddress: isAddress)
    skipped.append(Skipped(source: shown, reason: reason))
  }
}
