import DecoderLink
import Resources
import System

/// What a playlist's decoder needs beside the playlist: its parts, fetched ahead, and newer copies of
/// it while the story is live.
final class PlaylistSupply {
  private let opener: any ResourceOpener
  private let readAhead: PartReadAhead
  private let readsAhead: Bool
  private let hasRoom: () -> Bool
  private let send: (PlayerMessage) -> Void
  /// Nil for a story that does not grow.
  private var live: LivePlaylists?
  /// The parts of a live story that were fetched for it: they are of use once.
  private var fleeting: Set<String> = []
  private var urgency: ResourceUrgency
  private var isPaused: Bool

  /// - Parameters:
  ///   - readsAhead: whether parts are fetched before the decoder opens them: it is to be played.
  ///   - hasRoom: whether the decoder has taken nearly all of what it was sent.
  ///   - send: sends the decoder a message, perhaps after a while.
  init(
    _ opener: any ResourceOpener, urgency: ResourceUrgency, isPaused: Bool, readsAhead: Bool,
    hasRoom: @escaping () -> Bool, send: @escaping (PlayerMessage) -> Void
  ) {
    self.opener = opener
    self.urgency = urgency
    self.isPaused = isPaused
    self.readsAhead = readsAhead
    self.hasRoom = hasRoom
    self.send = send
    readAhead = PartReadAhead(opener)
    readAhead.setUrgency(urgency)
  }

  func open(_ url: String) throws(ResourceError) -> any Resource { try opener.open(url) }

  /// Handles a message that only a playlist's decoder may send; false if it may not.
  func take(_ message: DecoderMessage, now: Instant) -> Bool {
    switch message {
    case .needs(let parts, let reachesEnd):
      if readsAhead { readAhead.want(parts, reachesEnd: reachesEnd) }
      if live != nil { forgetAll(but: Set(parts.map(\.url))) }
      return true
    case .follow(let list, let url, let interval):
      if live == nil {
        opener.forget(nil)
        live = LivePlaylists(opener, isActive: isActive, hasRoom: hasRoom, send: send)
      }
      return live?.follow(list, url: url, every: interval, at: now) ?? false
    case .unfollow(let list): return live?.unfollow(list) ?? false
    case .awaitPlaylist(let list, let changes): return live?.await(list, after: changes) ?? false
    default: return false
    }
  }

  private func forgetAll(but kept: Set<String>) {
    for url in fleeting.subtracting(kept) { opener.forget(url) }
    fleeting = kept
  }

  func setUrgency(_ urgency: ResourceUrgency) {
    self.urgency = urgency
    readAhead.setUrgency(urgency)
    live?.setActive(isActive, at: .now)
  }

  func setPaused(_ paused: Bool) {
    isPaused = paused
    live?.setActive(isActive, at: .now)
  }

  private var isActive: Bool { urgency == .playing && !isPaused }

  /// Whether the decoder waits for a newer copy of a playlist.
  var isAwaited: Bool { live?.isAwaited ?? false }
  var isFetching: Bool { readAhead.isFetching }
  var ahead: PartsAhead? { readAhead.ahead }

  /// When a playlist is to be reloaded; nil while none is.
  var deadline: Instant? { live?.deadline }

  /// Does what is due.
  func service(at now: Instant) { live?.service(at: now) }

  func close() {
    readAhead.close()
    live?.close()
    forgetAll(but: [])
  }
}
