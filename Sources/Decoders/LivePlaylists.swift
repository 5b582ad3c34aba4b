import DecoderLink
import Resources
import System

/// Reloads the playlists of a live story, and gives them to its decoder as they change.
final class LivePlaylists {
  private struct Followed {
    var url: String?
    var follower: PlaylistFollower
    /// Holds what is being loaded.
    var resource: (any Resource)?
    var changes: UInt32 = 0
    /// How many changes the decoder knew when it began to wait for another; nil while it does not.
    var awaitedAfter: UInt32?

    /// The newest message about it, as long as the decoder does not take what it was sent.
    var pending: PlayerMessage?
    /// How many other variants of it were followed before.
    var moves = 0

    var isAwaited: Bool { awaitedAfter == changes && pending == nil && !follower.isOver }
  }

  /// Pictures and sound.
  static let most: UInt32 = 2
  private static let mostBytes = 16 << 20
  /// A decoder goes on to another variant where one cannot be played, but not on and on.
  static let mostMoves = 16

  private let opener: any ResourceOpener
  private let send: (PlayerMessage) -> Void
  private let hasRoom: () -> Bool
  private var lists: [UInt32: Followed] = [:]
  private var isActive: Bool

  /// - Parameter hasRoom: whether the decoder has taken nearly all of what it was sent.
  init(
    _ opener: any ResourceOpener, isActive: Bool, hasRoom: @escaping () -> Bool,
    send: @escaping (PlayerMessage) -> Void
  ) {
    self.opener = opener
    self.isActive = isActive
    self.hasRoom = hasRoom
    self.send = send
  }

  /// Reloads a playlist from now on, in place of the one that had its number; false for more of them
  /// than a story has.
  func follow(_ list: UInt32, url: String?, every interval: Duration, at now: Instant) -> Bool {
    guard list < LivePlaylists.most else { return false }
    let former = lists[list]
    if let former, former.url == url {
      lists[list]?.follower.change(to: interval)
    } else {
      let moves = former.map { $0.moves + 1 } ?? 0
      guard moves <= LivePlaylists.mostMoves else { return false }
      former?.resource?.cancel()
      // What was stored of it is of no use later.
      opener.forget(url)
      var new = Followed(
        url: url, follower: PlaylistFollower(every: interval, isActive: isActive, at: now))
      new.changes = former?.changes ?? 0
      new.awaitedAfter = former?.awaitedAfter
      new.moves = moves
      lists[list] = new
    }
    service(at: now)
    return true
  }

  /// A playlist is complete; false for one that is not followed.
  func unfollow(_ list: UInt32) -> Bool {
    guard lists[list] != nil else { return false }
    lists[list]?.resource?.cancel()
    lists[list]?.resource = nil
    lists[list]?.follower.finish()
    return true
  }

  /// The decoder waits for a change; false for a playlist that is not followed.
  func await(_ list: UInt32, after changes: UInt32) -> Bool {
    guard lists[list] != nil else { return false }
    lists[list]?.awaitedAfter = changes
    return true
  }

  /// Whether the decoder waits for one of them.
  var isAwaited: Bool { lists.values.contains(where: \.isAwaited) }

  /// Whether the story plays.
  func setActive(_ isActive: Bool, at now: Instant) {
    self.isActive = isActive
    for list in lists.keys { lists[list]?.follower.setActive(isActive, at: now) }
  }

  var deadline: Instant? { lists.values.compactMap(\.follower.deadline).min() }

  /// Does what is due.
  func service(at now: Instant) {
    for list in lists.keys.sorted() {
      if let message = lists[list]?.pending { pass(message, about: list) }
      if let action = lists[list]?.follower.tick(at: now) { perform(action, list, at: now) }
    }
  }

  func close() {
    for list in lists.values { list.resource?.cancel() }
    lists = [:]
  }

  private func perform(_ action: PlaylistFollower.Action, _ list: UInt32, at now: Instant) {
    switch action {
    case .fetch: load(list)
    case .deliver(let bytes): pass(.playlist(list: list, bytes), about: list)
    case .giveUp(let reason):
      lists[list]?.resource?.cancel()
      lists[list]?.resource = nil
      pass(.playlistLost(list: list, reason: reason), about: list)
    }
  }

  /// Sends a message, or keeps it until there is room, in place of an older one.
  private func pass(_ message: PlayerMessage, about list: UInt32) {
    guard hasRoom() else {
      lists[list]?.pending = message
      return
    }
    lists[list]?.pending = nil
    lists[list]?.changes &+= 1
    send(message)
  }

  private func load(_ list: UInt32) {
    do throws(ResourceError) {
      let resource = try opener.reload(lists[list]?.url)
      lists[list]?.resource = resource
      resource.read(offset: 0, length: LivePlaylists.mostBytes + 1) { [weak self] result in
        guard let self, lists[list]?.resource === resource else { return }
        lists[list]?.resource = nil
        took(result.mapError { FollowError(reason: $0.reason) }, list)
      }
    } catch {
      took(.failure(FollowError(reason: error.reason)), list)
    }
  }

  private func took(_ result: Result<[UInt8], FollowError>, _ list: UInt32) {
    let fitting = result.flatMap { bytes -> Result<[UInt8], FollowError> in
      bytes.count <= LivePlaylists.mostBytes
        ? .success(bytes) : .failure(FollowError(reason: "the playlist is too long"))
    }
    let now = Instant.now
    if let action = lists[list]?.follower.loaded(fitting, at: now) {
      perform(action, list, at: now)
    }
  }
}
