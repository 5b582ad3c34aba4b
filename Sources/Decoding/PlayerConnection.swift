import DecoderLink
import Glibc
import System

/// What comes of a playlist that is followed.
enum PlaylistUpdate {
  /// All of it, as it is now.
  case bytes([UInt8])
  /// It brings nothing more, for this reason.
  case lost(String)
}

/// The decoder's end of the socket: sends messages, waits for answers to its reads, and keeps what the
/// player sent meanwhile. Calls block. The process ends when the socket closes.
final class PlayerConnection {
  /// A seek that has not been done yet.
  struct Seek: Equatable {
    var serial: UInt32
    var position: Duration
  }

  private enum Answer {
    case bytes([UInt8])
    case resource(id: UInt32, length: UInt64?)
    case availableUntil(end: UInt64)
    case refused(String)
  }

  private let socket: Descriptor
  private var assembler = FrameAssembler<PlayerMessage>()
  private var incoming: [UInt8] = []
  private var request: UInt32 = 0
  private var answer: Answer?
  private var opening: OpenRequest?
  private var seek: Seek?
  /// The playlist that was opened; nil for any other story.
  var playlist: PlaylistStory?
  /// Takes what comes of the playlists that are followed.
  private var follower: ((_ list: UInt32, PlaylistUpdate) -> Void)?
  /// How often each of them has changed.
  private var playlistChanges: [UInt32: UInt32] = [:]
  /// Pictures that may still be sent.
  private(set) var picturesAllowed: UInt64 = 0
  /// Frames of sound that may still be sent.
  private(set) var soundFramesAllowed: UInt64 = 0
  /// What pictures must fit into.
  private(set) var shape = PictureRequest(width: 1, height: 1)
  private(set) var effort = Effort.full

  init(socket: consuming Descriptor) { self.socket = socket }

  /// Whether the request to open a story has come.
  var hasOpening: Bool {
    receivePending()
    return opening != nil
  }

  /// Waits for the request to open a story.
  func awaitOpening() -> OpenRequest {
    while true {
      if let opening { return opening }
      receive()
    }
  }

  /// The latest seek that has not been done yet; it counts as done from now on.
  func takeSeek() -> Seek? {
    defer { seek = nil }
    return seek
  }

  var hasSeek: Bool { seek != nil }

  /// Sends one message; pictures and sound use up their credits.
  func send(_ message: DecoderMessage) {
    switch message {
    case .picture:
      precondition(picturesAllowed > 0, "a picture needs a credit")
      picturesAllowed -= 1
    case .sound(let sound):
      let frames = UInt64(sound.frames)
      precondition(soundFramesAllowed >= frames, "sound needs credit")
      soundFramesAllowed -= frames
    default: break
    }
    let frame = message.frame
    var rest = frame[...]
    while !rest.isEmpty {
      guard case .bytes(let count)? = try? socket.write(rest) else { endWithSocket() }
      rest = rest.dropFirst(count)
    }
  }

  /// Bytes of a resource: fewer than `count` if no more are available yet, none only at its end.
  func read(resource: UInt32, offset: UInt64, count: Int) throws(DecodingError) -> [UInt8] {
    request &+= 1
    send(.read(request: request, resource: resource, offset: offset, length: UInt32(count)))
    switch awaitAnswer() {
    case .bytes(let bytes): return bytes
    case .refused(let reason): throw DecodingError(reason)
    case .resource, .availableUntil: endWithSocket()
    }
  }

  /// The end of the bytes that can be read from an offset on without waiting for a network.
  func availableEnd(of resource: UInt32, from offset: UInt64) -> UInt64 {
    request &+= 1
    send(.queryAvailable(request: request, resource: resource, offset: offset))
    switch awaitAnswer() {
    case .availableUntil(let end): return end
    case .refused: return offset
    case .bytes, .resource: endWithSocket()
    }
  }

  /// Opens another resource that the media refers to.
  func openResource(_ url: String) throws(DecodingError) -> (id: UInt32, length: UInt64?) {
    request &+= 1
    send(.openResource(request: request, url: url))
    switch awaitAnswer() {
    case .resource(let id, let length): return (id, length)
    case .refused(let reason): throw DecodingError(reason)
    case .bytes, .availableUntil: endWithSocket()
    }
  }

  /// Sets who takes what comes of playlists that are followed. It must not wait for answers.
  func follow(_ follower: @escaping (_ list: UInt32, PlaylistUpdate) -> Void) {
    self.follower = follower
  }

  /// Waits until a playlist that is followed has changed, or is lost.
  func awaitPlaylist(_ list: UInt32) {
    let changes = playlistChanges[list] ?? 0
    send(.awaitPlaylist(list: list, changes: changes))
    while playlistChanges[list] ?? 0 == changes { receive() }
  }

  private func take(_ update: PlaylistUpdate, of list: UInt32) {
    playlistChanges[list, default: 0] &+= 1
    follower?(list, update)
  }

  /// Waits for the player's next messages.
  func receive() {
    incoming.removeAll(keepingCapacity: true)
    guard case .bytes? = try? socket.read(upTo: 64 << 10, into: &incoming) else {
      endWithSocket()
    }
    takeIncoming()
  }

  /// Takes the messages that have come, without waiting.
  func receivePending() {
    while true {
      incoming.removeAll(keepingCapacity: true)
      switch try? socket.take(upTo: 4 << 10, into: &incoming) {
      case .bytes: takeIncoming()
      case .wouldBlock: return
      case .end, nil: endWithSocket()
      }
    }
  }

  private func takeIncoming() {
    assembler.append(incoming)
    do {
      while let message = try assembler.next() { take(message) }
    } catch {
      _exit(1)
    }
  }

  private func awaitAnswer() -> Answer {
    answer = nil
    while true {
      if let answer { return answer }
      receive()
    }
  }

  private func take(_ message: PlayerMessage) {
    switch message {
    case .open(let request):
      opening = request
      shape = request.shape
    case .bytes(let request, let bytes): if request == self.request { answer = .bytes(bytes) }
    case .refused(let request, let reason):
      if request == self.request { answer = .refused(reason) }
    case .resource(let request, let id, let length):
      if request == self.request { answer = .resource(id: id, length: length) }
    case .availableUntil(let request, let end):
      if request == self.request { answer = .availableUntil(end: end) }
    case .shape(let new): shape = new
    case .credit(let pictures): picturesAllowed += UInt64(pictures)
    case .soundCredit(let frames): soundFramesAllowed += UInt64(frames)
    case .seek(let serial, let position): seek = Seek(serial: serial, position: position)
    case .effort(let new): effort = new
    case .playlist(let list, let bytes): take(.bytes(bytes), of: list)
    case .playlistLost(let list, let reason): take(.lost(reason), of: list)
    }
  }

  /// The player has ended or sent nonsense: there is nobody to report to.
  private func endWithSocket() -> Never { _exit(0) }
}
