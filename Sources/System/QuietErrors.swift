import Glibc

/// Keeps messages that libraries write to standard error off a terminal that is used as a screen.
/// If standard error is another file or terminal, it stays as it is.
public final class QuietErrors {
  /// A copy of the original standard error; nil while it is not replaced.
  private var saved: Int32?

  /// - Parameter screen: the terminal's descriptor.
  public init(screen: Int32) {
    guard QuietErrors.isSameTerminal(STDERR_FILENO, screen) else { return }
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard null >= 0 else { return }
    defer { Glibc.close(null) }
    let copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return }
    saved = copy
    dup2(null, STDERR_FILENO)
  }

  /// Restores standard error. Idempotent.
  public func close() {
    guard let saved else { return }
    dup2(saved, STDERR_FILENO)
    Glibc.close(saved)
    self.saved = nil
  }

  deinit { close() }

  private static func isSameTerminal(_ one: Int32, _ other: Int32) -> Bool {
    var first = stat()
    var second = stat()
    return isatty(one) == 1 && fstat(one, &first) == 0 && fstat(other, &second) == 0
      && first.st_rdev == second.st_rdev
  }
}
