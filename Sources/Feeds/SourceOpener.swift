import Stories
import System

/// Detects what each source is, and reads it.
struct SourceOpener {
  /// What a source holds.
  struct Found {
    var feed: Feed
    /// Where the source is a single file or address: its folder or host. Such sources, named one
    /// after another, form one reel.
    var groupedUnder: String?
  }

  private let files: any FileAccess
  private let web: (any WebAccess)?
  private let workingFolder: String
  private var sniffer: FileSniffer
  /// The processor time of the source that is being opened.
  private var budget = TimeBudget()
  private let newBudget: () -> TimeBudget

  init(
    files: any FileAccess, web: (any WebAccess)?,
    budget: @escaping () -> TimeBudget = { TimeBudget() }
  ) {
    self.files = files
    newBudget = budget
    self.web = web
    let folder = files.workingDirectory
    workingFolder = folder.hasSuffix("/") ? folder : folder + "/"
    sniffer = FileSniffer(files: files)
  }

  /// Reads one source as the user wrote it.
  mutating func open(_ source: String) throws(FeedError) -> Found {
    budget = newBudget()
    web?.beginSource()
    guard !source.isEmpty else { throw .cannotPlay(source: "''", reason: "the name is empty") }
    guard !source.utf8.contains(0) else {
      throw .cannotPlay(source: URLText.shown(source), reason: "the name holds a NUL")
    }
    if let scheme = URLText.scheme(of: source)?.lowercased() {
      let shown = URLText.shown(source)
      switch scheme {
      case "http", "https": return try web(source)
      case "file":
        guard let path = URLText.filePath(source) else {
          throw .cannotPlay(source: shown, reason: "its file address is malformed")
        }
        return try file(path, shown)
      default:
        // There may be a file of this name.
        if case .failed = sniffer.look(at: workingFolder + source) {
          throw .cannotPlay(source: shown, reason: "'\(scheme):' addresses are not played")
        }
      }
    }
    var book = AddressBook(base: .file(workingFolder), files: files)
    let path = book.joined(workingFolder, source)
    // A file may have a name that looks like the short form of an address.
    if let url = try address(short: source), case .failed = sniffer.look(at: path) {
      return try web(url)
    }
    if case .failed = sniffer.look(at: path) { return try file(path, URLText.shown(source)) }
    return try file(path, source)
  }

  private func address(short source: String) throws(FeedError) -> String? {
    do throws(WebFailure) {
      return try web?.address(short: source)
    } catch {
      throw .cannotPlay(
        source: URLText.shown(source, isAddress: true), reason: error.reason)
    }
  }

  private mutating func web(_ source: String) throws(FeedError) -> Found {
    let shown = URLText.shown(source)
    guard URLText.hasHost(source) else {
      throw .cannotPlay(source: shown, reason: "the address names no host")
    }
    guard source.utf8.count <= Limit.ownAddressBytes else {
      throw .cannotPlay(source: shown.cut(to: 80), reason: "the address is too long")
    }
    if let web, web.isFolder(source) { return Found(feed: try folder(source, web)) }
    let hint = ExtensionHint(address: source)
    // An address that ends like a medium is not opened here: so it starts sooner.
    guard let web, hint?.isMedium != true else { return loose(url: source, hint?.kind) }
    let content: SniffedContent
    let base: Story.Source
    do {
      let head = try web.head(of: source, count: Limit.headBytes)
      content = SniffedContent(head: head.bytes)
      base = .url(head.address)
    } catch {
      // A folder has no bytes, or has a page for browsers; it may still list its files.
      if URLText.isFolder(source), let feed = try? folder(source, web) { return Found(feed: feed) }
      throw .cannotPlay(source: shown, reason: error.reason)
    }
    let found = try feed(content, hint, .url(source), base, shown) {
      () throws(FeedText.Unreadable) in
      do throws(WebFailure) {
        let answer = try web.whole(of: source, most: Limit.feedBytes)
        return FeedText(answer.bytes, charset: answer.charset)
      } catch {
        throw FeedText.Unreadable(words: error.reason)
      }
    }
    return found.map { Found(feed: $0) } ?? loose(url: source, content.storyKind(hintedAt: hint))
  }

