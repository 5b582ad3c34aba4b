import Playback
import Testing

/// What others may have while a story plays from the network.
@Suite struct BufferStatusTests {
  /// A story of 100 seconds, played to its 40th, that has been fetching for some milliseconds.
  private func status(
    until share: Double, fetching: Int?, isStalled: Bool = false
  ) -> BufferStatus {
    BufferStatus(
      isWhole: share >= 1, availableUntil: .seconds(100) * share,
      fetching: fetching.map { .milliseconds($0) }, position: .seconds(40), length: .seconds(100),
      isStalled: isStalled)
  }

  struct Case: CustomTestStringConvertible {
    var seconds: Double
    var fetching: Int?
    var isComfortable = false
    var allowsPreloading = false
    /// Nil for what may stay as it is.
    var needsAllBandwidth: Bool?
    var testDescription: String { "\(seconds) s in hand, fetching for \(fetching ?? 0) ms" }
  }

  @Test(arguments: [
    Case(
      seconds: 10.5, fetching: 5000, isComfortable: true, allowsPreloading: true,
      needsAllBandwidth: false),
    Case(seconds: 9.5, fetching: 5000, needsAllBandwidth: false),
    Case(seconds: 2.5, fetching: 1500, needsAllBandwidth: true),
    // The line is faster than it reads: what its neighbours take costs it nothing.
    Case(seconds: 2.5, fetching: nil, allowsPreloading: true, needsAllBandwidth: false),
    // The next fetch, which a fast line has soon brought.
    Case(seconds: 2.5, fetching: 500, needsAllBandwidth: nil),
    Case(seconds: 0.25, fetching: 10, needsAllBandwidth: true),
    Case(seconds: 0.25, fetching: nil, needsAllBandwidth: true),
  ])
  func inHand(example: Case) {
    let status = status(until: 0.4 + example.seconds / 100, fetching: example.fetching)
    #expect(status.isComfortable == example.isComfortable)
    #expect(status.allowsPreloading == example.allowsPreloading)
    #expect(status.needsAllBandwidth == example.needsAllBandwidth)
  }

  @Test func stoppedStory_getsAll_whateverIsInHand() {
    let status = status(until: 0.9, fetching: nil, isStalled: true)
    #expect(!status.isComfortable && !status.allowsPreloading && status.needsAllBandwidth == true)
  }

  @Test func wholeStory_needsNothing() {
    let status = status(until: 1, fetching: nil)
    #expect(status.isComfortable && status.allowsPreloading && status.needsAllBandwidth == false)
    #expect(status.lasts(.seconds(1000)))
  }

  /// A decoder waits for a moment at each part of a playlist: what others may have must not change
  /// as often.
  @Test(
    arguments: [
      (0, nil, false, true), (400, nil, false, true), (600, nil, true, false),
      (600, 1500, false, true), (600, 200, false, nil), (2000, 1500, true, false),
    ] as [(Int, Int?, Bool, Bool?)])
  func playlist_hasEnough_afterACalm(
    milliseconds: Int, fetching: Int?, allowsPreloading: Bool, needsAllBandwidth: Bool?
  ) {
    let status = BufferStatus(
      isWhole: false, availableUntil: nil, calm: .milliseconds(milliseconds),
      fetching: fetching.map { .milliseconds($0) }, position: .zero, length: nil,
      isStalled: false)
    #expect(status.allowsPreloading == allowsPreloading)
    #expect(status.needsAllBandwidth == needsAllBandwidth)
    #expect(status.isComfortable == (milliseconds >= 2000))
  }

  /// What lasts to the end lasts long enough.
  @Test func nearTheEnd_allThatIsLeftCounts() {
    var status = status(until: 1, fetching: 5000)
    status.isWhole = false
    status.position = .seconds(99)
    #expect(status.isComfortable && status.needsAllBandwidth == false)
  }
}
