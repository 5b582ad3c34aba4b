import DecoderLink
import Glibc
import System

/// The parent of decoders: has loaded all libraries once and forks itself for each story, which costs
/// a millisecond instead of loading 145 libraries again. It holds no descriptor but its socket, reads
/// nothing of any story, and has one thread.
///
/// Each byte that comes through the socket brings that of a new decoder, which becomes a child of the
/// player; the answer is a `ForkAnswer`.
enum ForkServer {
  /// How long nothing must be asked before time is spent for later children.
  private static let calm = Duration.milliseconds(300)

  /// Forks on and on. Returns in each child alone, with its connection and with how many were forked
  /// before it; the parent ends when the socket does.
  static func awaitChild(
    over socket: consuming Descriptor
  ) -> (connection: PlayerConnection, former: Int) {
    var preparations = FFmpegLibrary.preparations[...]
    var forked = 0
    while true {
      if let next = preparations.first, isCalm(socket) {
        next()
        preparations.removeFirst()
        continue
      }
      guard let child = try? socket.receiveDescriptor() else { _exit(0) }
      do throws(SystemError) {
        // A lock that another thread holds would be held for ever in the child.
        guard Fork.ownThreads <= 1 else { throw SystemError(step: "fork", code: EDEADLK) }
        switch try Fork.sibling() {
        case .old(let number):
          forked += 1
          send(.forked(number), over: socket)
        case .new:
          guard let own = try? child.becomeThird(instead: socket) else { _exit(1) }
          try? OwnLimits.dieWithParent()
          try? OwnLimits.processorTime(seconds: ForkAnswer.processorSeconds)
          return (PlayerConnection(socket: own), forked)
        }
      } catch {
        send(.failed(error.code), over: socket)
      }
    }
  }

  /// Whether nothing is asked for a while.
  private static func isCalm(_ socket: borrowing Descriptor) -> Bool {
    let ready = try? awaitReadiness(of: [Interest(socket.number)], until: .now + calm)
    return ready.map { !$0[0].readable } ?? false
  }

  private static func send(_ answer: ForkAnswer, over socket: borrowing Descriptor) {
    guard (try? socket.writeAll(answer.bytes)) != nil else { _exit(0) }
  }
}
