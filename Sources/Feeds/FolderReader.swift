import Stories
import System

/// Turns a folder into reels: its own files first, then each folder in it, in natural order.
struct FolderReader {
  private let files: any FileAccess
  private var sniffer: FileSniffer
  private let source: String
  private var reels: [Reel] = []
  private var skipped: [Skipped] = []
  private var count = 0
  /// The folder is read to be served: it may be without media, and only names in UTF-8 count.
  private let isServed: Bool
  /// Folders that were entered, so that symbolic links cannot lead round in a circle.
  private var entered: Set<Place> = []

  private struct Place: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  /// - Parameter source: what the user calls the folder.
  static func read(
    _ path: String, source: String, files: any FileAccess, sniffer: inout FileSniffer,
    isServed: Bool = false
  ) throws(FeedError) -> Feed {
    var reader = FolderReader(files: files, sniffer: sniffer, source: source, isServed: isServed)
    let title = URLText.lastPart(of: files.canonical(path) ?? path)
    if let failure = reader.enter(path, name: title, below: "", depth: 0) {
      throw .cannotPlay(source: source, reason: failure)
    }
    sniffer = reader.sniffer
    guard reader.count <= Limit.items else {
      throw .cannotPlay(source: source, reason: "more than \(Limit.items) files")
    }
    guard isServed || !reader.reels.isEmpty || !reader.skipped.isEmpty else {
      throw .cannotPlay(source: source, reason: "no media in this directory")
    }
    return Feed(identity: path, title: title, reels: reader.reels, skipped: reader.skipped)
  }

  private init(files: any FileAccess, sniffer: FileSniffer, source: String, isServed: Bool) {
    self.isServed = isServed
    self.files = files
    self.sniffer = sniffer
    self.source = source
  }

  /// Reads one folder and its subfolders; gives the reason if it cannot be read.
  private mutating func enter(
    _ path: String, name: String, below: String, depth: Int
  ) -> String? {
    let entries: [DirectoryEntry]
    do {
      let status = try files.status(of: path)
      guard entered.insert(Place(device: status.device, inode: status.inode)).inserted else {
        return nil
      }
      entries = try files.entries(in: path, limit: Limit.items + 1 - min(count, Limit.items))
    } catch {
      return error.inWords
    }
    let folder = path.hasSuffix("/") ? path : path + "/"
    let (stories, subfolders) = sort(entries, in: folder)
    if !stories.isEmpty { reels.append(Reel(name: name, stories: stories)) }
    for subfolder in subfolders where count <= Limit.items {
      let shown = below + subfolder
      guard depth < Limit.nesting else {
        skip(folder + subfolder, "folders are nested deeper than \(Limit.nesting) levels")
        continue
      }
      let reason = enter(folder + subfolder, name: shown, below: shown + "/", depth: depth + 1)
      if let reason { skip(folder + subfolder, reason) }
    }
    return nil
  }

  /// The stories and the subfolders among the entries, both in natural order. Hidden ones are left
  /// out.
  private mutating func sort(
    _ entries: [DirectoryEntry], in folder: String
  ) -> ([Story], [String]) {
    count += entries.count
    var kinds: [String: FileStatus.Kind] = [:]
    var names: [String] = []
    for entry in entries where !entry.name.hasPrefix(".") && entry.kind != .special {
      guard entry.isExact || !isServed else {
        skip(folder + entry.name, "its name is not UTF-8")
        continue
      }
      names.append(entry.name)
      kinds[entry.name] = entry.kind
    }
    var stories: [Story] = []
    stories.reserveCapacity(names.count)
    var subfolders: [String] = []
    for name in NaturalOrder.sorted(names) {
      if kinds[name] == .directory {
        subfolders.append(name)
      } else {
        add(folder + name, known: kinds[name], name, &stories, &subfolders)
      }
    }
    return (stories, subfolders)
  }

  private mutating func add(
    _ path: String, known: FileStatus.Kind?, _ name: String,
    _ stories: inout [Story], _ subfolders: inout [String]
  ) {
    let hint = ExtensionHint(path: path)
    guard let finding = sniffer.lookWithinLimit(at: path, known: known) else {
      if let kind = hint?.kind, hint != .json {
        stories.append(Story(source: .file(path), kind: kind))
      }
      return
    }
    switch finding {
    case .folder: subfolders.append(name)
    case .special: return
    case .failed(let reason):
      if hint?.isMedium == true { skip(path, reason) }
    case .file(let content):
      if isStory(content, hint, path) {
        stories.append(Story(source: .file(path), kind: kind(content, hint)))
      }
    }
  }

  /// Whether a file in a folder is a story. A file with the name of a medium always is, so that its
  /// error shows; lists and feeds are not, as they name files that lie beside them.
  private func isStory(_ content: SniffedContent, _ hint: ExtensionHint?, _ path: String) -> Bool {
    switch content {
    case .media: return true
    case .list: return sniffer.isHLS(path)
    case .json:
      switch sniffer.shape(of: path) {
      case .animation: return true
      case .feed, .playlist: return false
      case .other: return hint?.isMedium ?? false
      }
    case .unknown where path.hasSuffix(".ts") || path.hasSuffix(".mts"):
      // TypeScript files have the extensions of transport streams.
      return false
    case .unknown, .empty, .xml, .webPage, .pls, .gzip: return hint?.isMedium ?? false
    }
  }

  /// An HLS playlist is a video whatever its name.
  private func kind(_ content: SniffedContent, _ hint: ExtensionHint?) -> Story.Kind? {
    content == .list ? .video : content.storyKind(hintedAt: hint)
  }

  private mutating func skip(_ path: String, _ reason: String) {
    skipped.append(Skipped(source: path, reason: reason))
  }
}
