import System

/// The bytes behind one web address, shared by all who read them: joins the cache's bytes and the
/// network's. On the player's loop alone.
///
/// What happens: the cache is asked what it has (`looking`); what is stale is checked with its
/// server (`checking`); then reads are answered from what is held, and what is missing is fetched
/// in windows that all readers share.
final class Content {
  enum Phase: Equatable { case looking, checking, ready }

  /// How parts may be put together.
  enum Mode {
    /// A strong validator vouches for any parts.
    case joined
    /// One answer brings all, in order.
    case whole
    /// Parts in memory only, for this run, by the length and a weak validator; beside them one
    /// answer may bring all for the disk.
    case loose
  }

  enum Storing { case undecided, asked, on, off }

  /// Files up to this size without a strong validator are fetched as one answer.
  static let mostAtOnce: UInt64 = 16 << 20
  /// Bytes that may be on their way to the disk, by all flights together.
  static let mostUnwritten: UInt64 = 1 << 20
  /// Bytes that are held in memory where nothing is stored.
  static let mostInMemory = 8 << 20

  let number: ContentNumber
  let address: WebAddress
  /// What the cache knows the bytes by.
  let key: String
  /// Whether it is a folder's list of itself.
  let isListing: Bool
  /// The playlist or feed that names it, where one does.
  let namedBy: WebAddress?
  /// Whether it may be fetched from a private network: what came from a public server itself may
  /// not lead into one.
  let reachesPrivate: Bool
  unowned let network: Network
  var phase = Phase.looking
  var mode = Mode.joined
  var storing = Storing.undecided
  var facts: ContentFacts?
  var stored: StoredBytes?
  /// What is on its way to the disk, or in place of it.
  var writeBuffer = WriteBuffer()
  /// Parts that no strong validator vouches for: they never come to the disk.
  var loose = WriteBuffer()
  /// Whether one answer may still bring all of it for the disk.
  var mayKeep = false
  /// Why it is not stored, in words that follow "cannot keep NAME: "; nil while it may be.
  var whyNotKept: String?
  /// What can be read: stored or in memory.
  var held = Extents()
  var flights: [FetchNumber: InFlightFetch] = [:]
  /// For how long what is stored need not be checked where its server says nothing.
  var freshSeconds: Int64 = 0
  /// Fetches begun so far.
  var started = 0
  var reads: [PendingRead] = []
  var readAhead = ReadAhead()
  var readers: Set<UInt64> = []
  /// Of readers that are not simply playing.
  private var urgencies: [UInt64: ResourceUrgency] = [:]
  /// Whether the length became known after the cache was asked to make an entry.
  var hasLateLength = false
  /// What each reader has seen: what it goes on with must not be of another generation, and what it
  /// reads again was not saved again.
  private var served: [UInt64: Extents] = [:]
  /// What has been read for those that may never be told: counted once they play.
  private var uncounted: [UInt64: Saving] = [:]
  /// How often it turned out to have changed before anybody saw any of it.
  var renewals = 0
  /// Whether all of it is asked for as one answer, since parts did not fit together.
  var wantsWhole = false
  /// What a whole answer has to agree with.
  var former: FormerBytes?
  /// Why its server does not give what is missing; nothing is fetched ahead while that stands.
  var refusal: Refusal?
  /// Entries that the cache was asked to make; only the last one counts.
  var createsPending = 0
  /// A range held against other processes that still has to be looked up in the index.
  struct Claim {
    var range: Range<UInt64>
    /// The reread of the index that was asked for after it was taken hold of. What an earlier one
    /// says of it may be older than what its former holder stored.
    var reread: UInt64
  }
  var unconfirmed: [Claim] = []
  /// Ranges to let go of, in the order in which the index hears of their bytes.
  var releases: [Range<UInt64>] = []
  var waitsForOther: Instant?
  /// Whether others wait until this process has made an entry of it.
  var isBeginning = false
  /// Rereads of the index asked for so far, and how many of them are not answered yet.
  var rereads: UInt64 = 0
  var rereadsPending = 0

  init(
    number: ContentNumber, address: WebAddress, isListing: Bool, namedBy: WebAddress?,
    network: Network
  ) {
    self.number = number
    self.isListing = isListing
    self.namedBy = namedBy
    reachesPrivate = namedBy.map(network.isPrivate) ?? true
    self.address = address
    self.network = network
    key = Content.key(of: address, isListing: isListing, network.options)
    network.cache?.send(.open(number, key: key, milliseconds: 0))
    if network.cache == nil { phase = .ready }
  }

  /// What the bytes of an address are known by: the account that they are asked for with counts.
  static func key(of address: WebAddress, isListing: Bool, _ options: NetworkOptions) -> String {
    let account = options.rules(for: address).compactMap(\.user).last
    return isListing
      ? "list " + address.identity(account: account)
      : options.profile(of: address).identity(of: address, account: account)
  }

  var info: ContentInfo? {
    guard let facts, phase == .ready else { return nil }
    return ContentInfo(length: facts.length, type: facts.type)
  }

