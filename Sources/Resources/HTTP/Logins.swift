/// Which secrets a request carries: those of the origin it goes to, and no other's.
struct Logins {
  private let rules: [HostRule]
  private let netrc: Netrc
  private let environment: @Sendable (String) -> String?
  private var answers: [String: Answer] = [:]
  /// Hosts with ports that were asked securely in this run: a port speaks one protocol alone, so
  /// what a section has for it is not sent there in clear.
  private var securePorts: Set<String> = []
  /// Origins that the viewer named, rather than a feed, a list or a redirect.
  private var named: Set<String> = []

  private enum Answer: Equatable {
    case asked
    case given(String)
    case failed
    /// Given, found wanting, asked again; after that no more.
    case renewed(String)
  }

  /// What goes with one request.
  struct Carried: Equatable {
    var fields: [String] = []
    var login: Netrc.Login?
    /// A login of the config that could not be had.
    var lacks = false
  }

  enum Decision: Equatable {
    case carry(Carried)
    /// These commands must print their secrets first.
    case ask([String])
    /// Nothing may be sent, for a reason in words that name the server.
    case refuse(String)
  }

  init(
    rules: [HostRule], netrc: String, environment: @escaping @Sendable (String) -> String?
  ) {
    self.rules = rules
    self.netrc = Netrc(netrc)
    self.environment = environment
  }

  /// The viewer has named an address: what a netrc file has for any machine is meant for its origin
  /// too, and what it has for this machine also in clear and for that port.
  mutating func note(named address: WebAddress) { named.insert(address.origin) }

  /// What a request to an address carries.
  ///
  /// - Parameter source: the address that was wished for, whose own login is for its origin alone.
  mutating func decide(for address: WebAddress, source: WebAddress) -> Decision {
    var carried = Carried()
    var unknown: [String] = []
    let rules = rules(for: address)
    if address.scheme == "https", !rules.isEmpty { securePorts.insert(address.hostAndPort) }
    for rule in rules {
      for field in rule.fields {
        guard let value = value(of: field.value, &unknown, &carried) else { continue }
        let line = "\(field.name): \(value)"
        guard line.isFieldText else {
          return .refuse(
            "the header \(Logins.shown(field.name)) in the config section"
              + " [host \(address.ruleName)] holds a line break or another control character, which"
              + " none may")
        }
        carried.fields.append(line)
      }
      if let user = rule.user, rule.profile.takesPasswords {
        let password = rule.password.flatMap { value(of: $0, &unknown, &carried) } ?? ""
        carried.login = Netrc.Login(user: user, password: password)
      }
    }
    guard unknown.isEmpty else {
      for command in unknown { answers[command] = .asked }
      return .ask(unknown)
    }
    guard rules.allSatisfy(\.profile.takesPasswords) else { return .carry(carried) }
    if source.origin == address.origin, let user = source.user {
      carried.login = Netrc.Login(user: user, password: source.password ?? "")
    }
    carried.login = carried.login ?? netrcLogin(for: address)
    if let login = carried.login, !(login.user + login.password).isFieldText {
      // Section 2 of RFC 7617.
      return .refuse(
        "the login for \(address.visibleHost) holds a line break or another control character,"
          + " which none may")
    }
    return .carry(carried)
  }

  /// A netrc file knows neither schemes nor ports. What it has for a machine is for that one's usual
  /// secure port, and else for where the viewer said to go: who writes a feed may name any host and
  /// port, and have a password sent there in clear. The login for all machines is for those alone
  /// that the viewer named.
  private func netrcLogin(for address: WebAddress) -> Netrc.Login? {
    if named.contains(address.origin) { return netrc[address.host] }
    let isUsual = address.scheme == "https" && address.port == 443
    return isUsual ? netrc.login(ofMachine: address.host) : nil
  }

  /// A command has printed a secret, or not.
  mutating func answer(_ command: String, _ secret: String?, renewing: Bool) {
    guard let secret else {
      answers[command] = .failed
      return
    }
    answers[command] = renewing ? .renewed(secret) : .given(secret)
  }

  /// Commands whose secrets an origin has just refused and that have not been asked again yet.
  mutating func renewable(for address: WebAddress) -> [String] {
    var commands: [String] = []
    for rule in rules(for: address) {
      for secret in rule.fields.map(\.value) + [rule.password].compactMap({ $0 }) {
        guard case .command(let command) = secret, case .given = answers[command] else { continue }
        commands.append(command)
        answers[command] = .asked
      }
    }
    return commands
  }

  private static func shown(_ name: String) -> String {
    String(name.filter { !$0.isWhitespace && String($0).isFieldText })
  }

  private func rules(for address: WebAddress) -> [HostRule] {
    guard address.scheme == "https" || !securePorts.contains(address.hostAndPort) else { return [] }
    return rules.filter { $0.applies(to: address) }
  }

  private func value(
    of secret: Secret, _ unknown: inout [String], _ carried: inout Carried
  ) -> String? {
    switch secret {
    case .literal(let value): return value
    case .environment(let name):
      let value = environment(name)
      if value == nil { carried.lacks = true }
      return value
    case .command(let command):
      switch answers[command] {
      case .given(let value), .renewed(let value): return value
      case .failed:
        carried.lacks = true
        return nil
      case nil, .asked:
        if !unknown.contains(command) { unknown.append(command) }
        return nil
      }
    }
  }
}

extension String {
  /// Whether a field may hold it (RFC 9110, section 5.5): a line break would begin another field, a
  /// NUL end the text before its end.
  var isFieldText: Bool {
    unicodeScalars.allSatisfy { ($0.value >= 0x20 && $0.value != 0x7f) || $0 == "\t" }
  }
}
