import Glibc

/// A directory for one test, removed with everything in it.
public final class TemporaryDirectory: Sendable {
  public let path: String

  public init() throws {
    var template = Array("/tmp/storytty-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SupportError("cannot make a temporary directory")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { removeTree(path) }

  /// The path of a name in the directory.
  public func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file; creates missing directories.
  @discardableResult
  public func write(_ bytes: [UInt8], to name: String) throws -> String {
    var directory = path
    for part in name.split(separator: "/").dropLast() {
      directory += "/\(part)"
      mkdir(directory, 0o755)
    }
    try writeFile(bytes, to: path(name))
    return path(name)
  }

  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  /// Copies a file into the directory.
  @discardableResult
  public func copy(_ source: String, as name: String) throws -> String {
    try write(readFile(source), to: name)
  }
}

/// Reads a whole file.
public func readFile(_ path: String) throws -> [UInt8] {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw SupportError("cannot read \(path)") }
  defer { close(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 18)
  while true {
    let count = read(file, &buffer, buffer.count)
    guard count >= 0 else { throw SupportError("cannot read \(path)") }
    if count == 0 { return bytes }
    bytes += buffer[..<count]
  }
}

/// Reads a whole text file.
public func readText(_ path: String) throws -> String {
  String(decoding: try readFile(path), as: UTF8.self)
}

/// Writes a whole file, replacing an existing one.
public func writeFile(_ bytes: [UInt8], to path: String) throws {
  let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
  guard file >= 0 else { throw SupportError("cannot write \(path)") }
  defer { close(file) }
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    guard count > 0 else { throw SupportError("cannot write \(path)") }
    rest = rest.dropFirst(count)
  }
}

/// Whether anything exists at this path.
public func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// The names in a directory, sorted; empty when it cannot be read.
public func directoryEntries(_ path: String) -> [String] {
  guard let directory = opendir(path) else { return [] }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { raw in
      String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names.sorted()
}

/// Removes a file or a directory with everything in it; links are not followed.
func removeTree(_ path: String) {
  var information = stat()
  guard lstat(path, &information) == 0 else { return }
  if information.st_mode & S_IFMT == S_IFDIR {
    chmod(path, 0o700)
    for name in directoryEntries(path) { removeTree("\(path)/\(name)") }
    rmdir(path)
  } else {
    unlink(path)
  }
}

/// The target of a symbolic link; nil where there is nothing.
public func linkTarget(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(cString: resolved)
}
