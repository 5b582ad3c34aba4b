import System

/// The network with the cache in front of it. All calls and answers happen on one loop, which waits
/// for `descriptor` and then calls `deliver`.
public final class Network {
  public let options: NetworkOptions
  /// When this run began, in seconds since 1970.
  let began = WallClock.seconds
  private let waker: Waker
  /// Files of this machine that the same loop reads.
  let files: FileReads
  private(set) var loader: HTTPLoader?
  private(set) var cache: CacheThread?
  private var contents: [ContentNumber: Content] = [:]
  private var current: [String: ContentNumber] = [:]
  /// Nil without a cache and after `close`; the file is opened at the first fetch.
  private(set) lazy var creationLocks = options.cacheDirectory.map { CreationLocks($0, disk: disk) }
  /// Hashes of addresses whose bytes came from a private network, for the whole run: any of them
  /// may name other addresses at any time. They take one word each.
  private var privateSources: Set<Int> = []
  /// Origins that the viewer named.
  private var named: Set<String> = []
  private var owners: [FetchNumber: (content: ContentNumber, flight: FlightNumber)] = [:]
  /// Answers to reads, in order. They are delivered when no content is handling an event.
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
  /// Servers that the viewer was already told about.
  private var saidOf: Set<String> = []

  private let disk: any Disk

  /// Starts no thread yet; the first `open` does.
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

  /// Notes that the viewer has named an address, for example on the command line, rather than a
  /// feed or list: a netrc entry for any machine is used for its origin. Ignores what is no web
  /// address.
  public func note(named source: String) {
    if let address = WebAddress(source) { named.insert(address.origin) }
  }

  /// Opens a web address. The resource's `info` and reads show what it holds.
  ///
  /// - Parameters:
  ///   - feed: the address of the feed that names it, if that came from the network and was read
  ///     before: addresses in a feed from a public server never reach a private network.
  ///   - freshSeconds: after this time the server is asked again, if it says nothing itself; 0 for
  ///     content that changes often, nil for the value in the options.
  public func open(
    _ url: String, namedBy feed: String? = nil, freshSeconds: Int64? = nil
  ) throws(ResourceError) -> CachedResource {
    guard let address = WebAddress(url) else { throw ResourceError("is no web address") }
    return try open(address, namedBy: feed.flatMap { WebAddress($0) }, freshSeconds: freshSeconds)
  }

  /// Reads all of a web address, for example a feed. The server is asked each time whether it has
  /// changed; if the server is out of reach, the stored bytes are used.
  ///
  /// - Parameters:
  ///   - most: more bytes than this are refused.
  ///   - feed: the web address of the feed or list that names it, if a stranger wrote that: where
  ///     it came from decides what may be reached.
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

  /// Deletes what is stored of a web address, because it was withdrawn.
  public func discard(_ url: String) {
    if let address = WebAddress(url) { discard(address) }
  }

  func discard(_ address: WebAddress) {
    discard(key: Content.key(of: address, isListing: false, options))
  }

  func discard(key: String) { cache?.send(.discard(key: key)) }

  /// Opens a web address as it is now: nothing that is stored of it is used, and nothing is stored.
  func openAnew(
    _ address: WebAddress, namedBy playlist: WebAddress?
  ) throws(ResourceError) -> CachedResource {
    try prepare(for: address)
    nextNumber += 2
    let content = Content(
      number: ContentNumber(value: nextNumber + 1), address: address, isListing: false,
      isStored: false, namedBy: playlist, freshSeconds: 0, network: self)
    contents[content.number] = content
    return CachedResource(content, reader: nextNumber, network: self)
  }

  /// Asks a WebDAV server for the list of one folder, without its subfolders. The server is asked
  /// each time whether it has changed; if the server is out of reach, the stored list is used.
  ///
  /// - Parameters:
  ///   - url: the folder's address, with its last slash.
  ///   - folder: the address of the folder that names it, if any: where that came from decides what
  ///     may be reached.
  ///   - answer: gets the list as in RFC 4918, which `Feeds.WebFolder` reads, and the address that
  ///     it came from.
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

  /// Whether an address is a folder, by the configuration of its host and its last slash. Other
  /// addresses may be folders too: their servers show that by answering `list`.
  public func isCollection(_ url: String) -> Bool {
    guard let address = WebAddress(url) else { return false }
    return address.isFolder && options.profile(of: address).listsFolders
  }

  /// The address that a short form such as `yandex:/Stories/beach.mp4` stands for; nil for any
  /// other text.
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

