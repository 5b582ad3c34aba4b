/// What readers have seen of a content when the answers of its server did not fit together any more.
struct FormerBytes {
  var entry: StoredEntry?
  var memory: WriteBuffer
  /// Parts that were for memory alone.
  var loose: WriteBuffer
  let held: Extents
  let facts: ContentFacts

  /// What memory has from a position on, in one step.
  mutating func inMemory(from position: UInt64, upTo end: UInt64) -> Part? {
    memory.read(from: position, upTo: end) ?? loose.read(from: position, upTo: end)
  }
}

// What becomes of a content whose parts do not fit together. Servers that share one address may tag the
// same bytes differently, and some refuse any condition: that is no other file. So all of it is asked
// for once more as one answer without conditions, and what readers have seen is compared with that.
extension ContentState {
  /// Begins with that; false where it was tried already, or nothing is missing.
  mutating func compareWithWhole() -> Bool {
    guard !wantsWhole, former == nil, facts != nil, !isWhole else { return false }
    for number in flights.keys { abandon(number) }
    wantsWhole = true
    become(.whole)
    keepForComparison()
    return true
  }

  /// Sets aside what is here, where nothing is yet.
  mutating func keepForComparison() {
    guard former == nil, let facts, !held.isEmpty else { return }
    releaseClaims()
    releases.forEach { release($0) }
    releases = []
    former = FormerBytes(entry: entry, memory: memory, loose: loose, held: held, facts: facts)
    memory = WriteBuffer()
    loose = WriteBuffer()
    storing = .undecided
    holdAnew()
  }

  /// Whether a whole answer is as long as what was here.
  func agreesInLength(_ head: FetchHead) -> Bool {
    guard let length = former?.facts.length, let total = head.accepted.total else { return true }
    return length == total
  }

  /// A whole answer is of other bytes, or does not come: its readers keep what was here.
  mutating func restoreFormer() {
    guard let former else { return }
    for number in flights.keys { abandon(number) }
    forgetStored()
    (memory, loose) = (former.memory, former.loose)
    phase = .known(former.facts, .whole)
    storing = .off(former.entry)
    self.former = nil
    trimMemory()
  }

  /// Nothing is compared any more. Who comes later finds what was stored last.
  mutating func closeFormer() {
    if let entry = former?.entry { actions.append(.close(entry.number)) }
    former = nil
  }
}
