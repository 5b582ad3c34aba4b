import CLinux
import Glibc

/// What to restore before a crash ends the process. One terminal a process.
public enum TerminalGuard {
  /// Arms the guard: a fatal signal then writes `bytes` (at most 1,024) to the descriptor and sets
  /// these terminal attributes.
  public static func arm(descriptor: Int32, attributes: termios, bytes: [UInt8]) {
    var saved = attributes
    lx_guard_terminal(descriptor, bytes, bytes.count, &saved)
  }

  /// Disarms the guard: nothing needs restoring any more.
  public static func disarm() { lx_release_terminal() }

  /// Restores the terminal now.
  public static func restore() { lx_restore_terminal() }
}
