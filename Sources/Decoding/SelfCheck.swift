import Glibc

/// Tries what the sandbox must refuse, and prints a line for each result.
enum SelfCheck {
  /// Ends the process with status 0 if everything is refused, else with 1.
  static func run() -> Never {
    for line in Versions.lines { say(line) }
    let failure = Sandbox.close()
    say(failure.map { "sandbox: not available (\($0))" } ?? "sandbox: closed")
    var safe = failure == nil
    for (name, attempt) in Sandbox.attempts {
      let code = attempt()
      say("\(name): \(code == 0 ? "allowed" : "refused (\(word(for: code)))")")
      safe = safe && code != 0
    }
    exit(safe ? 0 : 1)
  }

  private static func word(for code: Int32) -> String {
    switch code {
    case EPERM: "EPERM"
    case EACCES: "EACCES"
    case ENOSYS: "ENOSYS"
    default: "errno \(code)"
    }
  }

  private static func say(_ line: String) {
    var rest = Array("\(line)\n".utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
