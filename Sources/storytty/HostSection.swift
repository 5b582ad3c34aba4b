import Resources
import System

/// Reads a section `[host NAME]` of the configuration: what is sent to that server with each
/// request.
struct HostSection {
  enum Key: String, CaseIterable {
    case profile, header, user, password
    case headerVariable = "header-env"
    case headerCommand = "header-command"
    case passwordVariable = "password-env"
    case passwordCommand = "password-command"
    case certificates = "ca-file"
  }

  private(set) var rule: HostRule
  /// The line of the first secret written in the file itself.
  private(set) var secretLine: Int?
  private let file: ConfigFile
  /// Whether commands in this file are run.
  private let trustsCommands: Bool

  init(
    _ section: ConfigFile.Section, of file: ConfigFile, trustsCommands: Bool
  ) throws(ConfigFile.Mistake) {
    self.file = file
    self.trustsCommands = trustsCommands
    let (host, isSecureOnly) = try HostSection.host(section, file)
    rule = HostRule(host: host, isSecureOnly: isSecureOnly)
    for entry in section.entries {
      guard let key = Key(rawValue: entry.key) else {
        let hint = Spelling.hint(for: entry.key, among: Key.allCases.map(\.rawValue))
        throw file.mistake(entry.line, "unknown setting '\(entry.key)' of a host\(hint)")
      }
      guard !entry.value.isEmpty else {
        throw file.mistake(entry.line, "\(entry.key) needs a value")
      }
      // A NUL would cut off a header or a password.
      guard
        entry.value.unicodeScalars.allSatisfy({
          $0 == "\t" || $0.properties.generalCategory != .control
        })
      else {
        throw file.mistake(entry.line, "the value of \(entry.key) holds a control character")
      }
      try take(key, entry)
    }
    guard rule.password != nil else { return }
    guard rule.profile.takesPasswords else {
      throw file.mistake(
        section.line,
        "\(rule.profile.name) takes no password: header-command = Authorization: COMMAND")
    }
    if rule.user == nil {
      throw file.mistake(section.line, "a password needs a user: user = NAME")
    }
  }

  /// The host in the form of `HostRule`, in lower case, and whether `https://` precedes it.
  private static func host(
    _ section: ConfigFile.Section, _ file: ConfigFile
  ) throws(ConfigFile.Mistake) -> (name: String, isSecureOnly: Bool) {
    let secure = "https://"
    let isSecureOnly = section.name.lowercased().hasPrefix(secure)
    let name = isSecureOnly ? String(section.name.dropFirst(secure.count)) : section.name
    guard !name.isEmpty else {
      throw file.mistake(section.line, "a host needs a name: [host NAME]")
    }
    let isPlain = !name.contains { "/@?#\\".contains($0) || $0.isWhitespace }
    if !isPlain, let address = WebAddress(section.name) {
      throw file.mistake(
        section.line, "'\(shown(section.name))' is an address; write [host \(address.ruleName)]")
    }
    guard isPlain, WebAddress("https://\(name)/") != nil else {
      throw file.mistake(
        section.line, "'\(shown(name))' is no host, such as dav.example.org or nas:8080")
    }
    return (name.lowercased(), isSecureOnly)
  }

  /// A host as it was written, without a login and a query.
  private static func shown(_ name: String) -> String {
    let bare = name.prefix { $0 != "?" && $0 != "#" }
    guard let at = bare.lastIndex(of: "@") else { return String(bare) }
    let scheme = bare.firstRange(of: "://").map { bare[..<$0.upperBound] } ?? ""
    return String(scheme) + String(bare[bare.index(after: at)...])
  }

  private mutating func take(_ key: Key, _ entry: ConfigFile.Entry) throws(ConfigFile.Mistake) {
    switch key {
    case .profile:
      guard let profile = SourceProfile.named(entry.value) else {
        let names = SourceProfile.all.map(\.name)
        let hint = Spelling.hint(for: entry.value, among: names)
        throw file.mistake(
          entry.line,
          hint.isEmpty
            ? "profile is one of \(names.joined(separator: ", ")), not '\(entry.value)'"
            : "unknown profile '\(entry.value)'\(hint)")
      }
      rule.profile = profile
    case .header, .headerVariable, .headerCommand: try takeHeader(key, entry)
    case .user: rule.user = entry.value
    case .password, .passwordVariable, .passwordCommand:
      guard rule.password == nil else {
        throw file.mistake(entry.line, "the password is given twice")
      }
      rule.password = try secret(key, entry.value, entry)
      if key == .password { secretLine = secretLine ?? entry.line }
    case .certificates: rule.certificates = try readable(entry)
    }
  }

  /// `NAME: VALUE`
  private mutating func takeHeader(
    _ key: Key, _ entry: ConfigFile.Entry
  ) throws(ConfigFile.Mistake) {
    guard let colon = entry.value.firstIndex(of: ":") else {
      let value =
        switch key {
        case .headerVariable: "VARIABLE"
        case .headerCommand: "COMMAND"
        default: "VALUE"
        }
      throw file.mistake(entry.line, "write \(entry.key) = NAME: \(value)")
    }
    let name = String(entry.value[..<colon].trimmed)
    let value = String(entry.value[entry.value.index(after: colon)...].trimmed)
    // A token of RFC 9110, section 5.6.2.
    guard !name.isEmpty, name.utf8.allSatisfy(HostSection.isTokenByte) else {
      throw file.mistake(entry.line, "'\(name)' is no name of a header")
    }
    guard !HostSection.own.contains(name.lowercased()) else {
      throw file.mistake(entry.line, "the header \(name) is storytty's own")
    }
    guard !value.isEmpty else { throw file.mistake(entry.line, "the header \(name) has no value") }
    rule.fields.append((name, try secret(key, value, entry)))
    if key == .header, HostSection.isSecret(name) { secretLine = secretLine ?? entry.line }
  }

  private func secret(
    _ key: Key, _ value: String, _ entry: ConfigFile.Entry
  ) throws(ConfigFile.Mistake) -> Secret {
    switch key {
    case .headerVariable, .passwordVariable:
      let isName = value.utf8.allSatisfy {
        $0 == UInt8(ascii: "_") || HostSection.isLetterOrDigit($0)
      }
      guard isName else {
        throw file.mistake(entry.line, "'\(value)' is no name of an environment variable")
      }
      return .environment(value)
    case .headerCommand, .passwordCommand:
      guard trustsCommands else {
        throw file.mistake(
          entry.line,
          "others may write this file or its folder, so its commands are not run; chmod go-w both")
      }
      return .command(value)
    default: return .literal(value)
    }
  }

  /// The path of a readable file; `~/` is the home directory.
  private func readable(_ entry: ConfigFile.Entry) throws(ConfigFile.Mistake) -> String {
    var path = entry.value
    if path.hasPrefix("~/"), let home = EnvironmentVariable.value(of: "HOME") {
      path = home + path.dropFirst()
    }
    do {
      _ = try Descriptor.open(reading: path)
    } catch {
      throw file.mistake(entry.line, "cannot read \(path): \(error.reason)")
    }
    return path
  }

  /// Headers that the loader sends itself, and those that frame a message.
  private static let own: Set<String> = [
    "accept-encoding", "connection", "content-length", "content-type", "depth", "expect", "host",
    "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "range",
    "te", "trailer", "transfer-encoding", "upgrade",
  ]

  /// Whether a header of this name holds a secret that grants access.
  private static func isSecret(_ name: String) -> Bool {
    let lower = name.lowercased()
    return ["auth", "cookie", "key", "password", "secret", "token"].contains { lower.contains($0) }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    isLetterOrDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}
