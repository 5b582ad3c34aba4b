import DecoderLink
import Glibc
import System

/// The decoder program.
public enum DecoderProgram {
  /// Runs it with its arguments; does not return.
  public static func run(_ arguments: [String]) -> Never {
    signal(SIGPIPE, SIG_IGN)
    try? OwnLimits.dieWithParent()
    let connection = PlayerConnection(socket: Descriptor(adopting: 3))
    let request = connection.awaitOpening()
    do {
      let decoder = try openMedia(request, over: connection)
      var teller = Storyteller(decoder, to: connection)
      try teller.tell(from: request.start)
    } catch {
      connection.send(.failed(reason: error.reason))
      while true { connection.receive() }
    }
  }
}

/// Looks at the first bytes and chooses who decodes them.
func openMedia(
  _ request: OpenRequest, over connection: PlayerConnection
) throws(DecodingError) -> any MediaDecoder {
  let stream = ResourceStream(connection, resource: 0, length: request.length)
  if request.length == 0 { throw .empty }
  return try FFmpegStory(stream, connection: connection, soundRate: request.soundRate)
}
