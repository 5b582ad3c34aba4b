import Synchronization
import System

/// Runs the commands that print secrets, each on a thread of its own, because a password store may
/// ask its user. Running commands and their child processes end with this object.
final class SecretCommands {
  /// It wakes the threads when nobody waits any more.
  private let end = try? Waker()
  private var running: [String: WorkerThread] = [:]

  /// Starts a command, unless it is already running.
  ///
  /// - Parameters:
  ///   - patience: it is ended after this time.
  ///   - answer: called on another thread with the first line that it printed, or nil if it failed.
  func start(
    _ command: String, patience: Duration, answer: @escaping @Sendable (String?) -> Void
  ) {
    guard running[command] == nil else { return }
    guard let end else { return answer(nil) }
    running[command] = try? WorkerThread {
      let printed = try? ChildProcess.output(
        of: "/bin/sh", arguments: ["-c", "exec 2>/dev/null\n" + command],
        until: .now + patience, orFor: end)
      answer(
        printed?.ending == .exited(status: 0)
          ? printed.flatMap { SecretCommands.firstLine(of: $0.text) } : nil)
    }
    if running[command] == nil { answer(nil) }
  }

  /// The first line that is not empty, without its end, which is CR LF or LF.
  static func firstLine(of text: String) -> String? {
    // The former is one character in Swift, so scalars are compared.
    guard let line = text.unicodeScalars.split(separator: "\n").first(where: { $0 != ["\r"] })
    else {
      return nil
    }
    return String(String.UnicodeScalarView(line.last == "\r" ? line.dropLast() : line))
  }

  /// A command has answered.
  func ended(_ command: String) { running.removeValue(forKey: command)?.join() }

  deinit {
    end?.wake()
    for thread in running.values { thread.join() }
  }
}
