import System

// How the loader gets secrets that commands print.
extension LoaderLoop {
  /// The login in a request, if it is by name and password.
  struct SentLogin {
    /// The scheme; nil if no login is sent.
    var scheme: LoginScheme?
    /// Whether it answers a challenge of this fetch.
    var isAnswer = false
  }

  /// Adds a name and a password to a request, in the best way that the server offers: it gets nothing
  /// before it has asked.
  func addLogin(_ carried: Secrets.Carried, to settings: inout TransferSettings, of fetch: Fetch) {
    fetch.sentLogin = nil
    let address = fetch.plan.address
    let ownField = "authorization:"
    guard let login = carried.login,
      !carried.fields.contains(where: { $0.lowercased().hasPrefix(ownField) })
    else { return }
    guard case .by(let scheme) = origins.login(to: address) else {
      fetch.sentLogin = SentLogin()
      return
    }
    switch scheme {
    case .basic: settings.login = (login.user, login.password)
    case .digest(let digest):
      let answer = digest.answer(
        user: login.user, password: login.password, method: settings.message?.method ?? "GET",
        target: address.target, count: origins.nextDigest(to: address),
        ownNonce: Digest.newNonce())
      settings.fields.append("Authorization: \(answer)")
    }
    fetch.sentLogin = SentLogin(scheme: scheme, isAnswer: scheme == fetch.askedLogin)
  }

  /// Whether a name and a password may be accepted after all: the server has only now named its
  /// schemes, or wants another nonce.
  private func mayAnswer(_ fetch: Fetch) -> Bool {
    guard let sent = fetch.sentLogin, let asked = fetch.askedLogin else { return false }
    switch (sent.scheme, asked) {
    case (.basic, .basic): return false
    case (.digest, .digest(let digest)): return !sent.isAnswer || digest.isStale
    default: return true
    }
  }

  /// A server wants another login than the one that was sent.
  func renewLogin(_ fetch: Fetch) {
    let address = fetch.plan.address
    fetch.triedLogins += 1
    guard fetch.triedLogins <= 4 else { return giveUpLogin(fetch) }
    fetch.askedLogin = LoginScheme.best(of: fetch.head.challenges)
    // Another fetch may have renewed it meanwhile.
    if mayAnswer(fetch) || fetch.secretRound < secretRound {
      return act(fetch.plan.loginRenewed(true), fetch)
    }
    let commands = secrets.takeRenewable(for: address)
    if !commands.isEmpty {
      renewing.formUnion(commands)
      fetch.state = .parked
      return ask(commands)
    }
    if case .ask = secrets.decide(for: address, requested: fetch.plan.request.address) {
      fetch.state = .parked
      return
    }
    giveUpLogin(fetch)
  }

  /// Runs commands. A fetch waits up to twice their time limit.
  func ask(_ commands: [String]) {
    let mailbox = mailbox
    for command in commands {
      secretCommands.start(command, patience: .seconds(options.patienceSeconds * 6)) {
        mailbox.send(.secret(command: command, $0))
      }
    }
  }

  /// Secrets of the config for a server that could not be had, in words; nil if there are none.
  private func lack(for fetch: Fetch) -> String? {
    let address = fetch.plan.address
    guard
      case .carry(let carried) = secrets.decide(for: address, requested: fetch.plan.request.address),
      carried.isSecretMissing
    else { return nil }
    for rule in options.rules(for: address) {
      var missing = rule.fields.filter { field in
        !carried.fields.contains { $0.hasPrefix(field.name + ": ") }
      }.map(\.value)
      if let password = rule.password, carried.login?.password == "" { missing.append(password) }
      for secret in missing {
        switch secret {
        case .environment(let name): return "its variable \(name) is not set"
        case .command(let command):
          // The rest may hold a secret.
          let first = command.prefix { $0 != " " }
          let isName = first.allSatisfy { $0.isLetter || $0.isNumber || "_-./+~".contains($0) }
          return "its command \(isName ? first + " " : "")failed"
        case .literal: continue
        }
      }
    }
    return nil
  }

  /// A server refuses access. If a secret of the config could not be had, that is the reason.
  private func giveUpLogin(_ fetch: Fetch) {
    var next = fetch.plan.loginRenewed(false)
    if case .fail(var error) = next {
      if let lack = lack(for: fetch) {
        error.words += ": " + lack
      } else if let words = unknownSchemes(of: fetch) {
        error.words = words
      }
      next = .fail(error)
    }
    act(next, fetch)
  }

  /// Says that a server accepts no name and password; nil if it does, if it does not name its
  /// schemes, or if it has refused a field of the config.
  private func unknownSchemes(of fetch: Fetch) -> String? {
    let address = fetch.plan.address
    let challenges = fetch.head.challenges
    guard !challenges.isEmpty, LoginScheme.best(of: challenges) == nil,
      case .carry(let carried) = secrets.decide(for: address, requested: fetch.plan.request.address),
      !carried.fields.contains(where: { $0.lowercased().hasPrefix("authorization:") })
    else { return nil }
    return "\(address.visibleHost) wants a login by \(LoginScheme.names(of: challenges)), not by a"
      + " name and a password: see header-command in the config section [host \(address.ruleName)]"
  }

  func secretCame(_ command: String, _ secret: String?) {
    secretCommands.ended(command)
    let isRenewed = renewing.remove(command) != nil
    secrets.answer(command, secret, renewing: isRenewed)
    if isRenewed { secretRound += 1 }
    for fetch in fetches {
      guard case .parked = fetch.state else { continue }
      fetch.state = .queued
      fetch.lastProgress = .now
    }
  }
}
