/// The logins and secret header fields that a request carries: those for its origin, no others.
struct Secrets {
  /// What the sections `[host ...]` of the configuration say.
  private let rules: [HostRule]
  private let netrc: Netrc
  private let environment: @Sendable (String) -> String?
  private var answers: [String: Answer] = [:]
  /// Hosts with ports that were used securely in this run. A port speaks only one protocol, so
  /// secrets of a section are not sent there in clear from then on.
  private var securePorts: Set<String> = []
  /// Origins that the viewer named; not those from a feed, a list or a redirect.
  private var named: Set<String> = []

  private enum Answer: Equatable {
    /// Asked, perhaps more than once: whoever starts commands ignores those that run.
    case asked
    case given(String)
    case failed
    /// It was sent, refused and asked for again; after that it is not sent any more.
    case renewed(String)
  }

  /// The secrets of one request.
  struct Carried: Equatable {
    var fields: [String] = []
    var login: Netrc.Login?
    /// Whether a secret of the configuration could not be had.
    var isSecretMissing = false
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

  /// The viewer has named an address: `netrcLogin` says what its origin gets.
  mutating func note(named address: WebAddress) { named.insert(address.origin) }

  /// The secrets of a request to an address. Remembers secure ports, and which commands were asked.
  ///
  /// - Parameter requested: the address before redirects, whose own login is for its origin only.
  mutating func decide(for address: WebAddress, requested: WebAddress) -> Decision {
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
            "the header \(Secrets.shown(field.name)) in the config section"
              + " [host \(address.ruleName)] holds a line break or another control character, which"
              + " none may")
        }
        carried.fields.append(line)
      }
      if let user = rule.user, rule.profile.takesPasswords {
        // Without its password it is still sent: that the secret is missing explains the refusal.
        let password = rule.password.flatMap { value(of: $0, &unknown, &carried) } ?? ""
        carried.login = Netrc.Login(user: user, password: password)
      }
    }
    guard unknown.isEmpty else {
      for command in unknown { answers[command] = .asked }
      return .ask(unknown)
    }
    // The other services take a token in a field; there `user` only tells accounts apart.
    guard rules.allSatisfy(\.profile.takesPasswords) else { return .carry(carried) }
    if requested.origin == address.origin, let user = requested.user {
      carried.login = Netrc.Login(user: user, password: requested.password ?? "")
    }
    carried.login = carried.login ?? netrcLogin(for: address)
    if let login = carried.login, !(login.user + login.password).isFieldText {
      // RFC 7617, section 2, forbids control characters in both.
      return .refuse(
        "the login for \(address.visibleHost) holds a line break or another control character,"
          + " which none may")
    }
    return .carry(carried)
  }

  /// A netrc file knows neither schemes nor ports. The entry of a machine is used for the machine's
  /// usual secure port, and for other ports only if the viewer named them: a feed may name any host
  /// and port, and could have a password sent there in clear. The entry for all machines is only
  /// used for those that the viewer named.
  private func netrcLogin(for address: WebAddress) -> Netrc.Login? {
    if named.contains(address.origin) { return netrc.loginOrDefault(for: address.host) }
    let isUsual = address.scheme == "https" && address.port == 443
    return isUsual ? netrc.login(for: address.host) : nil
  }

  /// A command has printed a secret, or failed.
  mutating func answer(_ command: String, _ secret: String?, renewing: Bool) {
    guard let secret else {
      answers[command] = .failed
      return
    }
    answers[command] = renewing ? .renewed(secret) : .given(secret)
  }

  /// Commands whose secrets an origin has just refused, and which have not run again yet.
  mutating func takeRenewable(for address: WebAddress) -> [String] {
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
      if value == nil { carried.isSecretMissing = true }
      return value
    case .command(let command):
      switch answers[command] {
      case .given(let value), .renewed(let value): return value
      case .failed:
        carried.isSecretMissing = true
        return nil
      case nil, .asked:
        if !unknown.contains(command) { unknown.append(command) }
        return nil
      }
    }
  }
}

extension String {
  /// Whether a field may hold it (RFC 9110, section 5.5): a line break would begin another field,
  /// and a NUL would end the text too early.
  var isFieldText: Bool {
    unicodeScalars.allSatisfy { ($0.value >= 0x20 && $0.value != 0x7f) || $0 == "\t" }
  }
}
