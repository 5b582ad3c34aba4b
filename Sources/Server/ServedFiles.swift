import Feeds
import Glibc
import System

/// The files of a served folder as the folder reader sees them: only those inside it, and none that
/// has a special meaning to the server.
final class ServedFiles: FileAccess {
  /// The subfolder that holds the reactions.
  static let animationFolder = "animations"
  /// Names at the top level that the server itself answers, or that are no stories.
  static let ownNames: Set<String> = ["feed.json", "animations.json", animationFolder]

  let folder: RootedFolder
  /// Nil where changes cannot be watched.
  private(set) var watch: FolderWatch?

  init(folder: RootedFolder, watch: FolderWatch?) {
    self.folder = folder
    self.watch = watch
  }

  var workingDirectory: String { folder.path }

  func canonical(_ path: String) -> String? { path }

  func status(of path: String) throws(SystemError) -> FileStatus {
    try folder.status(of: try relative(path))
  }

  func entries(in directory: String, limit: Int) throws(SystemError) -> [DirectoryEntry] {
    let path = try relative(directory)
    // It is watched before it is read, so that later changes are noticed.
    observe(path)
    let entries = try folder.entries(in: path, limit: limit)
    return path.isEmpty ? entries.filter { !ServedFiles.ownNames.contains($0.name) } : entries
  }

  func bytes(of path: String, at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    try folder.open(try relative(path)).read(at: UInt64(max(0, offset)), count: count)
  }

  /// Watches a folder. If no more watches can be had, watching ends altogether.
  func observe(_ relative: String) {
    do {
      try watch?.add(relative, in: folder)
    } catch {
      // A folder that has just been removed, or may not be read, is no reason to give up.
      if [ENOSPC, ENOMEM, EMFILE].contains(error.code) { watch = nil }
    }
  }

  /// The path relative to the folder.
  func relative(_ path: String) throws(SystemError) -> String {
    guard path != folder.path else { return "" }
    let prefix = folder.path == "/" ? "/" : folder.path + "/"
    guard path.hasPrefix(prefix) else {
      throw SystemError(step: "read", subject: path, code: EXDEV)
    }
    return String(path.dropFirst(prefix.count))
  }
}