  /// - Parameters:
  ///   - playlist: the playlist or feed that names the address; where it came from decides what may
  ///     be reached.
  ///   - creator: is told if the cache gets an entry for it that it did not have.
  func open(
    _ address: WebAddress, isListing: Bool = false, namedBy playlist: WebAddress? = nil,
    freshSeconds: Int64? = nil, creator: CreatedEntries? = nil
  ) throws(ResourceError) -> CachedResource {
    try prepare(for: address, isListing: isListing)
    nextNumber += 2
    let key = Content.key(of: address, isListing: isListing, options)
    if let number = current[key], let content = contents[number], content.namedBy == playlist {
      // Whoever opens it again wants a new attempt.
      content.handle(.reopen)
      return CachedResource(content, reader: nextNumber, network: self)
    }
    let content = Content(
      number: ContentNumber(value: nextNumber + 1), address: address, isListing: isListing,
      namedBy: playlist, freshSeconds: freshSeconds ?? options.freshSeconds, creator: creator,
      network: self)
    contents[content.number] = content
    current[key] = content.number
    return CachedResource(content, reader: nextNumber, network: self)
  }

  /// Starts the threads; throws for an address that must not be asked.
  private func prepare(
    for address: WebAddress, isListing: Bool = false
  ) throws(ResourceError) {
    guard !isClosed else { throw ResourceError("the network is closed") }
    let profile = options.profile(of: address)
    guard isListing || profile.file(of: address) != nil else {
      throw ResourceError("it names no file of \(profile.name)")
    }
    try start()
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

  /// Takes events from the threads and answers reads. Within an answer it gives no other answer.
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

  /// Requests sent so far, and bytes of bodies received.
  public var traffic: (requests: UInt64, bytes: UInt64) { loader?.traffic ?? finalTraffic }

  /// Bytes per second that servers sent lately; nil while nothing arrives.
  public var rate: UInt64? { rateMeter.rate(at: .now) }

  /// The bit rate that the line can sustain, with a quarter to spare; until it is measured, what
  /// most lines can.
  var bearableBitRate: UInt64 {
    rateMeter.best.map { min($0, 1 << 40) * 6 } ?? Network.usualBitRate
  }

  static let usualBitRate: UInt64 = 2_500_000

  /// Bytes that arrive within a quarter of a second. If a request has no more than this to come,
  /// the next one is sent, or the line would be idle in between.
  var littleLeft: UInt64 { max(64 << 10, (rate ?? 0) / 4) }

  /// Bytes that take more than a second to arrive.
  var muchLeft: UInt64 { max(256 << 10, rate ?? 0) }

  /// What the cache did in this run.
  public var saving: Saving {
    var saving = total
    saving.requests = traffic.requests
    return saving
  }

  /// Messages for the viewer, such as that there is no cache; each is given once.
  public func takeNotices() -> [String] {
    defer { notices = [] }
    return (cache?.takeNotices() ?? []) + notices
  }

  /// Tells the viewer something about a server, once per run.
  func sayOnce(_ words: String, of address: WebAddress) {
    if saidOf.insert(address.origin).inserted { notices.append(words) }
  }

  /// Ends all transfers and stores what has arrived. Waiting reads are not answered.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    for content in contents.values { content.stopFetching() }
    loader?.close()
    // The last bytes are stored too; the cache may still have to make an entry for them.
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

  /// Whether a request is under way.
  var isFetching: Bool { !owners.isEmpty }

  /// Whether nothing is read, fetched or held.
  var isIdle: Bool { contents.isEmpty }

  // MARK: - For contents

  /// The time and the line's speed, by which contents decide.
  var moment: ContentState.Moment {
    ContentState.Moment(
      now: .now, seconds: WallClock.seconds, littleLeft: littleLeft, muchLeft: muchLeft)
  }

  /// - Parameter read: makes the read with the number that it is given.
  func read(
    _ content: Content, answer: @escaping Content.Answer, _ read: (ReadNumber) -> PendingRead
  ) {
    guard !isClosed else { return answer(.failure(ResourceError("the network is closed"))) }
    content.read(read, answer: answer)
  }

  /// Queues the answer to a read; it is dropped if the reader withdraws the read before.
  func answer(
    _ content: Content, _ read: ReadNumber, _ result: Result<[UInt8], ResourceError>
  ) {
    answers.append((content, read, result))
  }

  /// Gives readers their answers. An answer may lead to further answers; they come after those that
  /// are queued.
  func deliverAnswers() {
    guard !isDelivering else { return }
    isDelivering = true
    defer { isDelivering = false }
    while !answers.isEmpty {
      let (content, read, result) = answers.removeFirst()
      content.takeAnswer(to: read)?(result)
    }
  }

  /// The loader, while new fetches are allowed.
  var openLoader: HTTPLoader? { isClosed ? nil : loader }

  /// Notes whether the bytes of an address came from a private network, in this run or when they
  /// were stored.
  func note(_ address: WebAddress, isPrivate: Bool) {
    if isPrivate {
      privateSources.insert(address.url.hashValue)
    } else {
      privateSources.remove(address.url.hashValue)
    }
  }

  /// Whether the viewer named the origin of an address.
  func isNamed(_ address: WebAddress) -> Bool { named.contains(address.origin) }

  /// Whether the bytes of an address came from a private network; false if nothing has come yet.
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

  /// Whoever opens its address from now on gets another content.
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
