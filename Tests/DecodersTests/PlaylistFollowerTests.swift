import System
import Testing

@testable import Decoders

/// When a playlist that grows is reloaded, and when it is given up.
@Suite struct PlaylistFollowerTests {
  private let start = Instant.now
  private func at(_ seconds: Double) -> Instant { start + .milliseconds(Int64(seconds * 1_000)) }

  private func follower(every seconds: Double = 6, isActive: Bool = true) -> PlaylistFollower {
    PlaylistFollower(
      every: .milliseconds(Int64(seconds * 1_000)), isActive: isActive, at: start)
  }

  /// The reload begins at once, then after the interval, or half of it without a change.
  @Test func reloads_comeAtTheInterval_orTwiceAsOften() {
    var follower = follower()
    #expect(follower.tick(at: at(0)) == .fetch)
    #expect(follower.tick(at: at(1)) == nil)
    #expect(follower.loaded(.success([1]), at: at(1)) == .deliver([1]))
    // Measured from when the last reload began.
    #expect(follower.deadline == at(6))
    #expect(follower.tick(at: at(5.9)) == nil)
    #expect(follower.tick(at: at(6)) == .fetch)
    #expect(follower.loaded(.success([1]), at: at(6.5)) == nil)
    #expect(follower.deadline == at(9))
    #expect(follower.tick(at: at(9)) == .fetch)
    #expect(follower.loaded(.success([1, 2]), at: at(9.1)) == .deliver([1, 2]))
    #expect(follower.deadline == at(15))
    follower.change(to: .seconds(2))
    #expect(follower.deadline == at(11))
  }

  @Test func reload_thatFails_isTriedAgain() {
    var follower = follower()
    #expect(follower.tick(at: at(0)) == .fetch)
    #expect(follower.loaded(.success([1]), at: at(0)) == .deliver([1]))
    #expect(follower.tick(at: at(6)) == .fetch)
    #expect(follower.loaded(.failure(FollowError(reason: "busy")), at: at(7)) == nil)
    #expect(follower.deadline == at(9))
    #expect(follower.tick(at: at(9)) == .fetch)
    #expect(follower.loaded(.success([2]), at: at(9)) == .deliver([2]))
  }

  @Test func firstReload_thatFails_isTheLast() {
    var follower = follower()
    #expect(follower.tick(at: at(0)) == .fetch)
    #expect(
      follower.loaded(.failure(FollowError(reason: "gone")), at: at(1))
        == .giveUp("its live playlist cannot be fetched: gone"))
    #expect(follower.deadline == nil)
    #expect(follower.tick(at: at(100)) == nil)
  }

  /// After half a minute, or five intervals, without anything new; also while a reload hangs.
  @Test(arguments: [(2.0, 30.0), (6, 30), (10, 50)])
  func playlist_withoutAnythingNew_isGivenUp(interval: Double, patience: Double) {
    var follower = follower(every: interval)
    #expect(follower.tick(at: at(0)) == .fetch)
    #expect(follower.loaded(.success([1]), at: at(0)) == .deliver([1]))
    var now = at(0)
    var words: String?
    while words == nil, let next = follower.deadline {
      #expect(next > now)
      now = next
      switch follower.tick(at: now) {
      case .fetch: #expect(follower.loaded(.success([1]), at: now) == nil)
      case .giveUp(let reason): words = reason
      case .deliver, nil: break
      }
    }
    #expect(now == at(patience))
    #expect(words == "the live story has stopped: nothing new has come for \(Int(patience)) s")
  }

  @Test func reload_thatHangs_isGivenUp() {
    var follower = follower()
    #expect(follower.tick(at: at(0)) == .fetch)
    #expect(follower.deadline == at(30))
    #expect(
      follower.tick(at: at(30))
        == .giveUp("the live story has stopped: nothing new has come for 30 s"))
    #expect(follower.loaded(.success([1]), at: at(31)) == nil)
  }

  /// A story that is paused, or only kept ready, is loaded once, and its time does not pass.
  @Test func inactive_isNotReloaded() {
    var follower = follower(isActive: false)
    #expect(follower.tick(at: at(0)) == .fetch)
    #expect(follower.loaded(.success([1]), at: at(0)) == .deliver([1]))
    #expect(follower.deadline == nil)
    #expect(follower.tick(at: at(600)) == nil)
    follower.setActive(true, at: at(600))
    #expect(follower.tick(at: at(600)) == .fetch)
    #expect(follower.loaded(.success([1]), at: at(600)) == nil)
    #expect(follower.deadline == at(603))
  }

  @Test(arguments: [(0.0, 0.5), (0.1, 0.5), (3, 3), (1_000, 60)])
  func interval_isNeitherTooShortNorTooLong(asked: Double, expected: Double) {
    #expect(follower(every: asked).interval == .milliseconds(Int64(expected * 1_000)))
  }
}
