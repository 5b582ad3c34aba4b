import System

/// What is known and under way of the bytes behind one web address, for all who read them. Events go
/// in, actions come out; `Content` carries them out.
///
/// The cache is asked what it has; what is stale is checked with its server; then reads are answered
/// from what is held, and what is missing is fetched in windows that all readers share.
///
/// ```
/// looking ──▶ unknown ◀──▶ locking ──▶ looking
///    │           │
///    ▼           ▼
/// checking ──▶ known (joined, whole, loose)
/// ```
struct ContentState {
  /// How parts may be put together.
  enum Mode: Equatable {
    /// A strong validator vouches for any parts.
    case joined
    /// One answer brings all, in order.
    case whole
    /// Parts in memory only, for this run, by the length and a weak validator; beside them one
    /// answer may bring all for the disk.
    case loose
  }

  enum Phase: Equatable {
    /// The cache is asked what it has. Then `unknown`, `checking` or `known`.
    case looking
    /// Other processes are asked for the right to begin it, by fetching this. Then `looking`, or
    /// `unknown` where they take too long.
    case locking(Range<UInt64>)
    /// Nothing is known of its bytes. Then `locking`, or `known` by the first answer.
    case unknown
    /// Its server is asked whether what is stored is still true. Then `known`, or `unknown` where it
    /// is not.
    case checking(ContentFacts, Mode)
    /// Reads are answered. `unknown` again when the bytes have changed before anybody saw them.
    case known(ContentFacts, Mode)
  }

  /// Whether what comes is stored.
  enum Storing: Equatable {
    /// The first answer decides.
    case undecided
    /// Not before somebody plays it: then one answer may bring all of it.
    case deferred
    /// The cache makes an entry. The length may have become known since.
    case asked(hasLateLength: Bool)
    case on(StoredEntry)
    /// No more; what is stored may be read.
    case off(StoredEntry?)
  }

  /// The right to make an entry, of which other processes cannot know yet.
  enum CreationLock { case notNeeded, free, held }

  /// A range held, or asked for, against other processes.
  struct Claim: Equatable {
    var range: Range<UInt64>
    /// Once it is held, the reread of the index that was asked for after that: what an earlier one
    /// says may be older than what the former holder stored. Nil while it is asked for.
    var reread: UInt64?
  }

  /// What is known of a content from the start.
  struct Setup {
    var address: WebAddress
    var isListing = false
    var hasCache = true
    /// Seconds for which what is stored need not be checked where its server says nothing.
    var freshSeconds: Int64 = 0
    /// When this run began, in seconds since 1970.
    var began: Int64 = 0
    /// So long another process that stores nothing new is waited for.
    var patienceWithOthers = Duration.seconds(4)
  }

  /// What the shell knows when an event comes.
  struct Moment {
    var now: Instant
    /// Seconds since 1970.
    var seconds: Int64
    /// With no more bytes than this to come of one fetch it is time for the next.
    var littleLeft: UInt64
    /// Bytes that take more than a second to come.
    var muchLeft: UInt64
  }

  struct Reader {
    var urgency = ResourceUrgency.playing
    /// What it goes on with must not be of another generation, and what it reads again was not saved
    /// again.
    var seen = Extents()
    /// What was read for it while it did not play, which it may never do: counted once it does.
    var uncounted = Saving()
  }

  /// Files up to this size without a strong validator are fetched as one answer.
  static let mostAtOnce: UInt64 = 16 << 20
  /// Bytes that may be on their way to the disk, by all flights together.
  static let mostUnwritten: UInt64 = 1 << 20
  /// Bytes that are held in memory where nothing is stored.
  static let mostInMemory = 8 << 20

  let setup: Setup
  /// Of the event that is being handled.
  var moment: Moment
  /// What was decided on it so far.
  var actions: [ContentAction] = []
  var phase: Phase
  var storing = Storing.undecided
  /// Why it is not stored, in words that follow "cannot keep NAME: "; nil while it may be.
  var whyNotKept: String?
  /// What is on its way to the disk, or in place of it.
  var memory = WriteBuffer()
  /// Parts that no strong validator vouches for: they are never stored.
  var loose = WriteBuffer()
  /// What can be read: stored or in memory.
  var held = Extents()
  var flights: [FlightNumber: InFlightFetch] = [:]
  /// Fetches begun so far.
  var started: UInt64 = 0
  var reads: [PendingRead] = []
  var readAhead = ReadAhead()
  var readers: [UInt64: Reader] = [:]
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
  var claims: [Claim] = []
  /// Claims to let go of, in the order in which the index hears of their bytes.
  var releases: [Range<UInt64>] = []
  var creationLock: CreationLock
  /// Since when another process is waited for.
  var waitsForOther: Instant?
  /// Rereads of the index asked for so far, and how many of them are not answered yet.
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

  /// What readers may know of it: nothing while what is stored is not known to be true.
  var info: ContentInfo? {
    guard case .known(let facts, _) = phase else { return nil }
    return ContentInfo(length: facts.length, type: facts.type)
  }

  /// Whether what is fetched is stored, as far as is known.
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

  /// Reads are answered from now on, and what comes is put together in this way.
  mutating func become(_ mode: Mode) {
    guard let facts else { return }
    phase = .known(facts, mode)
  }

  /// What is stored is taken for true.
  mutating func endCheck() {
    if case .checking(let facts, let mode) = phase { phase = .known(facts, mode) }
  }

  /// What is stored of it.
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

  /// Whether more of it is wanted now than is held.
  var isFetching: Bool {
    !reads.isEmpty || !claims.isEmpty || flights.values.contains { !standsStill($0) }
  }

  /// Whether nothing more can come for it once it has no readers.
  private var isIdle: Bool {
    switch phase {
    case .looking, .locking: false
    case .unknown, .checking, .known:
      flights.isEmpty && claims.isEmpty && rereadsPending == 0 && createsPending == 0
    }
  }

  // MARK: - Going on

  /// Answers what can be answered and fetches what is missing.
  mutating func proceed() {
    updatePriorities()
    answerReads()
    answerByRefusal()
    plan()
    settleCreation()
    updateAllowances()
    closeIfIdle()
  }

  /// Lets go of everything when nobody reads and nothing comes any more.
  mutating func closeIfIdle() {
    guard readers.isEmpty, isIdle else { return }
    actions.append(.forget)
    close()
  }

  /// What has come is stored as far as it may be.
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

  /// Ends what is under way and chosen, but for what is as good as here, and begins nothing that is
  /// not asked for again.
  mutating func breakOff(_ isChosen: (InFlightFetch) -> Bool) {
    releaseClaims()
    for (number, flight) in flights where !flight.isCheck && isChosen(flight) {
      actions.append(.cancel(number, unlessRemaining: 64 << 10))
    }
  }

  /// Ends a fetch, of which nothing more is taken.
  mutating func abandon(_ number: FlightNumber) {
    guard let flight = flights.removeValue(forKey: number) else { return }
    actions.append(.cancel(number, unlessRemaining: 0))
    if let claim = flight.claim { release(claim) }
  }
}
