import CLinux
import Glibc

/// Forks this process, which must have one thread.
public enum Fork {
  /// The process that goes on after a fork.
  public enum Side: Equatable, Sendable {
    case old
    case new
  }

  /// Forks a process that is a child of this one's parent, which reaps it (clone(2), CLONE_PARENT).
  public static func sibling() throws(SystemError) -> Side {
    let number = lx_fork_sibling()
    guard number >= 0 else { throw SystemError(step: "fork a decoder", code: -number) }
    return number == 0 ? .new : .old
  }

  /// Has a child fork a sibling, which goes on; this process waits for both and exits with the status of
  /// the sibling, or with 1 if a signal ended it. Throws where that cannot be done, in this process.
  public static func goOnInASibling() throws(SystemError) {
    let number = lx_fork()
    guard number >= 0 else { throw SystemError(step: "fork", code: errno) }
    guard number > 0 else {
      do throws(SystemError) {
        // The new process is a child of the one that waits below.
        if try sibling() == .new { return }
        _exit(0)
      } catch {
        _exit(error.code)
      }
    }
    var statuses: [pid_t: Int32] = [:]
    var status: Int32 = 0
    while true {
      let ended = retrying { waitpid(-1, &status, 0) }
      guard ended > 0 else { break }
      statuses[ended] = status & 0x7f == 0 ? (status >> 8) & 0xff : 1
    }
    let code = statuses.removeValue(forKey: number) ?? ECHILD
    guard code == 0 else { throw SystemError(step: "fork a decoder", code: code) }
    exit(statuses.values.first ?? 1)
  }

  /// How many threads this process has; 0 where that is unknown.
  public static var ownThreads: Int { ResourceUsage.status("Threads:", of: "self") ?? 0 }
}

/// Two connected stream sockets, close-on-exec.
public struct SocketPair: ~Copyable {
  public let ours: Descriptor
  public let theirs: Descriptor

  public init() throws(SystemError) {
    var pair: [Int32] = [-1, -1]
    let code = lx_socketpair(&pair)
    guard code == 0 else { throw SystemError(step: "make a socket pair", code: code) }
    ours = Descriptor(adopting: pair[0])
    theirs = Descriptor(adopting: pair[1])
  }

  /// Closes the other side's end in this process.
  public consuming func keepOurs() -> Descriptor { ours }

  /// Gives up ownership of both: the caller must close the numbers.
  public consuming func numbers() -> (ours: Int32, theirs: Int32) {
    let number = ours.release()
    return (number, theirs.release())
  }
}

extension Descriptor {
  /// Sends a copy of a descriptor through this Unix socket (SCM_RIGHTS, unix(7)), with a byte whose
  /// meaning is the caller's. Never waits.
  public func pass(_ other: borrowing Descriptor, with byte: UInt8) throws(SystemError) {
    let code = lx_send_descriptor(number, other.number, CChar(bitPattern: byte))
    guard code == 0 else { throw SystemError(step: "pass a descriptor", code: code) }
  }

  /// Ends both directions of this socket, for all processes that hold it.
  public func shutDown() { _ = shutdown(number, Int32(SHUT_RDWR)) }

  /// Waits for a descriptor that the other side passes; nil once it has closed the socket.
  ///
  /// - Parameter byte: becomes the byte that came with it.
  public func receiveDescriptor(with byte: inout UInt8) throws(SystemError) -> Descriptor? {
    var received: Int32 = -1
    var own: CChar = 0
    let code = lx_receive_descriptor(number, &received, &own)
    guard code == 0 else { throw SystemError(step: "receive a descriptor", code: code) }
    byte = UInt8(bitPattern: own)
    return received < 0 ? nil : Descriptor(adopting: received)
  }

  /// Makes this descriptor number 3 of the process, which `former` may have been until now, and closes
  /// all others above 2, whoever owns them.
  public consuming func becomeThird(instead former: consuming Descriptor) throws(SystemError)
    -> Descriptor
  {
    let code = lx_keep_only(number)
    _ = former.release()
    _ = release()
    guard code == 0 else { throw SystemError(step: "close descriptors", code: code) }
    return Descriptor(adopting: 3)
  }
}
