import DecoderLink
import System
import Testing

@testable import Decoders
@testable import Resources

/// Playlists that are reloaded, and given to their decoder.
@Suite struct LivePlaylistsTests {
  /// A playlist that is loaded when a test says so.
  private final class List: Resource {
    let url: String?
    var isCancelled = false
    private var answer: ((Result<[UInt8], ResourceError>) -> Void)?

    init(_ url: String?) { self.url = url }

    var info: ContentInfo? { nil }

    func read(
      offset _: UInt64, length _: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void
    ) {
      self.answer = answer
    }

    func cancel() { isCancelled = true }
    func bring(_ bytes: [UInt8]) { answer?(.success(bytes)) }
    func fail() { answer?(.failure(ResourceError("gone"))) }
  }

  private final class Server: ResourceOpener {
    var lists: [List] = []

    func open(_: String) throws(ResourceError) -> any Resource { throw ResourceError("no") }
    func openPart(_: String) throws(ResourceError) -> any Resource { throw ResourceError("no") }
    func reload(_ reference: String?) throws(ResourceError) -> any Resource {
      let list = List(reference)
      lists.append(list)
      return list
    }
    func forget(_: String?) {}
  }

  /// What the decoder gets.
  private final class Sent {
    var messages: [PlayerMessage] = []
    var hasRoom = true
  }

  private let server = Server()
  private let sent = Sent()
  private let start = Instant.now

  private func playlists() -> LivePlaylists {
    LivePlaylists(
      server, isActive: true, hasRoom: { [sent] in sent.hasRoom },
      send: { [sent] in sent.messages.append($0) })
  }

  @Test func decoder_thatDoesNotRead_getsTheNewestLater() {
    let playlists = playlists()
    #expect(playlists.follow(0, url: nil, every: .seconds(2), at: start))
    #expect(playlists.await(0, after: 0))
    sent.hasRoom = false
    server.lists.last?.bring([1])
    playlists.service(at: start + .seconds(3))
    server.lists.last?.bring([2])
    #expect(server.lists.count == 2)
    #expect(sent.messages == [])
    // It is not waited for: it has not read what it was sent.
    #expect(!playlists.isAwaited)
    sent.hasRoom = true
    playlists.service(at: start + .seconds(3))
    playlists.service(at: start + .seconds(3))
    #expect(sent.messages == [.playlist(list: 0, [2])])
    #expect(playlists.await(0, after: 1))
    #expect(playlists.isAwaited)
  }

  @Test func list_thatIsComplete_isNotReloaded() {
    let playlists = playlists()
    #expect(!playlists.unfollow(0))
    #expect(playlists.follow(0, url: "a", every: .seconds(2), at: start))
    server.lists.last?.bring([1])
    playlists.service(at: start + .seconds(3))
    #expect(playlists.unfollow(0))
    // Neither the one that is under way, nor another one.
    #expect(server.lists.map(\.isCancelled) == [false, true])
    server.lists.last?.bring([2])
    #expect(playlists.deadline == nil)
    playlists.service(at: start + .seconds(60))
    #expect(server.lists.count == 2)
    #expect(sent.messages == [.playlist(list: 0, [1])])
    #expect(playlists.await(0, after: 1))
    #expect(!playlists.isAwaited)
  }

  @Test func list_thatIsOver_isNotAwaited() {
    let playlists = playlists()
    #expect(playlists.follow(0, url: "a", every: .seconds(2), at: start))
    #expect(playlists.await(0, after: 0))
    #expect(playlists.isAwaited)
    server.lists.last?.fail()
    #expect(
      sent.messages
        == [.playlistLost(list: 0, reason: "its live playlist cannot be fetched: gone")])
    #expect(playlists.await(0, after: 1))
    #expect(!playlists.isAwaited)
  }

  /// A decoder takes another variant where one cannot be played.
  @Test func list_ofAnotherAddress_isFollowedInItsPlace() {
    let playlists = playlists()
    #expect(playlists.follow(0, url: "a", every: .seconds(2), at: start))
    server.lists.last?.bring([1])
    playlists.service(at: start + .seconds(3))
    #expect(playlists.follow(0, url: "b", every: .seconds(2), at: start + .seconds(3)))
    #expect(server.lists.map(\.url) == ["a", "a", "b"])
    #expect(server.lists.map(\.isCancelled) == [false, true, false])
    server.lists[1].bring([2])
    #expect(playlists.await(0, after: 1))
    #expect(playlists.isAwaited)
    // The same bytes are new of another address.
    server.lists[2].bring([1])
    #expect(sent.messages == [.playlist(list: 0, [1]), .playlist(list: 0, [1])])
    #expect(!playlists.isAwaited)
    // Another interval is no change.
    #expect(playlists.follow(0, url: "b", every: .seconds(4), at: start + .seconds(3)))
    #expect(server.lists.count == 3)
  }

  @Test func list_changesItsAddress_aFewTimes() {
    let playlists = playlists()
    for number in 0...LivePlaylists.mostMoves {
      #expect(playlists.follow(0, url: "\(number)", every: .seconds(2), at: start))
    }
    #expect(!playlists.follow(0, url: "a", every: .seconds(2), at: start))
    #expect(server.lists.count == LivePlaylists.mostMoves + 1)
  }

  /// Once for its first pictures, and no more before it goes on.
  @Test(arguments: [true, false]) func list_ofAStoryThatIsPausedFromTheStart_isLoadedOnce(
    isPaused: Bool
  ) {
    let supply = PlaylistSupply(
      server, urgency: .playing, isPaused: isPaused, readsAhead: true,
      hasRoom: { [sent] in sent.hasRoom }, send: { [sent] in sent.messages.append($0) })
    #expect(supply.take(.follow(list: 0, url: nil, every: .seconds(2)), now: start))
    server.lists.last?.bring([1])
    #expect(server.lists.count == 1)
    #expect((supply.deadline == nil) == isPaused)
    supply.setPaused(false)
    #expect(supply.deadline != nil)
  }
}
