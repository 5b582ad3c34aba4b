/// The bytes that readers have seen of a content before the answers of its server stopped fitting
/// together.
struct FormerBytes {
  var entry: StoredEntry?
  var memory: WriteBuffer
  /// Parts that were never to be stored.
  var loose: WriteBuffer
  let held: Extents
  let facts: ContentFacts

  /// The bytes in memory from a position on, as far as one step reaches.
  mutating func inMemory(from position: UInt64, upTo end: UInt64) -> Part? {
    memory.read(from: position, upTo: end) ?? loose.read(from: position, upTo: end)
  }
}

// Answers that do not fit together. Servers that share one address may tag the same bytes
// differently, and some refuse all conditions; the file may be the same all the same. So the whole
// content is fetched once more as one answer without conditions, and compared with what readers
// have seen.
extension ContentState {
  /// Begins to compare; false if that was tried already, or if no byte is missing.
  mutating func compareWithWhole() -> Bool {
    guard !wantsWhole, former == nil, facts != nil, !isWhole else { return false }
    for number in flights.keys { abandon(number) }
    wantsWhole = true
    become(.whole)
    keepForComparison()
    return true
  }

  /// Sets the held bytes aside, unless some are set aside already.
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

  /// Whether a whole answer has the length of the former bytes.
  func agreesInLength(_ head: FetchHead) -> Bool {
    guard let length = former?.facts.length, let total = head.accepted.total else { return true }
    return length == total
  }

  /// The whole answer differs or does not come: readers keep the former bytes.
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

  /// Stops comparing. Later readers find the bytes that were stored last.
  mutating func closeFormer() {
    if let entry = former?.entry { actions.append(.close(entry.number)) }
    former = nil
  }
}
