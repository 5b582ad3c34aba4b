import Feeds
import Reactions
import Stories
import Support
import System
import Testing

@testable import Resources

/// Animations from a real server, and from a folder.
@Suite struct AnimationProviderTests {
  private let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  private func network() throws -> Network {
    try Network(NetworkOptions(cacheDirectory: directory.path("cache")))
  }

  private func provider(_ url: String, _ network: Network) -> AnimationProvider {
    AnimationProvider(endpoint: AnimationEndpoint(place: .url(url)), network: network)
  }

  private func wait(_ network: Network, while condition: () -> Bool) throws {
    func deliver() {
      _ = try? awaitReadiness(
        of: [Interest(network.descriptor)], until: .now + .milliseconds(20))
      network.deliver()
    }
    #expect(holds(pause: deliver) { !condition() })
  }

  private func refresh(_ provider: AnimationProvider, _ network: Network) throws {
    provider.refresh(at: .now)
    try wait(network) { provider.isLoading }
  }

  private func fetch(
    _ id: String, _ provider: AnimationProvider, _ network: Network
  ) throws -> Result<[UInt8], ResourceError> {
    var answer: Result<[UInt8], ResourceError>?
    provider.fetch(id, at: .now) { answer = $0 }
    try wait(network) { answer == nil }
    return try #require(answer)
  }

  private func load(_ url: String, _ network: Network) throws -> Result<[UInt8], ResourceError> {
    var answer: Result<[UInt8], ResourceError>?
    network.load(url, most: 1 << 20) { answer = $0 }
    try wait(network) { answer == nil }
    return try #require(answer)
  }

  private func list(_ ids: String...) -> [UInt8] {
    Array("[\(ids.map { #"{"id":"\#($0)"}"# }.joined(separator: ","))]".utf8)
  }

