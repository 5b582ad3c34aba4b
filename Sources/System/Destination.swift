import Glibc

/// The real location of a file that is to be written under a name from the user.
///
/// Links are followed where nobody else can have placed them; in a folder that others may write to,
/// no link is followed.
struct Destination {
  /// The path without links, except one of the kernel's own that leads to a pipe or a terminal.
  let path: String
  /// Whether others may create names in its folder.
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
      guard lstat(FileName.forKernel(next), &info) == 0, info.isLink else {
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
    // Any other existing file is also found by its real path.
    isKernelLink =
      lstat(FileName.forKernel(real), &info) != 0 && stat(FileName.forKernel(name), &info) == 0
    path = isKernelLink ? name : real.isEmpty ? "/" : real
    isShared =
      !isKernelLink
      && Destination.isShared(String(real[..<(real.lastIndex(of: "/") ?? real.startIndex)]))
  }

  /// Throws where a link may be somebody else's. Stricter than the kernel's `protected_symlinks`
  /// (proc(5)): in a folder that everybody may write to, not even one's own link is followed, with
  /// or without the sticky bit.
  private static func judge(
    _ link: stat, _ path: String, in folder: String
  ) throws(SystemError) {
    var info = stat()
    guard stat(FileName.forKernel(folder.isEmpty ? "/" : folder), &info) == 0 else {
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
    guard stat(FileName.forKernel(folder.isEmpty ? "/" : folder), &info) == 0 else { return false }
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

  /// The flag for opening the file so that a link placed there in the meantime is not followed.
  var linkFlag: Int32 { isKernelLink ? 0 : O_NOFOLLOW }
}

extension Paths {
  /// The path without links at which a file or folder named by the user is written, whether it
  /// exists or not. Throws where somebody else may have placed one of the links.
  public static func destination(_ name: String) throws(SystemError) -> String {
    try Destination(name).path
  }
}
