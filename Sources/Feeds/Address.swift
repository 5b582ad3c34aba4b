import Stories
import System

/// Resolves the addresses that a feed or list names, against where the feed itself came from.
struct AddressBook {
  /// Why an address is not followed, in words.
  struct Refusal: Error, Equatable {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  /// Where the feed came from: an absolute path or URL.
  let base: Story.Source
  let files: any FileAccess
  /// The folder of a base that is a file, with its last slash.
  private let folder: String
  /// Folders that were resolved already, by their text before that.
  private var folders: [String: String] = [:]

  init(base: Story.Source, files: any FileAccess) {
    self.base = base
    self.files = files
    let path = base.text
    folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
  }

  /// The path or URL that an address stands for. Files are never opened for this; only for odd
  /// names is their status read, to distinguish a file's name from a URL.
  mutating func resolve(_ text: String) throws(Refusal) -> Story.Source {
    guard text.utf8.count <= Limit.addressBytes else { throw Refusal("its address is too long") }
    guard !text.utf8.contains(0) else { throw Refusal("its address holds a NUL") }
    if let scheme = URLText.scheme(of: text) {
      return try resolve(text, scheme: scheme.lowercased())
    }
    switch base {
    case .url(let url):
      guard let resolved = URLText.resolve(text, against: url) else {
        throw Refusal("its address is malformed")
      }
      return .url(resolved)
    case .file:
      guard !text.hasPrefix("//") else { throw Refusal("its address names a host without scheme") }
      return .file(localPath(text))
    }
  }

  private func resolve(_ text: String, scheme: String) throws(Refusal) -> Story.Source {
    switch scheme {
    case "http", "https":
      guard URLText.hasHost(text) else { throw Refusal("its address names no host") }
      return .url(text)
    case "file":
      guard case .file = base else {
        throw Refusal("a feed from the network may not name files of this machine")
      }
      guard let path = URLText.filePath(text) else {
        throw Refusal("its file address is malformed or names another host")
      }
      return .file(path)
    default: throw Refusal("'\(scheme):' addresses are not played")
    }
  }

  /// The first that exists of the path as written, percent-decoded without its query, and with the
  /// separators of Windows turned round; as written if there is none.
  private mutating func localPath(_ text: String) -> String {
    let plain = joined(folder, text)
    guard text.utf8.contains(where: isOdd) else { return plain }
    if (try? files.status(of: plain)) != nil { return plain }
    let withoutQuery = String(text.unicodeScalars.prefix { $0 != "?" && $0 != "#" })
    let candidates = [
      URLText.percentDecoded(withoutQuery),
      withoutQuery.contains("\\") ? String(text.map { $0 == "\\" ? "/" : $0 }) : nil,
    ]
    for case .some(let candidate) in candidates
    where !candidate.isEmpty && !candidate.utf8.contains(0) {
      let path = joined(folder, candidate)
      if (try? files.status(of: path)) != nil { return path }
    }
    return plain
  }

  private func isOdd(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\"): true
    default: false
    }
  }

  /// An absolute path without `.` and `..`. The part up to the last `..` is resolved as the kernel
  /// does it, because a symbolic link there leads elsewhere.
  mutating func joined(_ folder: String, _ text: String) -> String {
    let whole = text.hasPrefix("/") ? text : folder + text
    guard needsResolving(whole) else { return whole }
    let parts = whole.split(separator: "/", omittingEmptySubsequences: true)
    guard let up = parts.lastIndex(of: "..") else { return "/" + clean(parts[...]) }
    let before = "/" + parts[...up].joined(separator: "/")
    let resolved: String
    if let known = folders[before] {
      resolved = known
    } else {
      resolved = files.canonical(before) ?? "/" + clean(parts[...up])
      folders[before] = resolved
    }
    return (resolved == "/" ? "" : resolved) + "/" + clean(parts[(up + 1)...])
  }

  private func needsResolving(_ path: String) -> Bool {
    var previous: UInt8 = 0
    for byte in path.utf8 {
      let isDotOrSlash = byte == UInt8(ascii: ".") || byte == UInt8(ascii: "/")
      if previous == UInt8(ascii: "/"), isDotOrSlash { return true }
      previous = byte
    }
    return path.utf8.count > 1 && previous == UInt8(ascii: "/")
  }

  private func clean(_ parts: ArraySlice<Substring>) -> String {
    var kept: [Substring] = []
    for part in parts where part != "." {
      if part == ".." { _ = kept.popLast() } else { kept.append(part) }
    }
    return kept.joined(separator: "/")
  }
}
