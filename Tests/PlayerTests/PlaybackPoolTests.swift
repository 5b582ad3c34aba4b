import DecoderLink
import Decoders
import Playback
import Resources
import Stories
import Support
import System
import Testing

@testable import Player

@Suite struct ReadyChangesTests {
  @Test(
    arguments: [
      // ready, wanted, current, failed before: closed, opened
      ([], [1, 2], nil, [], [], [1, 2]), ([1], [1, 2], nil, [], [], [2]),
      ([5, 1, 3], [1], nil, [], [3, 5], []), ([1, 2], [], nil, [], [1, 2], []),
      // The one that plays has a slot.
      ([], [1, 2], 1, [], [], [2]), ([3], [2, 1, 3], 2, [], [], [1]),
      // What failed is left alone.
      ([], [1, 2, 3], nil, [2], [], [1, 3]), ([2], [2], nil, [2], [], []),
      // The most urgent first.
      ([], [9, 1, 4], nil, [], [], [9, 1, 4]), ([1, 4], [9, 4, 0], 1, [0], [1], [9]),
    ] as [(Set<Int>, [Int], Int?, Set<Int>, [Int], [Int])])
  func changes_areWhatIsMissing_andWhatIsTooMuch(
    ready: Set<Int>, wanted: [Int], current: Int?, unready: Set<Int>, closed: [Int],
    opened: [Int]
  ) {
    let changes = ReadyChanges(from: ready, to: wanted, current: current, unready: unready)
    #expect(changes.closed == closed && changes.opened == opened)
    // After them nothing is left to change.
    let after = ready.subtracting(closed).union(opened)
    let again = ReadyChanges(from: after, to: wanted, current: current, unready: unready)
    #expect(again == ReadyChanges(from: [], to: [], current: nil, unready: []))
  }
}

/// The pool with real decoders, and stories that are files.
@Suite struct PlaybackPoolTests {
  private let directory: TemporaryDirectory
  private let network: Network
  private let stories: [Story]

  /// Three pictures, and one that is none.
  init() throws {
    directory = try TemporaryDirectory()
    var options = NetworkOptions()
    options.cacheDirectory = nil
    network = try Network(options)
    var paths: [String] = []
    for (name, colour) in [("red", 0xFF0000), ("green", 0xFF00), ("blue", 0xFF)]
      as [(String, UInt32)]
    {
      let bytes = makePNG(width: 8, height: 8) { _, _ in colour }
      paths.append(try directory.write(bytes, to: name + ".png"))
    }
    paths.append(try directory.write("no picture", to: "broken.png"))
    paths.append(directory.path("missing.png"))
    stories = paths.map { Story(source: .file($0)) }
  }

  private let shape = PictureRequest(width: 8, height: 8)
  private let red = 0
  private let green = 1
  private let blue = 2
  private let broken = 3
  private let missing = 4

  private func pool() -> PlaybackPool {
    PlaybackPool(
      stories: stories, decoders: DecoderPool(program: DecoderProgram(path: Programs.decoder)),
      bytes: StoryBytes(network), options: PlayOptions(), speaker: nil, shape: shape)
  }

  /// Lets the decoders work until something is so.
  private func work(_ pool: PlaybackPool, until condition: () -> Bool) throws {
    let end = Instant.now + .seconds(30)
    var loop = EventLoop()
    let bytes = ReadSource(network.descriptor) { _ in network.deliver() }
    while !condition() {
      guard Instant.now < end else { throw SupportError("the decoders do not get there") }
      try loop.turn(of: pool.all + [bytes], until: end)
    }
  }

  /// The colour that the current story shows; nil where it shows none, or fails.
  private func shown(_ pool: PlaybackPool) throws -> UInt32? {
    var step = StorySlot.Step.nothing
    try work(pool) {
      step = pool.current?.step(at: .now, lead: .zero) ?? .failed("nothing plays")
      if case .nothing = step { return false }
      return true
    }
    guard case .show(let picture) = step else { return nil }
    return picture.bitmap.pixels.first
  }

