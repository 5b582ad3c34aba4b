import Glibc

/// Whether what lies under a name is this user's own.
///
/// Where others may write, they may have laid anything under a name that they expect this program to
/// use: a link to a file of this user's, a pipe that holds up whoever opens it, a database of theirs.
public enum Ownership {
  /// Why nothing that is to be believed may be kept in a folder, in words that follow "it"; nil where
  /// it may, or nothing has that name yet.
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
    // Whoever wants the folder is told by the kernel that it is none.
    guard info.st_mode & S_IFMT == S_IFDIR else { return followsLink ? nil : "is no directory" }
    guard info.isOwn else { return "belongs to another user" }
    // Nor with the sticky bit: others may still make names in it.
    return info.st_mode & 0o022 == 0 ? nil : "may be written by others (chmod go-w ends that)"
  }

  /// Why a file is not to be opened as one of this user's own, in words that follow its name; nil
  /// where nothing speaks against it, or nothing has that name yet.
  public static func objection(toFile path: String) -> String? {
    var info = stat()
    guard lstat(FileName.forKernel(path), &info) == 0 else { return nil }
    if info.isLink { return "is a symbolic link" }
    guard info.st_mode & S_IFMT == S_IFREG else { return "is no regular file" }
    return info.isOwn ? nil : "belongs to another user"
  }

  /// The same for a database of SQLite's, which opens its journals too, whatever they are.
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
  /// This user's, or root's, who can do anything anyway.
  var isOwn: Bool { st_uid == geteuid() || st_uid == 0 }
}
