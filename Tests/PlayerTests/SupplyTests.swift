import Testing

@testable import Player
@testable import Resources

/// What others may have while a story plays from the network.
@Suite struct SupplyTests {
  /// A story of 100 seconds, told to its 40th.
  private func supply(
    until share: Double, isFetching: Bool, isStuck: Bool = false
  ) -> Supply {
    Supply(
      progress: ResourceProgress(
        host: "host", heldBytes: UInt64(share * 1000), length: 1000, held: [0...share],
        isWaiting: false, isFetching: isFetching),
      position: .seconds(40), length: .seconds(100), isStuck: isStuck)
  }

  struct Case: CustomTestStringConvertible {
    var seconds: Double
    var isFetching: Bool
    var isComfortable: Bool
    var bearsNeighbours: Bool
    var needsTheLine: Bool
    var testDescription: String { "\(seconds) s in hand, fetching: \(isFetching)" }
  }

  @Test(arguments: [
    Case(
      seconds: 10.5, isFetching: true, isComfortable: true, bearsNeighbours: true,
      needsTheLine: false),
    Case(
      seconds: 9.5, isFetching: true, isComfortable: false, bearsNeighbours: false,
      needsTheLine: false),
    Case(
      seconds: 2.5, isFetching: true, isComfortable: false, bearsNeighbours: false,
      needsTheLine: true),
    // The line is faster than it reads: what its neighbours take costs it nothing.
    Case(
      seconds: 2.5, isFetching: false, isComfortable: false, bearsNeighbours: true,
      needsTheLine: false),
    Case(
      seconds: 0.25, isFetching: false, isComfortable: false, bearsNeighbours: false,
      needsTheLine: true),
  ])
  func inHand(example: Case) {
    let supply = supply(until: 0.4 + example.seconds / 100, isFetching: example.isFetching)
    #expect(supply.isComfortable == example.isComfortable)
    #expect(supply.bearsNeighbours == example.bearsNeighbours)
    #expect(supply.needsTheLine == example.needsTheLine)
  }

  @Test func stoppedStory_getsAll_whateverIsInHand() {
    let supply = supply(until: 0.9, isFetching: false, isStuck: true)
    #expect(!supply.isComfortable && !supply.bearsNeighbours && supply.needsTheLine)
  }

  @Test func wholeStory_needsNothing() {
    let supply = supply(until: 1, isFetching: false)
    #expect(supply.isComfortable && supply.bearsNeighbours && !supply.needsTheLine)
    #expect(supply.lasts(.seconds(1000)))
  }

  /// A decoder waits for a moment at each part of a playlist: what others may have must not change
  /// as often.
  @Test(arguments: [
    (0, false, false, true), (400, false, false, true), (600, false, true, false),
    (600, true, false, true), (1900, true, false, true), (2000, true, true, false),
  ])
  func playlist_hasEnough_afterACalm(
    milliseconds: Int, isFetching: Bool, bearsNeighbours: Bool, needsTheLine: Bool
  ) {
    let supply = Supply(
      progress: supply(until: 0, isFetching: isFetching).progress.ofPlaylist(),
      calm: .milliseconds(milliseconds), position: .zero, length: nil, isStuck: false)
    #expect(supply.bearsNeighbours == bearsNeighbours)
    #expect(supply.needsTheLine == needsTheLine)
    #expect(supply.isComfortable == (milliseconds >= 2000))
  }

  /// What lasts to the end lasts long enough.
  @Test func nearTheEnd_allThatIsLeftCounts() {
    var supply = supply(until: 1, isFetching: true)
    supply.progress.heldBytes = 900
    supply.position = .seconds(99)
    #expect(supply.isComfortable && !supply.needsTheLine)
  }
}
