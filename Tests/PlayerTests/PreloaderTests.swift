import Stories
import Support
import System
import Testing

@testable import Player
@testable import Resources

/// What is fetched ahead, from a real server into a real cache.
@Suite struct PreloaderTests {
  private let directory: TemporaryDirectory
  private let nginx: Nginx

  /// Files of 300 kB.
  init() throws {
    directory = try TemporaryDirectory()
    nginx = try Nginx()
    for name in ["a", "b", "c"] {
      try nginx.serve([UInt8](repeating: 7, count: 300_000), as: name + ".mp4")
    }
  }

  /// A, b, c, and one that is not there; then a file of this machine.
  private var stories: [Story] {
    ["a", "b", "c", "missing"].map { Story(source: .url("\(nginx.url)/\($0).mp4")) }
      + [Story(source: .file("/d.mp4"))]
  }

  private func network(hasCache: Bool = true) throws -> Network {
    var options = NetworkOptions()
    options.cacheDirectory = hasCache ? directory.path("cache") : nil
    return try Network(options)
  }

  private var paths: [String] { nginx.accesses.map(\.path) }

  /// Lets the network work until something is so.
  private func work(_ network: Network, until condition: () -> Bool) throws {
    let end = Instant.now + .seconds(20)
    while !condition() {
      guard Instant.now < end else { throw SupportError("asked for \(paths)") }
      let ready = try awaitReadiness(
        of: [Interest(network.descriptor)], until: .now + .milliseconds(50))
      if ready[0].readable { network.deliver() }
    }
  }

  private func whole(_ stories: Int...) -> [Preloader.Wish] {
    stories.map { .init(story: $0, bytes: Preloader.mostOfNext) }
  }

  @Test func wishes_areFetched_oneAfterAnother() throws {
    let network = try network()
    let preloader = Preloader(stories: stories, network: network)
    preloader.want(whole(1, 0))
    try work(network) { paths.contains("/a.mp4") }
    // The server notes what it has answered: all of the first, and then the second.
    let last = try #require(paths.lastIndex(of: "/b.mp4"))
    #expect(paths.firstIndex(of: "/a.mp4") == last + 1 && !paths.contains("/c.mp4"))
    preloader.close()
    network.close()
  }

  @Test func wish_thatIsFulfilled_isNotFetchedAgain() throws {
    let network = try network()
    let preloader = Preloader(stories: stories, network: network)
    preloader.want(whole(0, 2))
    // The first is done once the second is asked for.
    try work(network) { paths.contains("/c.mp4") }
    let asked = paths.count { $0 == "/a.mp4" }
    preloader.want(whole(0, 1))
    try work(network) { paths.contains("/b.mp4") }
    #expect(paths.count { $0 == "/a.mp4" } == asked)
    preloader.close()
    network.close()
  }

  @Test func whatCannotBeFetched_doesNotHoldUpTheNext() throws {
    let network = try network()
    let preloader = Preloader(stories: stories, network: network)
    // One that is not there, and one that needs no fetching.
    preloader.want(whole(3, 4, 2))
    try work(network) { paths.contains("/c.mp4") }
    #expect(paths.first == "/missing.mp4")
    preloader.close()
    network.close()
  }

  @Test func heldBack_fetchesNothing_untilThereIsRoom() throws {
    let network = try network()
    let preloader = Preloader(stories: stories, network: network)
    preloader.holdBack(true)
    preloader.want(whole(0, 1))
    // What somebody else asks for comes meanwhile.
    var answer: Result<[UInt8], ResourceError>?
    network.load("\(nginx.url)/c.mp4", most: 1 << 20) { answer = $0 }
    try work(network) { answer != nil }
    #expect(Set(paths) == ["/c.mp4"])
    preloader.holdBack(false)
    try work(network) { paths.contains("/b.mp4") }
    #expect(paths.contains("/a.mp4"))
    preloader.close()
    network.close()
  }

  @Test func withoutACache_nothingIsFetchedAhead() throws {
    let network = try network(hasCache: false)
    let preloader = Preloader(stories: stories, network: network)
    preloader.want(whole(0, 1))
    var answer: Result<[UInt8], ResourceError>?
    network.load("\(nginx.url)/c.mp4", most: 1 << 20) { answer = $0 }
    try work(network) { answer != nil }
    #expect(Set(paths) == ["/c.mp4"])
    preloader.close()
    network.close()
  }
}
