/// Which secrets a request carries: those of the origin it goes to, and no other's.
struct Logins {
  private let rules: [HostRule]
  private let netrc: Netrc
  private let environment: @Sendable (String) -> String?
  private var answers: [String: Answer] = [:]
  /// Hosts with ports that were asked securely in this run: a port speaks one protocol alone, so
  /// what a section has for it is not sent there in clear.
  private var securePorts: Set<String> = []

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
  }

  init(
    rules: [HostRule], netrc: String, environment: @escaping @Sendable (String) -> String?
  ) {
    self.rules = rules
    self.netrc = Netrc(netrc)
    self.environment = environment
  }

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
        carried.fields.append("\(Logins.oneLine(field.name)): \(Logins.oneLine(value))")
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
    // The login for all machines is for those that the viewer names, not for where they lead to.
    let isNamed = source.origin == address.origin
    carried.login =
      carried.login ?? (isNamed ? netrc[address.host] : netrc.login(ofMachine: address.host))
    return .carry(carried)
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

  /// A line break would begin another field.
  private static func oneLine(_ text: String) -> String {
    String(text.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\t" })
  }
}
