import Glibc

/// A system call that failed: the step, what it was done to, and the kernel's reason.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was tried, as a verb: "open", "spawn".
  public let step: String
  /// The file or program it was tried on; empty where there is none.
  public let subject: String
  /// The `errno` value.
  public let code: Int32

  public init(step: String, subject: String = "", code: Int32) {
    self.step = step
    self.subject = subject
    self.code = code
  }

  /// The kernel's reason in words.
  public var reason: String { String(cString: strerror(code)) }

  public var description: String {
    subject.isEmpty ? "cannot \(step): \(reason)" : "cannot \(step) \(subject): \(reason)"
  }
}
