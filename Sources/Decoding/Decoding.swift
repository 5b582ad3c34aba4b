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
    switch (arguments.first, arguments.count) {
    case (nil, 0): serve(fault: nil)
    case ("--check", 1): SelfCheck.run()
    case ("--fault", 2):
      if let fault = Fault(rawValue: arguments[1]) { serve(fault: fault) }
      fallthrough
    default:
      print(usage, terminator: "")
      exit(arguments == ["--help"] ? 0 : 1)
    }
  }

  private static func serve(fault: Fault?) -> Never {
    try? OwnLimits.dieWithParent()
    // Without the socket there is nobody to decode for.
    guard fcntl(3, F_GETFD) >= 0 else { exit(1) }
    let connection = PlayerConnection(socket: Descriptor(adopting: 3))
    prepareLibraries()
    confine()
    if !connection.hasOpening { FFmpegLibrary.warmUp() }
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
    FFmpegLibrary.prepare()
    HeifStill.prepare()
    LottieAnimation.warmUp()
    ZipArchive.prepare()
  }
}
