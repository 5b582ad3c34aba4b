import Testing

@testable import Player
@testable import System

@Suite struct EventLoopTests {
  /// A source that a waker makes readable, and that remembers how it was serviced.
  private final class Source: LoopSource {
    let waker: Waker
    var deadline: Instant?
    var isAwaited = true
    var serviced: [Readiness] = []
    /// Called with each service.
    var then: () -> Void = {}
    /// How many more times what comes concerns nobody else.
    var absorbs = 0
    var absorbed: [Readiness] = []

    init() throws { waker = try Waker() }

    var interest: Interest? { isAwaited ? Interest(waker.number) : nil }

    func service(_ readiness: Readiness, now: Instant) {
      serviced.append(readiness)
      then()
    }

    func absorb(_ readiness: Readiness, now: Instant) -> Bool {
      absorbed.append(readiness)
      absorbs -= 1
      return absorbs >= 0
    }
  }

  private let nothing = Readiness(readable: false, writable: false)
  private let read = Readiness(readable: true, writable: false)

  @Test func turn_servicesEachSourceWithItsOwnReadiness() throws {
    var loop = EventLoop()
    let sources = try (0..<5).map { _ in try Source() }
    sources[1].waker.wake()
    sources[4].waker.wake()
    try loop.turn(of: sources, until: nil)
    #expect(sources.map(\.serviced) == [[nothing], [read], [nothing], [nothing], [read]])
  }

  @Test func turn_doesNotWaitForASourceWithoutInterest() throws {
    var loop = EventLoop()
    let (silent, other) = (try Source(), try Source())
    silent.waker.wake()
    silent.isAwaited = false
    other.waker.wake()
    try loop.turn(of: [silent, other], until: nil)
    // It is serviced all the same, as time may have passed for it.
    #expect(silent.serviced == [nothing] && other.serviced == [read])
  }

  @Test func turn_endsAtTheEarliestDeadline() throws {
    var loop = EventLoop()
    let (first, second) = (try Source(), try Source())
    let began = Instant.now
    first.deadline = began + .seconds(60)
    second.deadline = began + .milliseconds(20)
    try loop.turn(of: [first, second], until: began + .seconds(30))
    let took = .now - began
    #expect(took >= .milliseconds(20) && took < .seconds(20))
    #expect(first.serviced == [nothing] && second.serviced == [nothing])
  }

  @Test func turn_goesOn_whereWhatComesConcernsNobodyElse() throws {
    var loop = EventLoop()
    let (first, second) = (try Source(), try Source())
    first.absorbs = 3
    first.waker.wake()
    try loop.turn(of: [first, second], until: nil)
    #expect(first.absorbed == [read, read, read, read])
    #expect(first.serviced == [read] && second.serviced == [nothing])
    #expect(loop.wakeUps == 4)
  }

  @Test func turn_ofTwoThatAreReady_absorbsNothing() throws {
    var loop = EventLoop()
    let (first, second) = (try Source(), try Source())
    for source in [first, second] {
      source.absorbs = 9
      source.waker.wake()
    }
    try loop.turn(of: [first, second], until: nil)
    #expect(first.absorbed == [] && second.absorbed == [])
    #expect(first.serviced == [read] && second.serviced == [read] && loop.wakeUps == 1)
  }

  @Test func turn_thatAbsorbs_endsAtItsMoment() throws {
    var loop = EventLoop()
    let source = try Source()
    source.absorbs = .max
    source.waker.wake()
    try loop.turn(of: [source], until: .now + .milliseconds(1))
    #expect(source.serviced == [read] && source.absorbed.count == loop.wakeUps)
    try loop.turn(of: [source], until: .now + .seconds(-1))
    #expect(source.serviced == [read, read])
  }

  @Test func turn_pastItsMoment_looksWithoutWaiting() throws {
    var loop = EventLoop()
    let source = try Source()
    source.waker.wake()
    try loop.turn(of: [source], until: .now + .seconds(-1))
    #expect(source.serviced == [read])
  }

  /// The sources of a turn are those that it began with: one that is closed meanwhile is serviced
  /// once more, one that came is not.
  @Test func turn_servicesInOrder_whateverTheFirstDoes() throws {
    var loop = EventLoop()
    let (first, second) = (try Source(), try Source())
    var order: [Int] = []
    first.then = {
      order.append(1)
      second.isAwaited = false
    }
    second.then = { order.append(2) }
    first.waker.wake()
    second.waker.wake()
    try loop.turn(of: [first, second], until: nil)
    #expect(order == [1, 2] && second.serviced == [read])
    try loop.turn(of: [first, second], until: nil)
    #expect(second.serviced == [read, nothing])
  }

  @Test func turns_withFewerOrMoreSources_mixNothingUp() throws {
    var loop = EventLoop()
    let sources = try (0..<4).map { _ in try Source() }
    for count in [4, 1, 3, 0, 2] {
      for source in sources { source.serviced = [] }
      if count > 0 { sources[count - 1].waker.wake() }
      try loop.turn(of: Array(sources.prefix(count)), until: .now)
      if count > 0 { sources[count - 1].waker.silence() }
      for (index, source) in sources.enumerated() {
        let expected = index >= count ? [] : [index == count - 1 ? read : nothing]
        #expect(source.serviced == expected, "\(count) sources, the \(index)th")
      }
    }
  }

  @Test func readSource_readsOnlyWhatIsReadable() throws {
    var loop = EventLoop()
    let waker = try Waker()
    var reads = 0
    let source = ReadSource(waker.number) { _ in reads += 1 }
    try loop.turn(of: [source], until: .now)
    #expect(reads == 0)
    waker.wake()
    try loop.turn(of: [source], until: nil)
    #expect(reads == 1)
  }

  @Test(
    arguments: [([], nil), ([nil], nil), ([nil, 3], 3), ([5, nil, 2, 4], 2), ([-1, 0], -1)]
      as [([Int?], Int?)])
  func earliest_isTheLeastOfWhatThereIs(moments: [Int?], expected: Int?) {
    let start = Instant.now
    func moment(_ seconds: Int?) -> Instant? { seconds.map { start + .seconds($0) } }
    var earliest = Earliest()
    for other in moments { earliest.add(moment(other)) }
    #expect(earliest.moment == moment(expected))
    var begun = Earliest(start)
    begun.add(moment(expected))
    #expect(begun.moment == min(start, moment(expected) ?? start))
  }
}
