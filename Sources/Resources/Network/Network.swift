import System

/// The network with the cache under it. All calls and answers happen on one loop, which waits for
/// `descriptor` and then calls `deliver`.
public final class Network {
  public let options: NetworkOptions
  /// When this run began, in seconds since 1970.
  let began = WallClock.seconds
  private let waker: Waker
  /// The files of this machine that are read beside it.
  let files: FileReads
  private(set) var loader: HTTPLoader?
  private(set) var cache: CacheThread?
  private var contents: [ContentNumber: Content] = [:]
  private var current: [String: ContentNumber] = [:]
  /// Nil without a cache and once closed; its file is opened when something is fetched first.
  private(set) lazy var creationLocks = options.cacheDirectory.map { CreationLocks($0, disk: disk) }
  /// Hashes of addresses whose bytes came from a private network: of all in this run, as any of them
  /// may name others at any time; a word for each is little.
  private var privateSources: Set<Int> = []
  /// Origins that the viewer named.
  private var named: Set<String> = []
  private var owners: [FetchNumber: (content: ContentNumber, flight: FlightNumber)] = [:]
  /// What reads are answered, once no content is at work; in order.
  private var answers: [(Content, ReadNumber, Result<[UInt8], ResourceError>)] = []
  private var isDelivering = false
  private var nextNumber: UInt64 = 1
  private var total = Saving()
  private var uncounted = Saving()
  private var countedRequests: UInt64 = 0
  private var isClosed = false
  private var rateMeter = RateMeter()
  private var finalTraffic: (requests: UInt64, bytes: UInt64) = (0, 0)

  private var notices: [String] = []
  /// Servers of which it was said that they are out of reach.
  private var saidOf: Set<String> = []

  private let disk: any Disk

  /// Starts nothing yet: that waits for the first `open`.
  public convenience init(_ options: NetworkOptions) throws(SystemError) {
    try self.init(options, disk: RealDisk())
  }

  init(_ options: NetworkOptions, disk: any Disk) throws(SystemError) {
    self.options = options
    self.disk = disk
    waker = try Waker()
    files = FileReads(waker)
  }

  deinit {
    loader?.close()
    cache?.close()
  }

  /// Readable when `deliver` has something to do.
  public var descriptor: Int32 { waker.number }

  /// Notes that the viewer has named an address, on the command line say, rather than a feed or a
  /// list: its origin gets what a netrc file has for any machine. Nothing for what is no web address.
  public func note(named source: String) {
    if let address = WebAddress(source) { named.insert(address.origin) }
  }

  /// Opens a web address. What it holds is told by the resource's `info` and reads.
  ///
  /// - Parameters:
  ///   - feed: the address of the feed that names it, where one from the network does and was read
  ///     before: one from a public server never reaches into a private network.
  ///   - freshSeconds: after which its server is asked again where it says nothing itself; 0 for
  ///     what changes often, nil for what the options say.
  public func open(
    _ url: String, namedBy feed: String? = nil, freshSeconds: Int64? = nil
  ) throws(ResourceError) -> CachedResource {
    guard let address = WebAddress(url) else { throw ResourceError("is no web address") }
    return try open(address, namedBy: feed.flatMap { WebAddress($0) }, freshSeconds: freshSeconds)
  }

  /// Reads all of a web address, such as a feed: checked with its server each time, and as it was
  /// where that is out of reach.
  ///
  /// - Parameters:
  ///   - most: bytes above which it is refused.
  ///   - feed: the web address of what names it, if that is a stranger: where that came from decides
  ///     what may be reached.
  public func load(
    _ url: String, most: Int, namedBy feed: String? = nil,
    answer: @escaping (Result<[UInt8], ResourceError>) -> Void
  ) {
    do throws(ResourceError) {
      let resource: CachedResource
      if let feed {
        resource = try WebOpener(self, playlist: feed).open(url, freshSeconds: 0)
      } else {
        resource = try open(url, freshSeconds: 0)
      }
      Network.readAll(resource, most: most, answer: answer)
    } catch {
      answer(.failure(error))
    }
  }

  /// Forgets what is stored of a web address: it was withdrawn.
  public func discard(_ url: String) {
    guard let address = WebAddress(url), let cache else { return }
    cache.send(.discard(key: Content.key(of: address, isListing: false, options)))
  }