  /// Whether somebody who still reads has seen bytes.
  var hasServed: Bool { !served.isEmpty }

  var isWaiting: Bool { !reads.isEmpty }

  /// Whether more of it is wanted now than is held.
  var isFetching: Bool {
    isWaiting || !unconfirmed.isEmpty || flights.values.contains { !standsStill($0) }
  }

  /// Whether nothing more can come for it once it has no readers.
  private var isIdle: Bool {
    flights.isEmpty && unconfirmed.isEmpty && rereadsPending == 0 && phase != .looking
      && createsPending == 0
  }

  // MARK: - Readers

  func read(_ read: PendingRead) {
    reads.append(read)
    let range = read.range(length: facts?.length)
    if !range.isEmpty { readAhead.note(range) }
    proceed()
  }

  /// No answer is wanted by a reader any more; what only it waited for is not fetched further.
  func cancel(_ reader: UInt64) {
    reads.removeAll { $0.reader == reader }
    guard reads.isEmpty, readers.allSatisfy({ $0 == reader || urgencies[$0] == .held }) else {
      return
    }
    // Nor what would come next, until something is read again.
    readAhead = ReadAhead()
    breakOff { !$0.isKept }
  }

  /// Ends what is under way and chosen, but for what is as good as here, and begins nothing that is
  /// not asked for again.
  private func breakOff(_ isChosen: (InFlightFetch) -> Bool) {
    for claim in unconfirmed { letGo(claim.range) }
    unconfirmed = []
    for (fetch, flight) in flights where !flight.isCheck && isChosen(flight) {
      network.loader?.cancel(fetch, unlessRemaining: 64 << 10)
    }
  }

  /// The most that any of its readers needs.
  var urgency: ResourceUrgency { readers.map { urgencies[$0] ?? .playing }.max() ?? .playing }

  /// Whether somebody who plays it waits for what is fetched.
  var isUrgent: Bool { urgency == .playing && !readers.isEmpty }

  func setUrgency(_ urgency: ResourceUrgency, of reader: UInt64) {
    guard (urgencies[reader] ?? .playing) != urgency else { return }
    urgencies[reader] = urgency
    if urgency == .playing, let saving = uncounted.removeValue(forKey: reader) {
      network.count(saving)
    }
    if self.urgency == .held { holdBack() } else { proceed() }
  }

  /// What waits for what is broken off has it fetched again later. What would have to come from its
  /// first byte on again is not broken off: it stands still (`updateAllowances`).
  private func holdBack() {
    breakOff { !$0.isWhole }
    updateUrgency()
  }

  func leave(_ reader: UInt64) {
    cancel(reader)
    urgencies[reader] = nil
    readers.remove(reader)
    served[reader] = nil
    uncounted[reader] = nil
    if readers.isEmpty { breakOff { _ in true } }
    if urgency == .held { holdBack() } else { updateUrgency() }
    closeIfIdle()
  }

  /// Lets go of everything when nobody reads and nothing comes any more.
  func closeIfIdle() {
    guard readers.isEmpty, isIdle else { return }
    network.forget(self)
    endBeginning()
    closeFormer()
    if let stored {
      if mode != .joined, !keepsWhole { network.cache?.send(.supersede(stored.content.entry)) }
      network.cache?.send(.close(stored.content.entry))
    }
    stored = nil
  }

  /// The end: what has come is stored as far as it may be.
  func wrapUp() {
    reads = []
    for fetch in Array(flights.keys) { _ = land(fetch) }
    endBeginning()
    closeFormer()
    guard let stored else { return }
    if mode != .joined, !keepsWhole { network.cache?.send(.supersede(stored.content.entry)) }
    network.cache?.send(.close(stored.content.entry))
    self.stored = nil
  }

  /// Whether every byte is held.
  var isWhole: Bool { facts?.length.map { held.contains(0..<$0) } ?? false }

  // MARK: - Going on

  /// Answers what can be answered and fetches what is missing.
  func proceed() {
    updateUrgency()
    serve()
    refuse()
    plan()
    settleBeginning()
    updateAllowances()
    closeIfIdle()
  }

  private func serve() {
    guard phase == .ready, facts != nil else { return }
    var answers: [(PendingRead, [UInt8])] = []
    reads.removeAll { read in
      guard let bytes = bytes(for: read) else { return false }
      answers.append((read, bytes))
      return true
    }
    for (read, bytes) in answers {
      let source = read.isMiss ? "the network" : stored == nil ? "memory" : "disk"
      log("bytes \(Content.logged(read.range(length: facts?.length))) from \(source)")
      guard !read.isOnlyFetch else {
        read.answer(.success([]))
        continue
      }
      let fresh = noteServed(read.offset..<read.offset + UInt64(bytes.count), to: read.reader)
      count(
        Saving(hits: read.isMiss ? 0 : 1, misses: read.isMiss ? 1 : 0, served: fresh),
        for: read.reader)
      read.answer(.success(bytes))
    }
  }

