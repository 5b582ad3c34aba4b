import System

// Who reads a content, and how reads are answered.
extension ContentState {
  mutating func add(_ read: PendingRead) {
    reads.append(read)
    let range = read.range(length: length)
    if !range.isEmpty { readAhead.note(range) }
  }

  /// A reader wants no answers any more. Fetches that only it waited for are ended.
  mutating func cancel(_ reader: UInt64) {
    reads.removeAll { $0.reader == reader }
    guard reads.isEmpty, readers.allSatisfy({ $0.key == reader || $0.value.urgency == .held })
    else { return }
    // Nothing is fetched ahead either, until there is another read.
    readAhead = ReadAhead()
    breakOff { !$0.isKept }
  }

  /// The highest urgency of its readers.
  var urgency: ResourceUrgency { readers.values.map(\.urgency).max() ?? .playing }

  /// The priority of its fetches.
  var priority: FetchPriority {
    FetchPriority(
      isUrgent: urgency == .playing && !readers.isEmpty, isAwaited: !reads.isEmpty)
  }

  /// Whether one of the present readers has seen bytes.
  var hasBeenSeen: Bool { readers.values.contains { !$0.seen.isEmpty } }

  mutating func setUrgency(_ urgency: ResourceUrgency, of reader: UInt64) {
    guard let former = readers[reader]?.urgency, former != urgency else { return }
    readers[reader]?.urgency = urgency
    if urgency == .playing, let saving = readers[reader]?.uncounted, saving != Saving() {
      readers[reader]?.uncounted = Saving()
      actions.append(.count(saving))
    }
    if self.urgency == .held { holdBack() } else { proceed() }
  }

  /// Reads that wait for an ended fetch have it fetched again later. A fetch that would have to
  /// start again from the first byte is not ended, only stopped (`updateAllowances`).
  private mutating func holdBack() {
    breakOff { !$0.isWhole }
    updatePriorities()
  }

  mutating func leave(_ reader: UInt64) {
    cancel(reader)
    readers[reader] = nil
    if readers.isEmpty { breakOff { _ in true } }
    if urgency == .held { holdBack() } else { updatePriorities() }
    closeIfIdle()
  }

  // MARK: - Answers

  mutating func answerReads() {
    guard case .known(let facts, _) = phase else { return }
    var waiting: [PendingRead] = []
    for read in reads {
      let wanted = read.range(length: facts.length)
      guard let range = answerable(wanted, least: read.least) else {
        waiting.append(read)
        continue
      }
      actions.append(
        .answer(read, read.isOnlyFetch ? wanted.lowerBound..<wanted.lowerBound : range))
    }
    reads = waiting
  }

  /// The part of a range that can be given; nil if that is not enough.
  private func answerable(_ wanted: Range<UInt64>, least: Int?) -> Range<UInt64>? {
    if held.contains(wanted) { return wanted }
    // If the length is not known, fewer bytes than asked for would mean the end.
    guard let least, length != nil else { return nil }
    let reach = held.end(from: wanted.lowerBound)
    return reach - wanted.lowerBound >= least ? wanted.lowerBound..<reach : nil
  }

  /// The bytes in memory from a position on, as far as one step reaches.
  mutating func inMemory(from position: UInt64, upTo end: UInt64) -> Part? {
    loose.read(from: position, upTo: end) ?? memory.read(from: position, upTo: end)
  }

  mutating func answered(_ read: PendingRead, bytes: Int) {
    let source = read.isMiss ? "the network" : entry == nil ? "memory" : "disk"
    actions.append(.log(.answers(read.range(length: length), from: source)))
    guard !read.isOnlyFetch, var reader = readers[read.reader] else { return }
    let range = read.offset..<read.offset + UInt64(bytes)
    let fresh = reader.seen.holes(in: range).reduce(0) { $0 + UInt64($1.count) }
    reader.seen.insert(range)
    let saving = Saving(hits: read.isMiss ? 0 : 1, misses: read.isMiss ? 1 : 0, served: fresh)
    if reader.urgency == .playing {
      actions.append(.count(saving))
    } else {
      reader.uncounted = reader.uncounted + saving
    }
    readers[read.reader] = reader
  }

  mutating func unreadable(_ read: PendingRead, left: Extents) {
    setExtents(left)
    reads.insert(read, at: 0)
    proceed()
  }

  /// A fetch has failed for good. Waiting reads get the error, and so do later ones, without
  /// another request.
  mutating func refuse(_ error: FetchError) {
    let wasGiven = refusal?.wasGiven ?? false
    refusal = Refusal(error, at: moment.now)
    refusal?.wasGiven = wasGiven
    releaseClaims()
    failReads(error)
  }

  /// Answers reads whose bytes the server has just refused.
  mutating func answerByRefusal() {
    guard let refusal, !reads.isEmpty, refusal.stands(at: moment.now) else { return }
    failReads(refusal.error)
  }

  /// Answers the reads whose bytes will not come.
  private mutating func failReads(_ error: FetchError) {
    let failed = reads.filter { !isComing($0) && !isHere($0) }
    guard !failed.isEmpty else { return }
    reads = reads.filter { isComing($0) || isHere($0) }
    refusal?.wasGiven = true
    for read in failed { actions.append(.fail(read, ResourceError(error))) }
  }

  /// Whether all bytes of a read are held.
  private func isHere(_ read: PendingRead) -> Bool {
    guard case .known(let facts, _) = phase else { return false }
    return held.contains(read.range(length: facts.length))
  }

  /// Whether the next missing byte of a read is under way.
  private func isComing(_ read: PendingRead) -> Bool {
    switch phase {
    case .looking, .locking, .checking: return false
    case .unknown, .known: break
    }
    let next = missing(read)
    return flights.values.contains { reach(of: $0).contains(next) }
  }
}