  /// Asks a folder of a WebDAV server for the list of what is in it, not deeper: checked each
  /// time, and as it was where the server is out of reach.
  ///
  /// - Parameters:
  ///   - url: of the folder, with its last slash.
  ///   - folder: the address of the folder that names it, where one does: what that may reach decides.
  ///   - answer: gets the answer as RFC 4918 has it, which `Feeds.WebFolder` reads, and the address
  ///     that it came from.
  public func list(
    collection url: String, namedBy folder: String? = nil,
    answer: @escaping (Result<(bytes: [UInt8], address: String), ResourceError>) -> Void
  ) {
    do throws(ResourceError) {
      guard let address = WebAddress(url) else { throw ResourceError("is no web address") }
      let resource = try open(
        address, isListing: true, namedBy: folder.flatMap { WebAddress($0) }, freshSeconds: 0)
      Network.readAll(resource, most: 64 << 20) { result in
        answer(result.map { ($0, resource.answeredAt ?? url) })
      }
    } catch {
      answer(.failure(error))
    }
  }

  /// Whether an address is a folder by what the configuration says of its host and by its last
  /// slash. Others may be: their servers tell, by answering `list` or not.
  public func isCollection(_ url: String) -> Bool {
    guard let address = WebAddress(url) else { return false }
    return address.isFolder && options.profile(of: address).listsFolders
  }

  /// The address that a short form such as `yandex:/Stories/beach.mp4` stands for; nil for what is
  /// none.
  public func address(short: String) throws(ResourceError) -> String? {
    guard let (address, profile) = SourceProfile.expanding(short) else { return nil }
    guard options.profile(of: address) == profile else {
      throw ResourceError(
        "the configuration needs a section [host \(address.ruleName)] with profile = "
          + profile.name)
    }
    return address.url
  }

  private static func readAll(
    _ resource: CachedResource, most: Int,
    answer: @escaping (Result<[UInt8], ResourceError>) -> Void
  ) {
    // The closure keeps the resource until it is answered.
    resource.read(offset: 0, length: most + 1) { result in
      withExtendedLifetime(resource) {}
      answer(
        result.flatMap { bytes in
          bytes.count <= most ? .success(bytes) : .failure(ResourceError("it is too large"))
        })
    }
  }

  /// - Parameter playlist: what names the address; where that came from decides what it may reach.
  func open(
    _ address: WebAddress, isListing: Bool = false, namedBy playlist: WebAddress? = nil,
    freshSeconds: Int64? = nil
  ) throws(ResourceError) -> CachedResource {
    guard !isClosed else { throw ResourceError("the network is closed") }
    let profile = options.profile(of: address)
    guard isListing || profile.file(of: address) != nil else {
      throw ResourceError("it names no file of \(profile.name)")
    }
    try start()
    nextNumber += 2
    let key = Content.key(of: address, isListing: isListing, options)
    if let number = current[key], let content = contents[number], content.namedBy == playlist {
      // Who opens it anew wants it tried anew.
      content.handle(.reopen)
      return CachedResource(content, reader: nextNumber, network: self)
    }
    let content = Content(
      number: ContentNumber(value: nextNumber + 1), address: address, isListing: isListing,
      namedBy: playlist, freshSeconds: freshSeconds ?? options.freshSeconds, network: self)
    contents[content.number] = content
    current[key] = content.number
    return CachedResource(content, reader: nextNumber, network: self)
  }

  private func start() throws(ResourceError) {
    guard loader == nil else { return }
    do {
      if let directory = options.cacheDirectory {
        let (limits, disk) = (options.limits, disk)
        cache = try CacheThread(waker: waker) { () throws(CacheError) in
          try CacheStore(directory: directory, limits: limits, disk: disk)
        }
      }
      loader = try HTTPLoader(options: options, waker: waker)
    } catch {
      throw ResourceError(error.description)
    }
  }

  /// Takes in what has come and answers reads.
  public func deliver() {
    waker.silence()
    files.deliver()
    var stirred: Set<ContentNumber> = []
    for (number, event) in cache?.take() ?? [] {
      contents[number]?.take(event)
      stirred.insert(number)
    }
    for (fetch, event) in loader?.take() ?? [] {
      guard let (number, flight) = owners[fetch] else { continue }
      contents[number]?.take(event, flight)
      switch event {
      case .ended, .failed: owners[fetch] = nil
      case .head, .bytes: break
      }
      stirred.insert(number)
    }
    for number in stirred { contents[number]?.handle(.tick) }
    deliverAnswers()
    rateMeter.note(total: traffic.bytes, at: .now)
    passOnCounts(atLeast: 1 << 20)
  }

  /// What was asked of servers so far, and the bytes of their answers.
  public var traffic: (requests: UInt64, bytes: UInt64) { loader?.traffic ?? finalTraffic }

  /// Bytes a second that servers sent lately; nil while nothing comes.
  public var rate: UInt64? { rateMeter.rate(at: .now) }

