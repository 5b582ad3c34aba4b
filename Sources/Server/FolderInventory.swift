import Feeds
import Stories
import System

/// The content of a served folder at one time.
struct FolderInventory: Equatable {
  /// A file that is a story.
  struct Item: Equatable {
    /// Relative to the folder; also the item's id.
    var path: String
    var reel: String
    var kind: Story.Kind?
    var type: String
    var status: FileStatus
  }

  var title = ""
  var items: [Item] = []
  var animations: [CataloguedAnimation] = []
  var skipped: [Skipped] = []

  var reelCount: Int { Set(items.map(\.reel)).count }
}

/// Reads a served folder again whenever it changes. Unchanged files are not opened again.
struct FolderScanner {
  let files: ServedFiles
  private let reader: FeedReader
  private var types: [String: (status: FileStatus, type: String)] = [:]
  private var animations = AnimationReader()

  init(files: ServedFiles) {
    self.files = files
    reader = FeedReader(files: files)
  }

  mutating func scan() throws(FeedError) -> FolderInventory {
    defer { files.watch?.forgetOthers() }
    let feed = try reader.folder(files.folder.path)
    var inventory = FolderInventory(title: feed.title, skipped: feed.skipped)
    var kept: [String: (status: FileStatus, type: String)] = [:]
    for reel in feed.reels {
      for story in reel.stories {
        guard let path = try? files.relative(story.source.text),
          let status = try? files.folder.status(of: path), status.kind == .regular
        else { continue }
        let type = type(of: path, kind: story.kind, status: status)
        kept[path] = (status, type)
        inventory.items.append(
          FolderInventory.Item(
            path: path, reel: reel.name, kind: story.kind, type: type, status: status))
      }
    }
    types = kept
    (inventory.animations, inventory.skipped) = animations.read(files, skipped: inventory.skipped)
    return inventory
  }

  private func type(of path: String, kind: Story.Kind?, status: FileStatus) -> String {
    if let known = types[path], known.status == status { return known.type }
    let head = try? files.folder.open(path).read(at: 0, count: MediaType.headBytes)
    let type = MediaType.of(head: head ?? [], name: path)
    return kind == .animation && type == "application/json" ? MediaType.animation : type
  }
}
