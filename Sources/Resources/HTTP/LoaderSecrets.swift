import System

// How the loader comes by secrets that commands print.
extension LoaderLoop {
  /// A server wants another login than the one it got.
  func renewLogin(_ fetch: Fetch) {
    let address = fetch.plan.address
    fetch.triedLogins += 1
    guard fetch.triedLogins <= 4 else { return giveUpLogin(fetch) }
    // It has only now said which kind it takes, or others have renewed it meanwhile.
    if !fetch.sentLogin || fetch.secretRound < secretRound {
      return act(fetch.plan.loginRenewed(true), fetch)
    }
    let commands = logins.renewable(for: address)
    if !commands.isEmpty {
      renewing.formUnion(commands)
      fetch.state = .parked
      return ask(commands)
    }
    if case .ask = logins.decide(for: address, source: fetch.plan.wish.address) {
      fetch.state = .parked
      return
    }
    giveUpLogin(fetch)
  }

  /// Runs commands. A fetch waits twice as long for them.
  func ask(_ commands: [String]) {
    let exchange = exchange
    for command in commands {
      secretCommands.start(command, patience: .seconds(options.patienceSeconds * 6)) {
        exchange.send(.secret(command: command, $0))
      }
    }
  }

  /// What the config promises for a server and could not be had, in words; nil where it all could.
  private func lack(for fetch: Fetch) -> String? {
    let address = fetch.plan.address
    guard case .carry(let carried) = logins.decide(for: address, source: fetch.plan.wish.address),
      carried.lacks
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

  /// A server does not let it in. Where the config's secret could not be had, that is why.
  private func giveUpLogin(_ fetch: Fetch) {
    var next = fetch.plan.loginRenewed(false)
    if case .fail(var error) = next, let lack = lack(for: fetch) {
      error.words += ": " + lack
      next = .fail(error)
    }
    act(next, fetch)
  }

  func secretCame(_ command: String, _ secret: String?) {
    secretCommands.ended(command)
    let isRenewed = renewing.remove(command) != nil
    logins.answer(command, secret, renewing: isRenewed)
    if isRenewed { secretRound += 1 }
    for fetch in fetches {
      guard case .parked = fetch.state else { continue }
      fetch.state = .queued
      fetch.lastProgress = .now
    }
  }
}