  /// What the line carries for long, in bits a second, with a quarter of it to spare; until that is
  /// known, what most lines carry.
  var bearableBitRate: UInt64 {
    rateMeter.best.map { min($0, 1 << 40) * 6 } ?? 2_500_000
  }

  /// Bytes that come within a quarter of a second: with no more than that to come of one request it
  /// is time for the next, or the line would lie idle in between.
  var littleLeft: UInt64 { max(64 << 10, (rate ?? 0) / 4) }

  /// Bytes that take more than a second to come.
  var muchLeft: UInt64 { max(256 << 10, rate ?? 0) }

  /// What the cache did in this run.
  public var saving: Saving {
    var saving = total
    saving.requests = traffic.requests
    return saving
  }

  /// What the viewer should know, such as that there is no cache; each is said once.
  public func takeNotices() -> [String] {
    defer { notices = [] }
    return (cache?.takeNotices() ?? []) + notices
  }

  /// Tells the viewer something of a server, once in this run.
  func sayOnce(_ words: String, of address: WebAddress) {
    if saidOf.insert(address.origin).inserted { notices.append(words) }
  }

  /// Ends all transfers and brings what has come to the disk. Reads that wait are not answered.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    loader?.close()
    // What came last is stored too, for which the cache may still have to make room.
    deliver()
    let deadline = Instant.now + .seconds(2)
    while contents.values.contains(where: { $0.state.createsPending > 0 }), Instant.now < deadline {
      _ = try? awaitReadiness(of: [Interest(waker.number)], until: deadline)
      deliver()
    }
    for content in contents.values { content.end() }
    passOnCounts(atLeast: 0)
    cache?.close()
    contents = [:]
    finalTraffic = traffic
    loader = nil
    cache = nil
    creationLocks = nil
  }

  /// Whether a server is asked for something.
  var isFetching: Bool { !owners.isEmpty }

  /// Whether nothing is read, fetched or held.
  var isIdle: Bool { contents.isEmpty }

  // MARK: - For contents

  /// What contents decide by at present.
  var moment: ContentState.Moment {
    ContentState.Moment(
      now: .now, seconds: WallClock.seconds, littleLeft: littleLeft, muchLeft: muchLeft)
  }

  /// - Parameter read: gets the number of the read.
  func read(
    _ content: Content, answer: @escaping Content.Answer, _ read: (ReadNumber) -> PendingRead
  ) {
    guard !isClosed else { return answer(.failure(ResourceError("the network is closed"))) }
    content.read(read, answer: answer)
  }

  /// Answers a read, unless its reader withdraws it before.
  func answer(
    _ content: Content, _ read: ReadNumber, _ result: Result<[UInt8], ResourceError>
  ) {
    answers.append((content, read, result))
  }

  /// Gives readers their answers. What one of them does thereupon may bring more, which come after
  /// those that wait.
  func deliverAnswers() {
    guard !isDelivering else { return }
    isDelivering = true
    defer { isDelivering = false }
    while !answers.isEmpty {
      let (content, read, result) = answers.removeFirst()
      content.takeAnswer(to: read)?(result)
    }
  }

  /// The loader, while it may be given something to do.
  var openLoader: HTTPLoader? { isClosed ? nil : loader }

  /// Notes where the bytes of an address came from, in this run or when they were stored.
  func note(_ address: WebAddress, isPrivate: Bool) {
    if isPrivate {
      privateSources.insert(address.url.hashValue)
    } else {
      privateSources.remove(address.url.hashValue)
    }
  }

  /// Whether the viewer named the origin of an address.
  func isNamed(_ address: WebAddress) -> Bool { named.contains(address.origin) }

  /// Whether the bytes of an address came from a private network; false while nothing came.
  func isPrivate(_ address: WebAddress) -> Bool { privateSources.contains(address.url.hashValue) }

  func own(_ fetch: FetchNumber, _ content: ContentNumber, _ flight: FlightNumber) {
    owners[fetch] = (content, flight)
  }

  func count(_ saving: Saving) {
    total = total + saving
    uncounted = uncounted + saving
  }

  func forget(_ content: Content) {
    contents[content.number] = nil
    outdate(content)
  }

  /// Who opens its address from now on gets another one.
  func outdate(_ content: Content) {
    if current[content.key] == content.number { current[content.key] = nil }
  }

  private func passOnCounts(atLeast bytes: UInt64) {
    guard uncounted.served + uncounted.fetched >= bytes, let cache else { return }
    let requests = traffic.requests
    uncounted.requests = requests - countedRequests
    countedRequests = requests
    if uncounted != Saving() { cache.send(.count(uncounted)) }
    uncounted = Saving()
  }
}
