import Testing

@testable import Player
@testable import Resources

/// What others may have while a story plays from the network.
@Suite struct SupplyTests {
  /// A story of 100 seconds, told to its 40th, that has been fetching for some milliseconds.
  private func supply(until share: Double, fetching: Int?, isStuck: Bool = false) -> Supply {
    Supply(
      progress: ResourceProgress(
        host: "host", heldBytes: UInt64(share * 1000), length: 1000, held: [0...share],
        isWaiting: false),
      fetching: fetching.map { .milliseconds($0) }, position: .seconds(40), length: .seconds(100),
      isStuck: isStuck)
  }

  struct Case: CustomTestStringConvertible {
    var seconds: Double
    var fetching: Int?
    var isComfortable = false
    var bearsNeighbours = false
    /// Nil for what may stay as it is.
    var needsTheLine: Bool?
    var testDescription: String { "\(seconds) s in hand, fetching for \(fetching ?? 0) ms" }
  }

  @Test(arguments: [
    Case(
      seconds: 10.5, fetching: 5000, isComfortable: true, bearsNeighbours: true,
      needsTheLine: false),
    Case(seconds: 9.5, fetching: 5000, needsTheLine: false),
    Case(seconds: 2.5, fetching: 1500, needsTheLine: true),
    // The line is faster than it reads: what its neighbours take costs it nothing.
    Case(seconds: 2.5, fetching: nil, bearsNeighbours: true, needsTheLine: false),
    // The next fetch, which a fast line has soon brought.
    Case(seconds: 2.5, fetching: 500, needsTheLine: nil),
    Case(seconds: 0.25, fetching: 10, needsTheLine: true),
    Case(seconds: 0.25, fetching: nil, needsTheLine: true),
  ])
  func inHand(example: Case) {
    let supply = supply(until: 0.4 + example.seconds / 100, fetching: example.fetching)
    #expect(supply.isComfortable == example.isComfortable)
    #expect(supply.bearsNeighbours == example.bearsNeighbours)
    #expect(supply.needsTheLine == example.needsTheLine)
  }

  @Test func stoppedStory_getsAll_whateverIsInHand() {
    let supply = supply(until: 0.9, fetching: nil, isStuck: true)
    #expect(!supply.isComfortable && !supply.bearsNeighbours && supply.needsTheLine == true)
  }

  @Test func wholeStory_needsNothing() {
    let supply = supply(until: 1, fetching: nil)
    #expect(supply.isComfortable && supply.bearsNeighbours && supply.needsTheLine == false)
    #expect(supply.lasts(.seconds(1000)))
  }

  /// A decoder waits for a moment at each part of a playlist: what others may have must not change
  /// as often.
  @Test(
    arguments: [
      (0, nil, false, true), (400, nil, false, true), (600, nil, true, false),
      (600, 1500, false, true), (600, 200, false, nil), (2000, 1500, true, false),
    ] as [(Int, Int?, Bool, Bool?)])
  func playlist_hasEnough_afterACalm(
    milliseconds: Int, fetching: Int?, bearsNeighbours: Bool, needsTheLine: Bool?
  ) {
    let supply = Supply(
      progress: supply(until: 0, fetching: nil).progress.ofPlaylist(),
      calm: .milliseconds(milliseconds), fetching: fetching.map { .milliseconds($0) },
      position: .zero, length: nil, isStuck: false)
    #expect(supply.bearsNeighbours == bearsNeighbours)
    #expect(supply.needsTheLine == needsTheLine)
    #expect(supply.isComfortable == (milliseconds >= 2000))
  }

  /// What lasts to the end lasts long enough.
  @Test func nearTheEnd_allThatIsLeftCounts() {
    var supply = supply(until: 1, fetching: 5000)
    supply.progress.heldBytes = 900
    supply.position = .seconds(99)
    #expect(supply.isComfortable && supply.needsTheLine == false)
  }
}
