import Glibc

/// A file's status from the kernel, with symbolic links followed.
public struct FileStatus: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case regular, directory
    /// A fifo, socket or device: opening it may block or have effects.
    case special
  }

  public var kind: Kind
  public var sizeBytes: Int64
  /// Device and inode: the same for every name of one file.
  public var device: UInt64
  public var inode: UInt64
  /// Mode bits without the kind.
  public var permissions: UInt32
  /// The number of the user who owns it.
  public var owner: UInt32
  /// When its bytes were last changed, in nanoseconds since 1970.
  public var modifiedNanoseconds: Int64

  public init(
    kind: Kind, sizeBytes: Int64, device: UInt64, inode: UInt64, permissions: UInt32 = 0o600,
    owner: UInt32 = 0, modifiedNanoseconds: Int64 = 0
  ) {
    self.kind = kind
    self.sizeBytes = sizeBytes
    self.device = device
    self.inode = inode
    self.permissions = permissions
    self.owner = owner
    self.modifiedNanoseconds = modifiedNanoseconds
  }

  /// Whether its permissions let anybody but its owner read it, whoever the owner is.
  public var mayBeReadByOthers: Bool { permissions & 0o044 != 0 }

  /// Whether anybody but this user and root may change it, or, for a directory, replace what is in
  /// it; in a sticky directory only owners may.
  public var mayBeWrittenByOthers: Bool {
    if owner != 0, owner != geteuid() { return true }
    let isSticky = kind == .directory && permissions & 0o1000 != 0
    return permissions & 0o022 != 0 && !isSticky
  }

  /// Gets the status without opening the file.
  public init(of path: String) throws(SystemError) {
    var info = stat()
    guard retrying({ stat(FileName.forKernel(path), &info) }) == 0 else {
      throw SystemError(step: "read", subject: path, code: errno)
    }
    self.init(info)
  }

  /// Gets the status of an open file.
  public init(of file: borrowing Descriptor) throws(SystemError) {
    var info = stat()
    guard fstat(file.number, &info) == 0 else {
      throw SystemError(step: "examine", code: errno)
    }
    self.init(info)
  }

  /// Gets the status of a name in a directory; a symbolic link is not followed. Nil where there is
  /// no such name.
  init?(of name: String, in folder: borrowing Descriptor) {
    var info = stat()
    guard fstatat(folder.number, name, &info, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    self.init(info)
  }

  private init(_ info: stat) {
    switch info.st_mode & S_IFMT {
    case S_IFREG: kind = .regular
    case S_IFDIR: kind = .directory
    default: kind = .special
    }
    sizeBytes = Int64(info.st_size)
    device = UInt64(info.st_dev)
    inode = UInt64(info.st_ino)
    // File systems have dates that do not fit into nanoseconds.
    modifiedNanoseconds = Int64(info.st_mtim.tv_sec).multipliedClamped(by: 1_000_000_000)
      .addingClamped(Int64(info.st_mtim.tv_nsec))
    permissions = info.st_mode & 0o7777
    owner = info.st_uid
  }
}

/// One name in a directory.
public struct DirectoryEntry: Equatable, Sendable {
  /// In the form of `FileName`; `isExact` is false where it is not UTF-8.
  public var name: String
  public var isExact: Bool
  /// Its kind; nil where only its status gives that, as for a symbolic link.
  public var kind: FileStatus.Kind?

  public init(name: String, isExact: Bool = true, kind: FileStatus.Kind? = nil) {
    self.name = name
    self.isExact = isExact
    self.kind = kind
  }

  /// The entries of a directory in no particular order, without `.` and `..`; at most `limit`.
  public static func all(in path: String, limit: Int) throws(SystemError) -> [DirectoryEntry] {
    guard let stream = opendir(FileName.forKernel(path)) else {
      throw SystemError(step: "read", subject: path, code: errno)
    }
    return all(in: stream, limit: limit)
  }

  /// The same for an open directory.
  public static func all(
    in folder: consuming Descriptor, limit: Int
  ) throws(SystemError) -> [DirectoryEntry] {
    let number = folder.release()
    guard let stream = fdopendir(number) else {
      let code = errno
      close(number)
      throw SystemError(step: "read", code: code)
    }
    return all(in: stream, limit: limit)
  }

  /// Reads a stream to its end and closes it.
  private static func all(in stream: OpaquePointer, limit: Int) -> [DirectoryEntry] {
    defer { closedir(stream) }
    var entries: [DirectoryEntry] = []
    while entries.count < limit, let raw = readdir(stream) {
      let kind: FileStatus.Kind? =
        switch Int(raw.pointee.d_type) {
        case Int(DT_REG): .regular
        case Int(DT_DIR): .directory
        case Int(DT_LNK), Int(DT_UNKNOWN): nil
        default: .special
        }
      // The name ends with a NUL within the record, which readdir owns until its next call.
      let name = withUnsafePointer(to: &raw.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { FileName.text(ofKernel: $0) }
      }
      if name == "." || name == ".." { continue }
      entries.append(
        DirectoryEntry(name: name, isExact: FileName.shown(name) == name, kind: kind))
    }
    return entries
  }
}

/// Names of files as the kernel resolves them.
public enum Paths {
  /// The absolute path without symbolic links, `.` and `..`; nil where there is no such file.
  public static func canonical(_ path: String) -> String? {
    guard let resolved = realpath(FileName.forKernel(path), nil) else { return nil }
    defer { free(resolved) }
    return FileName.text(ofKernel: resolved)
  }

  /// Whether there is a file, with links followed.
  public static func exists(_ path: String) -> Bool { isUsable(path, F_OK) }

  /// Whether this process has an access right to a file (access(2)): R_OK, W_OK, X_OK.
  public static func isUsable(_ path: String, _ use: Int32) -> Bool {
    access(FileName.forKernel(path), use) == 0
  }

  /// The target of a symbolic link; nil where it cannot be read or is no link.
  static func target(ofLink path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink(path, &bytes, bytes.count - 1)
    guard count > 0 else { return nil }
    return String(validating: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The absolute path, with its links and dots.
  public static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : workingDirectory + "/" + path
  }

  /// The directory that relative paths start from.
  public static var workingDirectory: String { canonical(".") ?? "/" }
}

extension FileName {
  /// The text of a name that ends with a NUL, as the kernel and C give it; the pointer must be
  /// valid during this call.
  static func text(ofKernel name: UnsafePointer<CChar>) -> String {
    text(UnsafeRawBufferPointer(start: name, count: strlen(name)))
  }
}
