import System

/// The logins in a netrc file, by machine.
struct Netrc {
  struct Login: Equatable {
    var user = ""
    var password = ""
  }

  private var machines: [String: Login] = [:]
  private var standard: Login?

  /// Understands `machine`, `default`, `login` and `password`; macros are skipped.
  init(_ text: String) {
    var words = Netrc.words(text)[...]
    var machine: String?
    var login: Login?
    func close(_ netrc: inout Netrc) {
      guard let login else { return }
      if let machine {
        // The first entry of a machine is used.
        netrc.machines[machine] = netrc.machines[machine] ?? login
      } else {
        netrc.standard = netrc.standard ?? login
      }
    }
    while let word = words.popFirst() {
      switch word {
      case "machine":
        close(&self)
        machine = words.popFirst()?.lowercased()
        login = Login()
      case "default":
        close(&self)
        machine = nil
        login = Login()
      case "login": login?.user = words.popFirst() ?? ""
      case "password": login?.password = words.popFirst() ?? ""
      case "account": _ = words.popFirst()
      default: break
      }
    }
    close(&self)
  }

  /// The user's own file: the one in NETRC, else ~/.netrc.
  static var standardPath: String? {
    EnvironmentVariable.value(of: "NETRC")
      ?? EnvironmentVariable.value(of: "HOME").map { $0 + "/.netrc" }
  }

  /// A file's text; empty if it cannot be read, is no regular file or is very long.
  static func text(of path: String?) -> String {
    guard let path, let status = try? FileStatus(of: path), status.kind == .regular,
      status.sizeBytes <= 1 << 20,
      let bytes = try? Descriptor.open(reading: path).read(at: 0, count: Int(status.sizeBytes))
    else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The login for a host, or else the one for all.
  func loginOrDefault(for host: String) -> Login? { machines[host] ?? standard }

  /// The login that names this host.
  func login(for host: String) -> Login? { machines[host] }

  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    var isInMacro = false
    // Some editors begin a file with a byte order mark. The line break of Windows is one character
    // in Swift, and differs from "\n".
    let bare = text.first == "\u{FEFF}" ? text.dropFirst() : text[...]
    for line in bare.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      if line.trimmingSpaces.isEmpty {
        isInMacro = false
        continue
      }
      if isInMacro || line.trimmingSpaces.hasPrefix("#") { continue }
      if line.trimmingSpaces.hasPrefix("macdef") {
        isInMacro = true
        continue
      }
      words += split(line)
    }
    return words
  }

  /// Words between spaces; a quoted one may hold spaces and escapes.
  private static func split(_ line: Substring) -> [String] {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    var isEscaped = false
    for character in line {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if isQuoted, character == "\\" {
        isEscaped = true
      } else if character == "\"", isQuoted || word == nil {
        isQuoted.toggle()
        word = word ?? ""
      } else if !isQuoted, character == " " || character == "\t" {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return words
  }
}