  /// The feed of a web folder, from the lists of the folder itself and of its subfolders.
  private func folder(_ source: String, _ web: any WebAccess) throws(FeedError) -> Feed {
    let shown = Story.Source.url(source).visible
    let origin = Story.Origin(feed: source)
    func read(_ url: String, _ answer: Result<WebBytes, WebFailure>) throws(FeedError) -> WebFolder
    {
      switch answer {
      case .success(let listing):
        return try WebFolder(
          url: url, at: listing.address, namedBy: origin, listing: listing.bytes)
      case .failure(let failure): throw .cannotPlay(source: shown, reason: failure.reason)
      }
    }
    let folder = try read(source, web.listings(of: [source], namedBy: nil)[0])
    let urls = folder.folders.prefix(Limit.webFolders).map(\.url)
    var parts: [String: Result<WebFolder, FeedError>] = [:]
    for (url, answer) in zip(urls, web.listings(of: urls, namedBy: source)) {
      parts[url] = Result { () throws(FeedError) in try read(url, answer) }
    }
    var feed = try folder.feed(parts: parts)
    if folder.folders.count > urls.count {
      let reason = "of its \(folder.folders.count) folders only \(urls.count) are read"
      feed.skipped.append(Skipped(source: shown, reason: reason))
    }
    return feed
  }

  private func loose(url: String, _ kind: Story.Kind?) -> Found {
    let host = URLText.host(of: url)
    let story = Story(source: .url(url), kind: kind)
    return Found(
      feed: Feed(identity: url, title: host, reels: [Reel(name: host, stories: [story])]),
      groupedUnder: host)
  }

  private mutating func file(_ path: String, _ source: String) throws(FeedError) -> Found {
    let hint = ExtensionHint(path: path)
    switch sniffer.look(at: path) {
    case .failed(let reason): throw .cannotPlay(source: source, reason: reason)
    case .special: throw .cannotPlay(source: source, reason: "not a regular file")
    case .folder:
      let feed = try FolderReader.read(path, source: source, files: files, sniffer: &sniffer)
      return Found(feed: feed)
    case .file(let content):
      let files = files
      let text = { () throws(FeedText.Unreadable) in try files.text(at: path) }
      if let feed = try feed(content, hint, .file(path), .file(path), source, text) {
        return Found(feed: feed)
      }
      return loose(path, content.storyKind(hintedAt: hint))
    }
  }

  /// A feed or list; nil for what the decoder must judge.
  ///
  /// - Parameters:
  ///   - origin: the path or address of the source itself, which is the feed's identity.
  ///   - base: relative addresses start here.
  private mutating func feed(
    _ content: SniffedContent, _ hint: ExtensionHint?, _ origin: Story.Source, _ base: Story.Source,
    _ source: String, _ text: () throws(FeedText.Unreadable) -> FeedText
  ) throws(FeedError) -> Feed? {
    let hintsAtMedium = hint?.isMedium ?? false
    let budget = budget
    func readable() throws(FeedError) -> FeedText {
      do {
        var text = try text()
        text.budget = budget
        return text
      } catch {
        throw .cannotRead(source: source, reason: error.words)
      }
    }
    switch content {
    case .list: return try list(try readable(), origin, base, source)
    case .json:
      let text = try readable()
      // Most feeds can be recognised by their start.
      var shape = JSONShape(text.readerOfHead())
      if shape != .feed { shape = JSONShape(text.readerOfAll()) }
      if shape == .animation || (shape == .other && hintsAtMedium) { return nil }
      if shape == .playlist {
        return try entries(origin, base, source) { (collector) throws(FeedError) in
          try JSPF.read(text, source: source, into: &collector)
        }
      }
      return try JSONFeed.read(
        text, name: source, origin: origin, base: base, files: files)
    case .unknown, .empty:
      if hint == .list { return try list(try readable(), origin, base, source) }
      if hint == .json {
        return try JSONFeed.read(
          try readable(), name: source, origin: origin, base: base, files: files)
      }
      return try named(URLText.fileExtension(of: origin.text), readable, origin, base, source)
    case .media: return nil
    case .gzip:
      guard !hintsAtMedium else { return nil }
      let text = try unpacked(try readable(), source)
      let content = SniffedContent(head: text.raw(0, Limit.headBytes))
      guard content != .gzip else {
        throw .cannotRead(source: source, reason: "packed with gzip more than once")
      }
      return try feed(content, hint, origin, base, source) { text }
    case .xml: return hintsAtMedium ? nil : try xml(try readable(), origin, base, source)
    case .pls: return hintsAtMedium ? nil : try pls(try readable(), origin, base, source)
    case .webPage:
      guard !hintsAtMedium else { return nil }
      throw .cannotRead(source: source, reason: "a web page, not media and not a feed")
    }
  }