  @Test func staticFiles_areFoundBesideTheList() throws {
    let nginx = try Nginx()
    try nginx.serve(list("heart", "a b/c"), as: "e/animations.json")
    try nginx.serve([1, 2, 3], as: "e/heart.json")
    try nginx.serve([4, 5], as: "e/a b/c.json")
    let network = try network()
    defer { network.close() }
    let provider = provider("\(nginx.url)/e/", network)
    try refresh(provider, network)
    #expect(provider.catalogue?.entries.map(\.id) == ["heart", "a b/c"])
    #expect(provider.problem == nil)
    #expect(try fetch("heart", provider, network) == .success([1, 2, 3]))
    #expect(try fetch("a b/c", provider, network) == .success([4, 5]))
    #expect(
      nginx.accesses.map { "\($0.status) \($0.path)" }.prefix(4) == [
        "404 /e/animations", "206 /e/animations.json", "404 /e/animation/heart",
        "206 /e/heart.json",
      ])
    // What came once is kept while its list is.
    let count = nginx.accesses.count
    #expect(try fetch("heart", provider, network) == .success([1, 2, 3]))
    #expect(nginx.accesses.count == count)
  }

  @Test func serverOfItsOwn_isAskedByItsPaths() throws {
    let nginx = try Nginx()
    try nginx.serve(list("heart"), as: "animations")
    try nginx.serve([7], as: "animation/heart")
    let network = try network()
    defer { network.close() }
    let provider = provider(nginx.url, network)
    // Without a refresh before: the list comes first.
    #expect(try fetch("heart", provider, network) == .success([7]))
    #expect(nginx.accesses.map(\.path) == ["/animations", "/animation/heart"])
  }

  @Test func withdrawn_fromTheList_isForgotten_alsoOnDisk() throws {
    let nginx = try Nginx()
    try nginx.serve(list("heart", "star"), as: "animations")
    try nginx.serve([1], as: "heart.json")
    try nginx.serve([2], as: "star.json")
    let network = try network()
    let provider = provider(nginx.url, network)
    #expect(try fetch("heart", provider, network) == .success([1]))
    #expect(try fetch("star", provider, network) == .success([2]))
    try nginx.serve(list("heart", "new"), as: "animations")
    try nginx.serve([3], as: "new.json")
    try refresh(provider, network)
    #expect(provider.catalogue?.entries.map(\.id) == ["heart", "new"])
    #expect(try fetch("new", provider, network) == .success([3]))
    guard case .failure(let error) = try fetch("star", provider, network) else {
      Issue.record("what was withdrawn came")
      return
    }
    #expect(error.isGone)
    network.close()
    // Another run, without a server: what is offered is there, what was withdrawn is not.
    nginx.stop()
    let later = try self.network()
    defer { later.close() }
    let offline = self.provider(nginx.url, later)
    #expect(try fetch("heart", offline, later) == .success([1]))
    #expect(try fetch("new", offline, later) == .success([3]))
    #expect(offline.catalogue?.entries.count == 2)
    guard case .failure = try load("\(nginx.url)/star.json", later) else {
      Issue.record("a copy was left")
      return
    }
  }

  @Test(arguments: ["", "Cache-Control: no-cache"])
  func withdrawn_betweenTwoRuns_isForgottenOnDisk(_ field: String) throws {
    let header = field.isEmpty ? "" : "add_header Cache-Control no-cache;"
    let nginx = try Nginx(settings: header)
    try nginx.serve(list("heart", "star", "a b", "moon"), as: "animations")
    let names = ["animation/heart", "animation/star", "a b.json", "moon.json", "feed.json"]
    for name in names { try nginx.serve([1], as: name) }
    let urls = names.map { "\(nginx.url)/\($0.replacing(" ", with: "%20"))" }
    let network = try network()
    for url in urls { #expect(try load(url, network) == .success([1])) }
    let first = provider(nginx.url, network)
    try refresh(first, network)
    network.close()
    try nginx.serve(list("heart", "moon", "new"), as: "animations")
    let later = try self.network()
    let second = provider(nginx.url, later)
    try refresh(second, later)
    let end = Instant.now + .seconds(20)
    while second.isLooking, Instant.now < end {
      second.tick(at: .now)
      _ = try awaitReadiness(of: [], until: .now + .milliseconds(5))
    }
    #expect(!second.isLooking)
    later.close()
    nginx.stop()
    let offline = try self.network()
    defer { offline.close() }
    let left = try urls.filter { url in
      if case .success = try load(url, offline) { true } else { false }
    }
    #expect(left == [urls[0], urls[3], urls[4]])
  }

  @Test(arguments: [404, 410])
  func withdrawn_byItsServer_isForgotten_alsoOnDisk(_ status: Int) throws {
    let nginx = try Nginx(settings: "location /x { return \(status); }")
    try nginx.serve(list("heart"), as: "animations")
    try nginx.serve([1], as: "heart.json")
    let network = try network()
    #expect(try fetch("heart", provider(nginx.url, network), network) == .success([1]))
    // From now on its server says so.
    try nginx.folder.write(
      readText(nginx.folder.path("conf")).replacing(
        "location /x",
        with: "location = /animation/heart { return \(status); } "
          + "location = /heart.json"), to: "conf")
    nginx.stop()
    try nginx.start()
    guard case .failure(let error) = try fetch("heart", provider(nginx.url, network), network)
    else {
      Issue.record("what was withdrawn came")
      return
    }
    #expect(error.isGone)
    network.close()
    nginx.stop()
    let later = try self.network()
    defer { later.close() }
    guard case .failure = try load("\(nginx.url)/heart.json", later) else {
      Issue.record("a copy was left")
      return
    }
  }

  /// What `/animations` and `/animations.json` answer, and what is then said.
  @Test(arguments: [
    ("return 500;", "return 404;"), ("return 200 '<html>';", "return 200 '{}';"),
    ("return 410;", "return 403;"),
  ])
  func list_thatCannotBeRead_isAProblem_andTheAnimationsMayBeThere(
    _ first: String, _ second: String
  ) throws {
    let nginx = try Nginx(
      settings: "location = /animations { \(first) } location = /animations.json { \(second) }")
    try nginx.serve([1], as: "heart.json")
    let network = try network()
    defer { network.close() }
    let provider = provider(nginx.url, network)
    try refresh(provider, network)
    #expect(provider.catalogue == nil && provider.problem?.isEmpty == false)
    #expect(try fetch("heart", provider, network) == .success([1]))
  }

  @Test func list_whoseFirstPlaceIsTriedAgainAndAgain_comesFromTheNext() throws {
    let nginx = try Nginx(settings: "location = /animations { return 500; }")
    try nginx.serve(list("heart"), as: "animations.json")
    let network = try network()
    defer { network.close() }
    let provider = provider(nginx.url, network)
    let now = Instant.now
    provider.refresh(at: now)
    provider.tick(at: now + AnimationProvider.patience)
    try wait(network) { provider.isLoading }
    #expect(provider.catalogue?.entries.map(\.id) == ["heart"])
    // Not only when that one was given up.
    #expect(nginx.accesses.count { $0.status == 500 } < 6)
    try wait(network) { network.isFetching }
    #expect(provider.catalogue?.entries.map(\.id) == ["heart"])
  }

  @Test func list_thatIsAwaited_mayBeGivenUpAtTheEnd() throws {
    let nginx = try Nginx(settings: "location = /animations { return 500; }")
    let network = try network()
    let provider = provider(nginx.url, network)
    provider.refresh(at: .now)
    try wait(network) { !network.isFetching }
    network.close()
    #expect(provider.isLoading)
  }

  /// What `/animations` and `/animations.json` answer, and what of it is said.
  @Test(arguments: [
    ("return 200 '<html>';", "return 404;", "sends a web page instead"),
    ("return 404;", "return 200 '{}';", "no list of animations: it is an object, not an array"),
    ("return 200 '{}';", "return 200 '<html>';", "it is an object, not an array"),
    ("return 403;", "return 404;", "forbids it"), ("return 404;", "return 403;", "forbids it"),
    ("return 404;", "return 410;", "does not have it"),
  ])
  func list_thatCannotBeRead_isReportedByTheLikelierPlace(
    _ first: String, _ second: String, _ words: String
  ) throws {
    let nginx = try Nginx(
      settings: "location = /animations { \(first) } location = /animations.json { \(second) }")
    let network = try network()
    defer { network.close() }
    let provider = provider(nginx.url, network)
    try refresh(provider, network)
    let problem = try #require(provider.problem)
    #expect(problem.contains(words), "\(problem)")
  }

  @Test func list_thatBecomesUnreachable_staysAsItWas() throws {
    let nginx = try Nginx()
    try nginx.serve(list("heart"), as: "animations")
    let network = try network()
    defer { network.close() }
    let provider = provider(nginx.url, network)
    try refresh(provider, network)
    nginx.stop()
    try refresh(provider, network)
    #expect(provider.catalogue?.entries.map(\.id) == ["heart"])
  }

  @Test func answers_toAnEarlierQuestion_doNotCount() throws {
    let nginx = try Nginx()
    try nginx.serve(list("heart"), as: "animations")
    let network = try network()
    defer { network.close() }
    let provider = provider(nginx.url, network)
    provider.refresh(at: .now)
    try nginx.serve(list("heart", "star"), as: "animations")
    provider.refresh(at: .now)
    let edition = provider.edition
    try wait(network) { provider.isLoading }
    #expect(provider.edition == edition + 1)
  }

  @Test func file_thatIsNotWhatItsListDescribes_isRefused() throws {
    let nginx = try Nginx()
    let right = SHA256.hex(of: [1, 2])
    try nginx.serve(
      Array(#"[{"id":"a","sha256":"\#(right)"},{"id":"b","sha256":"\#(right)"}]"#.utf8),
      as: "animations")
    try nginx.serve([1, 2], as: "a.json")
    try nginx.serve([1, 3], as: "b.json")
    let network = try network()
    defer { network.close() }
    let provider = provider(nginx.url, network)
    #expect(try fetch("a", provider, network) == .success([1, 2]))
    #expect(
      try fetch("b", provider, network)
        == .failure(ResourceError("it is not what its list describes")))
  }

  @Test(arguments: [
    "", "..", String(repeating: "x", count: 4096), "no such\n", "../../etc/passwd", "%2e%2e/x",
  ])
  func id_thatIsNotThere_isAnswered(_ id: String) throws {
    let nginx = try Nginx()
    let network = try network()
    defer { network.close() }
    guard case .failure = try fetch(id, provider(nginx.url, network), network) else {
      Issue.record("something came")
      return
    }
    // The catalogue was asked for; a name that leads elsewhere never gets anything.
    #expect(!nginx.accesses.isEmpty)
    #expect(nginx.accesses.allSatisfy { !$0.path.contains("passwd") || $0.status == 404 })
  }

  /// All who want pictures of what is offered ask for it again and again.
  private func seeAll(
    _ provider: AnimationProvider, _ network: Network, rounds: Int = 4
  ) throws -> [Set<String>] {
    try (0..<rounds).map { _ in
      let ids = provider.catalogue?.entries.map(\.id) ?? []
      return try Set(
        ids.filter { id in
          if case .success = try fetch(id, provider, network) { true } else { false }
        })
    }
  }

  @Test(arguments: [404, 410])
  func listed_butNotThere_vanishes_andIsAskedForOnce(_ status: Int) throws {
    let nginx = try Nginx(
      settings: "location = /animation/gone { return \(status); } location = /gone.json "
        + "{ return \(status); }")
    try nginx.serve(list("gone", "heart", "a/../b"), as: "animations")
    try nginx.serve([1], as: "animation/heart")
    let network = try network()
    defer { network.close() }
    let provider = provider(nginx.url, network)
    try refresh(provider, network)
    let edition = provider.edition
    #expect(try seeAll(provider, network) == Array(repeating: ["heart"], count: 4))
    #expect(provider.catalogue?.entries.map(\.id) == ["heart"])
    // Who keeps the others goes on with them.
    #expect(provider.edition == edition)
    #expect(nginx.accesses.count { $0.path.contains("gone") } == 2)
    // The same list does not bring it back; the viewer who looks anew asks once more.
    try refresh(provider, network)
    #expect(provider.catalogue?.entries.map(\.id) == ["heart"])
    provider.refreshAnew(at: .now)
    try wait(network) { provider.isLoading }
    #expect(provider.catalogue?.entries.map(\.id) == ["gone", "heart", "a/../b"])
    #expect(try seeAll(provider, network) == Array(repeating: ["heart"], count: 4))
    #expect(nginx.accesses.count { $0.path.contains("gone") } == 4)
  }

  @Test func listed_butNotThere_comesBackWithAnotherHash() throws {
    let nginx = try Nginx()
    let entry = { (bytes: [UInt8]) in
      Array(#"[{"id":"a","sha256":"\#(SHA256.hex(of: bytes))"}]"#.utf8)
    }
    try nginx.serve(entry([1]), as: "animations")
    let network = try network()
    defer { network.close() }
    let provider = provider(nginx.url, network)
    guard case .failure = try fetch("a", provider, network) else {
      Issue.record("something came")
      return
    }
    #expect(provider.catalogue?.entries.map(\.id) == [])
    try nginx.serve([2, 3], as: "animation/a")
    try nginx.serve(entry([2, 3]) + Array(" ".utf8), as: "animations")
    try refresh(provider, network)
    #expect(try fetch("a", provider, network) == .success([2, 3]))
  }

  // MARK: - A folder

  @Test func folder_thatMissesWhatItsListNames_offersTheRest() throws {
    try directory.write(list("b", "../../etc/passwd", "a", ".x"), to: "f/animations.json")
    try directory.write(Lottie.text(), to: "f/a.json")
    let network = try network()
    defer { network.close() }
    let provider = folder(directory.path("f"), network)
    provider.refresh(at: .now)
    let edition = provider.edition
    #expect(try seeAll(provider, network) == Array(repeating: ["a"], count: 4))
    #expect(provider.catalogue?.entries.map(\.id) == ["a"])
    #expect(provider.edition == edition)
  }

  private func folder(_ path: String, _ network: Network) -> AnimationProvider {
    AnimationProvider(endpoint: AnimationEndpoint(place: .file(path)), network: network)
  }

  @Test func folder_withoutAList_offersItsAnimations() throws {
    try directory.write(Lottie.text(), to: "f/10.json")
    try directory.write(Lottie.text(), to: "f/9.json")
    try directory.write([0x1F, 0x8B], to: "f/sticker.tgs")
    try directory.write(#"{"version":"https://jsonfeed.org/version/1.1"}"#, to: "f/feed.json")
    try directory.write("no", to: "f/notes.txt")
    let network = try network()
    defer { network.close() }
    let provider = folder(directory.path("f"), network)
    provider.refresh(at: .now)
    #expect(provider.catalogue?.entries.map(\.id) == ["9", "10", "sticker"])
    #expect(try fetch("9", provider, network) == .success(Lottie.text()))
    guard case .failure(let error) = try fetch("../secret", provider, network) else {
      Issue.record("a file outside came")
      return
    }
    #expect(error.isGone)
  }

  @Test func folder_withAList_offersWhatItNames() throws {
    try directory.write(list("b", "a"), to: "f/animations.json")
    try directory.write(Lottie.text(), to: "f/a.json")
    try directory.write(Lottie.text(), to: "f/c.json")
    let network = try network()
    defer { network.close() }
    let provider = folder(directory.path("f"), network)
    provider.refresh(at: .now)
    #expect(provider.catalogue?.entries.map(\.id) == ["b", "a"])
    #expect(try fetch("a", provider, network) == .success(Lottie.text()))
    for id in ["b", "c"] {
      guard case .failure = try fetch(id, provider, network) else {
        Issue.record("\(id) came")
        return
      }
    }
  }

  @Test func folder_thatIsNotThere_isAProblem() throws {
    let network = try network()
    defer { network.close() }
    let provider = folder(directory.path("none"), network)
    provider.refresh(at: .now)
    #expect(provider.catalogue == nil && provider.problem?.isEmpty == false)
  }
}
