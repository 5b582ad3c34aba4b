import Feeds
import Glibc
import Synchronization
import System

/// Files in memory, with a record of which ones were opened.
final class FakeFiles: FileAccess {
  enum Node {
    case file([UInt8])
    case folder
    case special
    /// It exists, but may not be read.
    case denied
    /// A symbolic link to a path.
    case link(String)
    /// A file so large that only its size is given.
    case huge(Int64)
  }

  let workingDirectory = "/home"
  private let nodes: [String: Node]
  private let inodes: [String: UInt64]
  private let log = Mutex<[String]>([])

  /// Parent folders of all paths are added.
  init(_ nodes: [String: Node]) {
    var all = nodes
    for path in nodes.keys {
      var parent = path
      while let slash = parent.lastIndex(of: "/"), slash > parent.startIndex {
        parent = String(parent[..<slash])
        all[parent] = all[parent] ?? .folder
      }
    }
    all["/"] = .folder
    self.nodes = all
    inodes = Dictionary(
      uniqueKeysWithValues: all.keys.sorted().enumerated().map { ($1, UInt64($0 + 1)) })
  }

  convenience init(_ path: String, _ text: String) { self.init([path: .file(Array(text.utf8))]) }

  /// The paths whose bytes were read, in order.
  var opened: [String] { log.withLock { $0 } }

  func canonical(_ path: String) -> String? {
    var resolved = ""
    for part in path.split(separator: "/") where part != "." {
      if part == ".." {
        resolved = resolved.lastIndex(of: "/").map { String(resolved[..<$0]) } ?? ""
      } else {
        resolved += "/" + part
      }
      var hops = 0
      while case .link(let target) = nodes[resolved], hops < 40 {
        resolved = target
        hops += 1
      }
      guard hops < 40, nodes[resolved.isEmpty ? "/" : resolved] != nil else { return nil }
    }
    return resolved.isEmpty ? "/" : resolved
  }

  func status(of path: String) throws(SystemError) -> FileStatus {
    let (place, node) = try find(path)
    let kind: FileStatus.Kind
    var size: Int64 = 0
    switch node {
    case .file(let bytes):
      kind = .regular
      size = Int64(bytes.count)
    case .huge(let bytes):
      kind = .regular
      size = bytes
    case .folder: kind = .directory
    case .special: kind = .special
    case .denied, .link: kind = .regular
    }
    return FileStatus(kind: kind, sizeBytes: size, device: 1, inode: inodes[place] ?? 0)
  }

  func entries(in directory: String, limit: Int) throws(SystemError) -> [DirectoryEntry] {
    let (place, node) = try find(directory)
    guard case .folder = node else { throw SystemError(step: "read", code: EACCES) }
    let folder = place == "/" ? "/" : place + "/"
    // Dictionary order: as arbitrary as a directory's.
    let names = nodes.keys.filter {
      $0.hasPrefix(folder) && $0 != folder && !$0.dropFirst(folder.count).contains("/")
    }
    return names.prefix(limit).map {
      DirectoryEntry(name: String($0.dropFirst(folder.count)), kind: kind(of: $0))
    }
  }

  func bytes(of path: String, at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    let (place, node) = try find(path)
    log.withLock { $0.append(place) }
    switch node {
    case .file(let bytes): return Array(bytes.dropFirst(offset).prefix(count))
    case .huge: return Array(repeating: 0x20, count: min(count, 4096))
    case .denied: throw SystemError(step: "open", code: EACCES)
    case .folder, .special, .link: throw SystemError(step: "open", code: EINVAL)
    }
  }

  private func kind(of path: String) -> FileStatus.Kind? {
    switch nodes[path] {
    case .link, nil: nil
    case .folder: .directory
    case .special: .special
    case .file, .huge, .denied: .regular
    }
  }

  private func find(_ path: String) throws(SystemError) -> (String, Node) {
    guard let place = canonical(path), let node = nodes[place] else {
      throw SystemError(step: "read", subject: path, code: ENOENT)
    }
    return (place, node)
  }
}

/// The first bytes of media, enough to detect their kind.
enum Bytes {
  static let mp4: [UInt8] = [0, 0, 0, 0x18] + Array("ftypisom".utf8) + [0, 0, 2, 0]
  static let m4a: [UInt8] = [0, 0, 0, 0x18] + Array("ftypM4A ".utf8) + [0, 0, 2, 0]
  static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 0x10]
  static let mp3: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0]
  static let dotLottie =
    [0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 26) + Array("manifest.json{".utf8)
  static let lottie = Array(#"{"v":"5.7","fr":30,"ip":0,"op":60,"w":9,"h":9,"layers":[]}"#.utf8)
  static let text = Array("hello\n".utf8)
}
