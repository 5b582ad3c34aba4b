import Glibc
import Player
import Resources
import System
import Terminal

/// The settings of the configuration file, which those of the command line override.
struct Configuration {
  /// Sources by their name in the file, in its order.
  private let feeds: [(name: String, sources: [String])]

  private static let largest = 1 << 20

  /// Reads the file that the command line names, or the user's own if there is one.
  ///
  /// - Parameter invocation: gets the settings.
  static func read(named path: String?, into invocation: inout Invocation) throws(UsageError)
    -> Configuration
  {
    guard let path = path ?? ownPath else { return Configuration(feeds: []) }
    let (bytes, status) = try contents(of: path)
    var reader: ConfigurationReader
    do throws(ConfigFile.Mistake) {
      let file = try ConfigFile(path: path, bytes: bytes)
      reader = ConfigurationReader(file: file, isTrusted: !othersMayChange(path, status))
      for section in file.sections { try reader.apply(section, to: &invocation) }
    } catch {
      throw UsageError(words: error.words)
    }
    if let line = reader.secretLine, status.mayBeReadByOthers {
      invocation.warnings.append("\(path):\(line): others may read this secret; chmod go-r \(path)")
    }
    return Configuration(feeds: reader.feeds.map { ($0.name, $0.sources) })
  }

  private static func contents(
    of path: String
  ) throws(UsageError) -> (bytes: [UInt8], status: FileStatus) {
    let bytes: [UInt8]
    let status: FileStatus
    do {
      status = try FileStatus(of: path)
      // A fifo or device is not even opened.
      bytes =
        status.kind == .regular
        ? try Descriptor.open(reading: path).read(at: 0, count: largest + 1) : []
    } catch {
      throw UsageError(words: "cannot read the configuration \(path): \(error.reason)")
    }
    guard status.kind == .regular, bytes.count <= largest else {
      let reason = status.kind == .regular ? "larger than 1 MiB" : "not a regular file"
      throw UsageError(words: "cannot read the configuration \(path): \(reason)")
    }
    return (bytes, status)
  }

  /// Whether others may write the file or replace it.
  private static func othersMayChange(_ path: String, _ status: FileStatus) -> Bool {
    guard !status.mayBeWrittenByOthers, let real = Paths.canonical(path),
      let slash = real.lastIndex(of: "/")
    else { return true }
    let folder = String(real[..<slash])
    return (try? FileStatus(of: folder.isEmpty ? "/" : folder))?.mayBeWrittenByOthers ?? true
  }

  /// The sources of an invocation. The name of a configured feed stands for its sources where no
  /// file has that name. Without any source `play` plays all configured feeds, and `list` lists them.
  func sources(for invocation: Invocation) -> [String] {
    let words = invocation.sources
    return switch invocation.verb {
    case .play where words.isEmpty, .list where words.isEmpty: feeds.flatMap(\.sources)
    // Their only word is a subcommand, and may also be the name of a feed.
    case .history, .stats: words
    // Its first word is a subcommand.
    case .cache: words.prefix(1) + words.dropFirst().flatMap(sources(named:))
    default: words.flatMap(sources(named:))
    }
  }

  private func sources(named word: String) -> [String] {
    guard !Paths.exists(word), let feed = feeds.first(where: { $0.name == word }) else {
      return [word]
    }
    return feed.sources
  }

  /// `$XDG_CONFIG_HOME/storytty/config`, else below ~/.config; nil where there is none.
  private static var ownPath: String? {
    let home = getenv("XDG_CONFIG_HOME").map { String(cString: $0) }
    let folder =
      home.flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? getenv("HOME").map { String(cString: $0) + "/.config" }
    guard let path = folder.map({ "\($0)/storytty/config" }), Paths.exists(path) else {
      return nil
    }
    return path
  }
}

/// Applies the sections of one configuration file.
private struct ConfigurationReader {
  let file: ConfigFile
  /// Whether nobody else may write the file. Commands in any other are refused.
  let isTrusted: Bool
  /// Sources by their name in the file, in its order.
  private(set) var feeds: [(name: String, sources: [String], line: Int)] = []
  /// The line of the first secret written in the file itself.
  private(set) var secretLine: Int?

