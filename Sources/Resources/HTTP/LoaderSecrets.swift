import System

// How the loader comes by secrets that commands print.
extension LoaderLoop {
  /// A server wants another login than the one it got.
  func renewLogin(_ fetch: Fetch) {
    let address = fetch.plan.address
    fetch.triedLogins += 1
    guard fetch.triedLogins <= 4 else { return act(fetch.plan.loginRenewed(false), fetch) }
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
    act(fetch.plan.loginRenewed(false), fetch)
  }

  /// Runs commands, each on a thread of its own: a password store may ask its user.
  func ask(_ commands: [String]) {
    for command in commands where commandsRunning.insert(command).inserted {
      let exchange = exchange
      let thread = try? WorkerThread {
        let printed = try? ChildProcess.output(
          of: "/bin/sh", arguments: ["-c", "exec 2>/dev/null\n" + command])
        let line = printed?.text.split(separator: "\n").first.map(String.init)
        let isGood = printed?.ending == .exited(status: 0)
        exchange.send(.secret(command: command, isGood ? line : nil))
      }
      if thread == nil { exchange.send(.secret(command: command, nil)) }
    }
  }

  func secretCame(_ command: String, _ secret: String?) {
    commandsRunning.remove(command)
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