  private func count(_ saving: Saving, for reader: UInt64) {
    if (urgencies[reader] ?? .playing) == .playing {
      network.count(saving)
    } else {
      uncounted[reader] = (uncounted[reader] ?? Saving()) + saving
    }
  }

  /// How many bytes of a range a reader had not seen before.
  private func noteServed(_ range: Range<UInt64>, to reader: UInt64) -> UInt64 {
    guard !range.isEmpty else { return 0 }
    let seen = served[reader, default: Extents()]
    served[reader, default: Extents()].insert(range)
    return seen.holes(in: range).reduce(0) { $0 + UInt64($1.count) }
  }

  /// The bytes of a read; nil where some are missing.
  private func bytes(for read: PendingRead) -> [UInt8]? {
    let wanted = read.range(length: facts?.length)
    guard let range = answerable(wanted, least: read.least) else { return nil }
    if read.isOnlyFetch { return [] }
    var bytes: [UInt8] = []
    var position = range.lowerBound
    while position < range.upperBound {
      guard let part = part(from: position, upTo: range.upperBound) else { return nil }
      if bytes.isEmpty, part.count == range.count { return part.bytes }
      if bytes.isEmpty { bytes.reserveCapacity(range.count) }
      bytes += part.slice
      position += UInt64(part.count)
    }
    return bytes
  }

  /// As much of a range as can be given; nil where that is not enough.
  private func answerable(_ wanted: Range<UInt64>, least: Int?) -> Range<UInt64>? {
    if held.contains(wanted) { return wanted }
    // Where the length is not known, fewer bytes than asked for are the end.
    guard let least, facts?.length != nil else { return nil }
    let reach = held.end(from: wanted.lowerBound)
    return reach - wanted.lowerBound >= least ? wanted.lowerBound..<reach : nil
  }

  private func part(from position: UInt64, upTo end: UInt64) -> Part? {
    if let part = loose.read(from: position, upTo: end) { return part }
    if let part = writeBuffer.read(from: position, upTo: end) { return part }
    switch stored?.read(from: position, upTo: end) {
    case .bytes(let part): return part
    case .damaged(let segment):
      if let entry = stored?.content.entry { network.cache?.send(.drop(entry, segment)) }
      holdAnew()
      return nil
    case .hole, nil:
      holdAnew()
      return nil
    }
  }

  func holdAnew() {
    held = stored?.extents ?? Extents()
    held.formUnion(writeBuffer.extents)
    held.formUnion(loose.extents)
  }

  /// A fetch has failed for good: who waits is told, and who asks later is told the same without
  /// another request.
  func fail(_ error: FetchError) {
    let wasTold = refusal?.wasTold ?? false
    refusal = Refusal(error, at: .now)
    refusal?.wasTold = wasTold
    for claim in unconfirmed { letGo(claim.range) }
    unconfirmed = []
    tell(error)
  }

  /// Answers what waits for bytes that its server has just refused.
  private func refuse() {
    guard let refusal, isWaiting, refusal.stands(at: .now) else { return }
    tell(refusal.error)
  }

  /// Tells the readers of what does not come any more.
  private func tell(_ error: FetchError) {
    func isLost(_ read: PendingRead) -> Bool { !isComing(read) && !isHere(read) }
    let failed = reads.filter(isLost)
    guard !failed.isEmpty else { return }
    reads.removeAll(where: isLost)
    refusal?.wasTold = true
    for read in failed { read.answer(.failure(ResourceError(error))) }
  }

  /// Whether a read only has to be answered.
  private func isHere(_ read: PendingRead) -> Bool {
    phase == .ready && facts != nil && held.contains(read.range(length: facts?.length))
  }

  /// Whether the next byte that a read lacks is under way.
  private func isComing(_ read: PendingRead) -> Bool {
    guard phase == .ready else { return false }
    let next = held.end(from: read.range(length: facts?.length).lowerBound)
    return flights.values.contains { reach(of: $0).contains(next) }
  }

  // MARK: - Storing

  /// Sends a complete piece to the disk.
  func store(_ start: UInt64) {
    guard storing == .on, let stored, let bytes = writeBuffer.bytes(at: start) else { return }
    network.cache?.send(.write(number, stored.content.entry, at: start, bytes))
  }

  static let noRoom = "the cache has no room or cannot be written"

  func stopStoring(_ reason: String = noRoom) {
    log("is not kept: \(reason)", .info)
    storing = .off
    mayKeep = false
    whyNotKept = whyNotKept ?? reason
    writeBuffer.trim(to: Content.mostInMemory)
    holdAnew()
  }

  /// Notes what the cache does with it.
  func log(_ words: @autoclosure () -> String, _ level: Log.Level = .debug) {
    network.options.log.note(.cache, level, "\(address.logged) \(words())")
  }

  /// A range of bytes with its last one, as requests have it.
  static func logged(_ range: Range<UInt64>) -> String {
    range.isEmpty ? "none" : "\(range.lowerBound)-\(range.upperBound - 1)"
  }

  func letGo(_ range: Range<UInt64>) { stored?.content.blob.file.release(range) }
}