  init(file: ConfigFile, isTrusted: Bool) {
    self.file = file
    self.isTrusted = isTrusted
  }

  mutating func apply(
    _ section: ConfigFile.Section, to invocation: inout Invocation
  ) throws(ConfigFile.Mistake) {
    switch section.kind {
    // What stands before the first section.
    case "": try applyOptions(section, to: &invocation)
    case "keys": try applyKeys(section, to: &invocation)
    case "feed": try addFeed(section)
    case "host": try applyHost(section, to: &invocation)
    default:
      throw file.mistake(
        section.line,
        "unknown section [\(section.kind)]"
          + Spelling.hint(for: section.kind, among: ["keys", "feed", "host"]))
    }
  }

  private func applyOptions(
    _ section: ConfigFile.Section, to invocation: inout Invocation
  ) throws(ConfigFile.Mistake) {
    for entry in section.entries {
      let rows = OptionTable.rows.filter(\.isSetting)
      guard let row = rows.first(where: { $0.name == entry.key }) else {
        let hint = Spelling.hint(for: entry.key, among: rows.map(\.name))
        throw file.mistake(entry.line, "unknown setting '\(entry.key)'\(hint)")
      }
      var isUndone = false
      if row.argument == nil {
        switch entry.value {
        case "yes", "true", "on", "1": break
        case "no", "false", "off", "0": isUndone = true
        default: throw file.mistake(entry.line, "\(entry.key) is yes or no, not '\(entry.value)'")
        }
      }
      do {
        try row.apply(entry.value, isUndone: isUndone, to: &invocation)
      } catch {
        throw file.mistake(entry.line, error.words)
      }
    }
  }

  private func applyKeys(
    _ section: ConfigFile.Section, to invocation: inout Invocation
  ) throws(ConfigFile.Mistake) {
    for entry in section.entries {
      guard let action = Action(rawValue: entry.key) else {
        let hint = Spelling.hint(for: entry.key, among: Action.allCases.map(\.rawValue))
        throw file.mistake(entry.line, "unknown action '\(entry.key)'\(hint)")
      }
      var keys: [Key] = []
      for name in entry.value.split(whereSeparator: \.isWhitespace) {
        guard let key = Key(name: String(name)) else {
          throw file.mistake(entry.line, "unknown key '\(name)'")
        }
        keys.append(key)
      }
      invocation.play.keys.bind(action, to: keys)
    }
  }

  private mutating func applyHost(
    _ section: ConfigFile.Section, to invocation: inout Invocation
  ) throws(ConfigFile.Mistake) {
    let host = try HostSection(section, of: file, trustsCommands: isTrusted)
    invocation.network.hosts.append(host.rule)
    secretLine = secretLine ?? host.secretLine
  }

  private mutating func addFeed(_ section: ConfigFile.Section) throws(ConfigFile.Mistake) {
    guard !section.name.isEmpty else {
      throw file.mistake(section.line, "a feed needs a name: [feed NAME]")
    }
    if let other = feeds.first(where: { $0.name == section.name }) {
      throw file.mistake(
        section.line, "the feed '\(section.name)' stands in line \(other.line) already")
    }
    var sources: [String] = []
    for entry in section.entries {
      guard entry.key == "source" else {
        let hint = Spelling.hint(for: entry.key, among: ["source"])
        throw file.mistake(entry.line, "unknown setting '\(entry.key)' of a feed\(hint)")
      }
      guard !entry.value.isEmpty else {
        throw file.mistake(entry.line, "source needs a value")
      }
      if WebAddress(entry.value)?.hasPassword == true { secretLine = secretLine ?? entry.line }
      sources.append(entry.value)
    }
    guard !sources.isEmpty else {
      throw file.mistake(
        section.line, "the feed '\(section.name)' has no source: write source = FILE or URL")
    }
    feeds.append((section.name, sources, section.line))
  }
}
