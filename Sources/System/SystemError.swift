import Glibc

/// A system call that failed: the step, what it was done to, and the kernel's reason.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The failed step, as a verb: "open", "spawn".
  public let step: String
  /// The file or program concerned; empty where there is none.
  public let subject: String
  /// The `errno` value.
  public let code: Int32
  /// A reason given by this program, which says more than the kernel's.
  private let words: String?

  public init(step: String, subject: String = "", code: Int32, words: String? = nil) {
    self.step = step
    self.subject = subject
    self.code = code
    self.words = words
  }

  /// The reason in words: the kernel's, or the program's own.
  public var reason: String { words ?? String(cString: strerror(code)) }

  public var description: String {
    subject.isEmpty ? "cannot \(step): \(reason)" : "cannot \(step) \(subject): \(reason)"
  }
}
