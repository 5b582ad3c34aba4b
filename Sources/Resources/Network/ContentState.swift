import System

/// What is known and under way for the bytes behind one web address, for all its readers. It
/// handles events and returns actions, which `Content` carries out. It does no I/O and has no
/// clock.
///
/// First the cache is asked which bytes it has, and stale ones are checked with the server. Then
/// reads are answered from held bytes, and missing ones are fetched in windows that all readers
/// share.
///
/// ```
/// looking ──▶ unknown ◀──▶ locking ──▶ looking
///    │        ▲  │ ▲
///    ▼        │  ▼ │ (changed before anybody saw it)
/// checking ───┴▶ known (joined, whole, loose)
/// ```
struct ContentState {
  /// How parts may be joined.
  enum Mode: Equatable {
    /// A strong validator vouches for the parts.
    case joined
    /// One answer brings the whole content, in order.
    case whole
    /// Parts are joined by the length and a weak validator, in memory and for this run only.
    /// Besides, one answer may bring the whole content for the disk.
    case loose
  }

  enum Phase: Equatable {
    /// The cache is asked which bytes it has. Next: `unknown`, `checking` or `known`.
    case looking
    /// The making of the entry is being locked against other processes, to fetch this range. Next:
    /// `looking`, or `unknown` if another process takes too long.
    case locking(Range<UInt64>)
    /// Nothing is known of the bytes. Next: `locking`, or `known` by the first answer.
    case unknown
    /// The server is asked whether the stored bytes are still valid. Next: `known`, or `unknown` if
    /// they are not.
    case checking(ContentFacts, Mode)
    /// Reads are answered. Next: `unknown`, if the bytes change before anybody has seen any.
    case known(ContentFacts, Mode)
  }

  /// Whether new bytes are stored.
  enum Storing: Equatable {
    /// The first answer will decide.
    case undecided
    /// One answer may bring the whole content for the disk, once somebody plays it.
    case deferred
    /// The cache is making an entry. The length may have become known since.
    case asked(hasLateLength: Bool)
    case on(StoredEntry)
    /// No more, but stored bytes may still be read.
    case off(StoredEntry?)
  }

  /// The lock on making the entry, which the index cannot show to other processes yet.
  enum CreationLock { case notNeeded, free, held }

  /// A range that is claimed against other processes, or about to be.
  struct Claim: Equatable {
    var range: Range<UInt64>
    /// The first reread of the index that was asked for after the claim succeeded; results of
    /// earlier ones may be older than what the former holder stored. Nil until it succeeds.
    var reread: UInt64?
  }

  /// What is known of a content when it is opened.
  struct Setup {
    var address: WebAddress
    var isListing = false
    var hasCache = true
    /// How long stored bytes stay fresh, if the server does not say.
    var freshSeconds: Int64 = 0
    /// When this run began, in seconds since 1970.
    var began: Int64 = 0
    /// How long another process that stores nothing new is waited for.
    var patienceWithOthers = Duration.seconds(4)
  }

  /// The time and the state of the line at an event.
  struct Moment {
    var now: Instant
    /// Seconds since 1970.
    var seconds: Int64
    /// When a fetch has no more bytes than this to come, the next one begins.
    var littleLeft: UInt64
    /// Bytes that take more than a second to arrive.
    var muchLeft: UInt64
  }

  struct Reader {
    var urgency = ResourceUrgency.playing
    /// The bytes that it was given: the rest must not be of another version, and reading them again
    /// saves nothing.
    var seen = Extents()
    /// Reads that it made before it played, which it may never do. They are counted once it plays.
    var uncounted = Saving()
  }

  /// Files up to this size without a strong validator are fetched as one answer.
  static let mostAtOnce: UInt64 = 16 << 20
  /// Bytes that may be on their way to the disk, by all fetches together.
  static let mostUnwritten: UInt64 = 1 << 20
  /// Bytes that are kept in memory if nothing is stored.
  static let mostInMemory = 8 << 20

