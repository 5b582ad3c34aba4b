import Stories

/// A folder of a WebDAV server as the server lists it: its stories and its subfolders.
///
/// Pure: the caller asks the server and passes its answers in, one for the folder and one for each
/// of `folders`.
public struct WebFolder: Equatable, Sendable {
  /// A subfolder.
  public struct Folder: Equatable, Sendable {
    /// The absolute URL, with its last slash.
    public let url: String
    /// Untrusted text.
    public let name: String
  }

  /// The URL that was asked, with its last slash.
  public let url: String
  /// The server's name for it, or else the last part of its address. Untrusted text.
  public let name: String
  /// In natural order; hidden ones are left out.
  public let stories: [Story]
  /// In natural order; hidden ones are left out.
  public let folders: [Folder]
  /// Entries of the answer that are not in this folder.
  public let skipped: [Skipped]

  /// Reads an answer to PROPFIND of depth 1 (RFC 4918).
  ///
  /// - Parameters:
  ///   - url: the address that was asked for.
  ///   - address: the address that answered, if redirects led to another one. Only entries directly
  ///     below it are accepted.
  ///   - origin: what names the stories.
  public init(
    url: String, at address: String? = nil, namedBy origin: Story.Origin? = nil, listing: [UInt8]
  ) throws(FeedError) {
    self.url = WebFolder.bare(url)
    let base = WebFolder.bare(address ?? url)
    let shown = Story.Source.url(self.url).visible
    guard let place = WebFolderPlace(base) else {
      throw .cannotRead(source: shown, reason: "the address names no host")
    }
    var entries: [String: Entry] = [:]
    var skipped: [Skipped] = []
    var ownName = ""
    for response in try WebFolder.responses(listing, shown) {
      switch place.locate(response.href) {
      case .itself: ownName = response.displayName
      case .member(let name, let part):
        guard !name.hasPrefix("."), entries[name] == nil else { continue }
        entries[name] = Entry(response: response, part: part)
      case .elsewhere:
        skipped.append(
          Skipped(
            source: URLText.shown(response.href, isAddress: true),
            reason: "it is not in the folder that names it"))
      }
    }
    self.name = ownName.isEmpty ? place.name : ownName
    self.skipped = skipped
    var stories: [Story] = []
    var folders: [Folder] = []
    for name in NaturalOrder.sorted(Array(entries.keys)) {
      guard let entry = entries[name] else { continue }
      let address = base + entry.part
      if entry.response.isCollection {
        let shown = entry.response.displayName
        folders.append(Folder(url: address + "/", name: shown.isEmpty ? name : shown))
      } else if let kind = WebFolder.kind(name, entry.response.type) {
        stories.append(Story(source: .url(address), origin: origin, kind: kind))
      }
    }
    self.stories = stories
    self.folders = folders
  }

  /// The feed of this folder: its own stories are the first reel, and each subfolder is another
  /// one.
  ///
  /// - Parameter parts: the subfolders by their URL, or why they could not be read. Those without
  ///   an entry are left out.
  public func feed(parts: [String: Result<WebFolder, FeedError>]) throws(FeedError) -> Feed {
    var feed = Feed(identity: url, title: name, skipped: skipped)
    if !stories.isEmpty { feed.reels.append(Reel(name: name, stories: stories)) }
    for folder in folders {
      switch parts[folder.url] {
      case .success(let part):
        if !part.stories.isEmpty {
          feed.reels.append(Reel(name: folder.name, stories: part.stories))
        }
        feed.skipped += part.skipped
      case .failure(let error):
        feed.skipped.append(
          Skipped(source: Story.Source.url(folder.url).visible, reason: error.reason))
      case nil: break
      }
    }
    guard !feed.reels.isEmpty || !feed.skipped.isEmpty else {
      throw .cannotPlay(
        source: Story.Source.url(url).visible, reason: "no media in this directory")
    }
    return feed
  }

  /// A folder's URL without query, with its last slash.
  private static func bare(_ url: String) -> String {
    let bare = String(url.prefix { $0 != "?" && $0 != "#" })
    return bare.hasSuffix("/") ? bare : bare + "/"
  }

  private struct Entry {
    let response: Multistatus.Response
    /// The part after the folder's URL, encoded.
    let part: String
  }

  private static func responses(
    _ listing: [UInt8], _ shown: String
  ) throws(FeedError) -> [Multistatus.Response] {
    let reason: String
    do throws(XMLReader.Failure) {
      let read = try Multistatus.read(listing)
      if let found = read?.responses, found.count <= Limit.items { return found }
      reason =
        read == nil
        ? "its server lists folders in no known way" : "it holds more than \(Limit.items) files"
    } catch {
      reason = error.words
    }
    throw .cannotRead(source: shown, reason: reason)
  }

  /// The kind of a file by its name, or else by the server's MIME type; nil for what is no medium.
  /// Lists and feeds are left out, as in local folders.
  private static func kind(_ name: String, _ type: String) -> Story.Kind? {
    switch ExtensionHint(path: name) {
    case .media(let kind): kind
    case .list, .json: nil
    case nil: type.isEmpty ? nil : FeedMedium(address: "", type: type)?.kind
    }
  }
}
