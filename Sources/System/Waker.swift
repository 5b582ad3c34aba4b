import CLinux
import Glibc

/// A descriptor that becomes readable when another thread or a signal handler wakes the thread that
/// waits on it.
public final class Waker: Sendable {
  private let descriptor: Descriptor

  public init() throws(SystemError) {
    let number = lx_eventfd()
    guard number >= 0 else { throw SystemError(step: "make an eventfd", code: errno) }
    descriptor = Descriptor(adopting: number)
  }

  /// The descriptor to wait on.
  public var number: Int32 { descriptor.number }

  /// Makes the descriptor readable.
  public func wake() {
    var one: UInt64 = 1
    _ = Glibc.write(descriptor.number, &one, 8)
  }

  /// Makes the descriptor unreadable again.
  public func silence() {
    var count: UInt64 = 0
    _ = Glibc.read(descriptor.number, &count, 8)
  }
}