  let setup: Setup
  /// The moment of the event that is being handled.
  var moment: Moment
  /// The actions for that event so far.
  var actions: [ContentAction] = []
  var phase: Phase
  var storing = Storing.undecided
  /// Why it is not stored, in words that follow "cannot keep NAME: "; nil while it may be.
  var whyNotKept: String?
  /// Bytes that are not written to the disk yet, or will not be.
  var memory = WriteBuffer()
  /// Parts without a strong validator, which are never stored.
  var loose = WriteBuffer()
  /// Bytes that can be read: stored or in memory.
  var held = Extents()
  var flights: [FlightNumber: InFlightFetch] = [:]
  /// Fetches begun so far.
  var started: UInt64 = 0
  /// Whether new fetches may begin: the network has not closed.
  var mayFetch = true
  var reads: [PendingRead] = []
  var readAhead = ReadAhead()
  var readers: [UInt64: Reader] = [:]
  /// How often it had changed before anybody had seen any bytes.
  var renewals = 0
  /// Whether only whole answers are asked for, because parts did not fit together.
  var wantsWhole = false
  /// The bytes that a whole answer is compared with.
  var former: FormerBytes?
  /// The server's last error; nothing is fetched ahead while it stands.
  var refusal: Refusal?
  /// Entries that the cache was asked to make; only the last one is used.
  var createsPending = 0
  var claims: [Claim] = []
  /// Claims that are released in this order, when the index has their bytes.
  var releases: [Range<UInt64>] = []
  var creationLock: CreationLock
  /// Since when another process is waited for.
  var waitsForOther: Instant?
  /// Rereads of the index that were asked for, and how many of them are not answered yet.
  var rereads: UInt64 = 0
  var rereadsPending = 0

  init(_ setup: Setup, at moment: Moment) {
    self.setup = setup
    self.moment = moment
    phase = setup.hasCache ? .looking : .unknown
    creationLock = setup.hasCache ? .free : .notNeeded
  }

  mutating func handle(_ event: ContentEvent, at moment: Moment) -> [ContentAction] {
    self.moment = moment
    switch event {
    case .join(let reader): readers[reader] = Reader()
    case .leave(let reader): leave(reader)
    case .read(let read): add(read)
    case .cancel(let reader): cancel(reader)
    case .setUrgency(let urgency, let reader): setUrgency(urgency, of: reader)
    case .reopen: refusal = nil
    case .stopFetching: mayFetch = false
    case .opened(let found): opened(found)
    case .created(let entry): created(entry)
    case .written(let entry, let range): written(range, to: entry)
    case .refused(let number): if number == entry?.number { stopKeeping() }
    case .reread(let entry, let extents, let number): reread(entry, extents, number: number)
    case .flushed(let entry): flushed(entry)
    case .fetched(let flight, let event, let agrees): fetched(event, flight, agrees: agrees)
    case .claimed(let part, let range): claimed(part, of: range)
    case .lockedCreation(let isHeld): lockedCreation(isHeld)
    case .answered(let read, let bytes): answered(read, bytes: bytes)
    case .unreadable(let read, let left): unreadable(read, left: left)
    case .tick: proceed()
    case .end: end()
    }
    defer { actions = [] }
    return actions
  }

  // MARK: - What is known

  var facts: ContentFacts? {
    switch phase {
    case .looking, .locking, .unknown: nil
    case .checking(let facts, _), .known(let facts, _): facts
    }
  }

  /// Nil while nothing is known.
  var mode: Mode? {
    switch phase {
    case .looking, .locking, .unknown: nil
    case .checking(_, let mode), .known(_, let mode): mode
    }
  }

  var length: UInt64? { facts?.length }

  /// What readers may know: nothing until the stored bytes count as valid.
  var info: ContentInfo? {
    guard case .known(let facts, _) = phase else { return nil }
    return ContentInfo(length: facts.length, type: facts.type)
  }