  @Test func ready_storyHasItsPicture_beforeItsTurn() throws {
    let pool = pool()
    defer { pool.close() }
    #expect(!pool.canPlayAtOnce(green))
    pool.keepReady([green, blue], now: .now)
    #expect(pool.all.count == 2 && pool.canPlayAtOnce(green))
    try work(pool) { pool.hasPicture(of: green) && pool.hasPicture(of: blue) }
    #expect(!pool.hasPicture(of: red) && !pool.hasPicture(of: nil))
    let slot = try #require(pool.all.first { $0.story == green })
    try pool.play(green, generation: 1, from: .zero, now: .now)
    // It is the same one, and has begun.
    #expect(pool.current === slot && slot.generation == 1 && slot.playback.state.isBegun)
    #expect(try shown(pool) == 0xFF00)
    #expect(slot.hasPicture && pool.all.count == 2)
  }

  @Test func play_withoutBeingReady_opensTheStory() throws {
    let pool = pool()
    defer { pool.close() }
    try pool.play(red, generation: 7, from: .zero, now: .now)
    #expect(pool.current?.story == red && pool.current?.generation == 7)
    #expect(try shown(pool) == 0xFF0000)
  }

  @Test func play_endsWhatPlayedBefore() throws {
    let pool = pool()
    defer { pool.close() }
    try pool.play(red, generation: 1, from: .zero, now: .now)
    try pool.play(blue, generation: 2, from: .zero, now: .now)
    #expect(pool.all.map(\.story) == [blue])
    pool.letGo()
    pool.endCurrent()
    #expect(pool.current == nil && pool.all.isEmpty)
  }

  @Test func ready_isWhatIsWanted_andNothingElse() throws {
    let pool = pool()
    defer { pool.close() }
    func ready() -> [Int] { pool.all.map(\.story).sorted() }
    pool.keepReady([red, green], now: .now)
    #expect(ready() == [red, green])
    let kept = try #require(pool.all.first { $0.story == green })
    pool.keepReady([green, blue], now: .now)
    #expect(ready() == [green, blue])
    #expect(pool.all.contains { $0 === kept })
    pool.keepReady([], now: .now)
    #expect(ready() == [])
    // A process waits for whatever comes next.
    #expect(pool.canPlayAtOnce(red))
  }

  @Test func failed_isDropped_andTriedAgainWhenItsTurnComes() throws {
    let pool = pool()
    defer { pool.close() }
    pool.keepReady([broken, green], now: .now)
    try work(pool) { pool.all.contains { $0.playback.isLost } }
    pool.dropFailed()
    #expect(pool.all.map(\.story) == [green])
    // It is left alone meanwhile.
    pool.keepReady([broken, green], now: .now)
    #expect(pool.all.map(\.story) == [green])
    try pool.play(broken, generation: 1, from: .zero, now: .now)
    #expect(try shown(pool) == nil)
    var reason: String?
    if case .failed(let words)? = pool.current?.playback.state { reason = words }
    #expect(reason?.isEmpty == false)
    // A socket that is always ready is not waited for.
    #expect(pool.current?.interest == nil)
  }

  @Test func missing_cannotBeReady_andSaysSoWhenItsTurnComes() throws {
    let pool = pool()
    defer { pool.close() }
    pool.keepReady([missing], now: .now)
    try work(pool) { pool.all.allSatisfy { $0.playback.isLost } }
    pool.dropFailed()
    #expect(pool.all.isEmpty)
  }

  @Test func reshape_reachesAllSlots_once() throws {
    let pool = pool()
    defer { pool.close() }
    try pool.play(red, generation: 1, from: .zero, now: .now)
    pool.keepReady([green], now: .now)
    #expect(try shown(pool) == 0xFF0000)
    try work(pool) { pool.hasPicture(of: green) }
    pool.reshape(PictureRequest(width: 4, height: 2), at: .now)
    #expect(pool.shape == PictureRequest(width: 4, height: 2))
    #expect(pool.current?.playback.shown?.bitmap.width == 8)
    try work(pool) {
      _ = pool.current?.step(at: .now, lead: .zero)
      return pool.current?.playback.shown?.bitmap.height == 2
    }
    try pool.play(green, generation: 2, from: .zero, now: .now)
    try work(pool) {
      _ = pool.current?.step(at: .now, lead: .zero)
      return pool.current?.playback.shown?.bitmap.height == 2
    }
  }
}
