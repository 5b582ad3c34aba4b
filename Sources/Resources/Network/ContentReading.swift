import System

// Who reads a content, and what they are answered.
extension ContentState {
  mutating func add(_ read: PendingRead) {
    reads.append(read)
    let range = read.range(length: length)
    if !range.isEmpty { readAhead.note(range) }
  }

  /// No answer is wanted by a reader any more; what only it waited for is not fetched further.
  mutating func cancel(_ reader: UInt64) {
    reads.removeAll { $0.reader == reader }
    guard reads.isEmpty, readers.allSatisfy({ $0.key == reader || $0.value.urgency == .held })
    else { return }
    // Nor what would come next, until something is read again.
    readAhead = ReadAhead()
    breakOff { !$0.isKept }
  }

  /// The most that any of its readers needs.
  var urgency: ResourceUrgency { readers.values.map(\.urgency).max() ?? .playing }

  /// How much its fetches matter now.
  var priority: FetchPriority {
    FetchPriority(
      isUrgent: urgency == .playing && !readers.isEmpty, isAwaited: !reads.isEmpty)
  }

  /// Whether somebody who still reads has seen bytes.
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

  /// What waits for what is broken off has it fetched again later. What would have to come from its
  /// first byte on again is not broken off: it stands still (`updateAllowances`).
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

  /// As much of a range as can be given; nil where that is not enough.
  private func answerable(_ wanted: Range<UInt64>, least: Int?) -> Range<UInt64>? {
    if held.contains(wanted) { return wanted }
    // Where the length is not known, fewer bytes than asked for are the end.
    guard let least, length != nil else { return nil }
    let reach = held.end(from: wanted.lowerBound)
    return reach - wanted.lowerBound >= least ? wanted.lowerBound..<reach : nil
  }

  /// What memory has from a position on, in one step.
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

  /// A fetch has failed for good: who waits is told, and who asks later is told the same without
  /// another request.
  mutating func refuse(_ error: FetchError) {
    let wasTold = refusal?.wasTold ?? false
    refusal = Refusal(error, at: moment.now)
    refusal?.wasTold = wasTold
    releaseClaims()
    failReads(error)
  }

  /// Answers what waits for bytes that its server has just refused.
  mutating func answerByRefusal() {
    guard let refusal, !reads.isEmpty, refusal.stands(at: moment.now) else { return }
    failReads(refusal.error)
  }

  /// Answers the reads of what does not come any more.
  private mutating func failReads(_ error: FetchError) {
    let failed = reads.filter { !isComing($0) && !isHere($0) }
    guard !failed.isEmpty else { return }
    reads = reads.filter { isComing($0) || isHere($0) }
    refusal?.wasTold = true
    for read in failed { actions.append(.fail(read, ResourceError(error))) }
  }

  /// Whether a read only has to be answered.
  private func isHere(_ read: PendingRead) -> Bool {
    guard case .known(let facts, _) = phase else { return false }
    return held.contains(read.range(length: facts.length))
  }

  /// Whether the next byte that a read lacks is under way.
  private func isComing(_ read: PendingRead) -> Bool {
    switch phase {
    case .looking, .locking, .checking: return false
    case .unknown, .known: break
    }
    let next = missing(read)
    return flights.values.contains { reach(of: $0).contains(next) }
  }
}
