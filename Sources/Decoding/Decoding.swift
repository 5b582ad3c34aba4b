import DecoderLink
import Glibc
import System

/// The decoder program.
public enum DecoderMain {
  private static let addressSpace: UInt64 = 1 << 30
  private static let usage = """
    usage: storytty-decoder [--check]
    Decodes media for storytty, which starts it. --check tries the sandbox and says what it refuses.

    """

  /// Runs it with its arguments; does not return.
  public static func run(_ arguments: [String]) -> Never {
    signal(SIGPIPE, SIG_IGN)
    Sandbox.dropHandlers()
    switch arguments.first {
    case nil: decode(fault: nil)
    case "--check" where arguments.count == 1: checkInAChild()
    case "--fork-server" where arguments.count == 1: forkDecoders(fault: nil)
    case "--fork-server" where arguments.count == 3 && arguments[1] == "--fault":
      if let fault = Fault(rawValue: arguments[2]) { forkDecoders(fault: fault) }
    case "--fault" where arguments.count == 2:
      if let fault = Fault(rawValue: arguments[1]) { decode(fault: fault) }
    default: break
    }
    print(usage, terminator: "")
    exit(arguments == ["--help"] ? 0 : 1)
  }

  /// Tries the sandbox in a process that was forked once all libraries were loaded, as stories have it
  /// where that can be done.
  private static func checkInAChild() -> Never {
    prepareLibraries()
    let way: String
    do throws(SystemError) {
      try Fork.goOnInASibling()
      way = "forked from one parent"
    } catch {
      way = "started one by one (\(error))"
    }
    SelfCheck.run(way: way)
  }

  /// Decodes one story for the player at the other end of descriptor 3.
  private static func decode(fault: Fault?) -> Never {
    try? OwnLimits.dieWithParent()
    // Without the socket there is nobody to decode for.
    guard fcntl(3, F_GETFD) >= 0 else { exit(1) }
    let connection = PlayerConnection(socket: Descriptor(adopting: 3))
    prepareLibraries()
    confine()
    if !connection.hasOpening { FFmpegLibrary.warmUp() }
    serve(connection, fault: fault)
  }

  /// Decodes one story for each descriptor that comes through descriptor 3, in a child that has all
  /// libraries loaded already. A fault strikes the first one.
  private static func forkDecoders(fault: Fault?) -> Never {
    try? OwnLimits.dieWithParent()
    guard fcntl(3, F_GETFD) >= 0 else { exit(1) }
    prepareForAll()
    let (connection, former) = ForkServer.awaitChild(over: Descriptor(adopting: 3))
    // Only the first children of a parent are not prepared. What they wait for here comes from the
    // player; nothing of a story is read before the sandbox closes.
    if !HeifStill.isPrepared, connection.awaitOpening().mayNeedHeif { HeifStill.prepare() }
    confine()
    serve(connection, fault: former == 0 ? fault : nil)
  }

  private static func serve(_ connection: PlayerConnection, fault: Fault?) -> Never {
    let request = connection.awaitOpening()
    fault?.strike()
    do {
      let decoder = try openMedia(request, over: connection)
      if request.listsParts {
        let parts = connection.playlist?.allParts ?? []
        for start in stride(from: 0, to: parts.count, by: NeededPart.most) {
          connection.send(
            .parts(Array(parts[start...].prefix(NeededPart.most)), isLast: false))
        }
        connection.send(.parts([], isLast: true))
        while true { connection.receive() }
      }
      var loop = DecodeLoop(decoder, to: connection, soundRate: request.soundRate)
      try loop.run()
    } catch {
      connection.send(.failed(reason: error.reason))
      while true { connection.receive() }
    }
  }

  /// Gives up all rights that decoding does not need. On a kernel without seccomp only the limits
  /// apply, and `storytty doctor` warns of it.
  private static func confine() {
    #if UNCONFINED
      // For `make asan` alone: the sanitizer needs address space and calls that are refused here.
    #else
      try? OwnLimits.addressSpace(addressSpace)
      try? OwnLimits.closeFiles()
      _ = Sandbox.confineThisProcess()
    #endif
  }

  /// Loads what libraries read from disk, before the sandbox forbids it.
  private static func prepareLibraries() {
    prepareForAll()
    HeifStill.prepare()
  }

  /// All of that but what takes long and few stories need.
  private static func prepareForAll() {
    FFmpegLibrary.prepare()
    LottieAnimation.warmUp()
    ZipArchive.prepare()
  }
}
