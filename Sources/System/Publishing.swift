import Glibc

/// A folder whose files others may read. Symbolic links in it are never followed: a link that is in
/// the way is itself replaced.
public final class PublicFolder: Sendable {
  private let path: String
  private let descriptor: Descriptor

  /// Opens a directory.
  public init(_ path: String) throws(SystemError) {
    self.path = path
    let number = retrying { open(FileName.forKernel(path), PublicFolder.lookingFlags) }
    guard number >= 0 else { throw SystemError(step: "open", subject: path, code: errno) }
    descriptor = Descriptor(adopting: number)
  }

  private static let lookingFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC

  /// Creates a directory that everybody may read; an existing one stays as it is.
  public static func make(_ path: String) throws(SystemError) {
    guard mkdir(FileName.forKernel(path), 0o755) == 0 || errno == EEXIST else {
      throw SystemError(step: "create", subject: path, code: errno)
    }
  }

  /// Whether the folder is empty.
  public func isEmpty() throws(SystemError) -> Bool {
    try DirectoryEntry.all(in: path, limit: 1).isEmpty
  }

  private static let mostRead: Int64 = 64 << 20

  /// Reads a regular file directly in the folder, at most 64 MiB; nil where there is none of that
  /// name.
  public func read(_ name: String) throws(SystemError) -> [UInt8]? {
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    let number = retrying { openat(descriptor.number, name, flags) }
    if number < 0, errno == ENOENT || errno == ELOOP { return nil }
    guard number >= 0 else { throw failure("open", name) }
    let file = Descriptor(adopting: number)
    let status = try FileStatus(of: file)
    guard status.kind == .regular else { return nil }
    return try file.read(at: 0, count: Int(min(status.sizeBytes, PublicFolder.mostRead)))
  }

  /// Removes a file, and the folders that this leaves empty.
  public func remove(_ relative: String) {
    var parts = PublicFolder.parts(relative)
    guard let name = parts.popLast(), let folder = try? self.folder(parts, making: false) else {
      return
    }
    unlinkat(folder.number, name, 0)
    while let name = parts.popLast(), let folder = try? self.folder(parts, making: false) {
      guard unlinkat(folder.number, name, AT_REMOVEDIR) == 0 else { return }
    }
  }

  /// Writes a file of mode 0644 atomically: it holds the old or the new bytes, never a mix.
  public func replace(_ name: String, with bytes: [UInt8]) throws(SystemError) {
    try place(name, in: descriptor) { temporary throws(SystemError) in
      try create(temporary, in: descriptor).writeAll(bytes)
    }
  }

  /// Gives an open file a name in this folder: by a hard link if everybody may read it and it is on
  /// the same volume, otherwise by a copy of mode 0644 with the same date. Replaces an existing
  /// file of that name; missing folders are created.
  ///
  /// - Returns: whether its bytes had to be copied.
  public func place(
    _ file: borrowing Descriptor, as relative: String
  ) throws(SystemError) -> Bool {
    var parts = PublicFolder.parts(relative)
    let name = parts.removeLast()
    let folder = try self.folder(parts, making: true)
    let status = try FileStatus(of: file)
    let mayLink = status.permissions & 0o004 != 0
    if let there = FileStatus(of: name, in: folder), there.kind == .regular,
      there.permissions & 0o004 != 0
    {
      let isSame = there.device == status.device && there.inode == status.inode
      let isCopy =
        there.sizeBytes == status.sizeBytes
        && there.modifiedNanoseconds == status.modifiedNanoseconds
      if isSame || isCopy { return false }
    }
    let number = file.number
    var isCopied = false
    try place(name, in: folder) { temporary throws(SystemError) in
      let source = "/proc/self/fd/\(number)"
      if mayLink,
        linkat(AT_FDCWD, source, folder.number, temporary, AT_SYMLINK_FOLLOW) == 0
      {
        return
      }
      isCopied = true
      try copy(number, to: temporary, in: folder, status)
    }
    return isCopied
  }

  // MARK: - Subfolders and files

  private static func parts(_ relative: String) -> [String] {
    relative.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
  }

  private func failure(_ step: String, _ name: String) -> SystemError {
    SystemError(step: step, subject: "\(path)/\(name)", code: errno)
  }

  /// Opens a folder below this one, without following links.
  private func folder(_ parts: [String], making: Bool) throws(SystemError) -> Descriptor {
    let number = fcntl(descriptor.number, F_DUPFD_CLOEXEC, 0)
    guard number >= 0 else { throw failure("open", ".") }
    var folder = Descriptor(adopting: number)
    for part in parts {
      folder = try step(to: part, in: folder, making: making)
    }
    return folder
  }

  private func step(
    to name: String, in folder: borrowing Descriptor, making: Bool
  ) throws(SystemError) -> Descriptor {
    if making {
      var info = stat()
      if fstatat(folder.number, name, &info, AT_SYMLINK_NOFOLLOW) == 0,
        info.st_mode & S_IFMT == S_IFLNK
      {
        unlinkat(folder.number, name, 0)
      }
      guard mkdirat(folder.number, name, 0o755) == 0 || errno == EEXIST else {
        throw failure("create", name)
      }
    }
    let number = retrying { openat(folder.number, name, PublicFolder.lookingFlags) }
    guard number >= 0 else { throw failure("open", name) }
    return Descriptor(adopting: number)
  }

  private func place(
    _ name: String, in folder: borrowing Descriptor,
    _ make: (String) throws(SystemError) -> Void
  ) throws(SystemError) {
    let temporary = "\(name).\(getpid()).new"
    unlinkat(folder.number, temporary, 0)
    do throws(SystemError) {
      try make(temporary)
      // If both names are of the same file, rename leaves both; then the temporary one is removed.
      guard renameat(folder.number, temporary, folder.number, name) == 0 else {
        throw failure("replace", name)
      }
      unlinkat(folder.number, temporary, 0)
    } catch {
      unlinkat(folder.number, temporary, 0)
      throw error
    }
  }

  private func create(
    _ name: String, in folder: borrowing Descriptor
  ) throws(SystemError) -> Descriptor {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let number = retrying { openat(folder.number, name, flags, 0o644) }
    guard number >= 0 else { throw failure("create", name) }
    return Descriptor(adopting: number)
  }

  private func copy(
    _ source: Int32, to name: String, in folder: borrowing Descriptor, _ status: FileStatus
  ) throws(SystemError) {
    let target = try create(name, in: folder)
    var offset: off_t = 0
    while true {
      let count = retrying { sendfile(target.number, source, &offset, 1 << 30) }
      guard count >= 0 else { throw failure("copy to", name) }
      if count == 0 { break }
    }
    fchmod(target.number, 0o644)
    let moment = timespec(
      tv_sec: Int(status.modifiedNanoseconds / 1_000_000_000),
      tv_nsec: Int(status.modifiedNanoseconds % 1_000_000_000))
    var times = [moment, moment]
    futimens(target.number, &times)
  }
}