  /// Whether fetched bytes are stored, as far as is known.
  var keepsBytes: Bool {
    switch storing {
    case .undecided, .asked, .on: true
    case .deferred, .off: false
    }
  }

  mutating func change(_ change: (inout ContentFacts) -> Void) {
    switch phase {
    case .looking, .locking, .unknown: break
    case .checking(var facts, let mode):
      change(&facts)
      phase = .checking(facts, mode)
    case .known(var facts, let mode):
      change(&facts)
      phase = .known(facts, mode)
    }
  }

  /// Reads are answered from now on, and parts are joined in this way.
  mutating func become(_ mode: Mode) {
    guard let facts else { return }
    phase = .known(facts, mode)
  }

  /// The stored bytes count as valid.
  mutating func endCheck() {
    if case .checking(let facts, let mode) = phase { phase = .known(facts, mode) }
  }

  /// The entry whose bytes can be read.
  var entry: StoredEntry? {
    switch storing {
    case .undecided, .deferred, .asked: nil
    case .on(let entry): entry
    case .off(let entry): entry
    }
  }

  mutating func setExtents(_ extents: Extents) {
    switch storing {
    case .undecided, .deferred, .asked, .off(nil): break
    case .on(let entry): storing = .on(StoredEntry(number: entry.number, extents: extents))
    case .off(let entry?): storing = .off(StoredEntry(number: entry.number, extents: extents))
    }
    holdAnew()
  }

  mutating func holdAnew() {
    held = entry?.extents ?? Extents()
    held.formUnion(memory.extents)
    held.formUnion(loose.extents)
  }

  /// Whether every byte is held.
  var isWhole: Bool { length.map { held.contains(0..<$0) } ?? false }

  /// Whether more bytes are wanted now than are held.
  var isFetching: Bool {
    !reads.isEmpty || !claims.isEmpty || flights.values.contains { !standsStill($0) }
  }

  /// Whether no event can come for it once it has no readers.
  private var isIdle: Bool {
    switch phase {
    case .looking, .locking: false
    case .unknown, .checking, .known:
      flights.isEmpty && claims.isEmpty && rereadsPending == 0 && createsPending == 0
    }
  }

  // MARK: - Going on

  /// Answers reads that can be answered, and fetches missing bytes.
  mutating func proceed() {
    updatePriorities()
    answerReads()
    answerByRefusal()
    plan()
    settleCreation()
    updateAllowances()
    closeIfIdle()
  }

  /// Closes everything if there are no readers and no event can come any more.
  mutating func closeIfIdle() {
    guard readers.isEmpty, isIdle else { return }
    actions.append(.forget)
    close()
  }

  /// Stores the bytes that have arrived, as far as they may be.
  private mutating func end() {
    reads = []
    for flight in flights.keys { _ = land(flight) }
    close()
  }

  private mutating func close() {
    unlockCreation()
    closeFormer()
    if let entry {
      if mode != .joined, !keepsWhole { actions.append(.supersede(entry.number)) }
      actions.append(.close(entry.number))
    }
    storing = .off(nil)
  }

  /// Ends the chosen fetches, except those that are nearly done, and gives up claims for which no
  /// fetch has begun.
  mutating func breakOff(_ isChosen: (InFlightFetch) -> Bool) {
    releaseClaims()
    for (number, flight) in flights where !flight.isCheck && isChosen(flight) {
      actions.append(.cancel(number, unlessRemaining: 64 << 10))
    }
  }

  /// Ends a fetch. Bytes of it that still arrive are ignored.
  mutating func abandon(_ number: FlightNumber) {
    guard let flight = flights.removeValue(forKey: number) else { return }
    actions.append(.cancel(number, unlessRemaining: 0))
    if let claim = flight.claim { release(claim) }
  }
}
