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
    guard lstat(path, &info) == 0 else { return nil }
    if info.isLink {
      guard followsLink else { return "is a symbolic link" }
      guard info.isOwn else { return "is a symbolic link of another user" }
      guard stat(path, &info) == 0 else { return "is a symbolic link to nothing" }
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
    guard lstat(path, &info) == 0 else { return nil }
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

/// Where a file really lies that is written under a name which the user gave.
///
/// Links lead there where nobody else can have laid them; in a folder that others may write, no link
/// is followed.
struct Destination {
  /// Without links, but for one of the kernel's own that leads to a pipe or a terminal.
  let path: String
  /// Whether others may make names in its folder.
  let isShared: Bool
  /// Whether the last part is a link that only the kernel can follow, as in `/proc/self/fd`.
  let isKernelLink: Bool

  private static let mostLinks = 40

  init(_ name: String) throws(SystemError) {
    var rest: [Substring] = Paths.absolute(name).split(separator: "/").reversed()
    var real = ""
    var links = 0
    while let part = rest.popLast() {
      if part == "." { continue }
      if part == ".." {
        real = String(real[..<(real.lastIndex(of: "/") ?? real.startIndex)])
        continue
      }
      let next = "\(real)/\(part)"
      var info = stat()
      guard lstat(next, &info) == 0, info.isLink else {
        real = next
        continue
      }
      try Destination.judge(info, next, in: real)
      guard let target = Paths.target(ofLink: next), links < Destination.mostLinks else {
        throw SystemError(step: "open", subject: name, code: ELOOP)
      }
      links += 1
      if target.hasPrefix("/") { real = "" }
      rest += target.split(separator: "/").reversed()
    }
    var info = stat()
    isKernelLink = lstat(real, &info) != 0 && stat(name, &info) == 0
    path = isKernelLink ? name : real.isEmpty ? "/" : real
    isShared =
      !isKernelLink
      && Destination.isShared(String(real[..<(real.lastIndex(of: "/") ?? real.startIndex)]))
  }

  /// Throws where a link may be somebody else's: as the kernel's `protected_symlinks` does (proc(5)),
  /// but in folders without the sticky bit too.
  private static func judge(
    _ link: stat, _ path: String, in folder: String
  ) throws(SystemError) {
    var info = stat()
    guard stat(folder.isEmpty ? "/" : folder, &info) == 0 else {
      throw SystemError(step: "open", subject: folder, code: errno)
    }
    let isTrusted =
      info.isOwn && info.st_mode & 0o002 == 0 && (info.st_mode & 0o020 == 0 || link.isOwn)
    guard isTrusted else {
      throw SystemError(
        step: "open", subject: path, code: ELOOP,
        words: "it is a symbolic link in a folder that others may write")
    }
  }

  private static func isShared(_ folder: String) -> Bool {
    var info = stat()
    guard stat(folder.isEmpty ? "/" : folder, &info) == 0 else { return false }
    return !info.isOwn || info.st_mode & 0o022 != 0
  }

  /// Throws where a file in a shared folder is not this user's alone.
  func check(_ file: borrowing Descriptor) throws(SystemError) {
    guard isShared else { return }
    var info = stat()
    guard fstat(file.number, &info) == 0 else {
      throw SystemError(step: "examine", subject: path, code: errno)
    }
    try check(info)
  }

  func check(_ info: stat) throws(SystemError) {
    guard isShared else { return }
    let isRegular = info.st_mode & S_IFMT == S_IFREG
    guard isRegular ? info.st_uid == geteuid() : info.isOwn else {
      throw SystemError(
        step: "write", subject: path, code: EPERM, words: "it belongs to another user")
    }
    guard !isRegular || info.st_nlink < 2 else {
      throw SystemError(
        step: "write", subject: path, code: EPERM,
        words: "it has another name too, in a folder that others may write")
    }
  }

  /// So much of flags for opening it as keeps a link from being followed that was laid meanwhile.
  var linkFlag: Int32 { isKernelLink ? 0 : O_NOFOLLOW }
}

extension Paths {
  /// Where a file or folder that the user named is written: its path without links, whether it is
  /// there or not. Throws where somebody else may have laid one of these.
  public static func destination(_ name: String) throws(SystemError) -> String {
    try Destination(name).path
  }
}

extension stat {
  fileprivate var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
  /// This user's, or root's, who can do anything anyway.
  fileprivate var isOwn: Bool { st_uid == geteuid() || st_uid == 0 }
}
