import CSeccomp
import Glibc

/// Tries what the sandbox must refuse, and prints a line for each result.
enum SelfCheck {
  /// Ends the process with status 0 if everything is refused, else with 1.
  ///
  /// - Parameter way: how decoders come to be, in words.
  static func run(way: String) -> Never {
    for line in Versions.lines { say(line) }
    say("decoders: \(way)")
    let failure = Sandbox.confineThisProcess()
    say(failure.map { "sandbox: not available (\($0))" } ?? "sandbox: closed")
    var safe = failure == nil
    for (name, attempt) in attempts {
      let code = attempt()
      say("\(name): \(code == 0 ? "allowed" : "refused (\(word(for: code)))")")
      safe = safe && code != 0
    }
    exit(safe ? 0 : 1)
  }

  /// What a decoder must not be able to do; each returns 0 where it could, else errno.
  private static let attempts: [(name: String, attempt: @Sendable () -> Int32)] = [
    ("open", sc_attempt_open), ("socket", sc_attempt_socket), ("execve", sc_attempt_exec),
    ("fork", sc_attempt_fork), ("ptrace", sc_attempt_ptrace), ("kill", sc_attempt_kill),
    ("mmap PROT_EXEC", sc_attempt_executable_memory), ("stat", sc_attempt_stat),
    ("sigaction", sc_attempt_handler), ("sigprocmask", sc_attempt_block),
  ]

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
