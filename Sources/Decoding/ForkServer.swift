import DecoderLink
import Glibc
import System

/// The parent of decoders: has loaded all libraries once and forks itself for each story, which costs
/// a millisecond instead of loading 145 libraries again. It holds no descriptor but its socket, reads
/// nothing of any story, and has one thread.
///
/// Each byte that comes through the socket (`ForkRequest`) brings the socket of a new decoder, which
/// becomes a child of the player and answers with a `ForkAnswer`; the parent itself answers where it
/// cannot fork.
enum ForkServer {
  /// How long nothing must be asked before time is spent for later children.
  private static let calm = Duration.milliseconds(300)

  /// Forks on and on. Returns in each child alone, with its connection and with how many were forked
  /// before it; the parent ends when the socket does.
  static func awaitChild(
    over socket: consuming Descriptor
  ) -> (connection: PlayerConnection, former: Int) {
    var preparations = ([HeifStill.prepare] + FFmpegLibrary.preparations)[...]
    var request: UInt32 = 0
    while true {
      if let next = preparations.first, isCalm(socket) {
        next()
        preparations.removeFirst()
        continue
      }
      var asked: UInt8 = 0
      guard let child = try? socket.receiveDescriptor(with: &asked) else { _exit(0) }
      if asked == ForkRequest.ahead.rawValue {
        for prepare in preparations { prepare() }
        preparations = []
      }
      do throws(SystemError) {
        // A lock that another thread holds would be held for ever in the child.
        guard Fork.ownThreads <= 1 else { throw SystemError(step: "fork", code: EDEADLK) }
        switch try Fork.sibling() {
        case .old: break
        case .new:
          send(ForkAnswer(request: request, .forked(getpid())), over: socket)
          guard let own = try? child.becomeThird(instead: socket) else { _exit(1) }
          try? OwnLimits.dieWithParent()
          try? OwnLimits.processorTime(seconds: DecoderLimits.processorSeconds)
          return (PlayerConnection(socket: own), Int(request))
        }
      } catch {
        send(ForkAnswer(request: request, .failed(error.code)), over: socket)
      }
      request += 1
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