  /// Unpacks a text from gzip.
  private func unpacked(_ text: FeedText, _ source: String) throws(FeedError) -> FeedText {
    do throws(Gzip.Failure) {
      let bytes = try Gzip.unpack(text.raw(0, text.count), limit: Limit.feedBytes)
      return FeedText(bytes, charset: text.charset)
    } catch {
      let reason =
        switch error {
        case .outOfMemory: "there is no memory to unpack it"
        case .tooLong: "it is larger than \(Limit.feedBytes >> 20) MiB when it is unpacked"
        case .damaged: "damaged or cut off: it cannot be unpacked"
        }
      throw .cannotRead(source: source, reason: reason)
    }
  }

  /// A list that only its name identifies; nil for what the decoder must judge.
  private mutating func named(
    _ ending: String, _ text: () throws(FeedError) -> FeedText, _ origin: Story.Source,
    _ base: Story.Source, _ source: String
  ) throws(FeedError) -> Feed? {
    let kind: String
    switch ending {
    case "strm", "ram": return try list(try text(), origin, base, source)
    case "cue": kind = "a cue sheet"
    case "b4s": kind = "a Winamp list"
    case "mpcpl": kind = "a list of MPC"
    default: return nil
    }
    throw .cannotRead(source: source, reason: "\(kind), which is not read")
  }

  /// A feed or list in XML, as its outermost element decides.
  private mutating func xml(
    _ text: FeedText, _ origin: Story.Source, _ base: Story.Source, _ source: String
  ) throws(FeedError) -> Feed {
    let root: XMLName?
    do throws(XMLReader.Failure) {
      root = try XMLReader.root(of: text)
    } catch {
      throw .cannotRead(source: source, reason: error.words)
    }
    switch root?.local {
    case "rss", "RDF", "feed":
      return try SyndicationFeed.read(
        text, name: source, origin: origin, base: base, files: files)
    case "playlist":
      return try entries(origin, base, source) { (collector) throws(FeedError) in
        try XSPF.read(text, source: source, into: &collector)
      }
    case let name? where name.lowercased() == "asx":
      return try entries(origin, base, source) { (collector) throws(FeedError) in
        try ASX.read(text, source: source, into: &collector)
      }
    case let name?:
      let shown = name.cut(to: 40)
      throw .cannotRead(source: source, reason: "XML, but no feed: it is a <\(shown)>")
    case nil: throw .cannotRead(source: source, reason: "XML without content")
    }
  }

  private mutating func pls(
    _ text: FeedText, _ origin: Story.Source, _ base: Story.Source, _ source: String
  ) throws(FeedError) -> Feed {
    let (text, notes) = try whole(text, source)
    let list = PLS(text)
    return try entries(origin, base, source) { collector in
      for entry in list.entries { collector.add(entry) }
      collector.note(notes, of: source)
      return nil
    }
  }

  private mutating func list(
    _ text: FeedText, _ origin: Story.Source, _ base: Story.Source, _ source: String
  ) throws(FeedError) -> Feed? {
    let (text, notes) = try whole(text, source)
    let list = M3U(text)
    if list.isHLS { return nil }
    return try entries(origin, base, source) { collector in
      let title = collector.add(list)
      collector.note(notes, of: source)
      return title
    }
  }

  private func whole(
    _ text: FeedText, _ source: String
  ) throws(FeedError) -> (text: [UInt8], notes: [TextNote]) {
    do throws(FeedText.Unreadable) {
      return try text.whole()
    } catch {
      throw .cannotRead(source: source, reason: error.words)
    }
  }

  /// Reads a list of entries.
  private mutating func entries(
    _ origin: Story.Source, _ base: Story.Source, _ source: String,
    _ fill: (inout ListCollector) throws(FeedError) -> String?
  ) throws(FeedError) -> Feed {
    let (files, budget) = (files, budget)
    return try ListCollector.read(
      origin: origin, base: base, source: source, files: files, sniffer: &sniffer,
      budget: budget, fill)
  }

  private func loose(_ path: String, _ kind: Story.Kind?) -> Found {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    let story = Story(source: .file(path), kind: kind)
    // Standard input has its own name, whatever its path is.
    let visible = story.visibleSource
    let isNamed = visible == path
    let feed = Feed(
      identity: path, title: isNamed ? URLText.lastPart(of: path) : visible,
      reels: [Reel(name: isNamed ? URLText.lastPart(of: folder) : visible, stories: [story])])
    return Found(feed: feed, groupedUnder: folder)
  }
}
