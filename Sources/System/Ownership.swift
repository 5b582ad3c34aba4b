import Glibc

/// Checks whether the file at a path is this user's own.
///
/// Where others may write, they may have placed anything under a name that this program is expected
/// to use: a link to one of this user's files, a pipe that blocks whoever opens it, a database of
/// theirs.
public enum Ownership {
  /// Why trusted files must not be kept in a folder, in words that follow "it"; nil where they may,
  /// or nothing has that name yet.
  ///
  /// - Parameter followsLink: whether the folder may be a link of this user's own.
  public static func objection(toFolder path: String, followsLink: Bool = true) -> String? {
    var info = stat()
    guard lstat(FileName.forKernel(path), &info) == 0 else { return nil }
    if info.isLink {
      guard followsLink else { return "is a symbolic link" }
      guard info.isOwn else { return "is a symbolic link of another user" }
      guard stat(FileName.forKernel(path), &info) == 0 else {
        return "is a symbolic link to nothing"
      }
    }
    // The kernel reports this when the folder is used.
    guard info.st_mode & S_IFMT == S_IFDIR else { return followsLink ? nil : "is no directory" }
    guard info.isOwn else { return "belongs to another user" }
    // The sticky bit does not help: others may still create names in it.
    return info.st_mode & 0o022 == 0 ? nil : "may be written by others (chmod go-w ends that)"
  }

  /// Why a file must not be opened as this user's own, in words that follow its name; nil where
  /// there is no objection, or nothing has that name yet.
  public static func objection(toFile path: String) -> String? {
    var info = stat()
    guard lstat(FileName.forKernel(path), &info) == 0 else { return nil }
    if info.isLink { return "is a symbolic link" }
    guard info.st_mode & S_IFMT == S_IFREG else { return "is no regular file" }
    return info.isOwn ? nil : "belongs to another user"
  }

  /// The same for an SQLite database: SQLite opens its journals too, whatever they are.
  public static func objection(toDatabase path: String) -> String? {
    for ending in ["", "-journal", "-wal", "-shm"] {
      let name = (path + ending).split(separator: "/").last ?? ""
      if let objection = objection(toFile: path + ending) {
        return "\(name) in its directory \(objection)"
      }
    }
    return nil
  }
}

extension stat {
  var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
  /// Owned by this user, or by root, who can do anything anyway.
  var isOwn: Bool { st_uid == geteuid() || st_uid == 0 }
}
