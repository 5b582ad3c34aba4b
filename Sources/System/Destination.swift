import Glibc

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
    // Any other file that is there is found by its real path too.
    isKernelLink =
      lstat(FileName.forKernel(real), &info) != 0 && stat(FileName.forKernel(name), &info) == 0
    path = isKernelLink ? name : real.isEmpty ? "/" : real
    isShared =
      !isKernelLink
      && Destination.isShared(String(real[..<(real.lastIndex(of: "/") ?? real.startIndex)]))
  }

  /// Throws where a link may be somebody else's. Stricter than the kernel's `protected_symlinks`
  /// (proc(5)): in a folder that all may write not even one's own link is followed, with the sticky bit
  /// or without.
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
