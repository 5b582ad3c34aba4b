import System

/// Finds files with names that are not ASCII by what a list calls them. The list's text was
/// decoded, and the names in it may have been in another encoding than the rest, or in none.
struct OddNames {
  private let files: any FileAccess
  /// For each folder that was searched: its names, by the texts that they may have been decoded to.
  private var folders: [String: [String: String]] = [:]

  private static let mostFolders = 64
  private static let mostNames = 100_000

  init(files: any FileAccess) { self.files = files }

  /// The existing path that a path which does not exist may mean; nil where there is none.
  mutating func path(like path: String) -> String? {
    guard path.hasPrefix("/"), path.utf8.contains(where: { $0 >= 0x80 }) else { return nil }
    var found = ""
    var isOther = false
    for part in path.split(separator: "/") {
      let next = found + "/" + part
      if (try? files.status(of: next)) != nil {
        found = next
      } else if let name = names(in: found)[String(part)] {
        found += "/" + name
        isOther = true
      } else {
        return nil
      }
    }
    return isOther ? found : nil
  }

  private mutating func names(in folder: String) -> [String: String] {
    if let known = folders[folder] { return known }
    guard folders.count < Self.mostFolders else { return [:] }
    var names: [String: String] = [:]
    let path = folder.isEmpty ? "/" : folder
    for entry in (try? files.entries(in: path, limit: Self.mostNames)) ?? []
    where entry.name.utf8.contains(where: { $0 >= 0x80 }) {
      for reading in Self.readings(of: FileName.bytes(entry.name)) { names[reading] = entry.name }
    }
    folders[folder] = names
    return names
  }

  /// The texts that a name's bytes may have been decoded to: UTF-8 with U+FFFD, Latin-1,
  /// windows-1252.
  private static func readings(of name: [UInt8]) -> [String] {
    let latin1 = name.map { Unicode.Scalar($0) }
    let windows = name.map { Windows1252.scalar($0) ?? Unicode.Scalar($0) }
    return [String(decoding: name, as: UTF8.self)]
      + [latin1, windows].map { String(String.UnicodeScalarView($0)) }
  }
}
