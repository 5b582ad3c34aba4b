import DecoderLink
import Resources
import System

/// Reloads the playlists of a live story, and gives them to its decoder as they change.
final class LivePlaylists {
  private struct Followed {
    let url: String?
    var follower: PlaylistFollower
    /// Holds what is being loaded.
    var resource: (any Resource)?
    var changes: UInt32 = 0
    /// How many changes the decoder knew when it began to wait for another; nil while it does not.
    var awaitedAfter: UInt32?

    var isAwaited: Bool { awaitedAfter == changes }
  }

  /// Pictures and sound.
  static let most: UInt32 = 2
  private static let mostBytes = 16 << 20

  private let opener: any ResourceOpener
  private let send: (PlayerMessage) -> Void
  private var lists: [UInt32: Followed] = [:]
  private var isActive: Bool

  init(_ opener: any ResourceOpener, isActive: Bool, send: @escaping (PlayerMessage) -> Void) {
    self.opener = opener
    self.isActive = isActive
    self.send = send
  }

  /// Reloads a playlist from now on; false for more of them than a story has.
  func follow(_ list: UInt32, url: String?, every interval: Duration, at now: Instant) -> Bool {
    guard list < LivePlaylists.most else { return false }
    if lists[list] != nil {
      lists[list]?.follower.change(to: interval)
    } else {
      // What was stored of it is of no use later.
      opener.forget(url)
      lists[list] = Followed(
        url: url, follower: PlaylistFollower(every: interval, isActive: isActive, at: now))
    }
    service(at: now)
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
    case .deliver(let bytes):
      lists[list]?.changes &+= 1
      send(.playlist(list: list, bytes))
    case .giveUp(let reason):
      lists[list]?.resource?.cancel()
      lists[list]?.resource = nil
      lists[list]?.changes &+= 1
      send(.playlistLost(list: list, reason: reason))
    }
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
